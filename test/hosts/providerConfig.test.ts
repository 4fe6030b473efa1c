import { stackConfigurationOf } from "../../provider/src/config/index.js";
import {
  configChanged,
  configProblems,
  isDefaultProvider,
  nameProblems,
  settingsOf,
} from "../../provider/src/hosts/providerConfig.js";
import { secretSignature, signature } from "../../provider/src/hosts/engineNames.js";
import { unknownValue } from "../../provider/src/unknown.js";

const baseUrl = "https://jobs.example.com";

test("An account that the inputs name takes the inputs' token, whatever variable has its name", () => {
  const environment = { DATA_CONNECTIVITY_TOKEN_MAIN: "environment" };
  const of = (inputs: object) => settingsOf({ baseUrl, account: "main", ...inputs }, false, environment).account();
  expect(of({ token: "own" }).credentials).toMatchObject({ token: "own" });
  expect(of({}).credentials).toMatchObject({ token: "environment" });
});

/** The inputs of one provider as each language's SDK writes them: in JSON text whatever is no string, or as values. */
const asWritten: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "Node.js": written((value) => JSON.stringify(value)),
  "Python with classes": written((value) => JSON.stringify(value, undefined, " ")),
  "Python with dictionaries": written(
    (value) => JSON.stringify(value, undefined, " "),
    (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ),
  Go: written((value) => value),
  YAML: written((value) => (typeof value === "number" ? String(value) : value)),
  Java: written((value) => JSON.stringify(value).replace(/\b(30|9)\b/g, "$1.0")),
  ".NET": written((value) => JSON.stringify(value).replaceAll("/", "\\u002F")),
};

function written(value: (value: unknown) => unknown, name = (text: string) => text) {
  const eu = {
    token: "e",
    [name("baseUrl")]: "https://eu.example.com",
    [name("timeoutSeconds")]: 9,
    [name("requestEncoding")]: "quoted",
    [name("jobOperations")]: "all",
  };
  return {
    baseUrl,
    token: "7",
    accounts: value({ eu }),
    timeoutSeconds: value(30),
    protect: value(false),
    jobOperations: value("all"),
  };
}

const inEnvironment = {
  DATA_CONNECTIVITY_BASE_URL: "https://environment.example.com",
  DATA_CONNECTIVITY_TOKEN: "environment",
};

test.each([true, false])(
  "An account keeps the variable of its token if the inputs give it anything else (default provider: %s)",
  (isDefault) => {
    const environment = { DATA_CONNECTIVITY_TOKEN: "of-us", DATA_CONNECTIVITY_TOKEN_EU: "of-eu" };
    const inputs = { baseUrl: "https://eu.example.com", account: "eu", accounts: { eu: { timeoutSeconds: 30 } } };
    expect(settingsOf(inputs, isDefault, environment).account().credentials).toMatchObject({ token: "of-eu" });
  },
);

