import { ofClasses } from "../support/all/hosts.js";
import { declared } from "../support/configuredProvider.js";
import { declaration } from "../support/declaration.js";
import { stopAll } from "../support/emulated.js";
import { startProcess } from "../support/driver/process.js";

afterAll(stopAll);

const { sent } = ofClasses;
const baseUrl = "http://127.0.0.1:1";
const origin = { outcome: "created", baseUrl, at: "2026-01-01T00:00:00Z" };

test.each(["create", "all"])(
  "With jobOperations %s, a job that the plugin recorded is recorded once more, or refresh and destroy would not find their provider",
  async (jobOperations) => {
    const provider = await startProcess("dynamic");
    await provider.configure({
      "data-connectivity:baseUrl": baseUrl,
      "data-connectivity:jobOperations": jobOperations,
    });
    const olds = { ...declaration, job: { id: "7" }, jobId: "7", origin };
    const news = sent({ ...declared(declaration.params.sourceTable), __resource: undefined });
    const saved = { id: "7", inputs: {}, outputs: olds };
    expect(await provider.diff("orders", saved, news)).toMatchObject({ changes: true });
    const updated = await provider.update("orders", saved, news);
    expect(updated.outputs).toMatchObject({ job: { id: "7" }, origin });
    expect(await provider.diff("orders", updated, news)).toMatchObject({ changes: false });
  },
);
