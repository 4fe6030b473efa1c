import { expiryProblem } from "../client/token.js";
import { SettingsError, type Settings } from "../config/index.js";
import { normalizedText, type Declaration, type JobKind } from "../jobs/index.js";
import { sentences } from "../sentences.js";
import { hasUnknown, unknownValue } from "../unknown.js";

/** A resource of the program. */
export interface Declarer {
  readonly label: string;
  /** What tells two resources of one name apart: they have different parents. */
  readonly parent: unknown;
}

/** What is accepted and is probably a mistake, in one run of a program. */
export class Warnings {
  /** The first resource by what it declares, normalized. */
  private readonly declared = new Map<string, Declarer>();
  private readonly tokensChecked = new Set<string | undefined>();

  constructor(private readonly settings: Settings) {}

  /** Of a declaration without problems. @throws SettingsError if the settings of its account cannot be used. */
  of(kind: JobKind, declarer: Declarer, declared: Declaration): string[] {
    const texts = [...kind.warnings(declared), ...this.duplicates(kind, declarer, declared)];
    return texts.map((text) => `${declarer.label}: ${text}`);
  }

  private duplicates(kind: JobKind, declarer: Declarer, declared: Declaration): string[] {
    if (hasUnknown(declared) || declared["existingJobId"] !== undefined) return [];
    const { account } = declared;
    const key = `${String(account)} ${normalizedText(kind, declared)}`;
    const first = this.declared.get(key) ?? declarer;
    this.declared.set(key, first);
    // One name under one parent is an error of the engine.
    if (first.label === declarer.label && first.parent === declarer.parent) return [];
    const other = first.label === declarer.label ? `the ${first.label} under another parent` : first.label;
    const { ofDuplicates } = this.settings.mode(nameOf(account));
    return [`it declares the same job as ${other}, and ${ofDuplicates}. Remove one, or change it.`];
  }

  /** Once for each account: its token has expired. A preview without any token stays silent: previews without secrets are a feature. */
  ofToken(account: unknown): string[] {
    if (account === unknownValue || this.tokensChecked.has(nameOf(account))) return [];
    this.tokensChecked.add(nameOf(account));
    const credentials = this.credentials(nameOf(account));
    if (credentials === undefined || !("token" in credentials)) return [];
    const problem = expiryProblem(credentials.token, credentials);
    return problem === undefined ? [] : [sentences(problem.what, "pulumi up will send nothing with it.", problem.fix)];
  }

  /** Malformed settings are shown by `check`. */
  private credentials(account: string | undefined) {
    try {
      return this.settings.account(account).credentials;
    } catch (error) {
      if (error instanceof SettingsError) return undefined;
      throw error;
    }
  }
}

const nameOf = (account: unknown): string | undefined => (typeof account === "string" ? account : undefined);
