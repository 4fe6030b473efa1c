import { createHash, randomUUID } from "node:crypto";
import type { Claims, Holder } from "../../client/service.js";
import type { EngineAddress } from "../engine.js";
import { logOfRun, type Entry, type Exchange, type OpenLog } from "./runLog.js";

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
  /** Identifies this process in the log. Not the system's process id, which a later process of the run may get. */
  private readonly process = randomUUID().slice(0, 8);
  private exchange: Exchange | undefined;
  private readonly unwritten: Entry[] = [];
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
    return this.shared((sync) => {
      const thing = digestOf(what);
      if (this.hasTaken(thing)) return undefined;
      sync(this.entry("take", thing, holder));
      const other = this.firstOther(thing);
      if (other !== undefined) sync(this.entry("giveBack", thing));
      return other;
    });
  }

  giveBack(what: string): void {
    this.shared((sync) => {
      const thing = digestOf(what);
      if (this.hasTaken(thing)) sync(this.entry("giveBack", thing));
    });
  }

  note(what: string, holder: Holder): void {
    this.shared(() => {
      const waiting = this.unwritten.push(this.entry("note", digestOf(what), holder));
      if (waiting > 1) return;
      // A call notes several things: write them all at once, before the call is answered.
      queueMicrotask(() => {
        this.shared((sync) => {
          sync();
        });
      });
    });
  }

  elsewhere(...whats: readonly string[]): readonly Holder[] {
    const others = this.shared((sync) => {
      sync();
      return whats.map(digestOf).flatMap((thing) => {
        const first = this.firstOther(thing);
        const notes = [...(this.noted.get(thing) ?? [])].filter(([process]) => process !== this.process);
        return [...(first === undefined ? [] : [first]), ...notes.map(([, holder]) => holder)];
      });
    });
    return others ?? [];
  }

  private hasTaken(thing: string): boolean {
    return this.taken.get(thing)?.has(this.process) === true;
  }

  /** The first holder of a thing; undefined if the thing has no holder, or if this process is the first. */
  private firstOther(thing: string): Holder | undefined {
    const [first] = this.taken.get(thing) ?? [];
    return first === undefined || first[0] === this.process ? undefined : first[1];
  }

  private entry(act: Entry["act"], what: string, holder?: Holder): Entry {
    return { process: this.process, act, what, holder };
  }

  /** Calls `use` with a function that writes the entries to the log and applies what all processes have written. */
  private shared<Result>(use: (sync: (...entries: Entry[]) => void) => Result): Result | undefined {
    if (this.openLog === undefined) return undefined;
    try {
      const exchange = (this.exchange ??= this.openLog());
      return use((...entries) => {
        for (const entry of exchange([...this.unwritten.splice(0), ...entries])) this.apply(entry);
      });
    } catch (error) {
      this.openLog = undefined;
      const why = error instanceof Error ? error.message : String(error);
      this.onProblem(
        `The provider processes of this run cannot tell each other which jobs they manage (${why}), so two of them may change the same job. Set TMPDIR (on Windows, TEMP) to a folder that this user can write to.`,
      );
      return undefined;
    }
  }

  private apply({ act, what, process, holder }: Entry): void {
    if (act === "giveBack") this.taken.get(what)?.delete(process);
    if (holder === undefined) return;
    const holders = act === "take" ? this.taken : this.noted;
    holders.set(what, (holders.get(what) ?? new Map<string, Holder>()).set(process, holder));
  }
}

/** The log gets only a digest: the log is a file, and the claimed text may contain a credential or a declaration. */
const digestOf = (what: string): string => createHash("sha256").update(what).digest("base64url").slice(0, 22);
