import { join } from "node:path";
import { startHost } from "../support/all/hosts.js";
import { declared, startService } from "../support/configuredProvider.js";
import { stopAll } from "../support/emulated.js";
import { TOKEN } from "../support/testService.js";

afterEach(stopAll);

const preload = join(__dirname, "../support/steppingWall.cjs");

test.each(["dynamic", "plugin"] as const)(
  "A rate-limit pause of the %s host's process ends in time, although its machine's wall clock steps back",
  async (host) => {
    const limited = { kind: "reply", on: "create", status: 429, headers: { "Retry-After": "1" } } as const;
    const { baseUrl, requests } = await startService({ faults: [limited] });
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(preload)}` };
    const provider = await startHost(host, { baseUrl, token: TOKEN }, { env });
    expect(await provider.create(declared())).toMatchObject({ kind: "ok" });
    const [first = 0, second = 0] = requests.filter(({ method }) => method === "POST").map(({ at }) => Date.parse(at));
    expect(second - first).toBeGreaterThan(900);
  },
);
