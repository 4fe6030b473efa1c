import { readFileSync } from "node:fs";

export interface Customer {
  readonly name: string;
  /** The customer's account at the service: the `sub` of the token. */
  readonly subject: string;
  readonly sourceConnection: string;
  /** Default: 24. */
  readonly everyHours?: number;
  /** Default: ORDERS and CUSTOMERS. */
  readonly tables?: readonly string[];
  /** Stack configuration, by key. */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface Fleet {
  readonly issuer: string;
  readonly key: string;
  readonly customers: readonly Customer[];
}

/** Reads customers.json: `all` applies to each customer, and a customer's own values win. */
export function readFleet(file: string): Fleet {
  const { issuer, key, all, customers } = JSON.parse(readFileSync(file, "utf8")) as {
    issuer: string;
    key: string;
    all: Pick<Customer, "sourceConnection" | "config">;
    customers: Record<string, { subject: string } & Partial<Customer>>;
  };
  const members = ["subject", "sourceConnection", "everyHours", "tables", "config"];
  const complete = Object.entries(customers).map(([name, own]) => {
    const unknown = Object.keys({ ...all, ...own }).filter((member) => !members.includes(member));
    if (unknown.length > 0)
      throw new Error(`${file}: ${name} has ${unknown.join(", ")}. Accepted: ${members.join(", ")}.`);
    return { ...all, ...own, name, config: { ...all.config, ...own.config } };
  });
  return { issuer, key, customers: complete };
}

/** The customers of `--only acme,globex`, and of these with `--shard 2/5` every fifth one from the second on. */
export function select(customers: readonly Customer[], { only, shard = "1/1" }: { only?: string; shard?: string }) {
  const names = only?.split(",") ?? customers.map(({ name }) => name);
  const unknown = names.filter((name) => !customers.some((customer) => customer.name === name));
  if (unknown.length > 0) throw new Error(`--only: customers.json has no ${unknown.join(", ")}.`);
  const [n, of] = shard.split("/").map(wholeNumber);
  if (n === undefined || of === undefined || n > of)
    throw new Error(`--shard is ${shard}. Accepted: 2/5 and the like.`);
  return customers.filter(({ name }) => names.includes(name)).filter((_, index) => index % of === n - 1);
}

export const wholeNumber = (word: string): number | undefined => (/^[1-9]\d*$/.test(word) ? Number(word) : undefined);

export interface Outcome {
  readonly name: string;
  readonly failed: boolean;
  /** What changed, or why it failed. */
  readonly text: string;
  readonly seconds: number;
}

/** Runs so many at a time. One that fails is an outcome like any other: the others go on. */
export async function runAll(
  customers: readonly Customer[],
  parallel: string,
  run: (customer: Customer) => Promise<string>,
  print: (line: string) => void,
): Promise<readonly Outcome[]> {
  const workers = wholeNumber(parallel);
  if (workers === undefined) throw new Error(`--parallel is ${parallel}. Accepted: a whole number from 1 on.`);
  const outcomes: Outcome[] = [];
  const queue = customers.values();
  const worker = async (): Promise<void> => {
    // The workers share one queue: each takes the next customer when it has finished one.
    for (const customer of queue) {
      const { name } = customer;
      const startedAt = Date.now();
      print(`${name}: started`);
      const outcome = await run(customer).then(
        (text) => ({ failed: false, text }),
        (error: unknown) => ({ failed: true, text: error instanceof Error ? error.message : String(error) }),
      );
      const seconds = Math.round((Date.now() - startedAt) / 100) / 10;
      outcomes.push({ name, ...outcome, seconds });
      print(
        `${name}: ${outcome.failed ? "FAILED" : "done"} after ${seconds} s (${outcomes.length} of ${customers.length})`,
      );
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return outcomes;
}

/** One line for each customer, the failed ones last, where they are seen. */
export function table(outcomes: readonly Outcome[]): string {
  const sorted = [...outcomes].sort((a, b) => Number(a.failed) - Number(b.failed) || a.name.localeCompare(b.name));
  const width = Math.max(8, ...outcomes.map(({ name }) => name.length));
  const line = (name: string, result: string, seconds: string, text: string) =>
    `${name.padEnd(width)}  ${result.padEnd(6)}  ${seconds.padStart(7)}  ${text}`;
  const rows = sorted.map(({ name, failed, seconds, text }) =>
    line(name, failed ? "FAILED" : "ok", seconds.toFixed(1), text),
  );
  return [line("CUSTOMER", "RESULT", "SECONDS", "CHANGES"), ...rows].join("\n");
}
