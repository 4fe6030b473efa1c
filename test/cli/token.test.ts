import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from "node:crypto";
import { isObject } from "../../provider/src/json.js";
import { CliFolder } from "./cliProcess.js";

const folder = new CliFolder();

const ids = ["--issuer", "parent", "--subject", "child"];
const rsa = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength });
const pem = (key: KeyObject, type: "pkcs1" | "pkcs8" | "spki" = "pkcs8", encryption = {}) =>
  key.export({ ...encryption, type, format: "pem" }).toString();
const { privateKey, publicKey } = rsa(2048);
const encryption = { cipher: "aes-256-cbc", passphrase: "secret" };

function parts(token: string) {
  const [header = "", claims = "", signature = ""] = token.trim().split(".");
  const json = (text: string): unknown => JSON.parse(Buffer.from(text, "base64url").toString());
  const signed = Buffer.from(`${header}.${claims}`);
  const isValid = verify(
    "sha256",
    signed,
    createPublicKey(pem(publicKey, "spki")),
    Buffer.from(signature, "base64url"),
  );
  return { header: json(header), claims: json(claims), isValid };
}

test.each([
  ["pkcs8", "5m", [], 300],
  ["pkcs1", "2h", ["--lifetime", "2h"], 7200],
] as const)("signs the vendor's claims with a key of %s, for %s", async (type, _time, more, seconds) => {
  const before = Math.floor(Date.now() / 1000);
  const file = folder.write("key.pem", pem(privateKey, type));
  const { exitCode, stdout, stderr } = await folder.spawn(["token", "--key", file, ...ids, ...more]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const { header, claims, isValid } = parts(stdout);
  expect({ header, isValid }).toEqual({ header: { alg: "RS256", typ: "JWT" }, isValid: true });
  const iat = isObject(claims) ? Number(claims["iat"]) : NaN;
  expect(claims).toEqual({ tokenType: "powered-by", iat, exp: iat + seconds, iss: "parent", sub: "child" });
  expect(iat).toBeGreaterThanOrEqual(before);
  expect(iat).toBeLessThanOrEqual(Date.now() / 1000);
});

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const refused: [string, string, string][] = [
  ["a public key", pem(publicKey, "spki"), "The key is a public one."],
  ["an encrypted key", pem(privateKey, "pkcs8", encryption), "The key is encrypted. Decrypt it first: openssl pkey "],
  ["an encrypted key of PKCS#1", pem(privateKey, "pkcs1", encryption), "The key is encrypted."],
  ["a short key", pem(rsa(1024).privateKey), "The key has 1024 bits. RS256 needs 2048 or more"],
  ["a key of another kind", pem(ec), "The key is of type ec. The service takes RS256, which needs an RSA key."],
  ["half a key", pem(privateKey).slice(0, 400), "The key is not a private key in PEM"],
  ["no PEM", "hunter2", "The key is not a private key in PEM"],
  ["nothing", " \n", "Standard input has no key."],
];
test.each(refused)("refuses %s, and shows nothing of it", async (_, key, message) => {
  const { exitCode, stdout, stderr } = await folder.pipe(key, ["token", "--key", "-", ...ids]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain(message);
  for (const line of key.split("\n").filter((text) => /^[\w+/=]{6,}$/.test(text))) expect(stderr).not.toContain(line);
});

test.each([
  [
    "a file that does not exist",
    ["--key", "hunter2", ...ids],
    1,
    "The file of --key cannot be read: it does not exist.",
  ],
  ["a folder", ["--key", ".", ...ids], 1, "The file of --key cannot be read: EISDIR."],
  ["the key itself", [`--key=${pem(privateKey)}`, ...ids], 2, "--key looks like the key itself."],
  ["no issuer", ["--key", "-", "--subject", "child"], 2, "--key, --issuer and --subject are required."],
  ["an empty subject", ["--key", "-", "--issuer", "parent", "--subject", ""], 2, "are required."],
  ["a lifetime without a unit", ["--key", "-", ...ids, "--lifetime", "300"], 2, '--lifetime is "300". Accepted: 1s to'],
  ["a lifetime that is too long", ["--key", "-", ...ids, "--lifetime", "25h"], 2, '--lifetime is "25h".'],
])("refuses %s, and shows no value of --key", async (_, args, code, message) => {
  const { exitCode, stdout, stderr } = await folder.run(["token", ...args]);
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/hunter2|MII/);
});
