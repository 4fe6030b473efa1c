import { kindOfJob } from "./kind.js";

const text = { form: "text", required: false, sent: "ifDeclared" } as const;

/** The vendor publishes these members outside the interface document, so any other member is accepted too. */
export const scheduledQueryJob = kindOfJob({
  resource: "ScheduledQueryJob",
  jobType: "ScheduledQuery",
  noun: "query",
  params: {
    name: { ...text, isSource: true },
    query: text,
    destinationWriteScheme: text,
    destinationConnectionName: text,
    destinationSchema: text,
    destinationTable: text,
  },
  isOpen: true,
  addedByService: [],
});
