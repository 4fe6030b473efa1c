import type { EarlierNote, ReadableNotes } from "../../../provider/src/hosts/createNotes.js";
import type { Place } from "../../../provider/src/client/accountClient.js";
import { isSentTo, type CreateNote } from "../../../provider/src/lifecycle/ownState.js";

/** The notes of a machine, for runs one after the other. */
export class MemoryNotes implements ReadableNotes {
  readonly begun: CreateNote[] = [];
  private notes: readonly EarlierNote[] = [];
  /** By URN, the notes of the run. */
  private readonly own = new Map<string, EarlierNote>();

  begin(note: CreateNote): void {
    this.begun.push(note);
    this.end(note.urn);
    this.own.set(note.urn, this.leave(note));
  }

  end(urn: string): void {
    const own = this.own.get(urn);
    this.own.delete(urn);
    if (own !== undefined) this.remove(own);
  }

  /** As if the run were over at once. */
  keep(urn: string): void {
    this.end(urn);
  }

  settle(urn: string, place: Place): void {
    for (const note of this.notes)
      if (note.urn === urn && note !== this.own.get(urn) && isSentTo(note, place)) this.remove(note);
  }

  readonly ofEarlierRuns = (): readonly EarlierNote[] => this.notes;

  readonly remove = (removed: EarlierNote): void => {
    this.notes = this.notes.filter((note) => note !== removed);
  };

  /** Leaves a note, as a killed process does. */
  leave(note: CreateNote): EarlierNote {
    const left = { ...note, path: `${note.urn} ${this.begun.length}` };
    this.notes = [...this.notes, left];
    return left;
  }
}
