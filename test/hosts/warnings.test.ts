import { Warnings } from "../../provider/src/hosts/warnings.js";
import { scheduledQueryJob } from "../../provider/src/jobs/index.js";
import { unknownValue } from "../../provider/src/unknown.js";
import { settings } from "../support/settings.js";

const declarer = { label: 'ScheduledQueryJob "totals"', parent: undefined };
const misspelled = { intervalUnit: "Hour", intervalValue: 1, logVerbosity: 2, params: { qury: "SELECT 1" } };
const likelyMistake =
  'ScheduledQueryJob "totals": params.qury is sent as it is, but it looks like a misspelling of params.query.';

test("nothing is said about changes if the account, and so the mode, is unknown, or if an existing job is adopted", () => {
  const warnings = new Warnings(settings());
  for (const more of [{ account: unknownValue }, { existingJobId: "job-1" }])
    expect(warnings.of(scheduledQueryJob, declarer, { ...misspelled, ...more })).toEqual([likelyMistake]);
});

test.each([
  ["create", `${likelyMistake} Check it now: once the job is created, Pulumi cannot change or delete it.`],
  ["all", likelyMistake],
])("a probable mistake is urgent only in a mode that cannot correct it later: %s", (jobOperations, text) => {
  const warnings = new Warnings(settings({ jobOperations }));
  expect(warnings.of(scheduledQueryJob, declarer, misspelled)).toEqual([text]);
});
