/** The parts of Pulumi's package schema that this package uses. */
export type TypeSpec =
  | { readonly type: "string" | "boolean" | "integer" | "number" }
  | { readonly type: "array"; readonly items: TypeSpec }
  | { readonly type: "object"; readonly additionalProperties: TypeSpec }
  | { readonly $ref: string }
  | { readonly oneOf: readonly [TypeSpec, TypeSpec] };

export type PropertySpec = TypeSpec & { readonly description: string; readonly secret?: true };

export interface ObjectSpec {
  readonly type: "object";
  readonly description?: string;
  readonly properties: Readonly<Record<string, PropertySpec>>;
  readonly required?: readonly string[];
}

export interface EnumSpec {
  readonly type: "string";
  readonly description: string | undefined;
  readonly enum: readonly { readonly value: string }[];
}

/** The object and enum types of the package, by their names. */
export type NamedTypes = Record<string, ObjectSpec | EnumSpec>;

export const packageName = "data-connectivity";
export const token = (name: string): string => `${packageName}:index:${name}`;
export const reference = (name: string): TypeSpec => ({ $ref: `#/types/${token(name)}` });

/** An enum as an input. If only the enum is named, Python's type checkers reject plain strings. */
export const stringOr = (name: string): TypeSpec => ({ oneOf: [{ type: "string" }, reference(name)] });

/** A value that is passed on as it is. */
export const anyValue: TypeSpec = { $ref: "pulumi.json#/Any" };
export const mapOf = (values: TypeSpec): TypeSpec => ({ type: "object", additionalProperties: values });
export const enumOf = (values: readonly string[]) =>
  ({ type: "string", enum: values.map((value) => ({ value })) }) as const;
