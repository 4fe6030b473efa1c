/** The variable that allows the creates of these URNs to be resent, each if it was sent before the time. */
export const resending = (before: number | string, ...urns: readonly string[]) => ({
  DATA_CONNECTIVITY_RESEND_UNCONFIRMED: JSON.stringify(
    Object.fromEntries(urns.map((urn) => [urn, typeof before === "number" ? new Date(before).toISOString() : before])),
  ),
});

/** The variable in the first command of a message that resends creates. */
export function resendIn(text: string) {
  const [line, value] = /DATA_CONNECTIVITY_RESEND_UNCONFIRMED='(\{.*\})' pulumi up/.exec(text) ?? [];
  return line === undefined || value === undefined
    ? undefined
    : { line, env: { DATA_CONNECTIVITY_RESEND_UNCONFIRMED: value } };
}
