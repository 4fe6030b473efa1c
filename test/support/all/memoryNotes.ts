import type { EarlierNote, ReadableNotes } from "../../../provider/src/hosts/createNotes.js";
import type { CreateNote } from "../../../provider/src/lifecycle/ownState.js";

/** The notes of a machine, for runs one after the other. */
export class MemoryNotes implements ReadableNotes {
  readonly begun: CreateNote[] = [];
  private notes: readonly EarlierNote[] = [];

  begin(note: CreateNote): void {
    this.begun.push(note);
    this.leave(note);
  }

  end(urn: string): void {
    this.notes = this.notes.filter((note) => note.urn !== urn);
  }

  settle(urn: string): void {
    this.end(urn);
  }

  readonly ofEarlierRuns = (): readonly EarlierNote[] => this.notes;

  readonly remove = ({ urn }: EarlierNote): void => {
    this.end(urn);
  };

  /** Leaves a note, as a killed process does. */
  leave(note: CreateNote): void {
    this.notes = [...this.notes.filter(({ urn }) => urn !== note.urn), { ...note, path: note.urn }];
  }
}
