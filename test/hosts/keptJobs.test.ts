import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import os from "node:os";
import { join, resolve } from "node:path";
import { keptJobsOfRun, noteFirst, noteIn, removeOwnNotes } from "../../provider/src/hosts/keptJobs.js";
import { close, listen } from "../support/servers.js";
import { createServer } from "node:net";
import { temporaryFolder } from "../support/temporaryFolder.js";

const built = resolve(__dirname, "../../provider/dist/hosts/keptJobs.js");
const temporary = temporaryFolder();
const onLinux = process.platform === "linux" ? test : test.skip;

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await close(server);
  return port;
}

onLinux("An engine that listens at the port of an earlier one has a run of its own", async () => {
  const port = await freePort();
  const folder = temporary();
  const engine = JSON.stringify({ host: "127.0.0.1", port });
  const ask = `console.log(require(${JSON.stringify(built)}).folderOfRun(${engine}))`;
  writeFileSync(join(folder, "provider.js"), ask);
  writeFileSync(
    join(folder, "engine.js"),
    `const server = require("node:net").createServer().listen(${port}, "127.0.0.1", () => {
      const start = () => require("node:child_process").execFile(process.execPath, ["provider.js"], (error, found) => {
        process.stdout.write(found);
        if (--left === 0) server.close();
      });
      let left = 2;
      start();
      start();
    });`,
  );
  const foldersOf = () =>
    execFileSync(process.execPath, ["engine.js"], { cwd: folder, encoding: "utf8" }).trim().split("\n");
  const [[one, same], [other]] = [foldersOf(), foldersOf()];
  expect(one).toBe(same);
  expect(other).not.toBe(one);
});

test("A note that another process of the run is writing is awaited", () => {
  const file = join(temporary(), "note");
  writeFileSync(file, "");
  const write = `setTimeout(() => require("node:fs").writeFileSync(process.argv[1], '{"label":"orders"}'), 50)`;
  spawn(process.execPath, ["-e", write, file]);
  expect(noteIn(file)).toEqual({ label: "orders" });
});

test("A note that stays incomplete is not taken for none", () => {
  const file = join(temporary(), "note");
  writeFileSync(file, '{"label":');
  expect(() => noteIn(file)).toThrow(`${file} cannot be read`);
  expect(noteIn(join(temporary(), "none"))).toBeUndefined();
});

test("The first note stays", () => {
  const file = join(temporary(), "note");
  noteFirst(file, { label: "first" });
  noteFirst(file, { label: "second" });
  expect(noteIn(file)).toEqual({ label: "first" });
});

test("Who has left is still counted after the process that notes it has ended, as the engine ends that of a Provider", () => {
  const tmpdir = jest.spyOn(os, "tmpdir").mockReturnValue(temporary());
  const jobs = keptJobsOfRun({ host: "127.0.0.1", port: 1 });
  jobs.set("job-1 left 1", { use: "left", label: "one", key: "one" });
  jobs.set("job-2", { use: "read", label: "two", key: "two" });
  removeOwnNotes(true);
  expect([jobs.get("job-1 left 1")?.label, jobs.get("job-2")]).toEqual(["one", undefined]);
  tmpdir.mockRestore();
});
