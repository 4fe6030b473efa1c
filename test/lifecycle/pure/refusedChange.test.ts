import { modes } from "../../../provider/src/config/index.js";
import { cachingJob } from "../../../provider/src/jobs/index.js";
import { changeIsRefused } from "../../../provider/src/lifecycle/texts/refusedChange.js";
import { transition } from "../../../provider/src/lifecycle/transitions.js";
import { declaration } from "../../support/declaration.js";
import { resource, savedResource } from "../../support/resource.js";

const origin = {
  outcome: "created",
  baseUrl: "https://jobs.example.com",
  account: undefined,
  at: "2026-11-01T12:00:00Z",
} as const;
const today = new Date().toISOString().slice(0, 10);
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

test.each([undefined, "", "May", "2026-11-01", today, `${today}T23:59:59Z`, tomorrow, `again, ${tomorrow}`])(
  "The line of a refused change confirms it, if the state has %s",
  (was) => {
    const saved = savedResource(cachingJob, { ...declaration, changedAtService: was }, { id: "1" }, origin);
    const now = (changedAtService: unknown) =>
      resource(cachingJob, { ...declaration, intervalValue: 5, changedAtService });
    const place = { baseUrl: origin.baseUrl, account: origin.account };
    const settings = { place, mayResend: false, mode: modes.create };
    const refused = transition(saved, now(was), settings);
    if (refused.kind !== "refuse") throw new Error(`not refused, but ${refused.kind}`);
    const text = changeIsRefused({ saved, resource: now(was), changes: refused.changes, mode: modes.create });
    const [, value] = /changedAtService: "([^"]+)"/.exec(text) ?? [];
    expect(transition(saved, now(value), settings).kind).toBe("record");
  },
);

test.each(["all", "create"] as const)(
  "Mode %s: the line that confirms another account is enough, if existingJobId names another job, too",
  (name) => {
    const mode = modes[name];
    const saved = savedResource(cachingJob, declaration, { id: "1" }, { ...origin, subject: "s1" });
    const declared = (more: Readonly<Record<string, unknown>>) => resource(cachingJob, { ...declaration, ...more });
    const place = { baseUrl: origin.baseUrl, account: origin.account };
    const settings = { place, mayResend: false, mode, subject: "s2" };
    const refused = transition(saved, declared({ existingJobId: "2" }), settings);
    if (refused.kind !== "refuse") throw new Error(`not refused, but ${refused.kind}`);
    const text = changeIsRefused({ saved, resource: declared({}), changes: refused.changes, mode });
    const [, undo, changedAtService] =
      /(undo the change of existingJobId and )?confirm.*changedAtService: "([^"]+)"/.exec(text) ?? [];
    const then = declared({ changedAtService, ...(undo === undefined && { existingJobId: "2" }) });
    expect(transition(saved, then, settings).kind).not.toBe("refuse");
  },
);
