import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

export const savedResource = z.object({
  urn: z.string(),
  id: z.string().optional(),
  outputs: z.record(z.string(), z.json()).default({}),
  protect: z.boolean().default(false),
  /** Whether it was replaced by another resource with this URN, and is still to be deleted. */
  delete: z.boolean().default(false),
  retainOnDelete: z.boolean().default(false),
  initErrors: z.array(z.string()).default([]),
});
const checkpoint = z.object({
  checkpoint: z.object({
    latest: z.object({
      resources: z.array(savedResource).default([]),
      pending_operations: z.array(z.json()).default([]),
    }),
  }),
});

/** A job as the stack's state holds it. */
export type SavedResource = z.infer<typeof savedResource>;

/** The text of a stack's state in a file backend. */
export const stateText = (folder: string): string =>
  readFileSync(join(folder, "state/.pulumi/stacks/acceptance/test.json"), "utf8");

export const stateIn = (text: string) => checkpoint.parse(JSON.parse(text)).checkpoint.latest;
