const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?::(\d{2}))?(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * One string for one instant, however it was written (`Z` or another offset, more or fewer fraction digits). Without a
 * zone only the service knows which instant is meant: such a string stays as it is. `Date` alone would cut the
 * service's seven fraction digits to three.
 */
export function normalizeDateTime(text: string): string {
  const [, minute, second = "00", fraction = "", zone] = form.exec(text) ?? [];
  if (minute === undefined || zone === undefined) return text;
  const instant = new Date(`${minute}:${second}${zone}`);
  if (Number.isNaN(instant.getTime())) return text;
  const digits = fraction.replace(/0+$/, "");
  return `${instant.toISOString().slice(0, -5)}${digits && `.${digits}`}Z`;
}

/** The instant of a date-time in milliseconds; undefined if it cannot be read or names no zone. */
export function instantOf(text: string): number | undefined {
  if (form.exec(text)?.[4] === undefined) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** Whether a date-time is the service's minimum, which stands for "never": the year 0001, with or without a zone. */
export const isNever = (text: string): boolean => text.startsWith("0001-01-01T00:00");

let latest = 0;

/** The time in UTC, never the same twice in a process: together with the job's id it identifies a record in a state. */
export function utcNow(): string {
  latest = Math.max(Date.now(), latest + 1);
  return new Date(latest).toISOString();
}
