import { declaredSource } from "../client/jobMatch.js";
import { expiryProblem } from "../client/token.js";
import { orSettingsError, SettingsError, type Settings } from "../config/index.js";
import { normalizedText, type Declaration, type JobKind } from "../jobs/index.js";
import { canonicalJson } from "../json.js";
import { sentences } from "../sentences.js";
import { hasUnknown, unknownValue } from "../unknown.js";

/** A resource that the program declares. */
export interface Declarer {
  readonly label: string;
  /** Distinguishes resources with the same name. */
  readonly parent: unknown;
}

/** The warnings that one run of a program gives only once: about duplicate declarations and expired tokens. */
export class Warnings {
  /** The first resource for each source or, for a job without one, for each normalized declaration. */
  private readonly declared = new Map<string, Declarer>();
  private readonly tokensChecked = new Set<string | undefined>();

  constructor(private readonly settings: Settings) {}

  /** The warnings for a valid declaration. @throws SettingsError if its account's settings cannot be used. */
  of(kind: JobKind, declarer: Declarer, declared: Declaration): string[] {
    return this.duplicates(kind, declarer, declared).map((text) => `${declarer.label}: ${text}`);
  }

  private duplicates(kind: JobKind, declarer: Declarer, declared: Declaration): string[] {
    if (hasUnknown(declared) || declared["existingJobId"] !== undefined) return [];
    const { account } = declared;
    const source = declaredSource({ kind, declared });
    const key = canonicalJson([String(account), kind.jobType, source ?? normalizedText({ kind, declared })]);
    const first = this.declared.get(key) ?? declarer;
    this.declared.set(key, first);
    // The same name and parent mean the same resource: the engine refuses a second resource with both.
    if (first.label === declarer.label && first.parent === declarer.parent) return [];
    const other = first.label === declarer.label ? `the ${first.label} under another parent` : first.label;
    const { ofDuplicates } = this.settings.mode(nameOf(account));
    const same = source === undefined ? "the same job as" : "a job for the same source as";
    return [`it declares ${same} ${other}, and ${ofDuplicates}. Remove one, or change it.`];
  }

  /** Warns once per account if its token has expired. A missing token is fine: a preview works without secrets. */
  ofToken(account: unknown): string[] {
    if (account === unknownValue || this.tokensChecked.has(nameOf(account))) return [];
    this.tokensChecked.add(nameOf(account));
    const found = orSettingsError(() => this.settings.account(nameOf(account)));
    // `check` already reports malformed settings.
    if (found instanceof SettingsError || found.credentials === undefined || !("token" in found.credentials)) return [];
    const { credentials } = found;
    const problem = expiryProblem(credentials.token, credentials);
    return problem === undefined ? [] : [sentences(problem.what, "pulumi up will send nothing with it.", problem.fix)];
  }
}

const nameOf = (account: unknown): string | undefined => (typeof account === "string" ? account : undefined);
