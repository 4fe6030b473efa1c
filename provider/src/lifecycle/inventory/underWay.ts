import type { Claims, Declarer } from "../../client/claims.js";
import type { Account } from "../../config/index.js";
import { canonicalJson } from "../../json.js";
import { noted } from "./holders.js";

/**
 * The creates and changes of a run whose result is not known yet, by what they are about: a source, or a whole
 * declaration. Other processes of the run may be at the same.
 */
export class UnderWay {
  /** How often a declaration is sent now. */
  private readonly sent = new Map<string, number>();
  /** By a source, who is getting a job for it. */
  private readonly taking = new Map<string, Declarer>();
  /** By a source, whose create for it is unconfirmed since an earlier run. */
  private readonly unconfirmed = new Map<string, Declarer>();
  private readonly account: readonly unknown[];
  /** By its id, a job whose change or delete takes it from its source now, and the job for which that waits. */
  private readonly leaving = new Map<string, { readonly ended: Promise<void>; waitsFor?: string | undefined }>();

  constructor(
    private readonly claims: Claims,
    { baseUrl, credentials }: Account,
  ) {
    // Accounts of one address may have equal jobs, and no name tells two explicit providers apart.
    this.account = [baseUrl, credentials && ("token" in credentials ? credentials.token : credentials.command)];
  }

  /** Notes that a declaration is sent. */
  begin(declaration: string, declarer: Declarer): void {
    this.change(declaration, 1);
    this.claims.note(this.keyOf("sent", declaration), noted(declarer));
  }

  end(declaration: string): void {
    this.change(declaration, -1);
  }

  /** Whether an equal declaration, too, is sent or was sent a moment ago. */
  isSentTwice(declaration: string): boolean {
    return (this.sent.get(declaration) ?? 0) > 1 || this.claims.elsewhere(this.keyOf("sent", declaration)).length > 0;
  }

  /** Takes a source for a job. @returns who may get a job for it by another declaration. */
  takeSource(source: string, declarer: Declarer): Declarer | undefined {
    const isOther = (other: Declarer) => other.declaration !== declarer.declaration;
    const first = this.taking.get(source) ?? [this.unconfirmed.get(source) ?? declarer].find(isOther);
    if (first !== undefined) return first;
    const key = this.keyOf("source", source);
    const taken = this.claims.take(key, noted(declarer));
    if (taken !== undefined) return taken;
    const other = this.claims.elsewhere(key).slice(0, 1).find(isOther);
    if (other === undefined) this.taking.set(source, declarer);
    else this.claims.giveBack(key);
    return other;
  }

  /** The list of jobs tells from now on who has the source. To other processes an older list may not, so they wait for the next run. */
  endSource(source: string): void {
    this.taking.delete(source);
  }

  /** Surely no job came to the source. */
  giveBackSource(source: string): void {
    this.endSource(source);
    this.claims.giveBack(this.keyOf("source", source));
  }

  /** Notes that a job is about to leave its source. @returns what ends that, with or without success. */
  leave(id: string): () => void {
    let left = (): void => undefined;
    const ended = new Promise<void>((resolve) => (left = resolve));
    this.leaving.set(id, { ended });
    return () => {
      this.leaving.delete(id);
      left();
    };
  }

  /** Waits until a job has left its source, or could not; false where it is not about to, or itself waits for this one. */
  async hasLeft(id: string, ownId: string | undefined): Promise<boolean> {
    const leaving = this.leaving.get(id);
    for (let next = leaving; next !== undefined; next = this.leaving.get(next.waitsFor ?? ""))
      if (next.waitsFor !== undefined && next.waitsFor === ownId) return false;
    if (leaving === undefined) return false;
    const own = this.leaving.get(ownId ?? "");
    if (own !== undefined) own.waitsFor = id;
    await leaving.ended;
    if (own !== undefined) own.waitsFor = undefined;
    return true;
  }

  /** Notes an unconfirmed create of an earlier run: its job may still appear. */
  noteUnconfirmed(source: string, declarer: Declarer): void {
    this.unconfirmed.set(source, declarer);
    this.claims.note(this.keyOf("source", source), noted(declarer));
  }

  /** Tells the other processes that a create of this is unconfirmed. */
  noteUnconfirmedCreate(declaration: string, declarer: Declarer): void {
    this.claims.note(this.keyOf("unconfirmed", declaration), noted(declarer));
  }

  /** Whose create of this is unconfirmed in another process. */
  unconfirmedElsewhere(declaration: string): Declarer | undefined {
    return this.claims.elsewhere(this.keyOf("unconfirmed", declaration))[0];
  }

  private change(declaration: string, by: number): void {
    this.sent.set(declaration, (this.sent.get(declaration) ?? 0) + by);
  }

  private keyOf(what: string, key: string): string {
    return canonicalJson([what, ...this.account, key]);
  }
}
