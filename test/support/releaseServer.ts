import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { close, listen } from "./servers.js";

/** A web server with the files of one folder, as a release page has them. */
export interface ReleaseServer {
  readonly url: string;
  /** The names of the files that were asked for, in their order. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export async function startReleaseServer(folder: string): Promise<ReleaseServer> {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    const name = basename(url);
    asked.push(name);
    // `end` sets a Content-Length, which the engine needs.
    if (existsSync(join(folder, name))) response.end(readFileSync(join(folder, name)));
    else response.writeHead(404).end();
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, asked, stop: () => close(server) };
}
