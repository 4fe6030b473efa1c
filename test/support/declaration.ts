export const declaration = {
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  params: {
    sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
    sourceName: "Snowflake1",
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
  },
} as const;
