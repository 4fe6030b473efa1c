import * as pulumi from "@pulumi/pulumi";
import type { Run } from "./run.js";

/** Options by which the engine would replace a resource, and so create a second job, without being asked for one by name. */
const replacing = ["replaceOnChanges", "replaceWith", "replacementTrigger"] as const;

export function withoutReplacement(
  label: string,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResourceOptions {
  const given = replacing.filter((option) => options[option] !== undefined);
  if (given.length === 0) return options;
  void pulumi.log.warn(
    `${label}: the option ${given.join(" and ")} is ignored, for it would create a second job. To create one: pulumi up --replace '<urn>'.`,
  );
  const left: ReadonlySet<string> = new Set(given);
  return Object.fromEntries(Object.entries(options).filter(([option]) => !left.has(option)));
}

/** The options that guard a job, unless the user's options say otherwise. */
export function withDefaults(run: Run, options: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  const retainOnDelete = options.retainOnDelete ?? true;
  return {
    ...options,
    protect: options.protect ?? protectOf(options.parent) ?? run.settings.protect(),
    retainOnDelete,
    // A retained job may go after its successor was created; one that has to be deleted first stops everything in time.
    deleteBeforeReplace: !retainOnDelete,
  };
}

/** What a component sets for its children; the SDK hands it down only while a child sets nothing. */
function protectOf(parent: pulumi.Resource | undefined): boolean | undefined {
  return parent !== undefined && "__protect" in parent && typeof parent.__protect === "boolean"
    ? parent.__protect
    : undefined;
}
