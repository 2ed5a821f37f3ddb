import type { HookEntry } from "../config/hook-entry.ts";
import type { DispatchLog } from "../core/audit.ts";
import type { HookRunner } from "../core/hook.ts";
import type { OperationTap } from "./calls/operation-tap.ts";
import type { CreateOrcsOptions } from "./options.ts";

export type ProjectLoads = "before" | "behind" | "asked";

/** Options of an engine, and what only orcs itself has a use for. */
export interface EngineOptions extends CreateOrcsOptions {
  /** Digest of the sealed copy that stands for the file that `config` names. */
  readonly seal?: string | undefined;
  /** Stands at what the tools do, in place of what records it. */
  readonly tap?: OperationTap | undefined;
  /** Told of every dispatch, besides the logs that there are. */
  readonly log?: DispatchLog | undefined;
  /**
   * When the hooks of a project are loaded: `before` the engine is there, which is the default; `behind`, while it
   * serves; or when they are first `asked`. Until they are, dispatches wait for them after the user's own hooks.
   */
  readonly projectLoads?: ProjectLoads | undefined;
  /** Whether modules may be loaded into this process; default yes. Else creating an engine with any rejects. */
  readonly modules?: boolean | undefined;
  /** Told how long loading may take at most as it begins, and undefined when it has ended. */
  readonly loading?: ((withinMs: number | undefined) => void) | undefined;
  /** The runner of a handler outside of Lua, in place of its own. */
  readonly runnerFor?: ((entry: HookEntry) => HookRunner) | undefined;
}

/** Why an engine is not created: nothing could end a module that blocks this process. */
export class NeedsOwnProcess extends Error {
  override readonly name = "NeedsOwnProcess";
}
