import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { resending } from "../support/resending.js";
import { job, lostReply, preview, urn } from "../support/scenarios/scenario.js";

// The engine applies ignoreChanges before our check: an input that no saved resource has would be dropped.
const all = 'ignoreChanges: ["*"]';
const items = (more = "") => job("items", 'params: params({ sourceTable: "ITEMS" })', more);

describeWithEngine('A job of the classes with ignoreChanges: ["*"]', () => {
  const engine = engineForEachTest();

  test("is resolved as its error says, and its preview refuses what up refuses", async () => {
    await engine().play({ program: job("orders", "", all), faults: [lostReply], exitCode: 1, posts: 1 });
    await engine().play({ run: preview, exitCode: 1, says: ["is still unconfirmed"] });
    await engine().play({ exitCode: 1, says: [`DATA_CONNECTIVITY_RESEND_UNCONFIRMED='{"${urn("orders")}"`] });
    await engine().play({ env: resending(new Date(Date.now() + 15_000).toISOString(), urn("orders")), posts: 1 });
  });

  test("lets no other job's unconfirmed create end with exit code 0", async () => {
    await engine().play({ program: job("orders", "", all), posts: 1 });
    const hook = 'const again = new pulumi.ErrorHook("again", async () => true);';
    const program = `${hook} ${items("hooks: { onError: [again] }")} ${job("orders", "", all)}`;
    await engine().play({ program, faults: [lostReply], exitCode: 1, posts: 1 });
  });
});
