export { startEmulator } from "./server.js";
export { parseFaults } from "./parseFaults.js";
export type { Emulator, EmulatorOptions, SeenRequest } from "./types.js";
export type { EmulatedJob, JobReply } from "./job.js";
export type {
  BrokenConnectionFault,
  DelayFault,
  DripFault,
  EchoTokenFault,
  Fault,
  FaultScope,
  GarbageFault,
  HugeBodyFault,
  JsonValue,
  Operation,
  Phase,
  ReplyFault,
  TruncatedFault,
} from "./faults.js";
