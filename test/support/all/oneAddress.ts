import { isPlugin } from "../testedHost.js";
import { jwt } from "../jwt.js";
import { cachingInputs, orders } from "./declarations.js";
import { did, fastStack } from "./inProcess.js";

export const token = (iss: string, sub: string, more: object = {}): string => jwt({ iss, sub, ...more });

export const first = token("parent-1", "sub-1");
export const other = token("parent-1", "sub-2");
export const items = cachingInputs("items", "ITEMS");
export const refused = did("failed", "is of another account or sub-account than the token with which");
/** The plugin compares subjects in a diff, in which the classes' host has no token yet. */
const upRefused = isPlugin
  ? did("failed", "account: that of the token that last saw the job → another one (")
  : refused;

/** A service that accepts every token. Each run uses the token that the test set last before the run. */
export async function oneAddress() {
  const { emulator: service, stack, clock, use: useSettings } = await fastStack({}, { acceptToken: () => true });
  const use = (token: string, env = {}, jobOperations = "all") => {
    useSettings({ jobOperations }, { ...service, token }, { env });
  };
  /** Each command is refused with the token of today, and sends nothing. `inputs`: what the program declares. */
  const expectRefused = async (inputs = orders) => {
    const { length } = service.requests;
    expect(await stack.refresh()).toMatchObject(refused);
    expect(await stack.up({ orders: inputs })).toMatchObject(upRefused);
    expect(await stack.destroy()).toMatchObject(refused);
    expect(service.requests).toHaveLength(length);
  };
  return { service, use, useSettings, stack, clock, expectRefused };
}

/** The same, with a job that was made with the first token. */
export async function oneJob(jobOperations = "all") {
  const place = await oneAddress();
  place.use(first, {}, jobOperations);
  await place.stack.up({ orders });
  return place;
}
