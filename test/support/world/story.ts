import type { Command } from "./command.js";
import type { Network } from "./network.js";
import type { Names } from "./programs.js";
import { isUnconfirmed, jobIdIn, type StateFile } from "./state.js";

/** What happened, for a person. Empty unless somebody wants to read it. */
export class Story {
  private readonly events: { readonly at: number; readonly text: string }[] = [];
  /** How many of the requests it has told. */
  private told = 0;

  constructor(
    readonly isTold: boolean,
    private readonly beginning: number,
    private readonly network: Network,
    private readonly texts: Names,
  ) {}

  tell(now: number, text: string): void {
    if (!this.isTold) return;
    this.tellRequests();
    this.events.push({ at: now, text });
  }

  private tellRequests(): void {
    const { sent } = this.network;
    for (const { at, method, path, call, body, status, job, mishap, isAnswered } of sent.slice(this.told)) {
      const interval = JSON.stringify(body?.["intervalValue"]);
      const source = body === undefined ? "" : ` (${this.texts.sourceIn(body) ?? "?"} every ${interval})`;
      const answer = isAnswered ? `HTTP ${status ?? "?"}` : "no reply";
      const effect = job === undefined ? "" : `, job ${job} ${call === "create" ? "is made" : `is ${call ?? ""}d`}`;
      const trouble = mishap === undefined ? "" : ` [${mishap}]`;
      this.events.push({ at, text: `  sends ${method} ${path}${source}: ${answer}${effect}${trouble}` });
    }
    this.told = sent.length;
  }

  /** The story by lines. A chapter that only repeats the one before it, at another time, is left out. */
  lines(): string[] {
    const chapters: { lines: string[]; text: string; repeats: number }[] = [];
    for (const { at, text } of this.events) {
      const line = `${((at - this.beginning) / 1000).toFixed(1).padStart(8)} s  ${text}`;
      const untimed = text.replace(/[\d-]+T[\d:.]+Z/g, "…");
      const chapter = chapters.at(-1);
      if (chapter === undefined || !text.startsWith("  ")) chapters.push({ lines: [line], text: untimed, repeats: 0 });
      else {
        chapter.lines.push(line);
        chapter.text += untimed;
      }
    }
    const kept: typeof chapters = [];
    for (const chapter of chapters) {
      const last = kept.at(-1);
      if (last?.text === chapter.text) last.repeats += 1;
      else kept.push(chapter);
    }
    return kept.flatMap(({ lines, repeats }) => [
      ...lines,
      ...(repeats === 0 ? [] : [`${" ".repeat(12)}(and the same again, times: ${repeats})`]),
    ]);
  }
}

/** What a state has, in one line. */
export function stateTold({ resources, pending }: StateFile): string {
  const held = [...resources].map(([name, saved]) => {
    const interval = JSON.stringify(saved.outputs["intervalValue"]);
    const job = isUnconfirmed(saved) ? "unconfirmed" : `job ${jobIdIn(saved) ?? "?"}`;
    return `${name}: ${job} every ${interval}${saved.isTainted === true ? ", tainted" : ""}`;
  });
  const open = pending.map(({ type, name }) => `${type} ${name}`);
  const rest = open.length === 0 ? "" : `; pending: ${open.join(", ")}`;
  return `the state has ${held.length === 0 ? "nothing" : held.join("; ")}${rest}`;
}

/** A command as it is typed, and its program. */
export function commandTold({
  kind,
  program,
  env,
  skipPreview,
  refresh,
  targets,
  aliases,
  providers,
}: Command): string {
  const declared = Object.entries(program).map(([name, inputs]) => {
    const { intervalValue, existingJobId, changedAtService } = inputs;
    const more = [
      ...(existingJobId === undefined ? [] : [`existingJobId ${JSON.stringify(existingJobId)}`]),
      ...(changedAtService === undefined ? [] : [`changedAtService ${JSON.stringify(changedAtService)}`]),
      ...(providers[name] === undefined ? [] : [`provider ${providers[name]}`]),
      ...(aliases[name] === undefined ? [] : [`alias ${aliases[name]}`]),
    ];
    return `${name} every ${JSON.stringify(intervalValue)}${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
  });
  const options = [
    ...(kind === "up" && skipPreview ? ["--skip-preview"] : []),
    ...(refresh ? ["--refresh"] : []),
    ...(targets === undefined ? [] : [`--target ${targets.join()}`]),
  ];
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value} `);
  return `${variables.join("")}pulumi ${[kind, ...options].join(" ")}${declared.length > 0 ? `, declared: ${declared.join("; ")}` : ""}`;
}
