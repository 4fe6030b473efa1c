import type { RunCommand } from "../lifecycle/runTypes.js";

const names: Readonly<Record<string, RunCommand["name"]>> = {
  up: "up",
  update: "up",
  destroy: "destroy",
  down: "destroy",
  dn: "destroy",
  refresh: "refresh",
  preview: "preview",
  pre: "preview",
  import: "import",
};

/** The CLI's global options whose value may be the next argument. */
const withValue = new Set([
  "-C",
  "--cwd",
  "-s",
  "--stack",
  "-v",
  "--verbose",
  "--color",
  "--tracing",
  "--otel-traces",
  "--profiling",
  "--memprofilerate",
]);

/** What the arguments and the environment of a CLI say. `args`: undefined if this machine does not show them. */
export function commandIn(args: readonly string[] | undefined, env: NodeJS.ProcessEnv): RunCommand {
  const options = args ?? [];
  let at = 0;
  while (at < options.length && options[at]?.startsWith("-") === true) at += withValue.has(options[at] ?? "") ? 2 : 1;
  const name = Object.hasOwn(names, options[at] ?? "") ? names[options[at] ?? ""] : undefined;
  const variableOf = (option: string): string => `PULUMI_OPTION_${option.toUpperCase().replaceAll("-", "_")}`;
  const has = (option: string): boolean => {
    const given = options.filter((one) => one === `--${option}` || one.startsWith(`--${option}=`)).at(-1);
    const value = given?.split("=")[1] ?? (given && "true");
    return isTrue(value ?? env[variableOf(option)]);
  };
  const hasList = (option: string): boolean =>
    options.some((one) => one === `--${option}` || one.startsWith(`--${option}=`)) ||
    (env[variableOf(option)] ?? "") !== "";
  // Several short options may be joined, but only the last of them may have a value: -sstaff is a stack's name.
  const skipsPreview = has("skip-preview") || options.some((one) => /^-[dejy]*f/.test(one));
  const isPartial =
    ["target", "target-replace", "exclude"].some(hasList) || options.some((one) => /^-[dejyf]*t/.test(one));
  const isLocked = name !== undefined && (skipsPreview || locksPreviews(env));
  return {
    name,
    clearsPendingCreates: name === "refresh" && has("clear-pending-creates"),
    holdsLock: name === "preview" || has("preview-only") ? false : isLocked || undefined,
    ...((hasList("replace") || hasList("target-replace")) && { replaces: true }),
    ...(isPartial && { isPartial }),
  };
}

/**
 * Whether the backend locks the stack before the preview of a command, and not only before its update. Pulumi Cloud does
 * not. Without the variable, the backend is that of the user's login, which is not read here.
 */
const locksPreviews = ({ PULUMI_BACKEND_URL: backend = "" }: NodeJS.ProcessEnv): boolean =>
  backend !== "" && !/^https?:/i.test(backend);

const isTrue = (value: string | undefined): boolean => value !== undefined && /^(1|t|true)$/i.test(value);
