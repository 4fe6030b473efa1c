import { start } from "../emulated.js";
import type { TestServer } from "../../../provider/src/testing/emulator/index.js";

/** A service whose faults end when it is repaired: another emulator at its address, with its jobs. */
export class Repairable {
  private constructor(public emulator: TestServer) {}

  static async start(): Promise<Repairable> {
    return new Repairable(await start());
  }

  async repair(): Promise<void> {
    const { token, baseUrl, jobs } = this.emulator;
    await this.emulator.stop();
    this.emulator = await start({ token, port: Number(new URL(baseUrl).port) });
    for (const { body, ...job } of jobs) this.emulator.addJob(body, job);
  }
}
