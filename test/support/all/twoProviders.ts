import type { Declaration } from "../../../provider/src/jobs/index.js";
import { cachingBody, cachingInputs } from "./declarations.js";
import type { Result, RunProvider } from "./runProvider.js";
import type { TestServer } from "../emulator/index.js";

/** A resource that adopts a job with the same source as `orders`. */
export const naming = (name: string, id: string, more: Declaration = {}): Declaration =>
  cachingInputs(name, "ORDERS", { existingJobId: id, ...more });

/** What the engine saves. */
export function saved(result: Result) {
  if (result.kind === "error") throw new Error(result.message);
  return result;
}

export interface TwoProviders {
  readonly emulator: TestServer;
  readonly startRun: () => Promise<{ readonly first: RunProvider; readonly second: RunProvider }>;
}

export async function expectAdoptedByOtherToStay({ emulator, startRun }: TwoProviders): Promise<void> {
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const earlier = saved(await (await startRun()).first.create(naming("orders", id)));

  const { first, second } = await startRun();
  await second.check({}, naming("moved", id));
  saved(await second.create(naming("moved", id)));
  expect(await first.delete(earlier.id, earlier.outputs)).toMatchObject({ kind: "ok" });
  expect(emulator.jobs).toMatchObject([{ id }]);
  expect(await first.end()).toContain(`another resource of this stack (CachingJob "moved") has job ${id}`);
}
