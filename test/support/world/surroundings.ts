import childProcess from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { utcNow } from "../../../provider/src/dateTime.js";
import { removedAtEnd, removedByEngine } from "../../../provider/src/hosts/keptJobs.js";
import { simulatedFiles, temporary } from "./files.js";
import type { Noise } from "./noise.js";
import type { Machine } from "./machine.js";
import { ReadyStruct } from "./readyStruct.js";
import type { Timeline } from "./timeline.js";

/**
 * While `play` runs, this process's date, random numbers and temporary folder are those of the simulated machine that is
 * acting: some texts, the notes and the ids of this package use them directly. `outside`: the machine if none is acting.
 */
export async function inSurroundings<Result>(
  timeline: Timeline,
  noise: Noise,
  outside: Machine,
  play: () => Promise<Result>,
): Promise<Result> {
  const machine = () => timeline.actor?.machine ?? outside;
  const undo: (() => void)[] = [];
  const replace = (of: object, name: string, value: unknown) => {
    const before: unknown = Reflect.get(of, name);
    Reflect.set(of, name, value);
    undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(of, name);
      else Reflect.set(of, name, before);
    });
  };
  let ids = 0;
  const nextId = () => {
    ids += 1;
    const digits = Math.floor(noise.next() * 2 ** 32).toString(16);
    return `${digits.padStart(8, "0")}-0000-4000-8000-${ids.toString(16).padStart(12, "0")}`;
  };
  replace(os, "tmpdir", () => temporary);
  replace(
    globalThis,
    "Date",
    dateOf(() => machine().wall()),
  );
  replace(Math, "random", noise.next);
  replace(crypto, "randomUUID", nextId);
  // The package may catch it, so it counts at the end too.
  const used: Error[] = [];
  for (const [of, name] of real)
    replace(of, name, () => {
      const text = `${name} is of the real world: a sequence that used it could be played in another way next time.`;
      const error = new Error(text);
      used.push(error);
      throw error;
    });
  replace(performance, "now", () => timeline.now);
  replace(Struct, "fromJavaScript", (values: ConstructorParameters<typeof ReadyStruct>[0]) => new ReadyStruct(values));
  const files = simulatedFiles(machine, () => timeline.actor?.command);
  for (const [name, simulated] of Object.entries(files)) {
    const real: unknown = Reflect.get(fs, name);
    if (typeof real !== "function") throw new Error(`node:fs has no ${name}.`);
    replace(fs, name, (...args: readonly unknown[]): unknown => {
      const [first] = args;
      if (simulated.isOf(first)) return simulated.call(...args);
      const result: unknown = Reflect.apply(real, fs, args);
      return result;
    });
  }
  forgetTimes();
  try {
    const result = await play();
    const [error] = used;
    if (error !== undefined) throw error;
    return result;
  } finally {
    for (const one of undo.reverse()) one();
    removedAtEnd.clear();
    removedByEngine.clear();
  }
}

/** What depends on this machine and its time. */
const real: readonly (readonly [of: object, name: string])[] = [
  ...["setTimeout", "setInterval", "setImmediate"].map((name) => [globalThis, name] as const),
  [net.Socket.prototype, "connect"],
  [childProcess, "spawn"],
  [childProcess, "execFile"],
  [process, "hrtime"],
];

function dateOf(now: () => number) {
  const Real = Date;
  return class extends Real {
    constructor(...[time = now()]: readonly [] | readonly [number | string]) {
      super(time);
    }

    static override now(): number {
      return now();
    }
  };
}

/** Each sequence is as if in new processes: the latest time that a process gave counts in no other. */
function forgetTimes(): void {
  const { now } = Date;
  Date.now = () => 0;
  utcNow();
  Date.now = now;
}
