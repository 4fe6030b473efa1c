/** Accepted names of an account: so strict that no two names share an environment variable. */
export const accountNamePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The environment variable that holds the credentials of one account. */
export const variableOf = (what: "TOKEN" | "CREDENTIALS_COMMAND", account: string): string =>
  `DATA_CONNECTIVITY_${what}_${account.toUpperCase().replaceAll("-", "_")}`;

/** The account whose credentials a variable holds; undefined for any other variable. */
export function accountOfVariable(variable: string): string | undefined {
  const [, name] = /^DATA_CONNECTIVITY_(?:TOKEN|CREDENTIALS_COMMAND)_([A-Z0-9]+(?:_[A-Z0-9]+)*)$/.exec(variable) ?? [];
  return name?.toLowerCase().replaceAll("_", "-");
}
