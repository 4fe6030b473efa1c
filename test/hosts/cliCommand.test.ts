import { commandIn } from "../../provider/src/hosts/cliCommand.js";

const holding = { holdsLock: true, clearsPendingCreates: false };
const alone = { holdsLock: false, clearsPendingCreates: false };

test.each<[string, object, NodeJS.ProcessEnv?]>([
  ["up --yes --skip-preview", { name: "up", ...holding }],
  ["update", { name: "up", ...holding }],
  ["-C up --stack dev --non-interactive preview", { name: "preview", ...alone }],
  ["--cwd=. pre", { name: "preview", ...alone }],
  ["--otel-traces file:///traces.json destroy", { name: "destroy", ...holding }],
  ["destroy --remove", { name: "destroy", ...holding }],
  ["destroy --preview-only", { name: "destroy", ...alone }],
  ["refresh --preview-only=false", { name: "refresh", ...holding }],
  ["refresh", { name: "refresh", ...alone }, { PULUMI_OPTION_PREVIEW_ONLY: "true" }],
  ["refresh --yes --clear-pending-creates", { name: "refresh", holdsLock: true, clearsPendingCreates: true }],
  [
    "refresh",
    { name: "refresh", holdsLock: true, clearsPendingCreates: true },
    { PULUMI_OPTION_CLEAR_PENDING_CREATES: "1" },
  ],
  ["up --clear-pending-creates", { name: "up", ...holding }],
  ["stack export", { name: undefined, ...alone }],
  ["constructor", { name: undefined, ...alone }],
  ["--version", { name: undefined, ...alone }],
])("The arguments of the CLI tell its command: %s", (args, expected, env = {}) => {
  expect(commandIn(args.split(" "), env)).toEqual(expected);
});

test("Arguments that this machine does not show tell none, so another run may be alive", () => {
  expect(commandIn(undefined, {})).toEqual({ name: undefined, ...alone });
});
