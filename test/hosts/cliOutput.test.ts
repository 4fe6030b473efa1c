import { cliError } from "../../provider/src/hosts/cliOutput.js";
import { pulumi } from "../../provider/src/hosts/stackExport.js";

test("A folder that does not exist is not taken for a missing CLI", async () => {
  const folder = "/no/such/folder";
  await expect(pulumi(["stack", "export"], { file: process.execPath, folder, environment: {} })).rejects.toMatchObject({
    isMissing: false,
    message: "pulumi stack export cannot run in /no/such/folder, which does not exist.",
  });
  await expect(pulumi(["stack", "export"], { environment: { PATH: "/no/such" } })).rejects.toMatchObject({
    isMissing: true,
  });
});

test("A CLI that is ended tells so, whatever it had printed before", () => {
  const ended = { code: null, signal: "SIGTERM", stderr: "warning: using a deprecated backend\n" };
  expect(cliError("stack export", ended).message).toBe("pulumi stack export was ended by SIGTERM.");
});
