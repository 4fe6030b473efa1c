import { ownStack } from "../all/runOptions.js";
import { jobKeyIn, type Saved } from "./state.js";
import type { World } from "./world.js";
import type { Name } from "./words.js";

// Pulumi's own commands on the state.

function write({ stack, machines, timeline }: World, resources: ReadonlyMap<string, Saved>): void {
  stack.file = { ...stack.file, resources, savedAt: machines[0]?.wall() ?? timeline.now };
}

/** `pulumi state delete` */
export function forget(world: World, name: Name): void {
  const resources = new Map(world.stack.file.resources);
  const saved = resources.get(name);
  if (saved === undefined) return;
  world.tell(`user: pulumi state delete ${name}`);
  const key = jobKeyIn(saved);
  if (key !== undefined) world.judge.abandoned.add(key);
  resources.delete(name);
  write(world, resources);
}

/** `pulumi stack rename` */
export function renameStack(world: World): void {
  const { stack } = world;
  world.tell("user: pulumi cancel --yes; pulumi stack rename renamed");
  ownStack.urn = "urn:pulumi:renamed::acceptance";
  stack.file = { ...stack.file };
  stack.lock = undefined;
}

/** `pulumi state taint`, or `untaint` */
export function taint(world: World, name: Name, isTainted = true): void {
  const { resources } = world.stack.file;
  const saved = resources.get(name);
  if (saved === undefined || (saved.isTainted === true) === isTainted) return;
  world.tell(`user: pulumi state ${isTainted ? "" : "un"}taint ${name}`);
  write(world, new Map(resources).set(name, { ...saved, isTainted }));
}
