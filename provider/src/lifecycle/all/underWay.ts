/** The creates and changes of a run whose result is not known yet, by what they are about: a source, or a whole declaration. */
export class UnderWay {
  private readonly counts = new Map<string, number>();
  /** The declaration whose create for a source is unconfirmed since an earlier run. */
  private readonly unconfirmed = new Map<string, string>();

  begin(key: string): void {
    this.counts.set(key, this.count(key) + 1);
  }

  end(key: string): void {
    this.counts.set(key, this.count(key) - 1);
  }

  count(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** Notes an unconfirmed create of an earlier run: its job may still appear. */
  noteUnconfirmed(source: string, declaration: string): void {
    this.unconfirmed.set(source, declaration);
  }

  /** Whether a source may get a job by another declaration. */
  mayGetJob(source: string, declaration: string): boolean {
    return this.count(source) > 0 || (this.unconfirmed.get(source) ?? declaration) !== declaration;
  }
}
