import { cachingJob } from "../../provider/src/jobs/index.js";
import { cannotChange } from "../../provider/src/lifecycle/create/messages.js";
import { declaration } from "../support/declaration.js";
import { savedResource } from "../support/resource.js";

const changes = [{ path: "intervalValue", was: "4", now: "6" }];
const secondJob = (more: object) => {
  const text = cannotChange(savedResource(cachingJob, { ...declaration, ...more }, { id: "job-1" }), changes);
  return text.split("\n").find((line) => line.includes("Create a second job"));
};

test("The way to a second job of an adopted one begins without existingJobId, or the same job is adopted again", () => {
  expect(secondJob({ existingJobId: "job-1" })).toBe(
    "  - Create a second job as declared. Remove existingJobId from the declaration first. Note the id job-1, because that job leaves the state and keeps running. Then run:",
  );
  expect(secondJob({})).not.toContain("existingJobId");
});
