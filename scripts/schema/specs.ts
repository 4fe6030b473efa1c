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
export const enumOf = (values: readonly string[], description: unknown): Spec => ({
  type: "string",
  enum: values.map((value) => ({ value })),
  description,
});
