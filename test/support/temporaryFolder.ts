import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a folder for each test of a file and removes it after the test; the returned function gives its path. */
export function temporaryFolder(): () => string {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "test-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  return () => folder;
}
