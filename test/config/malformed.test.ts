import { plainSecret, settingsTable, unknownKeys } from "../../provider/src/config/index.js";
import { base, failing, settings } from "../support/settings.js";

describe("A malformed setting", () => {
  const examples = {
    requestEncoding: "typed",
    timeoutSeconds: "60",
    rateLimitSeconds: "600",
    account: "main",
    protect: "true",
  };

  it.each<[keyof typeof examples, value: string, accepted: string]>([
    ["requestEncoding", "Quoted", "typed or quoted"],
    ["timeoutSeconds", "0", "a whole number of seconds from 1 to 3600"],
    ["timeoutSeconds", "1.5", "a whole number of seconds from 1 to 3600"],
    ["timeoutSeconds", "3601", "a whole number of seconds from 1 to 3600"],
    ["rateLimitSeconds", "601", "a whole number of seconds from 0 to 600"],
    ["rateLimitSeconds", "-1", "a whole number of seconds from 0 to 600"],
    ["account", "EU", "lower-case letters, digits and single hyphens"],
    ["account", "e--u", "lower-case letters, digits and single hyphens"],
    // Never a fix that weakens a guard.
    ["protect", "False", "true or false"],
    ["protect", "", "true or false"],
    ["protect", " false", "true or false"],
  ])("fails with the command that sets it: %s = %j", (key, value, accepted) => {
    const given = settings({ ...base, [key]: value });
    expect(failing(() => (key === "protect" ? given.protect() : given.account()))).toBe(
      `data-connectivity:${key} is "${value}". Accepted: ${accepted}. For example: pulumi config set data-connectivity:${key} ${examples[key]}`,
    );
  });

  it.each([
    ["baseUrl", "x", "https://jobs.example.com"],
    ["timeoutSeconds", 0, "60"],
    ["requestEncoding", "x", "typed"],
  ])("of an account gets the fix for the account, whatever the environment sets: %s", (member, value, example) => {
    const accounts = JSON.stringify({ eu: { token: "t", [member]: value } });
    const given = settings({ ...base, accounts }, { DATA_CONNECTIVITY_BASE_URL: base.baseUrl });
    const fix = ` For example: pulumi config set --path data-connectivity:accounts.eu.${member} ${example}`;
    expect(failing(() => given.account("eu")).slice(-fix.length)).toBe(fix);
  });

  it.each([
    ["a\nb", "contains a space, a line break or a character that is not allowed in a token"],
    ["a b", "contains a space, a line break or a character that is not allowed in a token"],
    ["tökén", "contains a space, a line break or a character that is not allowed in a token"],
    ['{"accessToken":"abc"}', "is JSON: give only the token in it, for example by jq -r .accessToken"],
    ['"a.b.c"', "is in quotation marks: give only what is between them (docker --env-file keeps them)"],
    ["'a.b.c'", "is in quotation marks: give only what is between them (docker --env-file keeps them)"],
    [" \n", "is empty"],
    ["Bearer abc", 'begins with "Bearer ": give only what comes after that'],
    ["bearer abc", 'begins with "Bearer ": give only what comes after that'],
  ])("never shows a bad token: %j", (token, problem) => {
    const bad = settings(base, { DATA_CONNECTIVITY_TOKEN: token });
    expect(() => bad.account()).toThrow(
      `The token from DATA_CONNECTIVITY_TOKEN ${problem}. Set a working token: export DATA_CONNECTIVITY_TOKEN=<token>`,
    );
    expect(() => bad.account()).not.toThrow(token);
  });
});

describe("A token", () => {
  it.each(["abc", " abc", "abc\n", "\tabc\r\n"])("may have white space around it, wherever it is set: %j", (token) => {
    const given = [
      settings(base, { DATA_CONNECTIVITY_TOKEN: token }).account(),
      settings({ ...base, token }).account(),
      settings({ ...base, accounts: JSON.stringify({ eu: { token } }) }).account("eu"),
    ];
    expect(given).toMatchObject(given.map(() => ({ credentials: { token: "abc" } })));
  });
});

describe("A key of the namespace", () => {
  it.each([
    ["proteckt", "Did you mean data-connectivity:protect?"],
    ["baseurl", "Did you mean data-connectivity:baseUrl?"],
    ["acounts", "Did you mean data-connectivity:accounts?"],
    ["credentialCommand", "Did you mean data-connectivity:credentialsCommand?"],
    ["timeoutsecond", "Did you mean data-connectivity:timeoutSeconds?"],
    [
      "colour",
      "Accepted: baseUrl, token, credentialsCommand, subject, account, accounts, requestEncoding, timeoutSeconds, rateLimitSeconds, jobOperations, protect.",
    ],
  ])("that is no setting is refused with the nearest one: %s", (key, says) => {
    expect(unknownKeys(["data-connectivity:baseUrl", `data-connectivity:${key}`])[0]?.message).toBe(
      `data-connectivity:${key} is not a setting. ${says} Remove the wrong name: pulumi config rm data-connectivity:${key}`,
    );
  });

  it("is accepted where it is a setting, and keys of other namespaces are left alone", () => {
    const known = Object.values(settingsTable).flatMap((setting) => ("key" in setting ? [setting.key] : []));
    expect(unknownKeys([...known.map((key) => `data-connectivity:${key}`), "other:proteckt", "token"])).toEqual([]);
  });
});

describe("A token in stack configuration", () => {
  const accounts = JSON.stringify({ us: { credentialsCommand: "x" }, eu: { token: "S3CRET" } });
  const problemOf = (config: Record<string, string>, secret: string[] = []) =>
    plainSecret({ get: (key) => config[key] }, (key) => secret.includes(key))?.message;

  it("is refused in plain text, with the command that sets it as a secret", () => {
    expect(problemOf({ "data-connectivity:token": "S3CRET" })).toBe(
      "data-connectivity:token is in plain text. Set it again as a secret: pulumi config set --secret data-connectivity:token",
    );
    expect(problemOf({ "data-connectivity:accounts": accounts })).toBe(
      "data-connectivity:accounts.eu.token is in plain text. Set it again as a secret: pulumi config set --secret --path data-connectivity:accounts.eu.token",
    );
  });

  it("is accepted as a secret", () => {
    expect(problemOf({ "data-connectivity:token": "S3CRET" }, ["data-connectivity:token"])).toBeUndefined();
    expect(problemOf({ "data-connectivity:accounts": accounts }, ["data-connectivity:accounts"])).toBeUndefined();
    expect(problemOf({})).toBeUndefined();
  });
});
