import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { errorOf, messagesOfCalls, named, saved, unconfirmed } from "../support/callMessages.js";
import { sent } from "../support/all/inProviderProcess.js";
import type { StartedProvider } from "../support/all/runProvider.js";
import { declared, startProvider, textOf } from "../support/configuredProvider.js";
import { stopAll, stopLater } from "../support/emulated.js";
import { startProviderProcess } from "../support/providerProcess.js";
import { unheardAddress } from "../support/servers.js";

// With the classes, a hidden input passes a resource's name, and whether the resource's params are plain.

afterAll(stopAll);

let provider: StartedProvider;
beforeAll(async () => (provider = await startProvider({ baseUrl: unheardAddress })));

test.each(messagesOfCalls)("A state without the name goes by the job's id: %s", async (_call, of) => {
  expect(await of(provider, { __resource: undefined })).toMatch(/^CachingJob( "7")?: \S/);
});

test("A refused change does not show values that a transform put in place of those that the class saw", async () => {
  const plain = (table: string) => ({ __resource: identityFor("orders", declared(table), true) });
  const was = { ...saved(), ...declared("WAS"), ...plain("WAS") };
  const text = errorOf(await provider.diff("7", was, { ...declared("S3CRET"), ...plain("NOW") }));
  expect(text).toContain("params.sourceTable (values are not shown");
  expect(text).not.toMatch(/S3CRET|WAS/);
});

test("A refusal is the error of its call, and nothing is printed beside it", async () => {
  const refusing = await startProvider({ baseUrl: unheardAddress });
  expect(errorOf(await refusing.diff("7", saved(), declared("T", { intervalValue: 5 })))).toContain("no way to change");
  expect(textOf(await refusing.delete("7", {}))).toContain("origin");
  expect(await refusing.end()).toBe("");
});

// The plugin refuses to delete an unconfirmed create.
test("An unconfirmed create leaves the stack with a line", async () => {
  const speaking = await startProvider({ baseUrl: unheardAddress });
  await speaking.delete("unconfirmed-1", saved({ ...unconfirmed, ...named("lost") }));
  expect(await speaking.end()).toContain(
    'data-connectivity: CachingJob "lost": unconfirmed-1 leaves the stack. Its create, sent to',
  );
});

test("A refresh's read without its diff does not hide the next change", async () => {
  const process = stopLater(await startProviderProcess());
  await process.configure({ "data-connectivity:baseUrl": unheardAddress });
  const olds = sent(saved({ ...named("orders"), job: { id: "8" } }));
  expect(await process.read({ id: "8", props: olds })).toMatchObject({ id: "8" });
  const news = sent(declared("T", { intervalValue: 5, ...named("orders") }));
  expect((await process.diff({ id: "8", olds, news })).error).toContain("intervalValue: 4 → 5");
});
