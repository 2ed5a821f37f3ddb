import type { Child, ChildConfig, ChildContext } from "../../../../src/core/child.ts";
import type { Component, Request } from "../../../../src/core/component.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import type { Runtime } from "../../../../src/engine/orcs/runtime/runtime.ts";
import type { RuntimeLimits } from "../../../../src/engine/runtime/runtime-limits.ts";
import type { SpawnOptions } from "../../../../src/engine/runtime/orcs-engine.ts";
import { Lines, open } from "../orcs/engine.ts";

/** Something to do with a context that was given. */
export type Job<T> = (context: ChildContext) => T | Promise<T>;

/** Does jobs in the place of a component or child, and hands over what they give or throw, whatever it is. */
export type Actor = <T>(job: Job<T>) => Promise<T>;

/** An engine with a runtime; both end with the test. */
export interface Stage {
  readonly orcs: Orcs;
  readonly runtime: Runtime;
  readonly lines: readonly string[];
  /** Spawn a component that does jobs. */
  readonly actor: (id: string, options?: SpawnOptions, more?: Partial<Component>) => Promise<Actor>;
  /** Spawn the component that a Lua file returns. */
  readonly lua: (path: string, options?: SpawnOptions) => Promise<void>;
}

export async function stage(
  options: CreateOrcsOptions = {},
  limits: Partial<RuntimeLimits> = {},
): Promise<Stage> {
  const logger = new Lines();
  const orcs = await open({ logger, ...options });
  const runtime = orcs.runtime({ limits });
  return {
    orcs,
    runtime,
    lines: logger.lines,
    async actor(id, spawn = {}, more = {}) {
      const jobs = new Jobs();
      const onRequest = (request: Request, context: ChildContext) => jobs.run(request, context);
      await runtime.spawn({ id, onRequest, ...more }, spawn);
      const key = spawn.instance === undefined ? id : `${id}#${spawn.instance}`;
      return (job) => jobs.ask(job, (operation) => runtime.request(key, operation));
    },
    async lua(path, spawn) {
      await runtime.spawnScript(path, spawn);
    },
  };
}

/** A child that does jobs, asked by the call that spawned it, or by another one of its parent's. */
export type ChildActor = Actor & { readonly from: (parent: ChildContext) => Actor };

/** Spawn a child that does jobs. */
export async function childOf(parent: ChildContext, config: ChildConfig): Promise<ChildActor> {
  const jobs = new Jobs();
  const child: Child = {
    run: (input, context) => jobs.run({ operation: input as string }, context),
  };
  await parent.spawnChild(config, child);
  const from =
    (context: ChildContext): Actor =>
    (job) =>
      jobs.ask(job, (operation) => context.runChild(config.id, operation));
  return Object.assign(from(parent), { from });
}

/** Jobs on their way through a runtime, by name. */
class Jobs {
  readonly #jobs = new Map<string, Job<void>>();
  #count = 0;

  async run({ operation }: Pick<Request, "operation">, context: ChildContext): Promise<null> {
    await this.#jobs.get(operation)?.(context);
    return null;
  }

  async ask<T>(job: Job<T>, send: (operation: string) => Promise<unknown>): Promise<T> {
    const name = `job-${++this.#count}`;
    let outcome: { readonly value: T } | { readonly thrown: unknown } | undefined;
    this.#jobs.set(name, async (context) => {
      try {
        outcome = { value: await job(context) };
      } catch (thrown) {
        outcome = { thrown };
      }
    });
    await send(name);
    if (outcome === undefined) throw new Error("the job was not done");
    if ("thrown" in outcome) throw outcome.thrown;
    return outcome.value;
  }
}
