// The same declarations for every variant.
const changed = Number(process.env.BENCH_CHANGED ?? 0);
exports.count = Number(process.env.BENCH_JOBS);
exports.declare = (n) => ({
  intervalUnit: "Hour",
  intervalValue: n < changed ? 5 : 4,
  logVerbosity: 2,
  enabled: true,
  params: {
    sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
    sourceName: "Snowflake1",
    sourceSchema: "PUBLIC",
    sourceTable: `ORDERS_${n}`,
    timeCheckColumn: "UPDATED_AT",
    autoTruncateStrings: true,
  },
});
