import { declaredSource, nameKey } from "../client/jobMatch.js";
import { wireParams, type Declaration, type DeclaredJob, type IsPlain, type JobKind } from "../jobs/index.js";
import { isObject, membersOf } from "../json.js";
import { hasUnknown, unknownValue } from "../unknown.js";

/**
 * A job as it was sent, as far as the state or a note shows it. What the state keeps encrypted, and what a note leaves out,
 * is hidden and may have been any value. So nobody else reads the values: each answer here counts with hidden ones.
 */
export class SentJob {
  /** As `sourceOf` returns it; undefined if it is hidden, in whole or in part, or incomplete. */
  readonly source: string | undefined;

  /** `values`: with the unknown value in place of each hidden one. `isPlain`: what of them messages may show. */
  constructor(
    readonly kind: JobKind,
    private readonly values: Declaration,
    readonly isPlain: IsPlain,
  ) {
    this.source = declaredSource({ kind, declared: values });
  }

  /** What messages may describe it by. Nothing that is hidden is plain. */
  get described(): DeclaredJob & { readonly isPlain: IsPlain } {
    return { kind: this.kind, declared: this.values, isPlain: this.isPlain };
  }

  /** The account that it names. A hidden one is the unknown value, which no settings name. */
  get account(): string | undefined {
    const { account } = this.values;
    return typeof account === "string" ? account : undefined;
  }

  /** Whether nothing of its `params` is known. */
  get hidesParams(): boolean {
    return this.values["params"] === unknownValue;
  }

  /** The members of `params` that it certainly had. */
  get params(): readonly string[] {
    return Object.keys(wireParams(this.described));
  }

  /** Whether `params` may have had a member. */
  mayHaveSent(member: string): boolean {
    const { kind, params, values } = this;
    const mayBeInParams = kind.isOpen || Object.hasOwn(kind.params, member);
    return (
      params.includes(member) || values["additionalParams"] === unknownValue || (this.hidesParams && mayBeInParams)
    );
  }

  /**
   * Whether it has, or may have, the source of a declared job; without a source, all of its `params`. What is not known of
   * the declared job yet is not compared. `source`: the declared job's, for a caller that compares it with many.
   */
  mayHaveSourceOf(declared: DeclaredJob, source = declaredSource(declared)): boolean {
    if (this.kind !== declared.kind) return false;
    if (this.source !== undefined && source !== undefined) return this.source === source;
    const [before, now] = [wireParams(this.described), wireParams(declared)];
    const members = source === undefined ? Object.keys({ ...before, ...now }) : this.kind.source;
    if (members.some((member) => hasUnknown(now[member]))) return false;
    return this.hidesParams || (members.length > 0 && mayBeSameIn(members, before, now));
  }

  /** Whether the two may have one source. */
  mayShareSource(other: SentJob): boolean {
    return (
      this.hidesParams ||
      other.hidesParams ||
      mayBeSameIn(this.kind.source, wireParams(this.described), wireParams(other.described))
    );
  }

  /** Its declaration, with known values in place of the hidden ones: they may have changed since. Without one, it is left out. */
  completedFrom(known: Declaration): Declaration {
    return membersOf(withValuesOf(known, this.values));
  }

  /** What is hidden of it, and nothing else. */
  get hidden(): SentJob {
    return new SentJob(this.kind, membersOf(hiddenIn(this.values)), this.isPlain);
  }

  /** The same job, with less that messages show. */
  shownAs(isPlain: IsPlain): SentJob {
    return new SentJob(this.kind, this.values, (...member) => this.isPlain(...member) && isPlain(...member));
  }
}

type Values = Readonly<Record<string, unknown>>;

/** Whether these members may have the same values. */
const mayBeSameIn = (members: readonly string[], one: Values, other: Values): boolean =>
  members.every(
    (member) =>
      [one[member], other[member]].some(hasUnknown) || nameKey(one[member] ?? "") === nameKey(other[member] ?? ""),
  );

function withValuesOf(known: unknown, sent: unknown): unknown {
  if (sent === unknownValue) return known;
  if (Array.isArray(sent))
    return sent.map((inner, index) => withValuesOf(Array.isArray(known) ? known[index] : [], inner));
  if (!isObject(sent)) return sent;
  const values = membersOf(known);
  const members = Object.entries(sent).map(([member, inner]) => [member, withValuesOf(values[member], inner)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

const hiddenIn = (values: unknown): unknown => {
  if (!isObject(values)) return hasUnknown(values) ? unknownValue : undefined;
  const members = Object.entries(values).map(([member, value]) => [member, hiddenIn(value)] as const);
  return Object.fromEntries(members.filter(([, value]) => hasUnknown(value)));
};
