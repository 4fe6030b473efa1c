import { importId, parseImportId } from "../../provider/src/hosts/engineNames.js";

test.each([
  ["job-1", { account: undefined, id: "job-1" }],
  ["eu/job-1", { account: "eu", id: "job-1" }],
  ["eu/job/1", { account: "eu", id: "job/1" }],
  ["Job/1", { account: undefined, id: "Job/1" }],
  ["/job", { account: undefined, id: "/job" }],
])("The id %j of an import names a job, and is the id of that job", (text, named) => {
  expect(parseImportId(text)).toEqual(named);
  expect(importId(named)).toBe(text);
});
