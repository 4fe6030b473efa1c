import { parseJson } from "../../provider/src/json.js";
import { callNames, type CallName } from "../../provider/src/client/calls.js";
import type { Fault } from "../../provider/src/testing/emulator/faults.js";
import { rows } from "../contract/table.js";
import { JOB, PARAMS, call, start, stopAll } from "../support/emulated.js";
import { send } from "../support/rawHttp.js";

afterEach(stopAll);

const OTHER = { ...JOB, params: { ...PARAMS, sourceTable: "T" } };

/** The tables of the jobs that exist once a request has taken effect, and its body. Other calls have neither. */
const effects: Partial<Record<CallName, readonly [tables: readonly string[], body?: unknown]>> = {
  create: [["ORDERS", "T"], OTHER],
  update: [["T"], OTHER],
  delete: [[]],
};

const faults: Fault[] = [{ kind: "reset" }, { kind: "reply", status: 503 }];

describe.each(callNames)("%s", (operation) => {
  // As the vendor's documents show the request.
  const [row] = rows.filter((one) => one.call === operation);
  const { method = "GET", changes } = row ?? {};
  const pathFor = (id: string) => row?.path.replace(/\?.*$/, "").replace("{jobId}", id) ?? "";
  const [effect, body] = effects[operation] ?? [["ORDERS"], undefined];

  /** The reply, the tables of the jobs once the request was read, its record, and the job that it makes, changes or deletes. */
  async function under(fault?: Fault) {
    const emulator = await start({ faults: fault === undefined ? [] : [{ ...fault, on: operation }] });
    const { id } = emulator.addJob(JOB);
    const reply = await call(emulator, method, pathFor(id), body);
    const { jobs } = emulator;
    const job = changes ? (jobs[1]?.id ?? id) : undefined;
    return { reply, tables: jobs.map(({ name }) => name), seen: emulator.requests, job };
  }

  describe.each([true, false])("processed: %s", (processed) => {
    const title = (fault: Fault) => [JSON.stringify(fault), { ...fault, processed }] as const;

    test.each(faults.map(title))("%s leaves no usable reply", async (_, fault) => {
      const { reply, tables, seen, job } = await under(fault);
      expect(reply.failure ?? String(reply.status)).toMatch(fault.kind === "reply" ? "503" : "ECONNRESET");
      expect(tables).toEqual(processed ? effect : ["ORDERS"]);
      expect(seen).toMatchObject([{ operation, fault: fault.kind, job: processed ? job : undefined }]);
    });
  });

  test("without a fault, the reply is the service's own, takes effect and is recorded with its job", async () => {
    const { reply, tables, seen, job } = await under();
    expect([reply.status, reply.failure]).toEqual([200, undefined]);
    if (typeof row?.reply !== "object") expect(reply.body).toHaveLength(0);
    else expect(parseJson(reply.body.toString())).toBeDefined();
    expect(tables).toEqual(effect);
    expect(seen).toMatchObject([{ operation, job, status: 200, fault: undefined }]);
  });

  test("it is refused without the right token, with an empty 401, and by another method", async () => {
    const emulator = await start();
    const job = emulator.addJob(JOB);
    const path = pathFor(job.id);
    for (const token of [undefined, "", "wrong", `${emulator.token}x`]) {
      const reply = await send(emulator.baseUrl, { method, path, body, ...(token !== undefined && { token }) });
      expect(reply).toMatchObject({ status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } });
      expect(reply.body).toHaveLength(0);
    }
    const byAnother = await call(emulator, method === "POST" ? "GET" : "POST", path);
    expect(byAnother).toMatchObject({ status: 405, headers: { allow: method } });
    expect(emulator.requests.at(-1)).toMatchObject({ operation: undefined, job: undefined, status: 405 });
    expect(emulator.jobs).toEqual([job]);
  });

  test("with jobOperations create, it exists only where the interface shows it, and its faults too", async () => {
    const emulator = await start({
      jobOperations: "create",
      faults: [{ kind: "reply", status: 503, on: operation }],
    });
    const path = pathFor(emulator.addJob(JOB).id);
    const byAnother = await call(emulator, method === "POST" ? "GET" : "POST", path);
    const { status } = await call(emulator, method, path, body);
    const isShown = operation === "create" || operation === "sources";
    expect([byAnother.status, status]).toEqual(isShown ? [405, 503] : [404, 404]);
  });
});
