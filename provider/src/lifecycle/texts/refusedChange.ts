import { modePath, type ModeRules } from "../../config/index.js";
import { isEarlierDate } from "../../dateTime.js";
import type { PropertyChange, Resource, SavedResource } from "../resource.js";
import { changeLines, createAnew, idOf, more, shownPlace } from "./shared.js";

interface RefusedChange {
  readonly saved: SavedResource;
  readonly resource: Pick<Resource, "declared">;
  readonly changes: readonly PropertyChange[];
  readonly mode: Pick<ModeRules, "canChange">;
}

/** The error if a job cannot be changed as declared. */
export function changeIsRefused({
  saved,
  resource: { declared },
  changes,
  mode: { canChange },
}: RefusedChange): string {
  const id = idOf(saved.job);
  const why = canChange ? "this change is not possible" : "the service documents no way to change a job";
  return [
    `the declaration differs from job ${id} at ${shownPlace(saved.origin)}, and ${why}:`,
    ...changeLines(changes),
    ...(isEarlierDate(declared["changedAtService"], saved.declared["changedAtService"]) ? [confirmsNothing] : []),
    "Nothing was sent. Do one of these:",
    ...waysToGoOn(saved, changes, canChange),
    "The run ends at the first refused job, so other jobs may differ too.",
  ].join("\n");
}

const confirmsNothing =
  "changedAtService is an earlier date than the one in the state, as after git revert: it confirms nothing.";

function waysToGoOn(saved: SavedResource, changes: readonly PropertyChange[], canChange: boolean): readonly string[] {
  const id = idOf(saved.job);
  const now = new Map(changes.map((change) => [change.path, change.now]));
  const successor = now.get("existingJobId");
  const moved = changes.filter(({ path }) => path === "baseUrl" || path === "account");
  // If jobs can be changed, changedAtService does not confirm that the resource gets another job.
  const before = canChange && successor !== undefined ? "undo the change of existingJobId and " : "";
  const confirm = `${before}confirm that in the declaration: ${confirmation(saved)}`;
  if (moved.length > 0)
    return [
      `  - Undo the change. If the program did not change, the settings did: ${moved.map(({ path, from }) => from ?? saved.words.name([path])).join(", ")}.`,
      now.has("baseUrl")
        ? `  - If the service moved and the job is at the new address, ${confirm}`
        : `  - If the job is in that account (${canChange ? "pulumi-data-connectivity jobs --at-service shows it; if it is not there, the next refresh removes it from the state" : "look at the service: nothing here can"}), ${confirm}`,
    ];
  if (successor === undefined)
    return [
      "  - Undo the change.",
      `  - Edit job ${id} at the service to match the declaration, then ${confirm}`,
      `  - Let Pulumi change jobs, and delete those that leave the program: ${saved.words.set(modePath(saved.origin.account), "all")}`,
      more("A change is refused", "lifecycle"),
    ];
  if (!canChange)
    return [
      "  - Undo the change.",
      `  - If job ${successor} matches the declaration and is to replace job ${id}, which leaves the state and keeps running, ${confirm}`,
    ];
  return [
    `  - Undo the change, or declare job ${successor} as a new resource and remove this one, which deletes job ${id}.`,
    ...createAnew(
      `If job ${id} no longer exists, for example because a run was killed while it replaced the job`,
      saved,
    ),
  ];
}

/** The `changedAtService` line to paste: its value is not the saved one, nor an earlier date. */
function confirmation({ declared: { changedAtService: was } }: SavedResource): string {
  const now = new Date().toISOString();
  const value = [now.slice(0, 10), now].find((date) => date !== was && !isEarlierDate(date, was));
  return `changedAtService: "${value ?? `again, ${now}`}"`;
}
