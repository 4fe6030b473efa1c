/** The unit of a job's interval. The plain strings `"Hour"`, `"Day"`, `"Week"` and `"Month"` are accepted as well. */
export const IntervalUnit = {
  /** Every `intervalValue` hours. */
  Hour: "Hour",
  /** Every `intervalValue` days. */
  Day: "Day",
  /** Every `intervalValue` weeks. */
  Week: "Week",
  /** Every `intervalValue` months. */
  Month: "Month",
} as const;

/** The unit of a job's interval: `"Hour"`, `"Day"`, `"Week"` or `"Month"`. */
export type IntervalUnit = (typeof IntervalUnit)[keyof typeof IntervalUnit];
