import type { CachingJobArgs } from "pulumi-data-connectivity";
import type { Customer } from "./customers";

/** One resource of a YAML program. */
interface Job {
  readonly type: "data-connectivity:CachingJob";
  readonly properties: CachingJobArgs;
}

/** The tables of one customer. */
export const tablesOf = ({ tables = ["ORDERS", "CUSTOMERS"] }: Customer): readonly string[] => tables;

/** The jobs of one customer: a YAML program as data, because a program in YAML starts no process of its own. */
export function jobsOf(customer: Customer): Readonly<Record<string, Job>> {
  const { sourceConnection, everyHours = 24 } = customer;
  const jobs = tablesOf(customer).map((sourceTable): [string, Job] => [
    // Named by its table, and not by its place in the list: else each job after a new table would get another one's source.
    sourceTable,
    {
      type: "data-connectivity:CachingJob",
      properties: {
        intervalUnit: "Hour",
        intervalValue: everyHours,
        logVerbosity: 2,
        params: { sourceConnection, sourceName: "Snowflake", sourceSchema: "PUBLIC", sourceTable },
      },
    },
  ]);
  return Object.fromEntries(jobs);
}

/** The customer's Pulumi.yaml. JSON is YAML. With the setting `subject`, a token of another customer is refused. */
export function projectOf(customer: Customer, credentialsCommand: string): string {
  const settings = {
    ...customer.config,
    "data-connectivity:subject": customer.subject,
    "data-connectivity:credentialsCommand": credentialsCommand,
  };
  const config = Object.fromEntries(Object.entries(settings).map(([setting, value]) => [setting, { value }]));
  const packages = { "data-connectivity": { source: "data-connectivity", version: "0.1.0" } };
  return JSON.stringify(
    { name: "fleet", runtime: "yaml", packages, config, resources: jobsOf(customer) },
    undefined,
    2,
  );
}
