import { declaredMembers } from "../../provider/src/lifecycle/resource.js";
import { RefreshDiffs } from "../../provider/src/hosts/engineCalls.js";
import { declaration } from "../support/declaration.js";

const saved = declaredMembers({ ...declaration, job: { id: "1" }, origin: { outcome: "created" } });
const changed = { ...declaration, intervalValue: 5 };

describe("The diff that belongs to a refresh", () => {
  test("is the one that compares the saved declaration with itself, once for each read", () => {
    const diffs = new RefreshDiffs();
    expect(diffs.take("1", declaration)).toBe(false);
    diffs.expect("1", saved);
    diffs.expect("1", saved);
    expect(diffs.take("2", declaration)).toBe(false);
    expect([1, 2, 3].map(() => diffs.take("1", declaration))).toEqual([true, true, false]);
  });

  test("knows the declaration in another order, and with what the class and the engine add", () => {
    const diffs = new RefreshDiffs();
    diffs.expect("1", saved);
    const inputs = { ...Object.fromEntries(Object.entries(declaration).reverse()), __provider: "x", enabled: null };
    expect(diffs.take("1", declaredMembers({ ...inputs, __resource: { name: "orders" }, job: null }))).toBe(true);
  });

  test("is not a later one that brings a change, although no diff followed the read", () => {
    const diffs = new RefreshDiffs();
    diffs.expect("1", saved);
    expect(diffs.take("1", changed)).toBe(false);
    expect(diffs.take("1", changed)).toBe(false);
  });
});
