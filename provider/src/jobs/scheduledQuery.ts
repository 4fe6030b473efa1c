import { membersOf } from "../json.js";
import { nearest } from "../nearest.js";
import type { JobKind } from "./kind.js";

/** The members that the TypeScript type offers. The vendor publishes these members outside the interface document. */
const offered = [
  "name",
  "query",
  "destinationWriteScheme",
  "destinationConnectionName",
  "destinationSchema",
  "destinationTable",
];

export const scheduledQueryJob: JobKind = {
  resource: "ScheduledQueryJob",
  jobType: "ScheduledQuery",
  source: ["name"],
  uuids: [],
  noun: "query",
  shownParams: [],
  wireParams: (declared) => membersOf(declared["params"]),
  declaredParams: (params) => ({ params }),
  problemsOfTold: (told) =>
    offered
      .filter((member) => told[member] !== undefined && typeof told[member] !== "string")
      .map((member) => `params.${member} is not a string.`),
  problemsBetween: () => [],
  warnings(declared) {
    const params = membersOf(declared["params"]);
    return Object.keys(params).flatMap((member) => {
      const likely = offered.includes(member) ? undefined : nearest(member, offered);
      return likely === undefined || likely in params
        ? []
        : [`params.${member} is sent as it is, but it looks like a misspelling of params.${likely}.`];
    });
  },
};
