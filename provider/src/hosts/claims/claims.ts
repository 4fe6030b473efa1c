import { ClaimFiles, type Claimant } from "./claimFiles.js";
import { runFolder, type RunFolder } from "./runFolder.js";

/**
 * Who has what in one run, over all its provider processes: an engine starts one for each provider resource. A claim
 * outlives the process that made it, until the run is over.
 */
export class Claims {
  private readonly own = new Map<string, Claimant>();
  /** Undefined where this process is alone. */
  private files: ClaimFiles | undefined;

  /** `onProblem` is told once that claims hold in this process alone from now on. */
  constructor(
    private readonly onProblem: (text: string) => void,
    folder: RunFolder | undefined = runFolder(),
  ) {
    this.files = folder && new ClaimFiles(folder);
  }

  /** Takes it for a resource, unless another one has it: that one is the answer then. */
  take(what: string, claimant: Claimant): Claimant | undefined {
    const holder = this.own.get(what) ?? this.shared((files) => files.take(what, claimant));
    if (holder === undefined) this.own.set(what, claimant);
    return holder?.identity === claimant.identity ? undefined : holder;
  }

  /** Who has it; undefined where nobody has. */
  holder(what: string): Claimant | undefined {
    return this.own.get(what) ?? this.shared((files) => files.read(what));
  }

  /** Gives back what this process took; what another one has stays as it is. */
  release(what: string): void {
    if (!this.own.delete(what)) return;
    this.shared((files) => {
      files.remove(what);
    });
  }

  private shared<Result>(use: (files: ClaimFiles) => Result): Result | undefined {
    if (this.files === undefined) return undefined;
    try {
      return use(this.files);
    } catch (error) {
      this.files = undefined;
      const why = error instanceof Error ? error.message : String(error);
      this.onProblem(
        `The provider processes of this run cannot tell each other which jobs they have (${why}): two of them may touch one job. Set TMPDIR, on Windows TEMP, to a folder that this user can write to.`,
      );
      return undefined;
    }
  }
}
