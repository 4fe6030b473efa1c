const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?::(\d{2}))?(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?$/;

/** Adds missing seconds to a date-time: ISO 8601 allows leaving them out, but the vendor's API reference does not. */
export const withSeconds = (text: string): string => text.replace(/^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?!:)/, "$1:00");

/** Whether a date-time has a time zone. */
export const hasZone = (text: string): boolean => form.exec(text)?.[4] !== undefined;

/**
 * One string for one instant, whatever its zone and number of fraction digits. Without a zone, only the service knows the
 * instant, so only missing seconds are added. `Date` alone would cut the service's seven fraction digits to three.
 */
export function normalizeDateTime(text: string): string {
  const [, minute, second = "00", fraction = "", zone] = form.exec(text) ?? [];
  if (minute === undefined || zone === undefined) return withSeconds(text);
  const instant = new Date(`${minute}:${second}${zone}`);
  if (Number.isNaN(instant.getTime())) return text;
  const digits = fraction.replace(/0+$/, "");
  return `${instant.toISOString().slice(0, -5)}${digits && `.${digits}`}Z`;
}

/** The instant of a date-time in milliseconds; undefined if the date-time cannot be read or has no zone. */
export function instantOf(text: string): number | undefined {
  if (!hasZone(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The same of a date-time that counts as UTC if it has no zone. */
export const instantInUtc = (text = ""): number | undefined => instantOf(hasZone(text) ? text : `${text}Z`);

const imfFixdate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The instant of the date in an HTTP header, in milliseconds; undefined if the header has another form. */
export function instantOfHeader(header: string | undefined): number | undefined {
  const instant = header !== undefined && imfFixdate.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(instant) ? undefined : instant;
}

const date = /^\d{4}-\d{2}-\d{2}/;

/** Whether both texts begin with a date, and the first is the earlier one. */
export const isEarlierDate = (text: unknown, than: unknown): boolean =>
  typeof text === "string" && typeof than === "string" && date.test(text) && date.test(than) && text < than;

/** Whether a date-time is the service's minimum, which means "never": the year 0001, with or without a zone. */
export const isNever = (text: string): boolean => text.startsWith("0001-01-01T00:00");

let latest = 0;
const mostAheadMs = 1000;

/**
 * The current time in UTC, unique in this process: together with the job's id, it identifies a saved record. After the
 * clock was set back, it is the clock's time again.
 */
export function utcNow(): string {
  const now = Date.now();
  latest = latest - now > mostAheadMs ? now : Math.max(now, latest + 1);
  return new Date(latest).toISOString();
}
