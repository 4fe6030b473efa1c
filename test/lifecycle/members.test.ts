import { readJobRecord } from "../../provider/src/client/jobRecord.js";
import type { cachingParams, Declaration, ScheduleName } from "../../provider/src/jobs/index.js";
import { membersOf, type Json } from "../../provider/src/json.js";
import { declarationOf } from "../../provider/src/lifecycle/adopt.js";
import { cachingInputs } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { declaration } from "../support/declaration.js";
import { stopAll } from "../support/emulated.js";

afterEach(stopAll);

/** What a test does with a member. */
interface Row {
  /** Two values that a program may declare, and how they are sent if that is not as they are declared. */
  readonly values: readonly [Json, Json];
  readonly sent?: readonly [Json, Json];
  readonly refused: Json;
  /** What is sent if an optional member is not declared. */
  readonly cleared?: { readonly sent?: Json };
  /** No read shows it, and a change is recorded in mode `create`. */
  readonly isFirstRun?: true;
}

const ids = ["6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f", "7f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f"] as const;
const keys = [[{ colName: "ID", isPrimaryKey: true }], [{ colName: "AT" }]] as const;

/** A new member needs a row here. */
const schedule: Readonly<Record<ScheduleName, Row>> = {
  intervalUnit: { values: ["Week", "Day"], refused: "Fortnight" },
  intervalValue: { values: [4, 2147483647], refused: 0 },
  logVerbosity: { values: [1, 5], refused: 6 },
  enabled: { values: [false, true], refused: "false", cleared: { sent: true } },
  definedNextRun: {
    values: ["2030-12-01T03:00:00Z", "2030-12-02T03:00:00+02:00"],
    refused: "tomorrow",
    cleared: {},
    isFirstRun: true,
  },
};

const params: Readonly<Record<keyof typeof cachingParams, Row>> = {
  sourceConnection: { values: ids, refused: "Snowflake1" },
  sourceName: { values: ["Snowflake1", "Snowflake2"], refused: "" },
  sourceSchema: { values: ["PUBLIC", "SALES"], refused: "" },
  sourceTable: { values: ["ORDERS", "ITEMS"], refused: "" },
  timeCheckColumn: { values: ["AT", "BY"], refused: 5, cleared: { sent: "" } },
  autoTruncateStrings: { values: [true, "false"], sent: ["true", "false"], refused: "yes", cleared: { sent: "false" } },
  mergeKeys: { values: keys, refused: [{ name: "ID" }], cleared: {} },
};

interface Played extends Row {
  readonly path: string;
  /** The program that declares this value, or nothing. */
  readonly program: (value?: Json, more?: Declaration) => { readonly orders: Declaration };
  /** The member's value in a body or a record. */
  readonly valueIn: (members: unknown) => unknown;
  /** What another user changes at the service. */
  readonly change: (value: Json) => object;
}

const inSchedule = ([path, row]: readonly [string, Row]): Played => ({
  ...row,
  path,
  program: (value, more) => ({ orders: cachingInputs("orders", "ORDERS", { ...more, [path]: value }) }),
  valueIn: (members) => membersOf(members)[path],
  change: (value) => ({ [path]: value }),
});

const inParams = ([name, row]: readonly [string, Row]): Played => ({
  ...row,
  path: `params.${name}`,
  program: (value, more) => ({
    orders: cachingInputs("orders", "", { ...more, params: { ...declaration.params, [name]: value } }),
  }),
  valueIn: (members) => membersOf(membersOf(members)["params"])[name],
  change: (value) => ({ params: { [name]: value } }),
});

const members = [...Object.entries(schedule).map(inSchedule), ...Object.entries(params).map(inParams)];
const table = members.map((member) => [member.path, member] as const);

/** A stack whose job declares the first value. */
async function started({ values: [first], program }: Played, jobOperations: string) {
  const used = await fastStack({ jobOperations });
  expect(await used.stack.up(program(first))).toMatchObject(did("created"));
  const job = () => used.emulator.jobs[0] ?? fail();
  return { ...used, job, changes: used.changesSince(), requests: used.requestsSince() };
}

function fail(): never {
  throw new Error("The service has no job.");
}

