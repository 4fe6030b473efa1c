import { isOf, spreadOf, type Measurement } from "./measurements.js";
import type { Variant } from "./options.js";
import type { Usage } from "./usage.js";

const ourPackage = /^pulumi-data-connectivity/;
const axiosPackage = /^axios/;
const schemas = /schemas/;
const commands = ["up", "preview", "refresh"] as const;

/** Where the milliseconds of one job go, as the processes themselves saw them: medians of the rounds. */
export function oneJobRows(measurements: readonly Measurement[]): string[][] {
  return commands.flatMap((command) => {
    const of = (variant: Variant) => measurements.filter(isOf({ variant, jobs: 1, command }));
    const [ours, floor] = [of("ours"), of("floor")];
    if (ours.length === 0) return [];
    const difference = (what: string, cost: (one: Measurement) => number | undefined) => {
      const [mine, base] = [median(ours, cost), median(floor, cost)];
      return mine === undefined || base === undefined
        ? []
        : [[`\`${command}\``, what, `${(mine - base).toFixed(0)} (${base.toFixed(0)} of the floor)`]];
    };
    const part = (what: string, cost: (one: Measurement) => number | undefined) => {
      const value = median(ours, cost);
      return value === undefined ? [] : [[`\`${command}\``, what, value.toFixed(1)]];
    };
    return [
      ...difference("the whole command, over the floor", ({ ms }) => ms),
      ...difference("CPU of the program, over the floor", ({ program }) => program?.cpuMs),
      ...part("of which loading the package, on top of the SDK", ({ program }) => loadOf(program, ourPackage)),
      ...difference("CPU of the provider process, over the floor", ({ provider }) => provider?.cpuMs),
      ...part("of which loading the package, on top of the SDK", ({ provider }) => loadOf(provider, ourPackage)),
      ...part("of which loading the schemas, with the first check", ({ provider }) => loadOf(provider, schemas)),
      ...part("of which loading axios, with the first request", ({ provider }) => loadOf(provider, axiosPackage)),
      ...part("from the list call to its reply", ({ provider }) => requestOf(provider, /^GET /)),
      ...part("from the create call to its reply", ({ provider }) => requestOf(provider, /^POST /)),
    ];
  });
}

const median = (those: readonly Measurement[], cost: (one: Measurement) => number | undefined): number | undefined =>
  spreadOf(those.flatMap((one) => cost(one) ?? []))?.median;

const loadOf = (usage: Usage | undefined, name: RegExp): number | undefined =>
  usage?.loads.find((load) => name.test(load.name))?.cpuMs;

const requestOf = (usage: Usage | undefined, path: RegExp): number | undefined =>
  usage?.requests.find((request) => path.test(request.path))?.ms;
