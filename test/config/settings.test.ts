import { showAddress } from "../../provider/src/config/index.js";
import { base, failing, settings } from "../support/settings.js";

const baseUrlOf = (baseUrl: string) => settings({ baseUrl }).account().baseUrl;

describe("The address of the service", () => {
  it.each([
    ["https://jobs.example.com", "https://jobs.example.com"],
    ["https://JOBS.Example.com:443/", "https://jobs.example.com"],
    ["https://jobs.example.com/prefix//", "https://jobs.example.com/prefix"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://127.1.2.3", "http://127.1.2.3"],
    ["http://localhost:80", "http://localhost"],
    ["http://[::1]:8080/x", "http://[::1]:8080/x"],
  ])("takes %s as %s", (given, normalised) => {
    expect(baseUrlOf(given)).toBe(normalised);
  });

  it.each([
    "http://jobs.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "ftp://jobs.example.com",
    "jobs.example.com",
    "https://jobs.example.com?x=1",
    "https://jobs.example.com#x",
    "",
  ])("refuses %s and says what is accepted and how to set it", (given) => {
    expect(() => baseUrlOf(given)).toThrow(
      /^data-connectivity:baseUrl is .*\. Accepted: an https address, or http on a loopback address.* For example: pulumi config set data-connectivity:baseUrl /,
    );
  });

  it.each([
    "https://S3CRET@jobs.example.com",
    "https://jobs.example.com/?access_token=S3CRET",
    "http://jobs.example.com:8080/S3CRET",
    "S3CRET@jobs.example.com",
  ])("shows of %j at most scheme and host", (given) => {
    const message = failing(() => baseUrlOf(given));
    expect(message).toContain(`data-connectivity:baseUrl is ${showAddress(given)}. Accepted: `);
    expect(message).not.toContain("S3CRET");
  });

  it("names the variable when that is the one that is wrong", () => {
    const wrong = settings({}, { DATA_CONNECTIVITY_BASE_URL: "http://jobs.example.com" });
    expect(() => wrong.account()).toThrow(
      /^DATA_CONNECTIVITY_BASE_URL is http:\/\/jobs\.example\.com\. .* For example: export DATA_CONNECTIVITY_BASE_URL=https:\/\/jobs\.example\.com$/,
    );
  });
});

describe("Where a setting comes from", () => {
  it("lets the environment win over stack configuration", () => {
    const both = settings(base, {
      DATA_CONNECTIVITY_BASE_URL: "https://other.example.com",
      DATA_CONNECTIVITY_TOKEN: "e",
    });
    expect(both.account()).toMatchObject({
      baseUrl: "https://other.example.com",
      credentials: { from: "DATA_CONNECTIVITY_TOKEN", token: "e" },
    });
  });

  it("takes an empty variable for none, as pipelines mean it", () => {
    expect(settings(base, { DATA_CONNECTIVITY_TOKEN: "" }).account().credentials).toEqual({
      from: "data-connectivity:token",
      fix: "Set a working token: pulumi config set --secret data-connectivity:token",
      token: "t",
    });
  });

  it("lets a command in the environment win over a token in stack configuration", () => {
    const both = settings(base, { DATA_CONNECTIVITY_CREDENTIALS_COMMAND: "cat token" });
    expect(both.account().credentials).toEqual({
      from: "DATA_CONNECTIVITY_CREDENTIALS_COMMAND",
      fix: expect.stringMatching(/^Run the command of DATA_CONNECTIVITY_CREDENTIALS_COMMAND by hand/) as unknown,
      command: "cat token",
    });
  });

  it("needs no credentials before a request is made", () => {
    expect(settings({ baseUrl: base.baseUrl }).account().credentials).toBeUndefined();
  });

  it("has defaults for the rest", () => {
    expect(settings(base).account()).toMatchObject({
      name: undefined,
      requestEncoding: "typed",
      timeoutSeconds: 60,
      rateLimitSeconds: 600,
    });
    expect([settings().protect(), settings().mode().name]).toEqual([undefined, "create"]);
    expect(settings().debug()).toBe(false);
    expect(settings().resendUnconfirmed()).toBeUndefined();
  });
});

describe("The time before which a resource's unconfirmed create is resent", () => {
  const at = (text: string) =>
    settings({}, { DATA_CONNECTIVITY_RESEND_UNCONFIRMED: JSON.stringify({ "urn:a": text }) }).resendUnconfirmed();

  it("is an instant", () => {
    expect(at("2026-01-02T03:04:05+01:00")).toEqual({ "urn:a": Date.UTC(2026, 0, 2, 2, 4, 5) });
  });

  it.each(["2026-01-02T03:04:05", "yesterday", "2026-01-02", "2026-13-01T00:00:00Z"])(
    "is refused where it has no zone or is none: %s",
    (text) => {
      expect(() => at(text)).toThrow(
        /^DATA_CONNECTIVITY_RESEND_UNCONFIRMED is ".*"\. Accepted: a JSON object with the URNs of resources and a date-time/,
      );
    },
  );
});

describe("Accounts", () => {
  const accounts = (members: object) => ({ ...base, accounts: JSON.stringify(members) });

  it("take their own address and fall back to the unnamed one for what is no credential", () => {
    const config = accounts({
      eu: { token: "eu", baseUrl: "https://eu.example.com", timeoutSeconds: 5, rateLimitSeconds: 0 },
      us: { token: "us" },
    });
    expect(settings({ ...config, requestEncoding: "quoted" }).account("eu")).toMatchObject({
      name: "eu",
      baseUrl: "https://eu.example.com",
      timeoutSeconds: 5,
      rateLimitSeconds: 0,
      requestEncoding: "quoted",
      credentials: { from: "data-connectivity:accounts.eu.token", token: "eu" },
    });
    expect(settings(config).account("us")).toMatchObject({ baseUrl: base.baseUrl, timeoutSeconds: 60 });
  });

  it("never use another account's credentials", () => {
    const config = accounts({ eu: { baseUrl: "https://eu.example.com" } });
    const environment = { DATA_CONNECTIVITY_TOKEN: "unnamed", DATA_CONNECTIVITY_TOKEN_US: "us" };
    expect(settings(config, environment).account("eu").credentials).toBeUndefined();
    expect(settings(config, environment).account("us").credentials).toEqual({
      from: "DATA_CONNECTIVITY_TOKEN_US",
      fix: "Set a working token: export DATA_CONNECTIVITY_TOKEN_US=<token>",
      token: "us",
    });
  });

  it("take their variable first, with hyphens as underscores", () => {
    const config = accounts({ "eu-west": { token: "config" } });
    const environment = { DATA_CONNECTIVITY_CREDENTIALS_COMMAND_EU_WEST: "cat token" };
    expect(settings(config, environment).account("eu-west").credentials).toEqual({
      from: "DATA_CONNECTIVITY_CREDENTIALS_COMMAND_EU_WEST",
      fix: expect.stringMatching(
        /^Run the command of DATA_CONNECTIVITY_CREDENTIALS_COMMAND_EU_WEST by hand/,
      ) as unknown,
      command: "cat token",
    });
  });

  it("may be the one that the unnamed credentials belong to", () => {
    const own = settings({ ...base, account: "main" });
    expect(own.account()).toMatchObject({ name: "main", credentials: { token: "t" } });
    expect(own.account("main")).toMatchObject({ name: "main", credentials: { token: "t" } });
    expect(own.accountNames()).toEqual(["main"]);
  });

  it.each([
    ["no JSON", "{", "is not an object with a member for each account"],
    [
      "an unknown member",
      '{"eu":{"tokn":"hunter2"}}',
      "data-connectivity:accounts.eu.tokn is not a setting of an account",
    ],
    ["a bad name", '{"EU":{}}', "lower-case letters, digits and single hyphens"],
    ["an object as a token", '{"eu":{"token":{"x":"hunter2"}}}', "data-connectivity:accounts.eu.token is not a string"],
  ])("are refused as %s without showing a value", (_what, text, message) => {
    const bad = settings({ ...base, accounts: text });
    expect(() => bad.account("eu")).toThrow(message);
    expect(() => bad.account("eu")).not.toThrow("hunter2");
  });
});
