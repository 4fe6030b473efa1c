import { comparePart } from "../client/jobMatch.js";
import type { CompleteRecord, ReadRecord } from "../client/jobRecord.js";
import type { Inventory } from "./inventory/inventory.js";
import type { Resource } from "./resource.js";
import { Refusal } from "./result.js";
import * as texts from "./texts/allMode.js";
import { cannotList } from "./texts/createMode.js";

/**
 * The jobs of an account that are of this kind and have these values in `params`, sorted by id. Leaves out, with a
 * warning, a job whose type or values the service does not report.
 * @throws Refusal if jobs cannot be read.
 */
export async function listed(
  inventory: Inventory,
  asked: Pick<Resource, "kind" | "label" | "words">,
  values: Readonly<Record<string, unknown>>,
): Promise<readonly CompleteRecord[]> {
  const { kind, label, words } = asked;
  const { client, report } = inventory;
  if (!client.account.mode.canRead) throw new Refusal(asked, cannotList(words));
  await client.learnAccount();
  const { jobs } = inventory;
  const list = await jobs.listSince();
  if (list.kind === "failed") throw new Refusal(asked, texts.notListed(list));
  const reported = (record: ReadRecord) => comparePart(kind, values, record);
  await jobs.complete(jobs.present(list.value), (record) => reported(record) !== "unreported");
  const present = jobs.present(list.value);
  const unreported = present.filter((record) => reported(record) === "unreported");
  if (unreported.length > 0) report({ severity: "warning", text: `${label}: ${texts.leftOutOfList(unreported)}` });
  return present
    .flatMap((record) => (reported(record) === "same" ? [record.job] : []))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
