import { parseFaults } from "./emulator/parseFaults.js";
import { startServer } from "./emulator/server.js";
import type { Emulator, EmulatorOptions } from "./emulator/types.js";

/**
 * Starts an emulator of the service on 127.0.0.1. Its jobs are kept in memory.
 *
 * Creating jobs and listing the data sources work as the interface document describes. Listing, reading, updating,
 * deleting and running jobs, and listing connections, their tables and accounts, work as the vendor's other public
 * documents describe (`jobOperations: "create"` turns these off). If the documents do not say, the emulator chooses, and
 * the real service may differ: 401 with an empty body for a missing or unknown token, 400 that names each wrong member of
 * a body, 404 for a missing job.
 *
 * @throws Error if a fault is invalid, or if the port is in use (code `EADDRINUSE`).
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const server = await startServer({ ...options, faults: parseFaults(options.faults ?? []) });
  return {
    ...server,
    inject(...more) {
      server.inject(...parseFaults(more));
    },
  };
}
