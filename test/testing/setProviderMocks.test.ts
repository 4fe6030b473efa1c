import { setProviderMocks } from "../../provider/src/testing/mocks.js";

const BASE_URL = "http://127.0.0.1:1";
const settings = () => Object.entries(process.env).filter(([name]) => name.startsWith("DATA_CONNECTIVITY_"));

/** Calls `setProviderMocks` as a program in plain JavaScript does. */
const call: (...args: unknown[]) => Promise<unknown> = Function.prototype.call.bind(setProviderMocks, undefined);

beforeEach(() => {
  process.env["DATA_CONNECTIVITY_TOKEN"] = "of the developer";
});
afterEach(() => {
  delete process.env["DATA_CONNECTIVITY_TOKEN"];
});

describe("options that cannot work are refused, and the environment stays as it was", () => {
  const url = "Accepted: the address of the service, such as startEmulator's baseUrl.";
  const token = "Accepted: the bearer token, a string that is not empty, such as startEmulator's token.";

  test.each<[unknown, string]>([
    [undefined, "options are missing. Accepted: an object with baseUrl and token."],
    ["http://x", "options are a string. Accepted: an object with baseUrl and token."],
    [{ token: "s3cret" }, `baseUrl is missing. ${url}`],
    [{ baseUrl: null, token: "s3cret" }, `baseUrl is null. ${url}`],
    [{ baseUrl: "", token: "s3cret" }, `baseUrl is an empty string. ${url}`],
    [{ baseUrl: new URL(BASE_URL), token: "s3cret" }, `baseUrl is an object. ${url}`],
    [{ baseUrl: BASE_URL }, `token is missing. ${token}`],
    [{ baseUrl: BASE_URL, token: "" }, `token is an empty string. ${token}`],
    [{ baseUrl: BASE_URL, token: ["s3cret"] }, `token is an array. ${token}`],
    [{ baseUrl: BASE_URL, token: 5 }, `token is a number. ${token}`],
    [{}, `baseUrl is missing. ${url}\nsetProviderMocks: token is missing. ${token}`],
  ])("%j", async (options, problem) => {
    const before = settings();
    const message = await call(options).then(
      () => "accepted",
      (error: unknown) => (error instanceof TypeError ? error.message : "another error"),
    );
    expect(message).toBe(`setProviderMocks: ${problem}`);
    expect(message).not.toContain("s3cret");
    expect(settings()).toEqual(before);
  });
});
