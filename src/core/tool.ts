import type { CapabilityName } from "./capabilities.ts";
import type { JsonObject } from "./json.ts";
import type { ToolAnswer } from "./ports.ts";

/** A tool behind `orcs.get`. Its mistakes are answers, `{ ok: false, error }`, never throws. */
export interface Tool {
  readonly name: string;
  /** What the caller must be allowed to do; a call without it is refused before the tool runs. */
  readonly capability: CapabilityName | undefined;
  /** The argument that a bare string stands for: `orcs.exec("ls")` is `{ command = "ls" }`. */
  readonly mainArg: string;
  run(args: JsonObject, call: ToolCall): Promise<ToolAnswer>;
}

/** What a tool knows of the call it serves. */
export interface ToolCall {
  readonly signal: AbortSignal | undefined;
}
