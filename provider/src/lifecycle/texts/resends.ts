import { SettingsError } from "../../config/index.js";
import type { UnconfirmedCreate } from "../ownState.js";
import { resendVariable } from "./shared.js";
import { isoOf, sentText } from "./unconfirmed.js";

// What a run says about a resend that the user asks for.

/** The warning about a create that is resent because the user allows it. */
export const isResent = (label: string, create: UnconfirmedCreate): string =>
  `${label}: its create is unconfirmed: ${sentText(create)}. It is sent now, because ${resendVariable} allows it.`;

export const notUsedYet = `${resendVariable} is not used for it yet: its request may still be on its way.`;

/** A run waits, so that the engine writes the state later than the time, and no other run can use it. */
export const waitsUntil = (time: number): string =>
  `This run waits until ${isoOf(time)} has passed: ${resendVariable} is good for one run.`;

export const tooFarAhead = (time: number, now: number): SettingsError =>
  new SettingsError(
    `${resendVariable} has ${isoOf(time)}, more than ten minutes later than now (${isoOf(now)}) and than the state's last write. The run would have to wait until then.`,
    "Use the command that pulumi up prints for the unconfirmed create.",
  );
