import { expect, onTestFinished } from "vitest";
import type { Child, ChildConfig, ChildContext } from "../../src/core/child.ts";
import type { Component, Request, Signal } from "../../src/core/component.ts";
import { messageOf, OrcsError } from "../../src/core/errors.ts";
import { isPlainObject } from "../../src/core/json.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Runtime } from "../../src/engine/orcs/runtime/runtime.ts";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import type { CreateOrcsOptions, Orcs } from "../../src/index.ts";
import type { RuntimeLimits } from "../../src/engine/runtime/runtime-limits.ts";
import type { Channel, SpawnOptions } from "../../src/engine/runtime/orcs-engine.ts";
import { Lines } from "../unit/engine/orcs/engine.ts";

/** The component that the tables ask things of. */
export const A = "builtin::a";

/** An engine with a runtime, one component ready to be spawned, and what really happened. */
export interface World {
  readonly orcs: Orcs;
  readonly runtime: Runtime;
  /** What components, children and tools were called with, in order. */
  readonly did: string[];
  readonly lines: string[];
  /** Start the component of the tables, unless it runs. */
  up(options?: SpawnOptions): Promise<Channel | undefined>;
  /** Ask it to do something with its context. */
  ask(operation: string, payload?: Json, metadata?: JsonObject): Promise<Json>;
}

interface WorldOptions {
  readonly hooks?: CreateOrcsOptions["hooks"];
  /** As `[[hooks]]` of a config. */
  readonly config?: readonly JsonObject[] | undefined;
  readonly limits?: Partial<RuntimeLimits>;
  readonly more?: CreateOrcsOptions;
}

export async function createWorld({
  hooks,
  config,
  limits,
  more,
}: WorldOptions = {}): Promise<World> {
  const logger = new Lines();
  const orcs = await createOrcs({
    config: config ? { hooks: config } : false,
    ...(hooks && { hooks }),
    logger,
    approve: () => true,
    // Not elevated, so that a check has something to decide; and Lua is not hurried.
    overrides: {
      permissions: { grants: ["git log"] },
      lua: { max_run_ms: 5000, max_chain_ms: 20_000 },
    },
    ...more,
  });
  onTestFinished(() => orcs.close());
  const did: string[] = [];
  orcs.addTool("note", (args: object, { ctx }) => {
    did.push(`tool ${JSON.stringify(args)}`);
    return { noted: args, mark: ctx.metadata["mark"] ?? null };
  });
  const runtime = orcs.runtime({ ...(limits && { limits }) });
  const component = noting(A, did, ["News"]);
  return {
    orcs,
    runtime,
    did,
    lines: logger.lines,
    async up(options) {
      if (runtime.channels.some(({ component: key }) => key === A)) return undefined;
      return runtime.spawn(component, options);
    },
    ask: (operation, payload = null, metadata = {}) =>
      runtime.request(A, operation, payload, { metadata }),
  };
}

/** A component that notes what it is called with, and does with its context what it is asked for. */
export function noting(
  id: string,
  did: string[],
  subscriptions: readonly string[] = [],
): Component & { snapshot(): Json } {
  const note = (what: string, value?: unknown): void => {
    did.push(value === undefined ? what : `${what} ${JSON.stringify(value)}`);
  };
  return {
    id,
    subscriptions,
    restore: (snapshot: Json) => note("restore", snapshot),
    init(context) {
      note("init", context.metadata["mark"]);
      return { ready: true };
    },
    async onRequest(request, context) {
      note(`request ${request.operation}`, request.payload);
      try {
        return await answer(request, context, did);
      } catch (thrown) {
        const code = thrown instanceof OrcsError ? thrown.code : "none";
        return { refused: messageOf(thrown), code };
      }
    },
    onSignal({ kind }: Signal, context) {
      note(`signal ${kind}`, context.metadata["mark"]);
      return "handled";
    },
    shutdown: (context, status) => note(`shutdown ${status}`, context.metadata["mark"]),
    snapshot() {
      note("snapshot");
      return { n: 1 };
    },
  };
}

/** What the component does, by the name of the operation. */
async function answer(
  { operation, payload }: Request,
  context: ChildContext,
  did: string[],
): Promise<unknown> {
  const mark = context.metadata["mark"] ?? null;
  switch (operation) {
    case "tool":
      return context.get("note", payload);
    case "spawn": {
      const config = payload as unknown as ChildConfig;
      const own = config.code === undefined ? notingChild(did) : undefined;
      return context.spawnChild(config, own);
    }
    case "run":
      return context.runChild("kid", payload);
    case "stop":
      return context.stopChild("kid");
    case "check":
      return context.checkCommand(payload as string);
    case "grant":
      return context.grantCommand(payload as string);
    case "emit":
      return context.emit("News", "said", payload);
    case "throw":
      throw new Error("thrown on purpose");
    case "hang":
      return new Promise((resolve) => {
        context.signal.addEventListener("abort", () => resolve(null));
      });
    default:
      return { got: payload, mark };
  }
}

/** A child that notes what it is called with, and calls the tool. */
export function notingChild(did: string[]): Child {
  return {
    async run(input, context) {
      did.push(`child ${JSON.stringify(input)}`);
      const noted = await context.get("note", { from: context.child ?? null });
      return { got: input, mark: context.metadata["mark"] ?? null, tool: noted["mark"] ?? null };
    },
    dispose: () => void did.push("dispose child"),
  };
}

/** What came of something: the answer, or the error. */
export type Seen = { readonly answer: unknown } | { readonly error: OrcsError };

export async function seen(doing: Promise<unknown>): Promise<Seen> {
  try {
    return { answer: await doing };
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(OrcsError);
    return { error: thrown as OrcsError };
  }
}

/** All of a value as JSON; whatever JSON has no word for, undefined included, is an error that names the place. */
export function plain(value: unknown, at = ""): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, i) => plain(item, `${at}/${i}`));
  if (!isPlainObject(value)) throw new Error(`${at} is no JSON but ${typeof value}`);
  const found: JsonObject = {};
  for (const [key, item] of Object.entries(value)) found[key] = plain(item, `${at}/${key}`);
  return found;
}

/** That nothing of a component is left: no channel, no member of the bus, no hook but those given. */
export function expectNothingLeft({ runtime, orcs }: World, hooks: readonly string[]): void {
  expect(runtime.channels).toEqual([]);
  expect(runtime.bus.size).toBe(0);
  expect(orcs.registry.list().map(({ id }) => id)).toEqual(hooks);
}
