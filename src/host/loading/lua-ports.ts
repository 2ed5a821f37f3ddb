import type { Settings } from "../../config/settings.ts";
import type { Clock, Logger, Redactor, StateStore } from "../../core/ports.ts";
import type { ShellReader } from "../../core/shell.ts";
import type { LuaPorts } from "../../lua/ports.ts";
import { globMatcher } from "../../matchers/glob.ts";
import { resolvePath } from "../../matchers/lexical-path.ts";
import { memoryState } from "../state/memory-state.ts";
import { findModule } from "./modules.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { followedPath } from "../followed-path.ts";
import { redactorOf } from "../redaction.ts";
import { shellReader } from "../shell-reader.ts";

/** What whoever makes the engine may bring: where scripts give out to, where `orcs.state` is kept, and its parts. */
type Given = Pick<CreateOrcsOptions, "output"> & {
  readonly state?: StateStore | undefined;
  readonly redactor?: Redactor | undefined;
  readonly shell?: ShellReader | undefined;
};

/** What Lua needs of an engine. */
export function luaPorts(
  settings: Settings,
  clock: Clock,
  logger: Logger,
  given: Given = {},
): LuaPorts {
  const { lua, engine } = settings;
  const { output = (text) => logger.info(text), state = memoryState(clock) } = given;
  const { redactor = redactorOf(settings), shell = shellReader() } = given;
  const { root } = settings.permissions;
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
    sleep: (ms, signal) => clock.sleep(ms, signal),
    output,
    glob: globMatcher,
    redact: (value) => redactor.value(value),
    shell: (line, cwd) => shell.read(line, cwd === undefined ? cwd : resolvePath(root, cwd)),
    realPath: (path, cwd = root) => followedPath(path, cwd, root),
    findModule: (name, roots) => findModule(name, roots),
  };
}
