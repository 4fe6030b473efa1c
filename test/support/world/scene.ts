import type { Stack } from "./command.js";
import type { Machine } from "./machine.js";
import type { Network } from "./network.js";
import type { Names } from "./programs.js";
import type { Service } from "./service.js";
import type { Mode } from "./words.js";

/** What the judges look at: requests, states, outputs and files. Nothing of the package's inside. */
export interface Scene {
  readonly mode: () => Mode;
  readonly stack: Stack;
  readonly network: Network;
  readonly services: readonly Service[];
  readonly machines: readonly Machine[];
  readonly texts: Names;
  readonly hasSecrets: boolean;
  readonly now: () => number;
}
