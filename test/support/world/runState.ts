import type { Command, Stack } from "./command.js";
import type { PendingOperation, Saved } from "./state.js";

/** The state as one run has it in mind, and how it writes it. A later write of another run replaces it wholly. */
export class RunState {
  view = new Map<string, Saved>();
  /** The creates that earlier runs left open: the engine keeps them until the user clears them. */
  private earlier: readonly PendingOperation[] = [];
  private readonly operations = new Set<PendingOperation>();

  constructor(
    private readonly stack: Stack,
    private readonly command: Command,
    /** Does something a little later, if the engine still lives. */
    private readonly later: (save: () => void) => unknown,
  ) {
    this.load();
  }

  load(): void {
    const { file } = this.stack;
    this.view = new Map(file.resources);
    this.earlier = file.pending.filter(({ type }) => type === "creating");
  }

  clearPending(): void {
    this.earlier = [];
  }

  begin(operation: PendingOperation): PendingOperation {
    this.operations.add(operation);
    this.write();
    return operation;
  }

  end(operation: PendingOperation): void {
    this.operations.delete(operation);
    this.write(false, this.command.checkpoints === "journal");
  }

  /** `isLate`: a journal is written a little later, but not the beginning of a step. */
  write(isEnd = false, isLate = false): void {
    const { stack, command } = this;
    if (command.checkpoints === "end" && !isEnd) return;
    const file = {
      resources: new Map(this.view),
      pending: [...this.operations, ...this.earlier],
      savedAt: command.machine.wall(),
    };
    const save = () => {
      stack.file = file;
    };
    if (isLate) this.later(save);
    else save();
  }
}
