import { commandIn } from "../../provider/src/hosts/cliCommand.js";

const holding = { holdsLock: true, clearsPendingCreates: false };
/** A backend that locks the stack for a command's preview too. */
const locking = { PULUMI_BACKEND_URL: "s3://states" };
const alone = { holdsLock: false, clearsPendingCreates: false };
const notKnown = { holdsLock: undefined, clearsPendingCreates: false };

test.each<[string, object, NodeJS.ProcessEnv?]>([
  ["up --yes --skip-preview", { name: "up", ...holding }],
  ["update -yf", { name: "up", ...holding }],
  ["up -sstaff", { name: "up", ...notKnown }],
  ["up --skip-preview=false", { name: "up", ...notKnown }],
  ["-C up --stack dev --non-interactive preview", { name: "preview", ...alone }],
  ["--cwd=. pre", { name: "preview", ...alone }],
  ["up", { name: "up", ...notKnown }, { PULUMI_BACKEND_URL: "https://api.pulumi.com" }],
  ["--otel-traces file:///traces.json destroy", { name: "destroy", ...holding }, locking],
  ["destroy --remove", { name: "destroy", ...holding }, locking],
  ["destroy --preview-only", { name: "destroy", ...alone }],
  ["refresh --preview-only=false", { name: "refresh", ...holding }, locking],
  ["refresh", { name: "refresh", ...alone }, { ...locking, PULUMI_OPTION_PREVIEW_ONLY: "true" }],
  ["refresh --yes --clear-pending-creates", { name: "refresh", holdsLock: true, clearsPendingCreates: true }, locking],
  [
    "refresh",
    { name: "refresh", holdsLock: true, clearsPendingCreates: true },
    { ...locking, PULUMI_OPTION_CLEAR_PENDING_CREATES: "1" },
  ],
  ["up --clear-pending-creates", { name: "up", ...holding }, locking],
  ["up -yf --replace urn:a", { name: "up", ...holding, replaces: true }],
  ["up -yf --target-replace=urn:a", { name: "up", ...holding, replaces: true, isPartial: true }],
  ["up -yft urn:a", { name: "up", ...holding, isPartial: true }],
  ["up -f --exclude=urn:a", { name: "up", ...holding, isPartial: true }],
  ["up -yf", { name: "up", ...holding, isPartial: true }, { PULUMI_OPTION_TARGET: "urn:a" }],
  ["up -yf", { name: "up", ...holding, replaces: true }, { PULUMI_OPTION_REPLACE: "urn:a" }],
  ["stack export", { name: undefined, ...notKnown }],
  ["constructor", { name: undefined, ...notKnown }],
  ["--version", { name: undefined, ...notKnown }],
])("The arguments of the CLI tell its command: %s", (args, expected, env = {}) => {
  expect(commandIn(args.split(" "), env)).toEqual(expected);
});

test("Arguments that this machine does not show tell none, so another run may be alive", () => {
  expect(commandIn(undefined, {})).toEqual({ name: undefined, ...notKnown });
});
