import type { Command } from "./command.js";
import { plainId } from "./forms.js";
import { keyOf } from "./judges.js";
import { givesIds, ready, valuesIn, type Next } from "./next.js";
import type { Edits } from "./programs.js";
import type { Job } from "./service.js";
import { jobKeyIn } from "./state.js";
import type { World } from "./world.js";
import { isName, sourceOf, type Name } from "./words.js";

/** What a user sees at the service and in the state. */
export class Sight {
  constructor(
    private readonly world: World,
    private readonly edits: ReadonlyMap<string, Edits>,
    /** The provider of each resource in the newest program. */
    private readonly providers: () => Command["providers"],
  ) {}

  isOwn({ madeBy, body }: Job, name: Name): boolean {
    return madeBy !== undefined && this.world.texts.sourceIn(body) === sourceOf[name];
  }

  /** The job that the state knows as a resource's. */
  heldBy(name: Name): string | undefined {
    const saved = this.world.stack.file.resources.get(name);
    return saved && jobKeyIn(saved);
  }

  /** The jobs of this stack's creates that no resource of the state has. */
  unheld(name: Name, { env }: Pick<Next, "env"> = ready): Job[] {
    const held = new Set([...this.world.stack.file.resources.values()].map(jobKeyIn));
    const given = Object.entries(valuesIn(env, givesIds)).map(([urn, id]) => [urn.split("::").at(-1), id] as const);
    const edited = [...this.edits].map(([one, { existingJobId }]) => [one, existingJobId] as const);
    const named = new Set(
      [...given, ...edited.filter(([one]) => one !== name)].flatMap(([one = "", id = ""]) =>
        isName(one)
          ? this.jobsIn([String(id)], one)
              .filter((job) => this.isOwn(job, one))
              .map(keyOf)
          : [],
      ),
    );
    return this.world.judge
      .ownJobs(sourceOf[name])
      .filter((job) => !held.has(keyOf(job)) && !named.has(keyOf(job)) && this.isAtAddress(name, job));
  }

  /** The provider that a resource had in the program of the state or, if that has none of it, of the killed run. */
  providerBefore(name: Name): string | undefined {
    const { pending, resources } = this.world.stack.file;
    const saved = resources.get(name);
    const isOfSaved = saved !== undefined && jobKeyIn(saved) !== undefined;
    const was = isOfSaved ? saved : (pending.find((operation) => operation.name === name) ?? saved);
    return (saved && this.world.providerOf(saved)) ?? was?.provider ?? this.world.senderFor(sourceOf[name]);
  }

  allJobs(): Job[] {
    return this.world.services.flatMap(({ jobs }) => jobs);
  }

  /** The jobs with these ids at the address at which the program has the resource. */
  jobsIn(ids: readonly string[], name: Name): Job[] {
    const wanted = new Set(ids.map(plainId));
    return this.allJobs().filter((job) => wanted.has(plainId(job.id)) && this.isAtAddress(name, job));
  }

  /** A message names the address: that of the program, or of what the state has. */
  isAtAddress(name: Name, { service }: Job): boolean {
    const { resources, pending } = this.world.stack.file;
    const operation = pending.find((one) => one.name === name);
    const of = [this.providers()[name] ?? "default", resources.get(name)?.provider, operation?.provider];
    return of.some((one) => one !== undefined && this.world.serviceOf(one) === service);
  }
}