describe("The settings of a provider", () => {
  test.each(Object.keys(asWritten))("are read as %s writes them, and are no change of another's", (language) => {
    const inputs = asWritten[language] ?? {};
    const settings = settingsOf(inputs, false, {});
    expect(settings.account()).toMatchObject({ baseUrl, timeoutSeconds: 30, credentials: { token: "7" } });
    expect(settings.account("eu")).toMatchObject({
      baseUrl: "https://eu.example.com",
      timeoutSeconds: 9,
      requestEncoding: "quoted",
      mode: { canChange: true },
      credentials: { token: "e" },
    });
    expect([settings.mode("eu").canRead, settings.mode().canRead, settings.protect()]).toEqual([true, true, false]);
    expect(configProblems(inputs, false, {})).toEqual([]);
    for (const other of Object.values(asWritten)) expect(configChanged(inputs, other)).toBe(false);
    expect(configChanged(inputs, { ...inputs, timeoutSeconds: "31" })).toBe(true);
  });

  test.each<[string, unknown]>([
    ["a secret", { eu: { token: { [signature]: secretSignature, value: "e" } } }],
    ["an output", { eu: { token: { [signature]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", value: "e", secret: true } } }],
    ["nothing, where the language writes null", { eu: { token: "e", baseUrl: null } }],
  ])("are read where JSON text has %s", (_what, accounts) => {
    const settings = settingsOf({ baseUrl, accounts: JSON.stringify(accounts) }, false, {});
    expect(settings.account("eu")).toMatchObject({ baseUrl, credentials: { token: "e" } });
  });

  test("keep a string that only looks like JSON", () => {
    const inputs = { baseUrl, credentialsCommand: '"/opt/my tools/token"', account: "2026" };
    expect(settingsOf(inputs, false, {}).account("2026")).toMatchObject({
      credentials: { command: inputs.credentialsCommand },
    });
  });

  test("come from the environment first where the provider is the default one", () => {
    expect(settingsOf({ baseUrl, token: "input" }, true, inEnvironment).account()).toMatchObject({
      baseUrl: "https://environment.example.com",
      credentials: { token: "environment" },
    });
  });

  test.each([
    ["a token", { token: "input" }, { token: "input" }],
    [
      "a command, which is meant instead of the variable's token",
      { credentialsCommand: "input" },
      { command: "input" },
    ],
    ["no credentials, which leaves those of the environment", {}, { token: "environment" }],
  ])("come from its inputs first where it is explicit: %s", (_case, inputs, credentials) => {
    expect(settingsOf({ baseUrl, ...inputs }, false, inEnvironment).account()).toMatchObject({ baseUrl, credentials });
  });

  test("of an account in an explicit provider's inputs are not those of the environment", () => {
    const environment = { DATA_CONNECTIVITY_TOKEN_EU: "environment", DATA_CONNECTIVITY_TOKEN_US: "environment" };
    const settings = settingsOf({ baseUrl, accounts: { eu: { token: "input" } } }, false, environment);
    expect(settings.account("eu")).toMatchObject({ credentials: { token: "input" } });
    expect(settings.account("us")).toMatchObject({ credentials: { token: "environment" } });
  });

  test("are those of the default provider by the name that the engine gives it", () => {
    const versions = ["", "_0_1_0", "_1_0_0_alpha_1", "_0_17_7_dev_1555435978_gb7030aa4_dirty", "_1_0_0_rc-1"];
    const addresses = ["https_/files.my-company.com/pulumi", "https_/x_8080/a_b", "github_/api.github.com/my-org/x"];
    const made = versions.flatMap((version) => ["", ...addresses].map((at) => `default${version}${at && `_${at}`}`));
    const explicit = ["eu", "default-eu", "default_eu", "default2", "defaults", "default_0_1-0", "default_0_1_0-eu"];
    expect([made, explicit].map((names) => names.map(isDefaultProvider))).toEqual([
      made.map(() => true),
      explicit.map(() => false),
    ]);
  });
});

describe("The problems of a provider's inputs", () => {
  test.each([
    ["none", { baseUrl, token: "t", version: "0.1.0" }, []],
    [
      "a mistyped key",
      { baseUrl, proteckt: true },
      ['the provider\'s input "proteckt" is not a setting. Did you mean the provider\'s input "protect"?'],
    ],
    ["a malformed value", { baseUrl, timeoutSeconds: "soon" }, ['the provider\'s input "timeoutSeconds" is "soon".']],
    ["no address", { token: "t" }, ["The address of the service is not set."]],
    [
      "two",
      { baseUrl: "ftp://x", protect: "no" },
      ['the provider\'s input "protect" is', 'the provider\'s input "baseUrl" is'],
    ],
    ["an unknown value, which is left alone", { baseUrl: unknownValue }, []],
    ["an unknown value in JSON text", { baseUrl, accounts: `{"eu":{"token":"${unknownValue}"}}` }, []],
  ])("are told: %s", (_case, inputs, problems) => {
    const found = configProblems(inputs, false, {});
    expect(found.map((text, index) => text.slice(0, problems[index]?.length))).toEqual(problems);
  });

  test.each([
    ["no address", {}],
    ["a bad address", { baseUrl: "x" }],
    ["a bad token", { baseUrl, token: "a b" }],
    ["both credentials", { baseUrl, token: "t", credentialsCommand: "c" }],
    ["accounts that are no object", { baseUrl, accounts: "x" }],
    ["a bad name of an account", { baseUrl, accounts: { "E U": { token: "t" } } }],
    ["an account that is no object", { baseUrl, accounts: { eu: 1 } }],
    ["a mistyped member of an account", { baseUrl, accounts: { eu: { tokn: "t" } } }],
    ["a bad member of an account", { baseUrl, accounts: { eu: { token: "t", timeoutSeconds: 0 } } }],
    ["a member of an account that is no string", { baseUrl, accounts: { eu: { token: {} } } }],
    ["a mistyped key", { proteckt: true }],
  ])("name the inputs of the provider, which has none of the stack's configuration: %s", (_case, inputs) => {
    const problems = configProblems(inputs, false, {});
    expect(problems).toHaveLength(1);
    expect(problems.join()).toMatch(/the provider's input|the inputs of the provider/);
    expect(problems.join()).not.toMatch(/pulumi config|data-connectivity:/);
    expect(configProblems(inputs, true, {}).join()).not.toContain("provider");
  });

  test("name the stack that the CLI was given, in the commands to type", () => {
    const words = stackConfigurationOf(" --stack dev");
    for (const inputs of [{ proteckt: true }, { baseUrl: "hunter" }])
      expect(configProblems(inputs, true, {}, words).join()).toMatch(/pulumi config \w+ --stack dev /);
  });
});

describe("A provider with a name that the engine gives to its own", () => {
  const config = { baseUrl, timeoutSeconds: "30", accounts: '{ "eu": { "token": "e" } }' };

  test.each<[string, string, object, string[]]>([
    ["default", "the inputs that the engine makes of the configuration", { ...config, version: "0.1.0" }, []],
    ["default_0_1_0", "no inputs", {}, []],
    ["default", "another address", { ...config, baseUrl: "https://other.example.com" }, ["baseUrl"]],
    ["default_0_1_0", "other inputs", { token: "planted", protect: false }, ["token, protect"]],
    ["default_eu", "other inputs, but another name", { token: "planted" }, []],
  ])("(%s) is refused where the program declares it: %s", (name, _case, inputs, named) => {
    expect(nameProblems(name, { ...inputs }, config)).toEqual(
      named.map(
        (keys) =>
          `The provider name "${name}" is reserved for the provider that Pulumi makes from the stack configuration. The declared provider of this name has inputs that differ from it (${keys}). Give the declared provider another name, such as "main".`,
      ),
    );
  });

  test("is left alone where the configuration is not known", () => {
    expect(nameProblems("default", { baseUrl }, undefined)).toEqual([]);
  });
});
