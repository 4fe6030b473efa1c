import { validateWorkflow } from "@action-validator/core";
import { parse } from "yaml";
import * as z from "zod";
import { codeBlocks, pageAt } from "../support/pages.js";

const [workflow = "", manifest = ""] = codeBlocks(pageAt("docs/scale.md"), "yaml");

/**
 * The fields that the page uses, as in the operator's CRD stacks.pulumi.com (v2.9.0, version v1). The operator rejects
 * unknown fields.
 */
const stack = z.strictObject({
  apiVersion: z.literal("pulumi.com/v1"),
  kind: z.literal("Stack"),
  metadata: z.strictObject({ name: z.string().regex(/^[a-z0-9-]+$/) }),
  spec: z.strictObject({
    stack: z.string(),
    projectRepo: z.url(),
    branch: z.string(),
    config: z.record(z.string(), z.string()),
    envRefs: z.record(
      z.string(),
      z.strictObject({ type: z.literal("Secret"), secret: z.strictObject({ name: z.string(), key: z.string() }) }),
    ),
  }),
});

test("The matrix is what the schema of GitHub workflows accepts, and its shards are all that there are", () => {
  expect(validateWorkflow(workflow)).toEqual({ actionType: "workflow", errors: [] });
  const strategy = z.object({ matrix: z.object({ shard: z.array(z.int()) }) });
  const { jobs } = z.object({ jobs: z.object({ up: z.object({ strategy }) }) }).parse(parse(workflow));
  const shards = jobs.up.strategy.matrix.shard;
  expect(shards).toEqual(shards.map((_, index) => index + 1));
  const parts = [...workflow.matchAll(/--shard \S+ \S+ \}\}\/(\d+)/g)].map(([, of]) => Number(of));
  expect(parts).toEqual([shards.length, shards.length]);
});

test("The manifest has fields of the operator's schema alone, and gets each variable that its command names", () => {
  const { spec } = stack.parse(parse(manifest));
  const named = [...JSON.stringify(spec.config).matchAll(/\$(\w+)/g)].map(([, name]) => name);
  expect(named).toEqual(["SIGNING_KEY"]);
  expect(Object.keys(spec.envRefs)).toEqual(expect.arrayContaining(named));
});
