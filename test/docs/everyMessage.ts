import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { plainSecret, unknownKeys } from "../../provider/src/config/index.js";
import { Warnings } from "../../provider/src/hosts/warnings.js";
import { cachingJob, checkDeclaration, scheduledQueryJob, type Declaration } from "../../provider/src/jobs/index.js";
import { declaration } from "../support/declaration.js";
import { root } from "../support/pages.js";
import { failing, settings } from "../support/settings.js";

const { params } = declaration;

const declarations: readonly Declaration[] = [
  { ...declaration, intervalUnit: "hour", intervalValue: 0, logVerbosity: 6, enabled: "yes" },
  { ...declaration, definedNextRun: "tomorrow", existingJobId: "", account: "EU", changedAtService: 5 },
  { ...declaration, intervalvalue: 4 },
  {
    ...declaration,
    params: { ...params, sourceConnection: "x", sourceTable: "", sourcetable: "T", autoTruncateStrings: "no" },
  },
  { ...declaration, params: "orders" },
  { ...declaration, additionalParams: { sourceTable: "T" } },
  {},
];

export const ofDeclarations = (): string[] => [
  ...declarations.flatMap((one) => checkDeclaration(cachingJob, one)).map(({ text }) => `CachingJob "orders": ${text}`),
  ...checkDeclaration(scheduledQueryJob, { ...declaration, params: [] }).map(
    ({ text }) => `ScheduledQueryJob "totals": ${text}`,
  ),
  ...new Warnings(settings()).of(
    scheduledQueryJob,
    { label: 'ScheduledQueryJob "totals"', parent: undefined },
    { ...declaration, params: { qury: "SELECT 1" } },
  ),
  ...new Warnings(settings()).of(
    scheduledQueryJob,
    { label: 'ScheduledQueryJob "totals"', parent: undefined },
    { ...declaration, definedNextRun: "2026-12-24T03:00", params: {} },
  ),
];

export function ofSettings(): string[] {
  const base = { baseUrl: "https://jobs.example.com" };
  const account = (config: Record<string, string>, name?: string) => failing(() => settings(config).account(name));
  const resendBefore = { DATA_CONNECTIVITY_RESEND_UNCONFIRMED: "2026-01-02T03:04:05" };
  const plain = plainSecret({ get: (key) => ({ "data-connectivity:token": "x" })[key] }, () => false);
  return [
    account({}),
    account({ baseUrl: "http://jobs.example.com" }),
    account({ ...base, token: "a\nb" }),
    account({ ...base, token: "Bearer x" }),
    account({ ...base, token: "" }),
    account({ ...base, token: "x", credentialsCommand: "y" }),
    account(base, "eu"),
    account({ ...base, account: "EU" }),
    account({ ...base, accounts: "[]" }),
    account({ ...base, accounts: '{"eu":{"tokn":"x"}}' }),
    account({ ...base, requestEncoding: "xml" }),
    account({ ...base, timeoutSeconds: "0" }),
    account({ baseUrl: "https://user:s3cr3t@jobs.example.com" }),
    account({ ...base, jobOperations: "some" }),
    failing(() => settings({ protect: "no" }).protect()),
    failing(() => settings({}, resendBefore).resendUnconfirmed()),
    plain?.message ?? "",
    ...unknownKeys(["data-connectivity:proteckt", "data-connectivity:colour"]).map(({ message }) => message),
  ];
}

/**
 * The messages in the source that a page lacks, with an ellipsis for each value. Lines under six words are ignored.
 */
export function notOn(page: string): string[] {
  const folder = join(root, "provider/src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/^(cli|testing)\b|config.table/.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"));
  const isThere = (text: string) =>
    text.split("\n").every((line) => line.trim().split(/\s+/).length < 6 || page.includes(line.trim()));
  const texts = files.flatMap((file) => textsIn(ts.createSourceFile("", file, ts.ScriptTarget.Latest, true)));
  const missing = texts.filter((parts) => !parts.every(isThere)).map((parts) => parts.join("…"));
  // A text that begins in lower case is part of a message that has its own row.
  return [...new Set(missing.filter((text) => /^(?:\s*- )?(?!… )[^a-z(,; ]/.test(text)))].sort();
}

/** Each string of a program, split at its values. */
function textsIn(node: ts.Node): string[][] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [[node.text]];
  const inner = ts.isImportDeclaration(node) ? [] : node.getChildren().flatMap(textsIn);
  if (!ts.isTemplateExpression(node)) return inner;
  return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)], ...inner];
}
