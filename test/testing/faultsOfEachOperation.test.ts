import { EventEmitter, once } from "node:events";
import { parseJson } from "../../provider/src/json.js";
import type { Fault, Operation } from "../../provider/src/testing/emulator/faults.js";
import { OPERATIONS } from "../../provider/src/testing/emulator/operations.js";
import {
  ACCOUNTS,
  TABLES,
  CONNECTIONS,
  CREATE,
  JOB,
  JOBS,
  LIST,
  PARAMS,
  call,
  pathOf,
  start,
  stopAll,
} from "../support/emulated.js";

afterEach(stopAll);

const OTHER = { ...JOB, params: { ...PARAMS, sourceTable: "T" } };

type Request = readonly [method: string, path: string, effect: readonly string[], body?: unknown];

/** The request of each operation, with the tables of the jobs that exist once the request has taken effect. */
const requests: Record<Operation, (id: string) => Request> = {
  create: () => ["POST", CREATE, ["ORDERS", "T"], OTHER],
  sources: () => ["GET", LIST, ["ORDERS"]],
  connections: () => ["GET", CONNECTIONS, ["ORDERS"]],
  accounts: () => ["GET", ACCOUNTS, ["ORDERS"]],
  tables: () => ["GET", TABLES, ["ORDERS"]],
  list: () => ["GET", JOBS, ["ORDERS"]],
  get: (id) => ["GET", pathOf(id), ["ORDERS"]],
  update: (id) => ["PUT", pathOf(id, "/update"), ["T"], OTHER],
  delete: (id) => ["DELETE", pathOf(id, "/delete"), []],
};

const broken = (["reset", "close"] as const).flatMap((kind) =>
  (["request", "headers", "body"] as const).map((when): Fault => ({ kind, when })),
);
const faults: Fault[] = [...broken, { kind: "reply", status: 503 }];

describe.each(OPERATIONS)("%s", (operation) => {
  /** The reply under a fault, and the tables of the jobs afterwards. */
  async function under(fault: Fault) {
    const emulator = await start({ faults: [{ ...fault, on: operation }] });
    const { id } = emulator.addJob(JOB);
    const [method, path, effect, body] = requests[operation](id);
    const reply = await call(emulator, method, path, body);
    return { reply, effect, tables: emulator.jobs.map(({ name }) => name), seen: emulator.requests };
  }

  describe.each([true, false])("processed: %s", (processed) => {
    const title = (fault: Fault) => [JSON.stringify(fault), { ...fault, processed }] as const;

    test.each(faults.map(title))("%s leaves no usable reply", async (_, fault) => {
      const { reply, effect, tables, seen } = await under(fault);
      expect(reply.failure !== undefined || (reply.status ?? 0) >= 400).toBe(true);
      expect(tables).toEqual(processed ? effect : ["ORDERS"]);
      expect(seen).toMatchObject([{ operation, fault: fault.kind }]);
    });

    test.each(["request", "headers", "body"] as const)("silence at %s lasts until the emulator stops", async (when) => {
      const read = new EventEmitter();
      const emulator = await start({
        faults: [{ kind: "silence", on: operation, when, processed }],
        onRequest: ({ fault }) => read.emit(fault ?? "none"),
      });
      const [method, path, effect, body] = requests[operation](emulator.addJob(JOB).id);
      const silent = once(read, "silence");
      const waiting = call(emulator, method, path, body);
      await silent;
      expect(emulator.jobs.map(({ name }) => name)).toEqual(processed ? effect : ["ORDERS"]);
      await emulator.stop();
      expect((await waiting).failure).toMatch("ECONNRESET");
    });
  });

  test("a delayed reply is the service's own, and takes effect", async () => {
    const { reply, effect, tables } = await under({ kind: "delay", ms: 5 });
    expect([reply.status, reply.failure]).toEqual([200, undefined]);
    expect(operation === "delete" ? reply.body.length === 0 : parseJson(reply.body.toString()) !== undefined).toBe(
      true,
    );
    expect(tables).toEqual(effect);
  });

  test("a fault of it is applied to no other operation", async () => {
    const emulator = await start({ faults: [{ kind: "reply", status: 503, on: operation, times: -1 }] });
    for (const other of OPERATIONS) {
      const [method, path, , body] = requests[other](emulator.addJob(JOB).id);
      expect((await call(emulator, method, path, body)).status).toBe(other === operation ? 503 : 200);
    }
  });
});
