import type { Place } from "../../client/accountClient.js";
import type { Reason } from "../../client/outcomes.js";
import type { SavedResource } from "../resource.js";
import { forget, lookedFor, shownPlace } from "./shared.js";

/** The refusal of such a token that does not see the job either, whatever the user confirms. */
export const isNotSeen = ({ origin, urn, words }: SavedResource, token: string): string =>
  [
    `nothing was sent, and the state stays as it is. The token from ${token} does not see the job, and is of another account or sub-account than the token with which its job was last seen at ${shownPlace(origin)}. A confirmation does not show that the job is gone. Use a token of that account. Or, if the job is gone, remove this resource from the state:`,
    ...forget({ urn, words }),
  ].join("\n");

/** In mode `create`, nothing shows whether a token that the user confirms sees the job. */
export const confirmsSubject = (label: string, token: string): string =>
  `${label}: changedAtService also confirms that the token from ${token} is of the job's account, though it shows another account or sub-account than the token before. If it is the wrong token, use the right one, and give changedAtService a new value.`;

/**
 * The refusal of a token of another account. `seen`: what the right account's token last did or saw. `token`: today's.
 */
export function isOfOtherAccount(
  { urn, words }: Pick<SavedResource, "urn" | "words">,
  place: Place,
  seen: "itsJob" | { readonly createUntil: string | undefined } | { readonly other: string },
  token: string,
): Reason {
  const { account } = place;
  const isCreate = seen !== "itsJob" && "createUntil" in seen;
  const setSubject = [
    `set its new subject (its sub, which doctor shows)${isCreate ? ", and look for the job there" : ""}:`,
    `      ${words.set(account === undefined ? ["subject"] : ["accounts", account, "subject"], "<sub>")}`,
  ];
  const [what, renamed] =
    seen === "itsJob"
      ? [
          "its job was last seen",
          [
            "run pulumi up with a new value of changedAtService. If the program no longer declares the resource, declare it for that run.",
          ],
        ]
      : isCreate
        ? ["its create was sent", [...setSubject, ...lookedFor({ urn, words }, seen.createUntil)]]
        : [`other jobs of this stack, such as that of ${seen.other}, were last seen`, setSubject];
  const isOther = `is of another account or sub-account than the token with which ${what}`;
  const text = [
    `nothing was sent, and the state stays as it is. The token from ${token} ${isOther} at ${shownPlace(place)}: the issuer or subject differs (the state has only a digest of them). Use a token of that account. If you set it in the stack configuration, run pulumi up before pulumi refresh or pulumi destroy: they use the settings of the last pulumi up.`,
    `Dangerous, and right only if the service gave the same account a new issuer or subject (with a wrong token, this stack then works on the jobs of another account): ${renamed.join("\n")}`,
  ].join("\n");
  const again = (first: string) =>
    `nothing was sent, and the state stays as it is. The token ${isOther}: see the error on ${first}.`;
  return { what: text, fix: undefined, isWhole: true, once: { key: text, again } };
}