describe.each(table)("%s in mode all", (_path, member) => {
  const { values, sent = values, cleared, path, program, valueIn, change, refused, isFirstRun } = member;
  const [first, other] = values;

  test("is sent, changed and cleared, and is no change again", async () => {
    const { stack, job } = await started(member, "all");
    expect(valueIn(job().body)).toEqual(sent[0]);
    expect(await stack.up(program(first))).toMatchObject(did("same"));
    expect(await stack.up(program(other))).toMatchObject(did("updated"));
    expect(valueIn(job().body)).toEqual(sent[1]);
    expect(await stack.up(program(other))).toMatchObject(did("same"));
    if (cleared === undefined) return;
    await stack.up(program(first));
    expect(await stack.up(program())).toMatchObject(did("updated"));
    // A job keeps the first run that it once had.
    expect(valueIn(job().body)).toEqual(isFirstRun ? sent[0] : cleared.sent);
    expect(await stack.up(program())).toMatchObject(did("same"));
  });

  test("is set back where someone changed it", async () => {
    const { emulator, stack, job } = await started(member, "all");
    emulator.changeJob(job().id, change(sent[1]));
    await stack.refresh();
    expect(await stack.up(program(first))).toMatchObject(did(isFirstRun ? "same" : "updated"));
    expect(valueIn(job().body)).toEqual(sent[0]);
    if (!isFirstRun) expect(valueIn(job())).toEqual(sent[0]);
  });

  test("is declared again as it is at the service", async () => {
    const { emulator, stack, job, changes } = await started(member, "all");
    const record = readJobRecord(JSON.parse(JSON.stringify(job()))) ?? fail();
    const declared = declarationOf(record, { name: undefined });
    const args = "args" in declared ? declared.args : {};
    expect(valueIn(args)).toEqual(isFirstRun ? undefined : first);
    stack.state.clear();
    const { existingJobId } = args;
    expect(await stack.up(program(other, { existingJobId }))).toMatchObject(did(isFirstRun ? "created" : "failed"));
    stack.state.clear();
    expect(await stack.up({ orders: cachingInputs("orders", "", args) })).toMatchObject(did("created"));
    expect({ changes: changes(), jobs: emulator.jobs.length }).toEqual({ changes: [], jobs: 1 });
  });

  test("is refused, and nothing is sent", async () => {
    const { stack, requests } = await started(member, "all");
    const result = did("failed", path);
    expect(await stack.preview(program(refused))).toMatchObject(result);
    expect(await stack.up(program(refused))).toMatchObject(result);
    expect(requests()).toEqual([]);
  });
});

describe.each(table)("%s in mode create", (_path, member) => {
  const { values, sent = values, cleared, path, program, valueIn, change, refused, isFirstRun } = member;
  const [first, other] = values;

  test("is sent once, and a change is refused until it is confirmed", async () => {
    const { stack, job, requests } = await started(member, "create");
    expect(valueIn(job().body)).toEqual(sent[0]);
    expect(await stack.up(program(first))).toMatchObject(did("same"));
    const changed = isFirstRun ? did("updated") : did("failed", path);
    expect(await stack.up(program(other))).toMatchObject(changed);
    if (cleared !== undefined) expect(await stack.up(program())).toMatchObject(changed);
    const confirmed = program(other, { changedAtService: "today" });
    expect(await stack.up(confirmed)).toMatchObject(did("updated"));
    expect(await stack.up(confirmed)).toMatchObject(did("same"));
    expect(requests()).toEqual([]);
  });

  test("is not read, whatever became of it, and adopted as it is declared", async () => {
    const { emulator, stack, job, requests } = await started(member, "create");
    emulator.changeJob(job().id, change(sent[1]));
    const before = new Map(stack.state);
    await stack.refresh();
    expect(stack.state).toEqual(before);
    expect(await stack.up(program(first))).toMatchObject(did("same"));
    stack.state.clear();
    expect(await stack.up(program(first, { existingJobId: job().id }))).toMatchObject(did("created"));
    expect(requests()).toEqual([]);
  });

  test("is refused, and nothing is sent", async () => {
    const { stack, requests } = await started(member, "create");
    const result = did("failed", path);
    expect(await stack.preview(program(refused))).toMatchObject(result);
    expect(await stack.up(program(refused))).toMatchObject(result);
    expect(requests()).toEqual([]);
  });
});
