import { listDataSources } from "../../provider/src/client/lists.js";
import { posts, start, stopAll } from "../support/emulated.js";
import { create, serviceAt, TOKEN } from "../support/testService.js";

afterEach(stopAll);

describe("A service that closes idle connections", () => {
  test.each(["destroy", "halfClose"] as const)(
    "by %s causes no lost request and no second create",
    async (idleClose) => {
      const emulator = await start({ token: TOKEN, idleTimeoutMs: 20, idleClose });
      const { service } = serviceAt(emulator.baseUrl, { timeoutSeconds: 5 });
      for (let pause = 16; pause < 24; pause += 0.5) {
        expect(await listDataSources(service)).toMatchObject({ kind: "listed" });
        await new Promise((resolve) => setTimeout(resolve, pause));
        expect(await create(service)).toMatchObject({ outcome: "created" });
      }
      expect([emulator.jobs.length, posts(emulator.requests)]).toEqual([16, 16]);
      const ports = emulator.requests.filter(({ method }) => method === "POST").map(({ remotePort }) => remotePort);
      expect(new Set(ports).size).toBe(16);
    },
  );
});
