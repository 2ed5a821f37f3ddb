import type { Hook } from "../../../../src/core/hook.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { compileFql, parseFql } from "../../../../src/core/fql.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { pointSet } from "../../../../src/core/points.ts";
import type { CallScope, Logger, ToolAnswer } from "../../../../src/core/ports.ts";
import { memoryState } from "../../../../src/engine/orcs/state/memory-state.ts";
import { LuaLayer } from "../../../../src/engine/lua/layer.ts";
import type {
  LoadedScript,
  LuaHookSpec,
  LuaLimitOptions,
  LuaPorts,
  RuntimeHooks,
  ScriptLoader,
  ScriptRunner,
} from "../../../../src/engine/lua/ports.ts";
import type { LuaChunk, LuaSource } from "../../../../src/core/lua-source.ts";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import { followedPath } from "../../../../src/machine/files/real-path.ts";
import { globMatcher } from "../../../../src/matching/patterns/glob.ts";
import { createEffectReader } from "../../../../src/guards/index.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";
import { HookRegistry, type DispatchOptions } from "../../../../src/engine/registry/registry.ts";

/** What a test may set of its rig. */
export interface RigOptions {
  limits?: Partial<LuaLimitOptions>;
  onError?: "open" | "closed";
  timeoutMs?: number;
  modules?: Record<string, string>;
  options?: JsonObject;
  tool?: (kind: string, arg: Json | undefined, depth: number) => Promise<ToolAnswer>;
  /** The runtime that scripts may ask; default none. */
  verb?: NonNullable<CallScope["verb"]>;
  /** Makes what loads the scripts; default a VM on this thread. */
  layer?: (ports: LuaPorts) => ScriptLoader;
}

/** A registry and a Lua layer with nothing else around them. */
export interface Rig {
  readonly registry: HookRegistry;
  readonly layer: ScriptLoader;
  readonly logs: string[];
  readonly output: string[];
  /** Load a script, or the chunks that share a state, and register its hooks. */
  load(
    code: string | readonly string[],
    name?: string,
    kind?: LuaChunk["kind"],
  ): Promise<readonly string[]>;
  /** As `load`, at once; for a VM on this thread only. */
  script(code: string, name?: string, kind?: LuaChunk["kind"]): readonly string[];
  /** Dispatch `tool.pre_execute`, or the point given, with `args` or a whole payload. */
  call(args: Record<string, unknown>, options?: DispatchOptions): Promise<Outcome>;
  dispatch(
    point: string,
    payload: Record<string, unknown>,
    options?: DispatchOptions,
  ): Promise<Outcome>;
}

const points = pointSet();

export async function createRig(options: RigOptions = {}): Promise<Rig> {
  const logs: string[] = [];
  const output: string[] = [];
  const log =
    (level: string) =>
    (message: string): void =>
      void logs.push(`${level}: ${message}`);
  const logger: Logger = {
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
  };
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const clock = { now: () => performance.now(), sleep };
  const registry = new HookRegistry({
    points,
    logger,
    clock,
    onError: options.onError,
    scopeFor: (ctx): CallScope => ({
      depth: ctx.depth + 1,
      get: (kind, arg) =>
        options.tool?.(kind, arg, ctx.depth + 1) ??
        Promise.resolve({ ok: true, kind, arg: arg ?? null }),
      ...(options.verb && { verb: options.verb }),
    }),
  });
  const redactor = createRedactor();
  const reader = createEffectReader(createShellReader({ home: undefined }), "/");
  const ports: LuaPorts = {
    logger,
    state: memoryState(clock),
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
    output: (text) => void output.push(text),
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
  };
  const layer = options.layer?.(ports) ?? new LuaLayer(ports);
  await layer.open();
  let count = 0;
  const sourceOf = (
    name: string,
    code: string | readonly string[],
    kind: LuaChunk["kind"] = "script",
  ): LuaSource => ({
    name,
    chunks: [code].flat().map((chunk) => ({ file: name, code: chunk, kind })),
    roots: [],
    ...(options.options && { options: options.options }),
  });
  const register = (name: string, spec: LuaHookSpec, runner: ScriptRunner): string => {
    const hook = hookOf(spec, name, options, runner);
    runner.bind(hook.id, spec.slot);
    return registry.register(hook);
  };
  const runtimeOf = (name: string): RuntimeHooks => ({
    add: (spec, runner) => register(name, spec, runner),
    remove: (id) => registry.unregister(id),
  });
  const registered = (name: string, { specs, runner }: LoadedScript): readonly string[] =>
    specs.map((spec) => register(name, spec, runner));
  const dispatch: Rig["dispatch"] = async (point, payload, dispatchOptions) =>
    registry.dispatch(point, payload, dispatchOptions);
  return {
    registry,
    layer,
    logs,
    output,
    async load(code, name = `script${++count}.lua`, kind) {
      return registered(name, await layer.load(sourceOf(name, code, kind), runtimeOf(name)));
    },
    script(code, name = `script${++count}.lua`, kind) {
      if (!(layer instanceof LuaLayer)) throw new Error("its scripts cannot be loaded at once");
      return registered(name, layer.loadNow(sourceOf(name, code, kind), runtimeOf(name)));
    },
    dispatch,
    call: (args, dispatchOptions) =>
      dispatch("tool.pre_execute", { tool_name: "exec", args }, dispatchOptions),
  };
}

function hookOf(
  spec: LuaHookSpec,
  name: string,
  options: RigOptions,
  runner: Hook["runner"],
): Hook {
  const { fields } = spec;
  // As what loads scripts reports it.
  if (spec.slot === 0) throw new Error("the hook has no handler function");
  for (const [key, value] of Object.entries<unknown>(fields)) {
    if (value instanceof Error) throw new Error(`${key} is ${value.message}`);
  }
  const word = (key: string, fallback: string): string => {
    const written = fields[key];
    return typeof written === "string" ? written : fallback;
  };
  const point = points.resolve(word("point", "tool.pre_execute"));
  if (!point) throw new Error("no such point");
  const fql = word("fql", "*::*");
  return {
    id: word("id", `${name}:${spec.slot}`),
    point,
    fql,
    appliesTo: compileFql(parseFql(fql)),
    matcher: undefined,
    match: undefined,
    rank: 0,
    priority: Number(fields["priority"] ?? 100),
    enabled: true,
    timeoutMs: Number(fields["timeout_ms"] ?? options.timeoutMs ?? 20_000),
    maxRetries: 3,
    onError: fields["on_error"] as "open" | "closed" | undefined,
    onTimeout: undefined,
    once: false,
    async: false,
    observe: false,
    stream: false,
    source: spec.place,
    origin: "test",
    runner,
  };
}
