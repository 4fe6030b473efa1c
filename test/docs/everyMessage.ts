import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../support/pages.js";
import { plainSecret } from "../../provider/src/config/index.js";
import { Warnings } from "../../provider/src/hosts/warnings.js";
import { cachingJob, checkDeclaration, scheduledQueryJob, type Declaration } from "../../provider/src/jobs/index.js";
import { unknownKeys } from "../../provider/src/config/index.js";
import { failing, settings } from "../support/settings.js";

/** One situation, and the message that the user reads in this situation. */
export type Row = readonly [situation: string, message: string];

const params = {
  sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
  sourceName: "S",
  sourceSchema: "P",
  sourceTable: "T",
};
const declared = { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2, params };

const mistyped = { ...declared, params: { qury: "SELECT 1" } };

const declarations: readonly Declaration[] = [
  { ...declared, intervalUnit: "hour", intervalValue: 0, logVerbosity: 6, enabled: "yes" },
  { ...declared, definedNextRun: "tomorrow", existingJobId: "", account: "EU", changedAtService: 5 },
  { ...declared, intervalvalue: 4 },
  {
    ...declared,
    params: { ...params, sourceConnection: "x", sourceTable: "", sourcetable: "T", autoTruncateStrings: "no" },
  },
  { ...declared, params: "orders" },
  { ...declared, additionalParams: { sourceTable: "T" } },
  {},
];

export const ofDeclarations = (): Row[] => [
  ...declarations
    .flatMap((one) => checkDeclaration(cachingJob, one))
    .map(({ path, text }): Row => [path, `CachingJob "orders": ${text}`]),
  ...checkDeclaration(scheduledQueryJob, { ...declared, params: [] }).map(({ path, text }): Row => [
    path,
    `ScheduledQueryJob "totals": ${text}`,
  ]),
  ...new Warnings(settings())
    .of(scheduledQueryJob, { label: 'ScheduledQueryJob "totals"', parent: undefined }, mistyped)
    .map((text): Row => ["a member that is probably mistyped", text]),
];

export function ofSettings(): Row[] {
  const base = { baseUrl: "https://jobs.example.com" };
  const account = (config: Record<string, string>, name?: string) => () => settings(config).account(name);
  const resend = (text: string) => () =>
    settings({}, { DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: text }).resendUnconfirmedBefore();
  const reads: [string, () => unknown][] = [
    ["no address", account({})],
    ["an address without TLS", account({ baseUrl: "http://jobs.example.com" })],
    ["a token with a line break", account({ ...base, token: "a\nb" })],
    ['a token with "Bearer " in front', account({ ...base, token: "Bearer x" })],
    ["an empty token", account({ ...base, token: "" })],
    ["a token and a command", account({ ...base, token: "x", credentialsCommand: "y" })],
    ["an account that nothing knows", account(base, "eu")],
    ["a malformed name of the account", account({ ...base, account: "EU" })],
    ["accounts that are not an object", account({ ...base, accounts: "[]" })],
    ["an unknown member of an account", account({ ...base, accounts: '{"eu":{"tokn":"x"}}' })],
    ["another encoding", account({ ...base, requestEncoding: "xml" })],
    ["another time limit", account({ ...base, timeoutSeconds: "0" })],
    ["an address with a password", account({ baseUrl: "https://user:s3cr3t@jobs.example.com" })],
    ["other job operations", account({ ...base, jobOperations: "some" })],
    ["protect", () => settings({ protect: "no" }).protect()],
    ["a time without a zone", resend("2026-01-02T03:04:05")],
  ];
  const plain = plainSecret({ get: (key) => ({ "data-connectivity:token": "x" })[key] }, () => false);
  const unknown = unknownKeys(["data-connectivity:proteckt", "data-connectivity:colour"]);
  return [
    ...reads.map(([situation, read]): Row => [situation, failing(read)]),
    ["a token in plain stack configuration", plain?.message ?? ""],
    ["a mistyped key", unknown[0]?.message ?? ""],
    ["an unknown key", unknown[1]?.message ?? ""],
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
  const texts = files.flatMap((file) => textsIn(ts.createSourceFile("", file, ts.ScriptTarget.Latest)));
  const missing = texts.filter((parts) => !parts.every(isThere)).map((parts) => parts.join("…"));
  // A text that begins in lower case is part of a message that has its own row.
  return [...new Set(missing.filter((text) => /^(?:\s*- )?(?!… )[^a-z(,; ]/.test(text)))].sort();
}

/** Each string of a program, split at its values. */
function textsIn(node: ts.Node): string[][] {
  const inner = ts.isImportDeclaration(node) ? [] : childrenOf(node).flatMap(textsIn);
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [[node.text]];
  if (!ts.isTemplateExpression(node)) return inner;
  return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)], ...inner];
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children;
}
