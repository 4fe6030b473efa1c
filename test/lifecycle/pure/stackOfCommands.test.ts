import { modes, stackConfigurationOf } from "../../../provider/src/config/index.js";
import { cachingJob } from "../../../provider/src/jobs/index.js";
import type { SavedResource } from "../../../provider/src/lifecycle/resource.js";
import { cannotDelete } from "../../../provider/src/lifecycle/texts/createMode.js";
import { heldByOther } from "../../../provider/src/lifecycle/texts/shared.js";
import { staysUnconfirmed } from "../../../provider/src/lifecycle/texts/unconfirmed.js";

const saved: SavedResource = {
  ...{ kind: cachingJob, label: 'CachingJob "orders"', key: "orders", urn: "urn:pulumi:dev::p::t::orders" },
  ...{ words: stackConfigurationOf(" --stack dev"), declared: { params: {} }, isPlain: () => true },
  ...{ id: "unconfirmed-1", jobId: "unconfirmed-1", job: { id: "7" } },
  origin: { outcome: "unconfirmed", baseUrl: "https://a.test", account: "eu", at: "2026-01-01T00:00:00.000Z" },
};
const known = {
  ...{ state: undefined, resendBefore: undefined, adopts: undefined, isPreview: false },
  ...{ mayRun: () => false, until: () => undefined },
};
const moved = [{ path: "account", was: "eu", now: "us" }];

test.each<[string, unknown]>([
  ["a create that was sent elsewhere", staysUnconfirmed(modes.create, saved, saved, moved, known)],
  ["a job that cannot be deleted", cannotDelete(saved).what],
  ["a job that another resource has", heldByOther("7", "a", saved)],
])("Commands that remove a resource are for the stack of the run, whichever is selected: %s", (_what, text) => {
  const lines = String(text)
    .split("\n")
    .filter((line) => /pulumi (stack --show-urns|state delete|up$)/.test(line));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toContain("--stack dev");
});
