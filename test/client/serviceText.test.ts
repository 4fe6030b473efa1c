import { createJob } from "../../provider/src/client/jobCalls.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { notCreated } from "../../provider/src/lifecycle/texts/shared.js";
import type { Json } from "../../provider/src/json.js";
import { sentences } from "../../provider/src/sentences.js";
import { JOB, start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { serviceAt, TOKEN } from "../support/testService.js";

afterAll(stopAll);

/** What comes of a create that is answered so. */
async function createdWith(status: number, body: Json) {
  const fault: TestFault = { kind: "reply", status, on: "create", body };
  const { baseUrl } = await start({ token: TOKEN, faults: [fault] });
  return createJob(serviceAt(baseUrl), { kind: cachingJob, declared: JOB }, JOB);
}

/** The service's text, and the end of the sentence that quotes it. */
const texts: readonly (readonly [said: string, shown: string])[] = [
  ["There is no such table.", "There is no such table."],
  ["There is no such table..", "There is no such table."],
  ["There is no such table", "There is no such table."],
  ["No such table!", "No such table!"],
  ["No such table?", "No such table?"],
  ["No such tab…", "No such tab…"],
  ["These are wrong:", "These are wrong."],
  ["No such table.  ", "No such table."],
  ["No such table.\n", "No such table."],
  ["No.\nSuch table.", "No. Such table."],
  ["", '{"message":""}.'],
  [" . ", "the service gave no reason."],
];

test.each(texts)("An error that says %j is repeated as one sentence", async (message, shown) => {
  const outcome = await createdWith(400, { message });
  if (outcome.outcome !== "notCreated") throw new Error("A 400 says that nothing was created.");
  expect(notCreated(outcome)).toBe(
    `POST /api/job/create failed with HTTP 400: ${shown} No job was created. Change the declaration as the service asks, then run pulumi up again.`,
  );
});

test.each(texts.slice(0, 10))("A 200 whose error says %j is repeated as one sentence", async (error, shown) => {
  expect(await createdWith(200, { error })).toMatchObject({
    outcome: "unconfirmed",
    what: `POST /api/job/create answered HTTP 200 with an error: ${shown} The reply has no readable job.`,
  });
});

test.each<[string, Json]>([
  ["problem details", { title: "Wrong.", errors: { LogVerbosity: ["must be at most 3"] } }],
  ["a list of errors", { title: "Wrong.", errors: [{ field: "LogVerbosity", message: "must be at most 3" }] }],
  ["a validation", { error: "Wrong.", validation: [{ location: "LogVerbosity", message: "must be at most 3" }] }],
  [
    "an error's details",
    { error: { message: "Wrong.", details: [{ target: "LogVerbosity", message: "must be at most 3" }] } },
  ],
])("A refusal names the members that the service names, in the form of %s", async (_form, body) => {
  expect(await createdWith(422, body)).toMatchObject({
    what: "POST /api/job/create failed with HTTP 422: Wrong. LogVerbosity: must be at most 3.",
  });
});

test("Texts are joined with one end each, and the last one, which may be a command, stays as it is", () => {
  expect(sentences("No token", undefined, "Set it: pulumi config set x")).toBe("No token. Set it: pulumi config set x");
  expect(sentences("What?", " ", "", "Run it again..\n", "pulumi up")).toBe("What? Run it again. pulumi up");
  expect([sentences("Alone"), sentences()]).toEqual(["Alone", ""]);
});
