import { job } from "./scenarios/scenario.js";

const query = (name: string, more: string) => `new ScheduledQueryJob("${name}",
  { intervalUnit: "Day", intervalValue: 1, logVerbosity: 3, params: { name: "${name}", query: "SELECT 1" }, ${more} });`;

/** The secret in a saved stack: made up, like everything else in the stack. */
export const secretTable = "MADE_UP_SECRET";

const known = [
  job(
    "orders",
    `enabled: true, definedNextRun: "2030-01-01T00:00:00+01:00", additionalParams: { mode: "full" },
     params: params({ timeCheckColumn: "UPDATED_AT", autoTruncateStrings: true })`,
  ),
  job("plain"),
  job("secret", `params: params({ sourceTable: pulumi.secret("${secretTable}") })`),
  job("adopted", 'existingJobId: "77", changedAtService: "May"'),
  query("totals", "enabled: false"),
  query("adoptedTotals", 'existingJobId: "78"'),
].join("\n");

/** The program of the saved stacks, with the inputs that resolve its two unconfirmed creates. */
export const savedStackProgram = (orders = "", totals = ""): string =>
  known + job("lost", `params: params({ sourceTable: "LOST" }), ${orders}`) + query("lostTotals", totals);

/** The first two stages of `savedStackProgram`. Creates with lost replies run one by one, so each gets its own fault. */
export const savedStackParts: readonly string[] = [
  known,
  known + job("lost", 'params: params({ sourceTable: "LOST" })'),
];
