import { findModule, type Settings } from "../../../config/index.ts";
import type {
  CallReader,
  Clock,
  HookContext,
  JsonObject,
  Logger,
  Redactor,
  StateStore,
} from "../../../core/index.ts";
import { createRedactor } from "../../../guards/index.ts";
import { followedPath } from "../../../machine/index.ts";
import { type LineSteps, LuaLayer, type LuaPorts, type ScriptLoader } from "../../lua/index.ts";
import { globMatcher } from "../../../matching/index.ts";
import { effectReader } from "../effect-reader.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { memoryState } from "../state/memory-state.ts";

/** Loads an engine's scripts, on this thread or on another. */
export type LuaLoader = new (ports: LuaPorts) => ScriptLoader;

/**
 * The worker layer is imported only when it is configured.
 * @param lines sees the lines that run, which needs this thread
 */
export async function luaLoader(
  { isolation }: Settings["lua"],
  lines: LineSteps | undefined,
): Promise<LuaLoader> {
  if (lines) {
    return class extends LuaLayer {
      constructor(ports: LuaPorts) {
        super(ports, lines);
      }
    };
  }
  if (isolation === "thread") return LuaLayer;
  return (await import("../../lua/index.ts")).WorkerLayer;
}

/** Parts that the creator of the engine can supply: output of scripts, `orcs.state`, redactor and shell reader. */
type Given = Pick<CreateOrcsOptions, "output"> & {
  readonly state?: StateStore | undefined;
  readonly redactor?: Redactor | undefined;
  readonly effects?: CallReader | undefined;
};

/** What the Lua layer needs from an engine. */
export function luaPorts(
  settings: Settings,
  clock: Clock,
  logger: Logger,
  given: Given = {},
): LuaPorts {
  const { lua, engine } = settings;
  const { root } = settings.permissions;
  const { output = (text) => logger.info(text), state = memoryState(clock) } = given;
  const { redactor = createRedactor(settings.redact), effects = effectReader(root) } = given;
  const effectsOf = oncePerCall(effects.ofCall);
  return {
    logger,
    state,
    limits: {
      maxRunMs: lua.max_run_ms,
      maxChainMs: lua.max_chain_ms,
      memoryBytes: lua.memory_mb * 2 ** 20,
      maxValueBytes: engine.max_payload_mb * 2 ** 20,
    },
    now: () => clock.now(),
    wallMs: () => clock.wallMs?.() ?? Date.now(),
    isUtc: clock.isUtc === true,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    output,
    glob: globMatcher,
    redact: (value) => redactor.value(value),
    shell: effects.shell.read,
    effects: effectsOf,
    onlyReads: oncePerCall((payload, call) =>
      effects.onlyReads(
        payload,
        effectsOf(() => payload, call),
        call,
      ),
    ),
    realPath: (path, cwd = root) => followedPath(path, cwd, root),
    findModule: (name, roots) => findModule(name, roots),
  };
}

/** Reads the unchanged payload of a call once, however many hooks ask: each edit makes a new context. */
function oncePerCall<T>(
  read: (payload: JsonObject, call?: HookContext) => T,
): (payload: () => JsonObject, call?: HookContext) => T {
  const known = new WeakMap<HookContext, { readonly found: T }>();
  return (payload, call) => {
    const before = call && known.get(call);
    if (before) return before.found;
    const found = read(payload(), call);
    if (call) known.set(call, { found });
    return found;
  };
}
