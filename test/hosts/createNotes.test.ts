import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { CreateNoteFiles } from "../../provider/src/hosts/createNotes.js";
import { removeOwnNotes, userFolder } from "../../provider/src/hosts/keptJobs.js";
import { declaration } from "../support/declaration.js";

const stack = "urn:pulumi:dev::project";
const orders = `${stack}::data-connectivity:index:CachingJob::orders`;
const items = `${stack}::data-connectivity:index:CachingJob::items`;
const at = "2026-01-01T00:00:00.000Z";

const folder = mkdtempSync(join(os.tmpdir(), "notes-"));
beforeEach(() => {
  jest.spyOn(os, "tmpdir").mockReturnValue(mkdtempSync(join(folder, "each-")));
  said.length = 0;
});
afterAll(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const said: string[] = [];
/** The notes of a process of the run whose engine listens on this port. */
const processOf = (port: number) =>
  new CreateNoteFiles({ host: "127.0.0.1", port }, ({ text }) => void said.push(text));
const note = (urn: string, time = at) => ({
  ...{ urn, at: time, sentMs: Date.parse(time), baseUrl: "https://service.test", account: "eu", declared: declaration },
});
const files = () => readdirSync(userFolder()).map((name) => join(userFolder(), name));
const seen = () => processOf(9).ofEarlierRuns();

test("A later run sees the creates that have not ended, and the processes of the same run do not", () => {
  const notes = processOf(1);
  notes.begin(note(orders));
  notes.begin(note(items));
  notes.end(items);
  expect(seen()).toEqual([{ ...note(orders), path: expect.any(String) as unknown }]);
  expect(processOf(1).ofEarlierRuns()).toEqual([]);
  expect(statSync(files()[0] ?? "").mode & 0o777).toBe(0o600);
});

test("The note of a repeated create has its newest time", () => {
  const notes = processOf(1);
  notes.begin(note(orders));
  notes.begin(note(orders, "2026-01-01T00:00:01.000Z"));
  expect(seen()).toMatchObject([note(orders, "2026-01-01T00:00:01.000Z")]);
});

test("An ended create leaves no file", () => {
  const notes = processOf(1);
  for (const urn of [orders, items]) notes.begin(note(urn));
  for (const urn of [orders, items]) notes.end(urn);
  expect(files()).toEqual([]);
});

test("A note that is kept stays until the engine ends the process's run", () => {
  const notes = processOf(1);
  notes.begin(note(orders));
  notes.keep(orders);
  // The engine was killed.
  removeOwnNotes(false);
  expect(seen()).toHaveLength(1);
  removeOwnNotes(true);
  expect(seen()).toEqual([]);
});

test("A run that ends a create of its own leaves the notes of others alone", () => {
  processOf(1).begin(note(orders));
  const later = processOf(2);
  later.begin(note(orders));
  later.end(orders);
  expect(seen()).toHaveLength(1);
});

test("A run that records a resource ends the notes that it has read of it, and no newer one", () => {
  processOf(1).begin(note(orders));
  const later = processOf(2);
  later.ofEarlierRuns();
  processOf(3).begin(note(orders));
  later.settle(orders, note(orders));
  expect(seen()).toHaveLength(1);
});

test("A note that cannot be read is said, once", () => {
  processOf(1).begin(note(orders));
  writeFileSync(files()[0] ?? "", '{"urn":"urn:pulumi');
  const notes = processOf(9);
  expect([notes.ofEarlierRuns(), notes.ofEarlierRuns()]).toEqual([[], []]);
  expect(said).toEqual([expect.stringContaining("is not a note that this version can read")]);
});

test("A note that cannot be read hides no other, nor that one cannot be written", () => {
  processOf(1).begin(note(orders));
  const [damaged = ""] = files();
  processOf(1).begin(note(items));
  writeFileSync(damaged, "");
  const later = processOf(9);
  expect(later.ofEarlierRuns()).toMatchObject([note(items)]);
  rmSync(userFolder(), { recursive: true });
  writeFileSync(userFolder(), "");
  later.begin(note(orders));
  expect(said).toEqual([
    expect.stringContaining(`${damaged} is not a note`),
    expect.stringContaining("cannot be written"),
  ]);
});

test.each<[string, () => void]>([
  [
    "is a file",
    () => {
      writeFileSync(userFolder(), "");
    },
  ],
  [
    "is a symbolic link",
    () => {
      mkdirSync(join(os.tmpdir(), "elsewhere"));
      symlinkSync(join(os.tmpdir(), "elsewhere"), userFolder());
    },
  ],
])("A folder that %s gets no note, and both say so once", (_what, make) => {
  make();
  const notes = processOf(1);
  notes.begin(note(orders));
  notes.begin(note(items));
  expect(said).toEqual([expect.stringContaining("The notes about creates in flight cannot be written")]);
  expect(seen()).toEqual([]);
  expect(said[1]).toContain("The notes about creates in flight cannot be read");
  expect(said[0]).toContain(`${userFolder()} is not a folder of this user`);
});
