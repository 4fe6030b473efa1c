import { membersOf, type Json } from "../json.js";
import { unknownValue } from "../unknown.js";
import type { JobKind } from "./kind.js";

export const cachingJob: JobKind = {
  resource: "CachingJob",
  jobType: "Caching",
  source: ["sourceConnection", "sourceSchema", "sourceTable"],
  uuids: ["sourceConnection"],
  noun: "table",
  shownParams: [
    "sourceConnection",
    "sourceName",
    "sourceSchema",
    "sourceTable",
    "timeCheckColumn",
    "autoTruncateStrings",
  ],
  wireParams({ params, additionalParams }) {
    const given = membersOf(params);
    return {
      timeCheckColumn: given["timeCheckColumn"] ?? "",
      autoTruncateStrings: wireBoolean(given["autoTruncateStrings"] ?? false),
      sourceConnection: given["sourceConnection"],
      sourceName: given["sourceName"],
      sourceSchema: given["sourceSchema"],
      sourceTable: given["sourceTable"],
      ...membersOf(additionalParams),
    };
  },
  declaredParams({ timeCheckColumn, autoTruncateStrings, ...told }) {
    const members = Object.entries(told).filter(([member]) => member !== addedByService);
    const isDocumented = ([member]: readonly [string, Json]) => cachingJob.shownParams.includes(member);
    const more = members.filter((member) => !isDocumented(member));
    return {
      params: {
        ...Object.fromEntries(members.filter(isDocumented)),
        ...(timeCheckColumn !== undefined && timeCheckColumn !== "" && { timeCheckColumn }),
        ...declaredFlag(autoTruncateStrings),
      },
      ...(more.length > 0 && { additionalParams: Object.fromEntries(more) }),
    };
  },
  problemsOfTold: () => [],
  problemsBetween({ additionalParams }) {
    return Object.keys(membersOf(additionalParams)).flatMap((member) => {
      const known = member.replace(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase());
      if (!cachingJob.shownParams.includes(known)) return [];
      const path = `additionalParams.${member}`;
      return {
        path,
        text: `${path} is a member of params: move it to params.${known}. Accepted: members that params does not have.`,
      };
    });
  },
  warnings: () => [],
};

const wireBoolean = (value: unknown) => (value === unknownValue ? value : String(value));

/** The member that the service adds to its records, and that a request does not have. */
const addedByService = "sourceConnectionName";

/**
 * The flag to declare. False is the default and is left out. The service reports a boolean as a string, in any letter
 * case.
 */
function declaredFlag(told: Json | undefined): { readonly autoTruncateStrings?: Json } {
  const text = typeof told === "string" ? told.toLowerCase() : JSON.stringify(told);
  if (told === undefined || text === "false") return {};
  return { autoTruncateStrings: text === "true" ? true : told };
}
