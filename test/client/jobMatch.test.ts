import fc from "fast-check";
import { declaredSource, mayBeIdentity, reportedSource, sourceKeys } from "../../provider/src/client/jobMatch.js";
import { jobKinds, wireParams } from "../../provider/src/jobs/index.js";
import type { JsonObject } from "../../provider/src/json.js";
import { seed } from "../support/lanes.js";
import { textForms } from "../support/world/forms.js";

const form = fc.constantFrom(...Object.values(textForms));
const word = fc.string({
  unit: fc.constantFrom(..."a B c é & ; _ x \u212a \u0130 \u037e".split(/(?<=[^ ]) /), " "),
  maxLength: 50,
});

test.each(jobKinds)(
  "A $resource shares a key with every record of its source, whatever form the service keeps",
  (kind) => {
    const members = fc.record(Object.fromEntries(kind.source.map((member) => [member, word])));
    const seen = { exact: 0, inOtherForm: 0 };
    fc.assert(
      fc.property(members, members, form, fc.boolean(), (sent, other, { kept }, isOther) => {
        const texts = Object.entries(isOther ? other : sent).map(([member, text]) => [member, kept(text)] as const);
        const params: JsonObject = Object.fromEntries(texts);
        const record = { job: { id: "1", params }, unreadable: [] };
        const job = { kind, declared: { params: sent } };
        const isExact = reportedSource(kind, record) === declaredSource(job) && declaredSource(job) !== undefined;
        if (!isExact && !mayBeIdentity(job, record)) return;
        seen[isExact ? "exact" : "inOtherForm"] += 1;
        const keys = sourceKeys(kind, params);
        expect(sourceKeys(kind, wireParams(job)).filter((key) => keys.includes(key))).not.toEqual([]);
      }),
      { numRuns: 1000, seed },
    );
    expect(Math.min(seen.exact, seen.inOtherForm)).toBeGreaterThan(20);
  },
);
