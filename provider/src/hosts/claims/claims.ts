import { join } from "node:path";
import type { Claims, Holder } from "../../client/claims.js";
import { ClaimFiles } from "./claimFiles.js";
import { NoteFiles } from "./noteFiles.js";
import { makeRunFolder, runFolder, type RunFolder } from "./runFolder.js";

/** The claims of one run, in a folder of all its provider processes. They outlive a process, until the run is over. */
export class RunClaims implements Claims {
  private readonly own = new Set<string>();
  /** Undefined where this process is alone. */
  private folder: RunFolder | undefined;
  private files: { readonly claims: ClaimFiles; readonly notes: NoteFiles } | undefined;

  /** `onProblem` is told once that this process is alone from now on. */
  constructor(
    private readonly onProblem: (text: string) => void,
    folder: RunFolder | undefined = runFolder(),
  ) {
    this.folder = folder;
  }

  take(what: string, holder: Holder): Holder | undefined {
    if (this.own.has(what)) return undefined;
    const first = this.shared(({ claims }) => claims.take(what, holder));
    if (first === undefined) this.own.add(what);
    return first;
  }

  giveBack(what: string): void {
    if (!this.own.delete(what)) return;
    this.shared(({ claims }) => {
      claims.remove(what);
    });
  }

  note(what: string, holder: Holder): void {
    this.shared(({ notes }) => {
      notes.write(what, holder);
    });
  }

  elsewhere(what: string): Holder | undefined {
    return this.shared(({ claims, notes }) => (this.own.has(what) ? undefined : claims.read(what)) ?? notes.find(what));
  }

  private shared<Result>(
    use: (files: { readonly claims: ClaimFiles; readonly notes: NoteFiles }) => Result,
  ): Result | undefined {
    if (this.folder === undefined) return undefined;
    try {
      this.files ??= filesIn(this.folder);
      return use(this.files);
    } catch (error) {
      this.folder = undefined;
      const why = error instanceof Error ? error.message : String(error);
      this.onProblem(
        `The provider processes of this run cannot tell each other which jobs they have (${why}): two of them may touch one job. Set TMPDIR, on Windows TEMP, to a folder that this user can write to.`,
      );
      return undefined;
    }
  }
}

function filesIn(folder: RunFolder) {
  makeRunFolder(folder);
  const path = join(folder.root, folder.name);
  return { claims: new ClaimFiles(path), notes: new NoteFiles(join(path, "notes")) };
}
