import { RecordedError, RefusedError } from "../../provider/src/hosts/dynamic/sdkHost.js";

test("the host can hand over an error whose text has half a surrogate pair", () => {
  const message = "no \ud83d";
  const origin = { outcome: "created", account: undefined, baseUrl: "", at: "2026-01-01T00:00:00Z" } as const;
  const state = { declared: {}, job: {}, origin };
  const recorded = new RecordedError({ kind: "recorded", id: "7", message, state }, {});
  for (const error of [new RefusedError(message, "x"), recorded]) expect(error.message).toBe("no \ufffd");
  expect(recorded.reasons).toEqual(["no \ufffd"]);
});
