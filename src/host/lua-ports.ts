import type { Settings } from "../config/settings.ts";
import type { Clock, Logger } from "../core/ports.ts";
import type { LuaPorts } from "../lua/ports.ts";
import { globMatcher } from "../matchers/glob.ts";
import { memoryState } from "./memory-state.ts";
import { findModule } from "./modules.ts";

/**
 * What Lua needs of an engine.
 * @param output takes what scripts give out; default: the logger's info
 */
export function luaPorts(
  { lua, engine }: Settings,
  clock: Clock,
  logger: Logger,
  output: (text: string) => void = (text) => logger.info(text),
): LuaPorts {
  return {
    logger,
    state: memoryState(clock),
    limits: {
      maxRunMs: lua.max_run_ms,
      maxChainMs: lua.max_chain_ms,
      memoryBytes: lua.memory_mb * 2 ** 20,
      maxValueBytes: engine.max_payload_mb * 2 ** 20,
    },
    now: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    output,
    glob: globMatcher,
    findModule,
  };
}
