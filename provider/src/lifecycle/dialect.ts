/** What a message tells a user to type, in the form that the language of the program has. */
export interface Dialect {
  /** An input of a resource with a value: `existingJobId: "<id>"`. */
  input(name: string, value: string): string;
  /** The option by which a resource keeps its job as it is, whatever these members declare. */
  ignoreChanges(paths: readonly string[]): string;
  /** The option that says how a resource was called before. */
  readonly renamed: string;
  /** How a resource is declared so that its job can leave the stack and keep running. */
  readonly retained: string;
  /** The option by which a replacement deletes the old job first; undefined where each resource has it. */
  readonly deletesFirst: string | undefined;
  /** A setting: `data-connectivity:baseUrl`. */
  setting(key: string): string;
  /** How a setting gets a value. */
  set(key: string, value: string): string;
}
