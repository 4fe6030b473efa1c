import type { JobChanges } from "../../provider/src/testing/emulator/types.js";
import { declaration } from "../support/declaration.js";
import { JOB, PARAMS, start } from "../support/emulated.js";
import { CliFolder, type Printed } from "./cliProcess.js";

export const at = "2026-11-20T13:28:23.628Z";
export const params = { ...declaration.params, sourceSchema: "HIDDEN_SCHEMA" };
const mark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
export const encrypted = { ...mark, ciphertext: "v1:abc" };
export const inClear = (value: unknown) => ({ ...mark, plaintext: JSON.stringify(value) });
export const typeOf = (kind: string) => `pulumi-nodejs:dynamic/data-connectivity:${kind}`;

interface Given {
  kind?: string;
  id?: string;
  inputs?: object;
  job?: unknown;
  origin?: unknown;
}

export const originAt = (baseUrl = "https://jobs.example.com", outcome = "created", account?: string) => ({
  ...{ outcome, baseUrl, account, at },
});

export function resource(name: string, { kind = "CachingJob", id = "job-1", inputs = {}, ...given }: Given = {}) {
  const declared = { ...declaration, params, ...inputs };
  const { job = { id }, origin = originAt() } = given;
  const type = typeOf(kind);
  return {
    urn: `urn:pulumi:dev::proj::${type}::${name}`,
    type,
    id,
    inputs: declared,
    outputs: { ...declared, job, origin },
  };
}

export const unconfirmed = (name: string, { account, ...given }: Given & { account?: string | undefined } = {}) =>
  resource(name, {
    id: "unconfirmed-48c68962-a49f-4ed7-8947-2dc8fa4786e4",
    job: {},
    origin: originAt(undefined, "unconfirmed", account),
    ...given,
  });

/** The declaration of a job for this table. */
export const declares = (sourceTable: unknown, more: object = {}) => ({
  inputs: { params: { ...params, sourceTable }, ...more },
});

/** The body of a caching job as a create sends it, with these members of `params`. */
export const caching = (sourceTable: string, more: object = {}) => ({
  ...JOB,
  params: { ...PARAMS, sourceTable, ...more },
});

/** The body of the job that `declares` declares. */
export const declaredBody = (sourceTable: string) => caching(sourceTable, { ...params, sourceTable });

/** Starts a service that has these jobs, by id. */
export async function startWith(jobs: Readonly<Record<string, object>>, changes: JobChanges = {}) {
  const service = await start();
  for (const [id, body] of Object.entries(jobs)) service.addJob(body, { ...changes, id });
  return service;
}

/** `open`: the resources whose create a killed run had begun. */
export const exported = (resources: unknown[], open: readonly unknown[] = []) =>
  JSON.stringify({
    version: 3,
    deployment: {
      manifest: { time: at },
      resources,
      pending_operations: open.map((one) => ({ type: "creating", resource: one })),
    },
  });

const provided = (type: string, name: string, inputs: object, resources: readonly object[]) => {
  const urn = `urn:pulumi:dev::proj::${type}::${name}`;
  return [{ urn, type, id: "1", inputs }, ...resources.map((one) => ({ ...one, provider: `${urn}::1` }))];
};

/** A default provider that has these inputs, and the resources, which use the provider. */
export const withProvider = (inputs: object, ...resources: object[]) =>
  provided("pulumi:providers:pulumi-nodejs", "default", inputs, resources);

/** An explicit provider, and jobs that use it. */
export const ofProvider = (name: string, inputs: object, ...jobs: object[]) =>
  provided("pulumi:providers:data-connectivity", name, inputs, jobs);

/** What `jobs` prints for the export of these resources. */
export async function list(resources: unknown[]): Promise<Printed> {
  const printed = await new CliFolder().pipe(exported(resources), ["jobs"]);
  expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
  return printed;
}

/** The export of a stack that has these jobs. */
export const stackOf = (
  name: string,
  jobs: Readonly<Record<string, string>>,
  baseUrl?: string,
  subject?: string,
): string =>
  exported(
    Object.entries(jobs).map(([table, id]) =>
      resource(table, { id, origin: { ...originAt(baseUrl), subject }, ...declares(table) }),
    ),
  ).replaceAll("urn:pulumi:dev::", `urn:pulumi:${name}::`);

/** Settings under their keys in a stack's configuration. */
export const prefixed = (settings: object) =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [`data-connectivity:${name}`, String(value)]));
