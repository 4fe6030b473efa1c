import { adviceIn, resendsIn, type Advice } from "./advice.js";
import type { Command, Outcome } from "./command.js";
import { memberForms, objectOf, plainId } from "./forms.js";
import { idsOf, keyOf } from "./judges.js";
import { givesIds, ready, resendingToo, urnsIn, valuesIn, withValues, type Next } from "./next.js";
import type { Edits } from "./programs.js";
import type { Job } from "./service.js";
import { jobKeyIn } from "./state.js";
import { Sight } from "./sight.js";
import { forget, taint } from "./stateCommands.js";
import { appearsWithinMs, earliestMs } from "./times.js";
import { newSubject, type World } from "./world.js";
import { isName, labelOf, names, sourceOf, type Declared, type Name } from "./words.js";

const minuteMs = 60_000;
/** How long it takes a person to look at the service: long enough for every request to arrive. */
const lookMs = 3 * minuteMs;

/** A diligent user, who does what the messages say, and sees at the service which jobs really exist. */
export class User {
  readonly edits = new Map<string, Edits>();
  /** The providers that the user put back. */
  readonly putBack: Record<string, string> = {};
  /** The old names that the user gave to resources of the program. */
  readonly aliases: Partial<Record<Name, string>> = {};
  /** The provider of each resource in the newest program. */
  providers: Command["providers"] = {};
  /** The messages in which the user found nothing to do. */
  readonly notUnderstood: string[] = [];

  private readonly sight: Sight;

  constructor(private readonly world: World) {
    this.sight = new Sight(world, this.edits, () => this.providers);
  }

  /** Reads what a command said, and prepares the next one. Undefined if there is nothing to do. */
  async read(outcome: Outcome, declared: Declared): Promise<Next | undefined> {
    const { world } = this;
    if (outcome.end === "locked" || (outcome.end === "killed" && world.stack.lock !== undefined)) {
      world.stack.lock = undefined;
      world.tell("user: pulumi cancel --yes");
      if (outcome.end === "locked") return ready;
    }
    const newest = new Map(outcome.taken.map((taken) => [taken.name, taken]));
    const tasks = [...newest.values()].flatMap(({ name, message }) =>
      message === undefined ? [] : [{ name, message, advice: adviceIn(message) }],
    );
    if (tasks.some(({ advice }) => advice?.kind === "lookThenResend" || advice?.kind === "decide"))
      await world.timeline.pause(lookMs, undefined);
    for (const { message } of tasks) await world.timeline.pause(appearsWithinMs(world, message), undefined);
    // What a command allowed for once was not used if it ended with its preview.
    let next = outcome.taken.every(({ isPreview }) => isPreview) ? { ...ready, env: outcome.env } : ready;
    for (const { name, message, advice } of tasks) {
      if (advice === undefined) this.notUnderstood.push(message);
      else next = this.follow(next, name, message, advice, declared);
    }
    return next;
  }

  /**
   * Looks after the engine's pending operations once all else is done, and after unconfirmed creates of which a command
   * has told and whose resources have left the program since. Returns whether there were pending operations.
   */
  clearsPending(declared: Declared): boolean {
    const { stack, judge } = this.world;
    const { pending } = stack.file;
    for (const name of [...pending.map((operation) => operation.name), ...this.unconfirmed])
      if (isName(name) && declared[name] === undefined)
        for (const job of judge.ownJobs(sourceOf[name])) if (job.madeBy !== undefined) this.removeLost(job);
    judge.watch();
    return pending.length > 0;
  }

