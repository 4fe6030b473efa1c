import { createHash } from "node:crypto";
import type { Claims, Holder } from "../../client/service.js";
import type { Entry, Log, OpenLog } from "./runLog.js";

/** For each thing, its holders by process, in the order in which the processes claimed or noted the thing. */
type Holders = Map<string, Map<string, Holder>>;

/**
 * Opens the claims of each account and tells only the first problem. An account has claims of its own, even within one
 * process: two names may stand for the same account at the service, whose jobs then need one holder as well.
 */
export function claimsOfAccounts(onProblem: (text: string) => void, openLog: OpenLog | undefined): () => RunClaims {
  let isTold = false;
  const onFirst = (text: string) => {
    if (!isTold) onProblem(text);
    isTold = true;
  };
  return () => new RunClaims(onFirst, openLog);
}

/** The claims of one account in one process, in a log that a run shares. Unreleased claims outlive their process. */
export class RunClaims implements Claims {
  private log: Log | undefined;
  /** Whether a write is already scheduled for the end of this tick. */
  private isSyncing = false;
  private readonly taken: Holders = new Map();
  private readonly noted: Holders = new Map();

  /** `onProblem` is called once, if this process can no longer share claims. */
  constructor(
    private readonly onProblem: (text: string) => void,
    /** Undefined if no engine started this process, so that its run has no others, or if it can no longer share claims. */
    private openLog: OpenLog | undefined,
  ) {}

  take(what: string, holder: Holder): Holder | undefined {
    return this.shared((log) => {
      const thing = digestOf(what);
      if (this.taken.get(thing)?.has(log.process) === true) return undefined;
      log.append("take", thing, holder);
      log.sync();
      const other = this.firstOther(log, thing);
      if (other !== undefined) {
        log.append("giveBack", thing);
        log.sync();
      }
      return other;
    });
  }

  giveBack(what: string): void {
    this.shared((log) => {
      const thing = digestOf(what);
      if (this.taken.get(thing)?.has(log.process) !== true) return;
      log.append("giveBack", thing);
      log.sync();
    });
  }

  note(what: string, holder: Holder): void {
    this.shared((log) => {
      log.append("note", digestOf(what), holder);
      if (this.isSyncing) return;
      this.isSyncing = true;
      // A call notes several things: write them all at once, before the call is answered.
      queueMicrotask(() => {
        this.isSyncing = false;
        this.shared(() => {
          log.sync();
        });
      });
    });
  }

  elsewhere(...whats: readonly string[]): readonly Holder[] {
    const others = this.shared((log) => {
      log.sync();
      return whats.map(digestOf).flatMap((thing) => {
        const first = this.firstOther(log, thing);
        const notes = [...(this.noted.get(thing) ?? [])].filter(([process]) => process !== log.process);
        return [...(first === undefined ? [] : [first]), ...notes.map(([, holder]) => holder)];
      });
    });
    return others ?? [];
  }

  /** The first holder of a thing; undefined if the thing has no holder, or if this process is the first. */
  private firstOther(log: Log, thing: string): Holder | undefined {
    const [first] = this.taken.get(thing) ?? [];
    return first === undefined || first[0] === log.process ? undefined : first[1];
  }

  private readonly apply = ({ act, what, process, holder }: Entry): void => {
    if (act === "giveBack") this.taken.get(what)?.delete(process);
    if (holder === undefined) return;
    const holders = act === "take" ? this.taken : this.noted;
    holders.set(what, (holders.get(what) ?? new Map<string, Holder>()).set(process, holder));
  };

  private shared<Result>(use: (log: Log) => Result): Result | undefined {
    if (this.openLog === undefined) return undefined;
    try {
      return use((this.log ??= this.openLog(this.apply)));
    } catch (error) {
      this.openLog = undefined;
      const why = error instanceof Error ? error.message : String(error);
      this.onProblem(
        `The provider processes of this run cannot tell each other which jobs they manage (${why}), so two of them may change the same job. Set TMPDIR (on Windows, TEMP) to a folder that this user can write to.`,
      );
      return undefined;
    }
  }
}

/** A digest, because what is claimed may hold a credential or a declaration, and the log is a file. */
const digestOf = (what: string): string => createHash("sha256").update(what).digest("base64url").slice(0, 22);
