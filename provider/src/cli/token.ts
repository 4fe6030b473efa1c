import { createPrivateKey, type KeyObject } from "node:crypto";
import { membersOf } from "../json.js";
import { command, InputError, standardInput, UsageError } from "./command.js";
import { readTextFile } from "./inputText.js";
import type { Context } from "./context.js";

export const token = command({
  summary: "Prints a token signed with your own key",
  about: [
    "Prints a token for the service: a JWT signed with your own RSA key (RS256). The vendor must have registered the public key.",
  ],
  options: {
    key: {
      type: "string",
      value: "FILE",
      isRequired: true,
      help: "the private key, PEM (PKCS#1 or PKCS#8), or - to read it from standard input",
    },
    issuer: { type: "string", value: "ID", isRequired: true, help: "the id of the parent account (iss)" },
    subject: { type: "string", value: "ID", isRequired: true, help: "the id of the account that has the jobs (sub)" },
    lifetime: {
      type: "string",
      value: "TIME",
      default: "5m",
      help: "how long the token is valid: 90s, 5m, 2h, at most 24h; default 5m",
    },
  },
  forms: { "": { answers: "Which token signs in to an account?", requests: [] } },
  fails: "if the key cannot be used",
  example: [
    "pulumi config set data-connectivity:credentialsCommand \\",
    '  "pulumi-data-connectivity token --key /run/secrets/key.pem --issuer <id> --subject <id>"',
  ],

  async run(context, { key, issuer, subject, lifetime }) {
    if (!key || !issuer || !subject) throw new UsageError("--key, --issuer and --subject are required.");
    const seconds = secondsOf(lifetime);
    const signer = privateKey(await readKey(context, key));
    // `jose` is an ES module: on Node 20, a CommonJS file can load it only by import().
    const { SignJWT } = await import("jose/jwt/sign");
    const now = Math.floor(context.host.clock.wall().ms / 1000);
    const jwt = new SignJWT({ tokenType: "powered-by", iat: now, exp: now + seconds, iss: issuer, sub: subject });
    context.print(await jwt.setProtectedHeader({ alg: "RS256", typ: "JWT" }).sign(signer));
    return 0;
  },
});

function secondsOf(lifetime: string): number {
  const [, count = "", unit = ""] = /^(\d{1,5})([smh])$/.exec(lifetime) ?? [];
  const seconds = Number(count) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 0);
  if (seconds > 0 && seconds <= 86_400) return seconds;
  throw new UsageError(`--lifetime is ${JSON.stringify(lifetime)}. Accepted: 1s to 24h, such as 90s, 5m or 2h.`);
}

/** The content of the key file. No message shows the value of --key: it may be the key itself. */
async function readKey({ host, pathOf }: Context, file: string): Promise<string> {
  if (file === standardInput) {
    const text = await host.readStdin();
    if (text !== undefined && text.trim() !== "") return text;
    throw new InputError("Standard input has no key. Pipe it in: pulumi-data-connectivity token --key - … < key.pem");
  }
  if (/-----|\n/.test(file))
    throw new UsageError("--key looks like the key itself. Accepted: the name of a file, or -.");
  try {
    return readTextFile(pathOf(file));
  } catch (error) {
    const { code = "unknown" } = membersOf(error);
    const why = code === "ENOENT" ? "it does not exist" : String(code);
    throw new InputError(
      `The file of --key cannot be read: ${why}. It is the name of a PEM file, or - for standard input.`,
    );
  }
}

function privateKey(pem: string): KeyObject {
  const [, label = ""] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pem) ?? [];
  if (/PUBLIC KEY|CERTIFICATE/.test(label) && !pem.includes("PRIVATE KEY"))
    throw new InputError("The key is a public one. Give the private key, which the public key was made from.");
  if (label.includes("ENCRYPTED") || pem.includes("Proc-Type: 4,ENCRYPTED"))
    throw new InputError(
      "The key is encrypted. Decrypt it first: openssl pkey -in key.pem | pulumi-data-connectivity token --key - …",
    );
  const key = parsed(pem);
  const { asymmetricKeyType = "", asymmetricKeyDetails: { modulusLength = 0 } = {} } = key;
  if (asymmetricKeyType !== "rsa")
    throw new InputError(`The key is of type ${asymmetricKeyType}. The service takes RS256, which needs an RSA key.`);
  if (modulusLength < 2048)
    throw new InputError(
      `The key has ${modulusLength} bits. RS256 needs 2048 or more: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:4096`,
    );
  return key;
}

function parsed(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // Do not show the original message: it is OpenSSL's, such as "DECODER routines::unsupported".
    throw new InputError(
      'The key is not a private key in PEM: its first line is "-----BEGIN PRIVATE KEY-----" or alike.',
    );
  }
}
