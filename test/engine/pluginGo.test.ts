import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stopAll } from "../support/emulated.js";
import { startCommand } from "../support/command.js";
import { engineVersion } from "../support/engine.js";
import { describeWith, go } from "../support/plugin/languages.js";
import { succeeds } from "../support/plugin/pluginStack.js";
import { serviceAndStack } from "../support/startStack.js";

afterEach(stopAll);

const program = (sdk: string, interval: number) => `package main

import (
	dataconnectivity "${sdk}"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		orders, err := dataconnectivity.NewCachingJob(ctx, "orders", &dataconnectivity.CachingJobArgs{
			IntervalUnit:  dataconnectivity.IntervalUnitHour,
			IntervalValue: pulumi.Int(${interval}),
			LogVerbosity:  pulumi.Int(2),
			Params: dataconnectivity.CachingJobParamsArgs{
				SourceConnection: pulumi.String("6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f"),
				SourceName:       pulumi.String("Snowflake1"),
				SourceSchema:     pulumi.String("PUBLIC"),
				SourceTable:      pulumi.String("ORDERS"),
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("jobId", orders.JobId)
		return nil
	})
}
`;

describeWith(go)("With the plugin a Go program", () => {
  test("of mode all creates a job, changes it, and deletes it", async () => {
    const { service, stack } = await serviceAndStack({ language: go, mode: "all" });
    const sdk = join(stack.folder, "sdks/go/dataconnectivity");
    const [, module = ""] = /"(\S+)\/internal"/.exec(readFileSync(join(sdk, "init.go"), "utf8")) ?? [];
    const pulumi = `github.com/pulumi/pulumi/sdk/v3 v${engineVersion()?.replace("v", "") ?? ""}`;
    writeFileSync(join(sdk, "go.mod"), `module ${module}\n\ngo 1.25\n\nrequire ${pulumi}\n`);
    const own = `module acceptance\n\ngo 1.25\n\nrequire (\n\t${pulumi}\n\t${module} v0.0.0\n)\n\nreplace ${module} => ./sdks/go/dataconnectivity\n`;
    writeFileSync(join(stack.folder, "go.mod"), own);
    const declare = (interval: number) => {
      writeFileSync(join(stack.folder, "main.go"), program(module, interval));
    };
    declare(4);
    const goEnv = { ...process.env, GOSUMDB: "off" };
    await succeeds(startCommand("go", ["mod", "tidy"], { cwd: stack.folder, env: goEnv }).finished);

    await succeeds(stack.up());
    declare(6);
    expect(await succeeds(stack.up(["--diff"]))).toContain("~ intervalValue: 4 => 6");
    expect(service.jobs.map(({ intervalValue }) => intervalValue)).toEqual([6]);
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("2 unchanged");
    await succeeds(stack.destroy());
    expect(service.jobs).toEqual([]);
  });
});