  private follow(next: Next, name: string, message: string, advice: Advice, declared: Declared): Next {
    const { world } = this;
    if (!isName(name)) return next;
    switch (advice.kind) {
      case "wait":
        return { ...next, waitMs: Math.max(next.waitMs, (advice.minutes + 0.2) * minuteMs) };
      case "waitUntil": {
        const leftMs = advice.until - earliestMs(world) + minuteMs;
        return { ...next, waitMs: Math.max(next.waitMs, leftMs), refresh: next.refresh || advice.refreshes };
      }
      case "lookAtNamed": {
        const [job] = this.sight.jobsIn([advice.id], name).filter((one) => this.sight.isOwn(one, name));
        return job === undefined
          ? this.follow(next, name, message, advice.else, declared)
          : this.giveId(next, name, job, message);
      }
      case "declareNamed": {
        const [job] = this.sight.jobsIn([advice.id], name);
        if (job !== undefined) this.name(name, job);
        return { ...next, env: {} };
      }
      case "lookThenResend": {
        const isTold = (one: Name) =>
          message.includes(`  - ${labelOf(one)}:`) ||
          Object.keys(advice.resends).some((urn) => urn.endsWith(`::${one}`));
        // What this run has recorded since, its own output shows.
        const also = names.filter((one) => one === name || (isTold(one) && this.sight.heldBy(one) === undefined));
        if (message.includes("A resend works only if account") && this.isRenamed(name))
          return this.findAnew(next, name, message);
        if (message.includes("A resend works only if baseUrl")) {
          if (this.sight.unheld(name).length > 0) this.undoMove(name);
          else forget(world, name);
          return next;
        }
        if (message.includes("A resend works only if provider")) for (const one of also) this.undoMove(one);
        const [wanted, left] = [true, false].map((is) => also.filter((one) => (declared[one] !== undefined) === is));
        const withIds = (wanted ?? []).reduce((before, one) => this.giveExisting(before, one, message), next);
        for (const one of left ?? []) for (const job of this.sight.unheld(one, withIds)) this.removeJob(job);
        const ids = valuesIn(withIds.env, givesIds);
        const rest = Object.entries(advice.resends).filter(([urn]) => ids[urn] === undefined);
        return resendingToo(withIds, Object.fromEntries(rest));
      }
      case "decide": {
        const jobs = this.sight
          .jobsIn(advice.ids, name)
          .filter((job) => world.texts.sourceIn(job.body) === sourceOf[name]);
        const [own, ...doubled] = jobs.filter((job) => this.sight.isOwn(job, name));
        // A gateway may have sent the create twice: whoever is shown both keeps one.
        for (const job of doubled) this.removeJob(job);
        if (own !== undefined) {
          const given = this.giveId(next, name, own, message);
          // Two resources of mode `create` may have had a job each.
          const isOnlyOne = names.every(
            (one) => one === name || sourceOf[one] !== sourceOf[name] || declared[one] === undefined,
          );
          for (const job of isOnlyOne ? this.sight.unheld(name, given) : []) this.removeJob(job);
          return given;
        }
        if (advice.resends !== undefined) return resendingToo(next, advice.resends);
        for (const job of jobs) this.removeJob(job);
        return next;
      }
      case "adopt": {
        const [kept, ...others] = this.sight.jobsIn(advice.ids, name);
        if (kept !== undefined) this.name(name, kept);
        for (const job of others) if (job.madeBy !== undefined) this.removeLost(job);
        return next;
      }
      case "declare": {
        const found = this.sight.jobsIn(advice.id === undefined ? [] : [advice.id], name);
        const own = found.find(({ body }) => world.texts.sourceIn(body) === sourceOf[name]);
        if (own !== undefined) this.declareAs(name, own, message);
        else if (found.length > 0) return this.follow(next, name, message, { kind: "dropExistingJobId" }, declared);
        return next;
      }
      case "adoptIfSame":
      case "lookAtUnreported": {
        const [job] = this.sight
          .jobsIn(advice.ids, name)
          .filter((one) => world.texts.sourceIn(one.body) === sourceOf[name]);
        if (advice.kind === "lookAtUnreported" && !this.seen.has(name)) {
          this.seen.add(name);
          return next;
        }
        if (job === undefined)
          return advice.kind === "adoptIfSame" ? this.makeByHand(next, name) : { ...next, isStuck: true };
        this.name(name, job);
        this.declareAs(name, job);
        return next;
      }
      case "shared": {
        const [, other = ""] = /"([^"]+)" of this stack already has job/.exec(message) ?? [];
        if (isName(other) && declared[other] === undefined) forget(world, other);
        const isOwn = this.sight
          .jobsIn([advice.id], name)
          .some((job) => world.texts.sourceIn(job.body) === sourceOf[name]);
        return isOwn ? next : this.follow(next, name, message, { kind: "dropExistingJobId" }, declared);
      }
      case "dropExistingJobId": {
        const { changedAtService, values, existingJobId } = this.edits.get(name) ?? {};
        for (const job of this.sight.allJobs()) if (job.id === existingJobId) world.judge.abandoned.add(keyOf(job));
        this.edits.set(name, { ...(changedAtService && { changedAtService }), ...(values && { values }) });
        // The id may be one of those that this run was given.
        const ids = Object.entries(valuesIn(next.env, givesIds)).filter(([urn]) => !urn.endsWith(`::${name}`));
        const env = Object.fromEntries(Object.entries(next.env).filter(([variable]) => variable !== givesIds));
        return ids.reduce((to, [urn, id]) => withValues(to, givesIds, { [urn]: String(id) }), { ...next, env });
      }
      case "refresh":
        return { ...next, refresh: true };
      case "alias":
        if (advice.forgets) forget(this.world, name);
        if (declared[isName(advice.from) ? advice.from : name] === undefined) this.aliases[name] = advice.from;
        else if (message.includes("first run pulumi up without this declaration"))
          return { ...next, leavesOut: [...(next.leavesOut ?? []), name] };
        return next;
      case "confirm": {
        const { resources } = world.stack.file;
        const alias = this.aliases[name] ?? name;
        const known = !resources.has(name) && isName(alias) ? alias : name;
        // Nobody confirms a change in the run that also moves the job to another provider.
        const provider = this.sight.providerBefore(known);
        if (this.putBack[name] !== undefined && this.putBack[name] !== provider) return next;
        const saved = resources.get(known);
        const job = this.sight.allJobs().find((one) => saved && keyOf(one) === jobKeyIn(saved));
        if (job === undefined) {
          forget(this.world, known);
          return next;
        }
        world.tell(`user: edits ${idsOf([job])} as it is declared`);
        const intervalValue = declared[name] ?? 1;
        job.service.change(job.id, world.texts.bodyFor(sourceOf[name], intervalValue));
        this.edit(name, { changedAtService: advice.value });
        return next;
      }
      case "adoptIfThere":
        this.nameExisting(name, declared);
        return next;
      case "deleteAndForget":
        for (const job of advice.id === undefined ? this.sight.unheld(name) : this.sight.jobsIn([advice.id], name))
          this.removeJob(job);
        forget(this.world, name);
        return next;
      case "forget":
        forget(this.world, name);
        return next;
      case "undoMove":
      case "useItsAccount": {
        const of = "of" in advice && isName(advice.of) ? advice.of : name;
        if (message.includes("of different accounts or sub-accounts") || advice.kind === "useItsAccount")
          if (this.isRenamed(of)) return this.renames(next, name, message);
        const isRenamed =
          !world.stack.file.resources.has(name) && world.serviceOf(this.providers[name]).tokens.length > 1;
        const isBack = this.isBack(name) || (isRenamed && message.includes("of different accounts or sub-accounts"));
        if (advice.kind === "undoMove" && message.includes("Or, if the service moved") && isBack) {
          for (const job of world.judge.ownJobs(sourceOf[name])) if (job.madeBy) this.removeLost(job);
          const resends = resendsIn(message);
          if (resends === undefined) return this.findAnew(next, name, message);
          return this.follow(next, name, message, { kind: "lookThenResend", resends }, declared);
        }
        if (advice.kind === "undoMove" || declared[of] !== undefined) this.undoMove(of);
        else forget(this.world, of);
        return next;
      }
      case "again":
        return next;
    }
  }

  private isRenamed(name: Name): boolean {
    const { resources } = this.world.stack.file;
    return this.world.isRenamed(resources.has(name) ? name : (this.aliases[name] ?? name));
  }

  /** Does what is right if the service gave the account a new subject. */
  private renames(next: Next, name: Name, message: string): Next {
    // A marked resource is replaced, whatever is confirmed.
    taint(this.world, name, false);
    if (message.includes("set its new subject")) this.world.subject = newSubject;
    if (/its create was sent|It was sent with other settings/.test(message)) return this.findAnew(next, name, message);
    if (message.includes("set its new subject")) return next;
    // Whoever confirms one move undoes another.
    this.undoMove(name);
    const isOther = message.includes("undo the change of existingJobId");
    const undone = isOther ? this.follow(next, name, message, { kind: "dropExistingJobId" }, {}) : next;
    this.edit(name, { changedAtService: new Date().toISOString() });
    return { ...undone, declares: { ...next.declares, [name]: 1 } };
  }

  /** Gives the id of an unconfirmed create's job, or lets the next run create it anew. */
  private findAnew(next: Next, name: Name, message: string): Next {
    if (this.sight.unheld(name).length > 0) {
      const sent = this.world.stack.file.resources.get(name)?.outputs["intervalValue"];
      const declares = { [name]: typeof sent === "number" ? sent : 1, ...next.declares };
      return { ...this.giveExisting(next, name, message), declares };
    }
    forget(this.world, name);
    return next;
  }

  /** The resources for which the user has run a command again, because a reply might have left something out. */
  private readonly seen = new Set<Name>();

  /** Declares what the service has, as far as the program declares it and the service reports it. */
  private declareAs(name: Name, { body, params }: Job, message = ""): void {
    const { intervalValue } = body;
    const own = ["sourceConnection", "sourceName", "sourceSchema", "sourceTable", "name", "query", "destinationTable"];
    const told = objectOf(memberForms[this.world.sequence.setting.members]({ params })["params"]);
    const known = Object.entries(told).filter(([one]) => own.includes(one) || message.includes(`params.${one}`));
    this.edit(name, { values: { ...this.edits.get(name)?.values, intervalValue } });
    // Whoever writes a table's name as the service has it writes it so everywhere.
    for (const one of names)
      if (sourceOf[one] === sourceOf[name])
        this.edit(one, { values: { ...this.edits.get(one)?.values, params: Object.fromEntries(known) } });
  }

  private makeByHand(next: Next, name: Name): Next {
    // Another run may have made the job since the message was written.
    const [made] = this.sight.unheld(name);
    const service = this.world.serviceOf(this.providers[name]);
    this.name(name, made ?? service.add(this.world.texts.bodyFor(sourceOf[name], 1), undefined));
    return next;
  }

  /** Gives the id of an unconfirmed create's job to one run, as the message says, or declares it. */
  private giveId(next: Next, name: Name, job: Job, message: string): Next {
    const urn = urnsIn(message).find((one) => one.endsWith(`::${name}`));
    if (urn === undefined) {
      this.name(name, job);
      return { ...next };
    }
    this.world.judge.name(job);
    return withValues(next, givesIds, { [urn]: job.id });
  }

  /** The same for the job that the service has from the create, if it has one. */
  private giveExisting(next: Next, name: Name, message: string): Next {
    const hasId = Object.keys(valuesIn(next.env, givesIds)).some((urn) => urn.endsWith(`::${name}`));
    const [job] = hasId ? [] : this.sight.unheld(name, next);
    return job === undefined ? next : this.giveId(next, name, job, message);
  }

  /** Names the job that an unconfirmed create made. Returns whether there is one that was not named yet. */
  private nameExisting(name: Name, declared: Declared): boolean {
    const [job] = declared[name] === undefined ? [] : this.sight.unheld(name);
    if (job === undefined || job.id === this.edits.get(name)?.existingJobId) return false;
    this.name(name, job);
    return true;
  }

  /** The resources of whose unconfirmed creates a command has told. */
  private readonly unconfirmed = new Set<Name>();

  /** Does at once what no later command says again. */
  heed({ taken, lines }: Outcome, declared: Declared): void {
    for (const line of lines) {
      const [, name = ""] =
        /"([^"]+)": \S+ leaves the stack\. [^]* if the job exists \([^]*\), it keeps running\./.exec(line) ?? [];
      if (isName(name)) this.world.judge.leave(sourceOf[name]);
      // A job that another one replaced, and that nobody needs.
      const [, id = ""] = /: job (\S+) leaves the stack, because another one replaced it/.exec(line) ?? [];
      const held = new Set([...this.world.stack.file.resources.values()].map(jobKeyIn));
      for (const job of this.sight.allJobs())
        if (plainId(job.id) === plainId(id) && !held.has(keyOf(job))) this.removeJob(job);
    }
    for (const { name, message = "" } of taken) {
      const kind = adviceIn(message)?.kind;
      if (isName(name) && kind === "adoptIfThere") this.nameExisting(name, declared);
      // Of a process that died in a create, the engine says no more than this.
      const isLost = message.includes("error reading from server");
      if (isName(name) && (kind === "lookThenResend" || isLost)) this.unconfirmed.add(name);
    }
  }

  /** Takes out of the program what is no longer declared. What the user named stays at the service. */
  drop(declared: Declared): void {
    const { judge } = this.world;
    for (const name of names) {
      const from = this.aliases[name];
      const isBack = from !== undefined && isName(from) && declared[from] !== undefined;
      if (declared[name] === undefined || isBack) Reflect.deleteProperty(this.aliases, name);
    }
    for (const [name, { existingJobId = "", values }] of this.edits) {
      if (!isName(name) || declared[name] !== undefined) continue;
      for (const job of this.sight.jobsIn([existingJobId], name)) judge.abandoned.add(keyOf(job));
      // A table's name stays as it is written once, and all of what the stack still has: it may be declared for one run.
      const params = values?.["params"];
      const kept = this.world.stack.file.resources.has(name) ? values : params === undefined ? undefined : { params };
      if (kept === undefined) this.edits.delete(name);
      else this.edits.set(name, { values: kept });
    }
  }

  private name(name: Name, job: Job): void {
    this.world.judge.name(job);
    this.world.tell(`user: adds existingJobId ${job.id} to ${name}`);
    this.edit(name, { existingJobId: job.id });
  }

  /** Whether the user has put a resource back already, so that its create was sent by another one. */
  private isBack(name: Name): boolean {
    const now = this.providers[name] ?? "default";
    return this.putBack[name] === now && this.sight.providerBefore(name) === now;
  }

  /** Deletes a job that no resource of the state has. */
  private removeLost(job: Job): void {
    const held = [...this.world.stack.file.resources.values()].map(jobKeyIn);
    if (!held.includes(keyOf(job))) this.removeJob(job);
  }

  private undoMove(name: Name): void {
    const provider = this.sight.providerBefore(name);
    // As in words.ts, both resources for one table.
    for (const one of names) if (sourceOf[one] === sourceOf[name] && provider) this.putBack[one] = provider;
  }

  private edit(name: Name, more: Edits): void {
    this.edits.set(name, { ...this.edits.get(name), ...more });
  }

  private removeJob(job: Job): void {
    this.world.tell(`user: deletes ${idsOf([job])} at the service`);
    job.service.remove(job.id);
    this.world.judge.watch();
  }
}
