import { notSent, type NotDone, type Outcome, type Made, type Reason, type Stopped } from "./outcomes.js";

export const cancelledRun = { what: "The run was cancelled.", fix: "Run the command again." };

/** Ends a run early: no more creates, updates or deletes are sent, and those in flight finish and are recorded. */
export class Cancellation {
  isRequested = false;
  request: () => void = () => undefined;
  /** Settles when the run is cancelled, so that a wait can be cut short. */
  readonly requested = new Promise<undefined>((resolve) => {
    this.request = () => {
      this.isRequested = true;
      resolve(undefined);
    };
  });
}

/** A create that is ready to be sent. */
export interface Attempt<Stop extends Stopped = never> {
  readonly label: string;
  /** The safe request before the first create of a run. Resolves to a reason if nothing may be sent, else undefined. */
  preflight(): Promise<Reason | undefined>;
  /** Called after all waits. */
  send(): Promise<Outcome<Made> | Stop>;
}

/** After this many creates in a row without a clear answer, no more are sent. */
const maxAmbiguousInARow = 2;

const seeError = (label: string): string => `Not sent: see the error on ${label}.`;

/**
 * Decides when creates may be sent, for one run and account: none until the preflight request succeeds; then one at a
 * time until one gets a clear answer; then all in parallel; one at a time again after an ambiguous answer; and none
 * after two ambiguous answers in a row. This detects an outage before it does harm.
 */
export class CreateGate {
  private preflight: Promise<Reason | undefined> | undefined;
  private closed: Reason | undefined;
  /** The resource whose error says why nothing more is sent. */
  private explainedBy: string | undefined;
  private parallel = false;
  private active = 0;
  private ambiguousInARow = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly cancellation: Cancellation) {}

  async admit<Stop extends Stopped>(attempt: Attempt<Stop>): Promise<Outcome<Made> | Stop> {
    const { cancellation } = this;
    this.preflight ??= attempt.preflight();
    const failure = await Promise.race([this.preflight, cancellation.requested]);
    this.closed ??= failure;
    while (!cancellation.isRequested && this.closed === undefined && !this.parallel && this.active > 0) {
      await Promise.race([new Promise<void>((resolve) => this.waiting.push(resolve)), cancellation.requested]);
    }
    if (cancellation.isRequested) return notSent("creates", cancelledRun);
    if (this.closed !== undefined) return this.closedFor(attempt, this.closed);
    // There must be no `await` between the loop's condition and the next line: only one of the woken creates may go on.
    this.active += 1;
    const inParallel = this.parallel;
    try {
      const outcome = await attempt.send();
      if (outcome.kind !== "stopped") this.learn(outcome, inParallel, attempt);
      return outcome;
    } finally {
      this.active -= 1;
      this.wake();
    }
  }

  /** `inParallel`: the create was sent in parallel with others, so a newer answer may already be known. */
  private learn(outcome: Outcome<unknown>, inParallel: boolean, attempt: Pick<Attempt, "label">): void {
    const failure = outcome.kind === "failed" ? outcome : undefined;
    if (failure?.cause === "ambiguous") {
      this.ambiguousInARow += 1;
      this.parallel = false;
      if (this.ambiguousInARow >= maxAmbiguousInARow) {
        this.closed ??= {
          what: `${maxAmbiguousInARow} creates in a row got no clear answer, so this run sends no more.`,
          fix: "Resolve the unconfirmed creates, then run pulumi up again.",
        };
      }
    } else if (failure !== undefined && failure.cause !== "refused") {
      if (failure.ends === "creates") this.close(failure, attempt);
    } else if (failure?.ends === "creates") {
      if (!inParallel) this.close(failure, attempt);
      this.parallel = false;
    } else if (!inParallel || this.parallel) {
      this.ambiguousInARow = 0;
      this.parallel = true;
    }
  }

  /** Sends no more creates. The error of `attempt` explains why. */
  private close({ what, fix }: Reason, { label }: Pick<Attempt, "label">): void {
    this.closed ??= { what, fix };
    this.explainedBy ??= label;
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const go of waiting) go();
  }

  /** The error of the first create that is not sent explains why; the others' errors refer to the first in one line. */
  private closedFor({ label }: Pick<Attempt, "label">, reason: Reason): NotDone {
    const { explainedBy } = this;
    this.explainedBy ??= label;
    // A hook may repeat the create whose error explains why.
    const isOwn = explainedBy === undefined || explainedBy === label;
    return notSent("creates", isOwn ? reason : { what: seeError(explainedBy), fix: undefined });
  }
}
