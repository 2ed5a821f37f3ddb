import { findModule, type Settings } from "../../../config/index.ts";
import type { Clock, Logger, EffectReader, Redactor, StateStore } from "../../../core/index.ts";
import { followedPath } from "../../../machine/index.ts";
import { type LineSteps, LuaLayer, type LuaPorts, type ScriptLoader } from "../../lua/index.ts";
import { globMatcher } from "../../../matching/index.ts";
import { effectReader } from "../effect-reader.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { redactorOf } from "../redaction.ts";
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
  readonly effects?: EffectReader | undefined;
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
  const { redactor = redactorOf(settings), effects = effectReader(root) } = given;
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
    effects: effects.ofCall,
    realPath: (path, cwd = root) => followedPath(path, cwd, root),
    findModule: (name, roots) => findModule(name, roots),
  };
}
