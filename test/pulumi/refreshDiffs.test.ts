import { ProviderHost } from "../../provider/src/hosts/dynamic/host.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { declaration } from "../support/declaration.js";

/** The address differs from that of the saved jobs, so every diff is refused, except the one that a refresh makes. */
const settings: Readonly<Record<string, string>> = { "data-connectivity:baseUrl": "https://new.example.com" };
const start = () =>
  new ProviderHost({
    isEngineAlive: () => Promise.resolve(true),
    report: () => undefined,
    config: { get: (key) => settings[key] },
    environment: {},
  }).provider(cachingJob);

const adopted = (at: string) => ({
  ...declaration,
  job: { id: "1" },
  origin: { outcome: "adopted", baseUrl: "https://old.example.com", at },
});
const saved = adopted("2026-01-01T00:00:00Z");
const inputs = {
  ...Object.fromEntries(Object.entries(declaration).reverse()),
  ...{ __provider: "x", __resource: { name: "orders" }, enabled: null },
};
const shown = { changes: false };
const refused = "https://old.example.com";

describe("The diff that belongs to a refresh", () => {
  test("is the one that compares the saved declaration with itself, once for each read", async () => {
    const { read, diff } = start();
    const other = adopted("2026-01-02T00:00:00Z");
    await expect(diff("1", saved, inputs)).rejects.toThrow(refused);
    for (const outputs of [saved, other]) expect(await read("1", outputs)).toMatchObject({ id: "1" });
    await expect(diff("2", saved, inputs)).rejects.toThrow(refused);
    for (const outputs of [other, saved]) expect(await diff("1", outputs, inputs)).toEqual(shown);
    for (const outputs of [saved, other]) await expect(diff("1", outputs, inputs)).rejects.toThrow(refused);
  });

  test("is not one that comes after a check: with PULUMI_ENABLE_LEGACY_REFRESH_DIFF, no diff belongs to a refresh", async () => {
    const { read, check, diff } = start();
    await read("1", saved);
    await check(inputs, inputs);
    await expect(diff("1", saved, inputs)).rejects.toThrow(refused);
  });

  test("is not a later one that brings a change, although no diff followed the read", async () => {
    const { read, diff } = start();
    await read("1", saved);
    const changed = { ...inputs, intervalValue: 5 };
    for (let call = 0; call < 2; call += 1) await expect(diff("1", saved, changed)).rejects.toThrow(refused);
    expect(await diff("1", saved, inputs)).toEqual(shown);
  });
});

describe("The diff of a declaration that means the same", () => {
  const place = { baseUrl: "https://new.example.com", at: "2026-01-01T00:00:00Z" };
  const savedAs = (outputs: readonly string[] = []) => ({
    ...declaration,
    ...{ job: { id: "1" }, origin: { outcome: "adopted", ...place } },
    ...{ __provider: "x", __resource: identityFor("orders", declaration, outputs) },
  });
  const secret = { job: null, __resource: identityFor("orders", declaration, ["params"]) };

  test.each([
    ["leaves a value that became secret to an update, which marks it", savedAs(), secret, { changes: true }],
    ["leaves it to the engine whether more became secret", savedAs(["params"]), secret, {}],
    ["shows nothing of a value that is late, but no secret", savedAs(), { ...secret, job: undefined }, shown],
  ])("%s", async (_what, olds, more, answer) => {
    const news = Object.entries({ ...declaration, __provider: "x", ...more }).filter(
      ([, value]) => value !== undefined,
    );
    expect(await start().diff("1", olds, Object.fromEntries(news))).toEqual(answer);
  });
});
