/** A type or a property in Pulumi's package schema. */
export type Spec = Readonly<Record<string, unknown>>;

export interface ObjectSpec {
  readonly type: "object";
  readonly description: string;
  readonly properties: Readonly<Record<string, Spec>>;
  readonly required?: readonly string[];
}

export const packageName = "data-connectivity";
export const token = (name: string): string => `${packageName}:index:${name}`;
export const reference = (name: string): Spec => ({ $ref: `#/types/${token(name)}` });

/** An enum as an input. If only the enum is named, Python's type checkers reject plain strings. */
export const stringOr = (name: string): Spec => ({ oneOf: [{ type: "string" }, reference(name)] });

/** A value that is passed on as it is. */
export const anyValue: Spec = { $ref: "pulumi.json#/Any" };
export const mapOf = (values: Spec): Spec => ({ type: "object", additionalProperties: values });
/** An enum. `values`: each value, with what it means. */
export const enumOf = (values: Readonly<Record<string, string>>, description: unknown): Spec => ({
  type: "string",
  enum: Object.entries(values).map(([value, meaning]) => ({ value, description: meaning })),
  description,
});

/**
 * Inputs without code marks in the descriptions that `pulumi do --help` shows: it takes the first marked text for the
 * name of the flag's value.
 */
export const asFlags = (inputs: Readonly<Record<string, Spec>>): Readonly<Record<string, Spec>> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, spec]) => {
      const isFlag = spec["type"] !== "object" && spec["type"] !== "array" && spec["$ref"] === undefined;
      return [name, isFlag ? { ...spec, description: String(spec["description"]).replaceAll("`", "") } : spec];
    }),
  );
