import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { isJson, isObject, type Json, type JsonObject } from "../../provider/src/json.js";
import { savedResource } from "../support/engine.js";
import { stopAll } from "../support/emulated.js";
import { startProcess, type ProviderProcess } from "../support/driver/process.js";
import { secretTable } from "../support/savedStack.js";
import { service } from "../support/scenarios/scenario.js";

const fixtures = resolve(__dirname, "../fixtures");
const saved = z.object({ deployment: z.object({ resources: z.array(savedResource) }) });

/** The jobs of a saved stack as the engine passes them, with secrets in clear text. */
function jobsIn(file: string) {
  const { resources } = saved.parse(JSON.parse(readFileSync(join(fixtures, file), "utf8"))).deployment;
  return resources
    .filter(({ urn }) => urn.includes("data-connectivity:"))
    .map(({ urn, id = "", inputs, outputs }) => ({
      name: urn.split("::").pop() ?? "",
      id,
      inputs: inClear(inputs, id),
      outputs: inClear(outputs, id),
    }));
}

/** Fills in each secret, which is either the whole `job` or the table's name. */
function inClear(members: Readonly<Record<string, Json>>, id: string): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([member, value]) => {
      if (isObject(value) && "ciphertext" in value) return [member, member === "job" ? { id } : secretTable];
      return [member, isObject(value) && isJson(value) ? inClear(value, id) : value];
    }),
  );
}

describe.each(readdirSync(fixtures))("A stack that was saved as %s", (file) => {
  const jobs = jobsIn(file);
  let provider: ProviderProcess;
  // One process for each job: the oldest states have no names, so their resources look the same.
  beforeEach(async () => {
    provider = await startProcess("dynamic");
    await provider.configure({ "data-connectivity:baseUrl": service });
  });
  afterEach(stopAll);

  test("holds a job of each outcome", () => {
    const outcomes = jobs.map(({ outputs: { origin } }) => (isObject(origin) ? origin["outcome"] : undefined));
    expect(new Set(outcomes)).toEqual(new Set(["created", "adopted", "unconfirmed"]));
  });

  test.each(jobs)(
    "works with this version: read, check, diff and delete of $name",
    async ({ name, id, inputs, outputs }) => {
      // As the engine does in an `up` with a refresh: the diff after a read comes before any check of the resource.
      const saved = { id, inputs, outputs };
      expect(await provider.read(name, saved)).toEqual({ id, outputs });
      expect(await provider.diff(name, saved, inputs)).toMatchObject({ changes: false });
      expect(await provider.check(name, inputs, inputs)).toEqual({ inputs, failures: [] });
      const unconfirmed = id.startsWith("unconfirmed-");
      expect(await provider.diff(name, saved, inputs)).toMatchObject({ changes: unconfirmed, replaces: [] });
      const deleted = provider.delete(name, saved);
      await (unconfirmed
        ? expect(deleted).resolves.toBeUndefined()
        : expect(deleted).rejects.toThrow("no way to delete"));
    },
  );
});
