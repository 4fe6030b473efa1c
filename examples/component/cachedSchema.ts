import { ComponentResource, type ComponentResourceOptions, type Input } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";

/** Which tables of a schema are cached, and how often. */
export interface CachedSchemaArgs {
  readonly sourceConnection: Input<string>;
  readonly sourceName: string;
  readonly schema: string;
  readonly tables: readonly string[];
  readonly everyHours: number;
}

/** Caches tables of one schema, all on the same interval. */
export class CachedSchema extends ComponentResource {
  /** The jobs by table. */
  readonly jobs: Readonly<Record<string, CachingJob>>;

  constructor(name: string, args: CachedSchemaArgs, options?: ComponentResourceOptions) {
    super("example:index:CachedSchema", name, {}, options);
    const cache = (table: string) =>
      new CachingJob(
        `${name}-${table.toLowerCase()}`,
        {
          intervalUnit: "Hour",
          intervalValue: args.everyHours,
          logVerbosity: 2,
          params: {
            sourceConnection: args.sourceConnection,
            sourceName: args.sourceName,
            sourceSchema: args.schema,
            sourceTable: table,
            timeCheckColumn: "UPDATED_AT",
            autoTruncateStrings: true,
          },
        },
        { parent: this },
      );
    this.jobs = Object.fromEntries(args.tables.map((table) => [table, cache(table)]));
    this.registerOutputs();
  }
}
