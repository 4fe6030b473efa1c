import * as pulumi from "@pulumi/pulumi";
import { identityMember } from "./identity.js";
import type { Run } from "./run.js";

/** Options by which the engine would replace a resource, and so create a second job, without being asked for one by name. */
const replacing = ["replaceOnChanges", "replaceWith", "replacementTrigger"] as const;

/** The user's options, completed by those that guard a job where it cannot be deleted. */
export function jobOptions(
  run: Run,
  label: string,
  account: unknown,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResourceOptions {
  // The engine shows which inputs a change in place changes, also those that only the provider reads.
  const hideDiffs = [...(options.hideDiffs ?? []), identityMember];
  const { canChange, options: guards } = run.settings.mode(typeof account === "string" ? account : undefined);
  const protect = options.protect ?? protectOf(options.parent) ?? run.settings.protect() ?? guards.protect;
  const retainOnDelete = options.retainOnDelete ?? guards.retainOnDelete;
  return {
    ...(canChange ? { ...options, hideDiffs } : withoutReplacement(label, options)),
    ...(protect !== undefined && { protect }),
    ...(retainOnDelete !== undefined && { retainOnDelete }),
    // A retained job may go after its successor was created; one that has to be deleted first stops everything in time.
    deleteBeforeReplace: retainOnDelete !== true,
  };
}

function withoutReplacement(label: string, options: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  const given = replacing.filter((option) => options[option] !== undefined);
  if (given.length === 0) return options;
  void pulumi.log.warn(
    `${label}: ${given.length === 1 ? "the option" : "the options"} ${given.join(", ")} would create a second job and ${given.length === 1 ? "is" : "are"} ignored. To create one: pulumi up --replace '<urn>'.`,
  );
  const left: ReadonlySet<string> = new Set(given);
  return Object.fromEntries(Object.entries(options).filter(([option]) => !left.has(option)));
}

/** What a component sets for its children; the SDK hands it down only while a child sets nothing. */
function protectOf(parent: pulumi.Resource | undefined): boolean | undefined {
  return parent !== undefined && "__protect" in parent && typeof parent.__protect === "boolean"
    ? parent.__protect
    : undefined;
}
