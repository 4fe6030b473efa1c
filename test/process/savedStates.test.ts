import { ofClasses } from "../support/all/hosts.js";
import { declared } from "../support/configuredProvider.js";
import { declaration } from "../support/declaration.js";
import { stopAll } from "../support/emulated.js";
import { startProviderProcess } from "../support/providerProcess.js";

afterAll(stopAll);

const { sent } = ofClasses;
const baseUrl = "http://127.0.0.1:1";
const origin = { outcome: "created", baseUrl, at: "2026-01-01T00:00:00Z" };

test.each(["create", "all"])(
  "With jobOperations %s, a job that the plugin recorded is recorded once more, or refresh and destroy would not find their provider",
  async (jobOperations) => {
    const provider = await startProviderProcess();
    await provider.configure({
      "data-connectivity:baseUrl": baseUrl,
      "data-connectivity:jobOperations": jobOperations,
    });
    const olds = { ...declaration, job: { id: "7" }, jobId: "7", origin };
    const news = sent({ ...declared(declaration.params.sourceTable), __resource: undefined });
    expect(await provider.diff({ id: "7", olds, news })).toMatchObject({ changes: true });
    const updated = await provider.update({ id: "7", olds, news });
    if (updated.kind !== "ok") throw new Error("The update failed.");
    expect(updated.properties).toMatchObject({ job: { id: "7" }, origin });
    expect(await provider.diff({ id: "7", olds: updated.properties, news })).toMatchObject({ changes: false });
  },
);
