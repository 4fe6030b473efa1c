import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { CreateNoteFiles } from "../../provider/src/hosts/createNotes.js";
import { stackOf } from "../../provider/src/hosts/engineNames.js";
import { removeOwnNotes, userFolder } from "../../provider/src/hosts/keptJobs.js";

const stack = "urn:pulumi:dev::project";
const orders = `${stack}::data-connectivity:index:CachingJob::orders`;
const items = `${stack}::data-connectivity:index:CachingJob::items`;
const at = "2026-01-01T00:00:00.000Z";

const folder = mkdtempSync(join(os.tmpdir(), "notes-"));
beforeEach(() => {
  jest.spyOn(os, "tmpdir").mockReturnValue(mkdtempSync(join(folder, "each-")));
});
afterAll(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** The notes of a process of the run whose engine listens on this port. */
const processOf = (port: number) => new CreateNoteFiles({ host: "127.0.0.1", port });
const files = () => readdirSync(userFolder()).map((name) => join(userFolder(), name));
const seen = () => processOf(9).ofEarlierRuns(stackOf(orders));

test("A later run sees the creates that have not ended, and the processes of the same run do not", () => {
  const notes = processOf(1);
  notes.begin(orders, at);
  notes.begin(items, at);
  notes.end(items);
  expect(seen()).toEqual([expect.objectContaining({ urn: orders, at })]);
  expect(processOf(1).ofEarlierRuns(stackOf(orders))).toEqual([]);
  expect(processOf(9).ofEarlierRuns(stackOf("urn:pulumi:other::project"))).toEqual([]);
});

test("The note of a repeated create has its newest time", () => {
  const notes = processOf(1);
  notes.begin(orders, "2026-01-01T00:00:00.123Z");
  notes.begin(orders, "2026-01-01T00:00:01Z");
  expect(seen()).toEqual([expect.objectContaining({ urn: orders, at: "2026-01-01T00:00:01Z" })]);
});

test("Of the notes of one create, of a run and of its resend, the newest counts", () => {
  const times = [at, "2026-01-01T00:20:00.000Z", "2026-01-01T00:10:00.000Z"];
  for (const [index, time] of times.entries()) processOf(index).begin(orders, time);
  expect(seen()).toEqual([expect.objectContaining({ urn: orders, at: times[1] })]);
});

test("A run that knows the end of an earlier run's create removes its note, also after a create of its own", () => {
  processOf(1).begin(orders, at);
  const later = processOf(2);
  later.begin(orders, at);
  later.end(orders);
  expect(seen()).toEqual([]);
});

test("A process writes its next create into the file of one that has ended", () => {
  const notes = processOf(1);
  for (const urn of [orders, items, orders]) {
    notes.begin(urn, at);
    notes.end(urn);
  }
  expect(files()).toHaveLength(1);
  notes.begin(items, at);
  expect(seen()).toEqual([expect.objectContaining({ urn: items })]);
});

test("The end of a run removes the files of ended creates alone", () => {
  const notes = processOf(1);
  notes.begin(orders, at);
  notes.end(orders);
  for (const urn of [items, orders]) notes.begin(urn, at);
  notes.end(orders);
  removeOwnNotes();
  expect(files().map((file) => readFileSync(file, "utf8"))).toEqual([expect.stringContaining(items)]);
});

test("A file without a note stays while its process may use it, and is removed a day later", () => {
  const notes = processOf(1);
  notes.begin(orders, at);
  notes.end(orders);
  const [file = ""] = files();
  expect(seen()).toEqual([]);
  expect(files()).toEqual([file]);
  const twoDaysAgo = Date.now() / 1000 - 172_800;
  utimesSync(file, twoDaysAgo, twoDaysAgo);
  expect(seen()).toEqual([]);
  expect(files()).toEqual([]);
});

test("A file that is no note, or was half written, shows nothing", () => {
  processOf(1).begin(orders, at);
  const [file = ""] = files();
  writeFileSync(file, '{"urn":"urn:pulumi');
  expect(seen()).toEqual([]);
});
