import { createHash } from "node:crypto";
import type { Claims, Holder } from "../../client/service.js";
import type { EngineAddress } from "../engine.js";
import { logOfRun, type Entry, type Log, type OpenLog } from "./runLog.js";

/**
 * Maps each thing to its holders, and each holder's process to the holder. The holders of a thing are in the order in
 * which their processes claimed or noted the thing.
 */
type Holders = Map<string, Map<string, Holder>>;

/**
 * Returns a function that opens the claims of one account in the engine's run. Only the first problem of all accounts is
 * reported. Accounts do not share claims, even within one process: two account names may stand for the same account at
 * the service, and each job of that account must still have only one holder.
 */
export function claimsOfAccounts(
  onProblem: (text: string) => void,
  engine: EngineAddress | undefined,
): () => RunClaims {
  let isTold = false;
  const onFirst = (text: string) => {
    if (!isTold) onProblem(text);
    isTold = true;
  };
  return () => new RunClaims(onFirst, engine && logOfRun(engine));
}

/**
 * The claims of one account in one process. All processes of a run write their claims to one log. A claim that is not
 * released stays in the log after its process ends.
 */
export class RunClaims implements Claims {
  private log: Log | undefined;
  /** Whether a write is already scheduled for the end of this tick. */
  private isSyncing = false;
  private readonly taken: Holders = new Map();
  private readonly noted: Holders = new Map();

  /** `onProblem` is called once, if this process can no longer share claims. */
  constructor(
    private readonly onProblem: (text: string) => void,
    /**
     * Undefined if this process cannot share claims: no engine started this process, so its run has no other processes,
     * or sharing failed.
     */
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

/** The log gets only a digest: the log is a file, and the claimed text may contain a credential or a declaration. */
const digestOf = (what: string): string => createHash("sha256").update(what).digest("base64url").slice(0, 22);
