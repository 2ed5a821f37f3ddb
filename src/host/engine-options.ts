import type { HookEntry } from "../config/hook-entry.ts";
import type { DispatchLog } from "../core/audit.ts";
import type { HookRunner } from "../core/hook.ts";
import type { OperationTap } from "./calls/operation-tap.ts";
import type { CreateOrcsOptions } from "./options.ts";

/** Options of an engine, and what only orcs itself has a use for. */
export interface EngineOptions extends CreateOrcsOptions {
  /** Digest of the sealed copy that stands for the file that `config` names. */
  readonly seal?: string | undefined;
  /** Stands at what the tools do, in place of what records it. */
  readonly tap?: OperationTap | undefined;
  /** Told of every dispatch, besides the logs that there are. */
  readonly log?: DispatchLog | undefined;
  /** The runner of a handler outside of Lua, in place of its own. */
  readonly runnerFor?: ((entry: HookEntry) => HookRunner) | undefined;
}
