import type { CapabilityName } from "./capabilities.ts";
import type { Caller, HookContext } from "./context.ts";
import type { JsonObject } from "./json.ts";

/**
 * A tool behind `orcs.get`. A built-in one answers its mistakes, `{ ok: false, error }`; a wrapped one
 * may answer anything and may throw.
 */
export interface Tool {
  readonly name: string;
  /** What the caller must be allowed to do; a call without it is refused before the tool runs. */
  readonly capability: CapabilityName | undefined;
  /** The argument that a bare string stands for: `orcs.exec("ls")` is `{ command = "ls" }`. */
  readonly mainArg: string;
  /** What it does stands between hooks of its own: a record is made, and replayed, within these. */
  readonly isNested?: true;
  run(args: JsonObject, call: ToolCall): unknown;
}

/** What a tool knows of the call it serves. */
export interface ToolCall {
  readonly signal: AbortSignal | undefined;
  /** As the pre hooks left it. */
  readonly ctx: HookContext;
  /** Whom it concerns, for what the tool dispatches itself. */
  readonly caller: Caller;
}
