import { start, stopAll } from "../../support/emulated.js";
import { pluginHere } from "../../support/driver/here.js";
import { jwt } from "../../support/jwt.js";
import { inputs, secret } from "../../support/plugin/inputs.js";

afterEach(stopAll);

test("A job whose provider has the token of another account is not taken for one of a service that moved", async () => {
  const [eu, us] = ["eu", "us"].map((sub) => jwt({ iss: "https://login.example.com", sub }));
  const { baseUrl, jobs } = await start({ tokens: { [eu ?? ""]: "eu", [us ?? ""]: "us" } });
  const pluginWith = async (token = "") => {
    const plugin = pluginHere();
    await plugin.configure({ baseUrl, token: secret(token), jobOperations: "all" });
    return plugin;
  };
  const saved = await (await pluginWith(eu)).create("orders", inputs("ORDERS"));
  const other = await pluginWith(us);
  const refused = await other.diff("orders", saved, inputs("ORDERS", { intervalValue: 9 })).then(String, String);
  expect(refused).toContain("If the program did not change, the settings did: the token.");
  expect(refused).toMatch(
    / {2}- If the job is in that account \(.*\), confirm that in the declaration: changedAtService:/,
  );
  expect(refused).not.toContain("moved");
  expect(jobs).toHaveLength(1);
});
