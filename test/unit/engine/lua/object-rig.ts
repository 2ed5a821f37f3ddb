import { onTestFinished } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import type { CallScope } from "../../../../src/core/ports.ts";
import { memoryState } from "../../../../src/engine/orcs/state/memory-state.ts";
import { LuaLayer } from "../../../../src/engine/lua/layer.ts";
import type {
  LuaHookSpec,
  LuaLimitOptions,
  LuaPorts,
  ProgramResult,
  RuntimeHooks,
  ScriptLoader,
  ScriptObject,
  ScriptRunner,
} from "../../../../src/engine/lua/ports.ts";
import { WorkerLayer } from "../../../../src/engine/lua/worker/worker-layer.ts";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import { followedPath } from "../../../../src/machine/files/real-path.ts";
import { globMatcher } from "../../../../src/matching/patterns/glob.ts";
import { createEffectReader } from "../../../../src/guards/index.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";

export type Isolation = "thread" | "worker";

/** A layer with nothing around it, and the hooks that programs have registered. */
export interface ObjectRig {
  readonly layer: ScriptLoader;
  readonly ports: LuaPorts;
  readonly logs: string[];
  readonly hooks: Map<string, { readonly spec: LuaHookSpec; readonly script: ScriptRunner }>;
  run(code: string, scope?: CallScope, options?: JsonObject): Promise<ProgramResult>;
  /** Run a program that returns functions; they are closed after the test. */
  load(code: string, scope?: CallScope): Promise<ScriptObject>;
}

export interface ObjectRigOptions {
  readonly limits?: Partial<LuaLimitOptions>;
  readonly modules?: Readonly<Record<string, string>>;
  readonly onLog?: (text: string) => void;
  /** In place of what the rig has. */
  readonly ports?: Partial<Pick<LuaPorts, "shell" | "realPath">>;
  /** The class of worker layers; default the source's. */
  readonly Worker?: typeof WorkerLayer;
}

export async function objectRig(
  isolation: Isolation,
  options: ObjectRigOptions = {},
): Promise<ObjectRig> {
  const logs: string[] = [];
  const keep = (text: string): void => {
    logs.push(text);
    options.onLog?.(text);
  };
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  const redactor = createRedactor();
  const reader = createEffectReader(createShellReader({ home: undefined }), "/");
  const ports: LuaPorts = {
    logger: { debug: keep, info: keep, warn: keep, error: keep },
    state: memoryState({ now: () => performance.now(), sleep }),
    limits: {
      // Tests that are about time say how much; the others must not fail on a busy machine.
      maxRunMs: 10_000,
      maxChainMs: 20_000,
      memoryBytes: 16 << 20,
      maxValueBytes: 16 << 20,
      ...options.limits,
    },
    now: () => performance.now(),
    wallMs: () => Date.now(),
    isUtc: true,
    sleep,
    output: keep,
    glob: globMatcher,
    redact: (value) => redactor.value(value),
    shell: (...given) => reader.shell.read(...given),
    effects: (payload) => reader.ofCall(payload()),
    onlyReads: (payload) => reader.onlyReads(payload(), reader.ofCall(payload())),
    realPath: (path, cwd = "/") => followedPath(path, cwd, "/"),
    findModule: (name) => {
      const code = options.modules?.[name];
      return code === undefined ? undefined : { file: `${name}.lua`, bytes: Buffer.from(code) };
    },
    ...options.ports,
  };
  const { Worker = WorkerLayer } = options;
  const layer = isolation === "thread" ? new LuaLayer(ports) : new Worker(ports);
  onTestFinished(async () => layer.close());
  await layer.open();
  const hooks: ObjectRig["hooks"] = new Map();
  const runtime: RuntimeHooks = {
    add(spec, script) {
      const { id: stated } = spec.fields;
      const id = typeof stated === "string" ? stated : `c.lua:${spec.slot}`;
      if (hooks.has(id)) throw new Error(`ORCS2007: ${id} is registered already`);
      hooks.set(id, { spec, script });
      script.bind(id, spec.slot);
      return id;
    },
    remove: (id) => hooks.delete(id),
  };
  const run: ObjectRig["run"] = (code, scope, given) =>
    layer.run(
      { file: "c.lua", code, kind: "script" },
      { name: "c.lua", roots: [], ...(given && { options: given }) },
      scope,
      runtime,
    );
  return {
    layer,
    ports,
    logs,
    hooks,
    run,
    async load(code, scope) {
      const result = await run(code, scope);
      if (!("object" in result)) throw new Error("it returned no functions");
      onTestFinished(() => result.object.close());
      return result.object;
    },
  };
}

/** A scope whose tool calls answer what they were asked, with parts of one's own. */
export function scopeOf(parts: Partial<CallScope> = {}): CallScope {
  return {
    depth: 0,
    get: async (kind, arg) => ({ ok: true, kind, arg: arg ?? null }),
    ...parts,
  };
}

/** Call a function with a scope of its own, or with parts of one. */
export async function call(
  object: ScriptObject,
  method: string,
  args: readonly (Json | undefined)[] = [],
  {
    signal = new AbortController().signal,
    ...parts
  }: Partial<CallScope> & {
    signal?: AbortSignal;
  } = {},
): Promise<Json | undefined> {
  return object.call(method, args, { scope: scopeOf(parts), signal });
}

/** The message of what a call throws or rejects with. */
export async function failureOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error("nothing was thrown");
}

/** Tool calls that are answered when a test says so. */
export class Gate {
  readonly asked: Json[] = [];
  readonly #waiting: { answer: (value: Json) => void; signal: AbortSignal | undefined }[] = [];

  readonly get: CallScope["get"] = (_, arg, options) =>
    new Promise((resolve) => {
      this.asked.push(arg ?? null);
      const answer = (value: Json): void => resolve({ ok: true, value });
      this.#waiting.push({ answer, signal: options?.signal });
    });

  /** Whether the call of that number was told that nobody waits any more. */
  aborted(index: number): boolean {
    return this.#waiting[index]?.signal?.aborted ?? false;
  }

  answer(index: number, value: Json = null): void {
    this.#waiting[index]?.answer(value);
  }

  /** Resolves when so many calls have come in. */
  async until(count: number): Promise<void> {
    while (this.asked.length < count) await pause(1);
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
