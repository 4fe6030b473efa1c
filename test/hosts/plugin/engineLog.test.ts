import { EngineLog } from "../../../provider/src/hosts/plugin/engineLog.js";
import { startFakeEngine } from "../../support/plugin/fakeEngine.js";

test("Lines reach the engine's log, those that came before its address too, and stand at their resources", async () => {
  const engine = await startFakeEngine();
  const log = new EngineLog();
  log.say("early");
  log.connect(engine.address);
  log.say("at \ud83d orders", "urn:orders", "WARNING");
  await log.sent();
  expect(engine.logged).toEqual([
    { severity: "INFO", message: "early", urn: "" },
    { severity: "WARNING", message: "at \ufffd orders", urn: "urn:orders" },
  ]);
  engine.kill();
  log.say("to nobody");
  await log.sent();
});
