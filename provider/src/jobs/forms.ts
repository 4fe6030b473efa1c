/** What the values of each form are, and the limits that a member sets for them. */
interface FormLimits {
  uuid: object;
  text: {
    /** Whether this package refuses an empty string. The interface document does not say whether the service does. */
    readonly isFilled?: true;
    readonly maxLength?: number;
    /** What the whole string has to match, and how messages and docstrings say that. */
    readonly pattern?: { readonly of: RegExp; readonly words: string };
  };
  /** A boolean that is sent as a string. */
  flag: object;
  /** The columns to merge rows by, as `{ colName, colType, isPrimaryKey }`. */
  mergeKeys: object;
  /** One of these words. The service may report it in another case. */
  choice: { readonly words: readonly [string, ...string[]] };
  wholeNumber: { readonly min: number; readonly max: number };
  boolean: object;
  dateTime: object;
}

/** What the values of a member have in common. */
export type FormName = keyof FormLimits;

/** A form with its limits. */
export type Form<Name extends FormName = FormName> = {
  [Each in Name]: { readonly form: Each } & FormLimits[Each];
}[Name];

/** A function for each form, which takes the form with its limits. A new form does not compile without one. */
export type ByForm<Value, Name extends FormName = FormName> = { readonly [Each in Name]: (form: Form<Each>) => Value };

/** Calls the function for a member's form. */
export function byForm<Value, Name extends FormName = FormName>(
  functions: ByForm<Value, Name>,
  form: Form<Name>,
): Value {
  const ofForm: (form: Form<Name>) => Value = functions[form.form];
  return ofForm(form);
}

const limits: ByForm<readonly string[]> = {
  uuid: () => ["a UUID"],
  text: ({ isFilled, maxLength, pattern }) => [
    ...(isFilled ? ["not empty"] : []),
    ...(maxLength === undefined ? [] : [`up to ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [pattern.words]),
  ],
  flag: () => ['true or false, as a boolean or as the string "true" or "false"'],
  mergeKeys: () => [
    "an array of columns, each with the optional members colName, colType (strings) and isPrimaryKey (a boolean)",
  ],
  choice: ({ words }) => [
    words
      .map((word) => `"${word}"`)
      .join(", ")
      .replace(/, ([^,]*)$/, " or $1"),
  ],
  wholeNumber: ({ min, max }) => [`a whole number from ${min} to ${max}`],
  boolean: () => ["true or false, as a boolean"],
  dateTime: () => ["an ISO 8601 date-time such as 2026-12-01T03:00:00Z"],
};

/** What a form accepts, in the words of messages and docstrings. */
export const limitsOf = (form: Form): readonly string[] => byForm(limits, form);
