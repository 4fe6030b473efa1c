import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Declaration } from "../../jobs/index.js";
import { canonicalJson, isObject } from "../../json.js";
import { propertyPath, type PropertyPath } from "../../propertyPath.js";

/** That nothing differs, or that something does which an update takes care of: nothing is ever replaced for it. */
export function diffResponse(differs: boolean): DiffResponse {
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  return new DiffResponse().setChanges(differs ? DIFF_SOME : DIFF_NONE);
}

/** The same with what differs, by the engine's paths. A source has one job, so where a user asks for a replacement, the old one goes first. */
export function detailedResponse(was: Declaration, now: Declaration, differs?: boolean): DiffResponse {
  const differences = differencesBetween(was, now);
  const response = diffResponse(differs ?? differences.length > 0)
    .setHasdetaileddiff(true)
    .setDeletebeforereplace(true)
    .setDiffsList([...new Set(differences.map(({ path: [member] }) => String(member)))]);
  for (const { path, kind } of differences)
    response.getDetaileddiffMap().set(propertyPath(path), new PropertyDiff().setKind(kind).setInputdiff(true));
  return response;
}

interface Difference {
  readonly path: PropertyPath;
  readonly kind: PropertyDiff.Kind;
}

function differencesBetween(was: Declaration, now: Declaration, above: PropertyPath = []): Difference[] {
  const { ADD, DELETE, UPDATE } = PropertyDiff.Kind;
  const members = [...new Set([...Object.keys(was), ...Object.keys(now)])];
  return members.flatMap((member): Difference[] => {
    const [before, after, path] = [was[member], now[member], [...above, member]];
    if (canonicalJson(before) === canonicalJson(after)) return [];
    if (isObject(before) && isObject(after)) return differencesBetween(before, after, path);
    return [{ path, kind: before === undefined ? ADD : after === undefined ? DELETE : UPDATE }];
  });
}
