import type { ModeRules } from "../config/index.js";
import { warning, type Finding } from "../finding.js";
import { likelyMistakes } from "../jobs/index.js";
import { sentences } from "../sentences.js";
import type { Resource } from "./resource.js";

/**
 * Warnings about values that are accepted but probably a mistake, while they can still be corrected: in a mode that
 * cannot change jobs, only for a new resource. `mode`: undefined if the account is unknown in a preview.
 */
export function mistakesIn(resource: Resource, mode: ModeRules | undefined, isNew: boolean): readonly Finding[] {
  const { kind, label, declared } = resource;
  const isLastChance = mode?.canChange === false && declared["existingJobId"] === undefined;
  if (mode?.canChange === false && !isNew) return [];
  return likelyMistakes(kind, declared).map((text) =>
    warning(
      resource,
      `${label}: ${isLastChance ? sentences(text, "Check it now: once the job is created, Pulumi cannot change or delete it.") : text}`,
    ),
  );
}
