/** The unit of a job's interval. The plain strings `"Hour"`, `"Day"`, `"Week"` and `"Month"` are accepted as well. */
export const IntervalUnit = {
  /** Every so many hours. */
  Hour: "Hour",
  /** Every so many days. */
  Day: "Day",
  /** Every so many weeks. */
  Week: "Week",
  /** Every so many months. */
  Month: "Month",
} as const;

/** The unit of a job's interval: `"Hour"`, `"Day"`, `"Week"` or `"Month"`. */
export type IntervalUnit = (typeof IntervalUnit)[keyof typeof IntervalUnit];
