import type { HookEntry } from "../config/hook-entry.ts";
import type { DispatchLog } from "../core/audit.ts";
import type { HookContext } from "../core/context.ts";
import type { HookRunner } from "../core/hook.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { TraceMode } from "../core/outcome.ts";
import type { CustomPoint } from "../core/points.ts";
import type { Clock, Logger } from "../core/ports.ts";
import type { HookOptions } from "../registry/compile-hook.ts";
import type { HookHandler } from "../registry/function-runner.ts";
import type { ToolRecorder } from "./calls/tool-calls.ts";

/** A call that a hook wants somebody to approve. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly args: JsonObject;
  readonly reason: string | undefined;
  /** The hook that asks. */
  readonly hook: string | undefined;
  readonly ctx: HookContext;
  /**
   * Aborted when the answer counts no more: after `hil.timeout_ms`, when the call is cancelled or the engine
   * closes. Its `reason` is an Error that says which.
   */
  readonly signal: AbortSignal;
}

/** Answers `ask`: whether the call may run. Whatever is not `true` in time refuses it. */
export type Approve = (request: ApprovalRequest) => boolean | Promise<boolean>;

/** What `orcs.llm` asks: its arguments as the hooks at `llm.pre_generate` left them. */
export interface LlmRequest {
  readonly prompt: string;
  readonly system_prompt?: string | undefined;
  readonly messages?: Json[] | undefined;
  /** From `[model]` of the configuration and the arguments above it; left out when neither says anything. */
  readonly model?:
    | { readonly provider?: string; readonly name?: string; readonly temperature?: number }
    | undefined;
  /** Further arguments, as they were given. */
  readonly [key: string]: Json | undefined;
}

/** A text, or an object with one; `usage` and `tool_calls` must be JSON. Further keys are not handed on. */
export type LlmAnswer =
  | string
  | {
      readonly text: string;
      readonly usage?: object | null | undefined;
      readonly tool_calls?: readonly unknown[] | null | undefined;
      readonly [key: string]: unknown;
    };

/** Asks a model for `orcs.llm`. What it throws is the answer `{ ok: false, error }`. */
export type Llm = (
  request: LlmRequest,
  call: {
    /** Aborted when nobody waits for the answer any more. */
    readonly signal: AbortSignal | undefined;
    /** The context of `llm.pre_generate` as its hooks left it. */
    readonly ctx: HookContext;
  },
) => LlmAnswer | Promise<LlmAnswer>;

/** A hook written in TypeScript. */
export interface HookDefinition<P extends string = string> extends HookOptions {
  /** Point or alias; `"{FQL}:{point}"` is not read here, say `fql` instead. */
  point: P;
  handler: HookHandler<P>;
}

/** Options of `createOrcs`. */
export interface CreateOrcsOptions {
  /**
   * Path of an `orcs.toml`, an object with the same keys, or false for none. Default: the layers found
   * from `cwd` (user, project, local).
   */
  config?: string | Readonly<Record<string, unknown>> | false | undefined;
  /** Default: the process's working directory. */
  cwd?: string | undefined;
  /**
   * What becomes of a discovered project that nobody has trusted, and whose hooks are not active for that. `"throw"`:
   * `createOrcs` rejects with ORCS8001. `"deny"`: tool calls are denied. `"ignore"`: a warning in the log, and the
   * engine goes on without its hooks. Default: `"throw"`; the user's `[trust] untrusted = "deny"` makes `"ignore"` that.
   */
  untrusted?: "throw" | "deny" | "ignore" | undefined;
  /** Settings above all layers of config, with the same keys. */
  overrides?: Readonly<Record<string, unknown>> | undefined;
  /** Hooks to register besides those of the config. */
  hooks?: readonly HookDefinition[] | undefined;
  /** Hook points of the embedding program. */
  points?: Readonly<Record<string, CustomPoint>> | undefined;
  /** Whose `[[agents.NAME.hooks]]` apply. */
  agent?: string | undefined;
  /** Default: warnings and errors on stderr. */
  logger?: Logger | undefined;
  /** Whether outcomes carry a trace, `"values"` for one with what changed from what to what; default `[engine] trace`. */
  trace?: TraceMode | undefined;
  /** Answers `ask`; without it such a call is refused. */
  approve?: Approve | undefined;
  /** Answers `ask` at the terminal: where `hil.mode` says so, or says nothing and there is no `approve`. */
  askTerminal?: Approve | undefined;
  /** Asks a model for `orcs.llm`; without it such a call answers that there is none. */
  llm?: Llm | undefined;
  /** Takes what scripts give out with `orcs.emit_output`; default: the logger's info. */
  output?: ((text: string) => void) | undefined;
  /**
   * Keep `orcs.state` in a file, which other engines may share, in this directory or the one that `[paths] state`
   * says. It also remembers hooks with `once`: they run once in each session of the payload. Default: `orcs.state`
   * is in memory, and `once` is once in the life of the engine.
   */
  stateDir?: string | undefined;
  /**
   * Keep an audit log in this directory, or the one that `[paths] audit` says; false: none, whatever that says.
   * Default: where `[paths] audit` says, if it does.
   */
  auditDir?: string | false | undefined;
  /**
   * Write every dispatch down in this file, with its context and outcome, for `orcs replay`: with secrets masked,
   * or `whole`.
   */
  record?: string | { readonly file: string; readonly whole?: boolean | undefined } | undefined;
  /** Load the configuration and its scripts anew when they change; see `orcs.reload`. */
  watch?: boolean | undefined;
  /**
   * Put the policy `orcs:self-guard` in front of all other hooks, which keeps an agent from switching orcs off, unless
   * the user's own configuration says `self_guard = false`. An object adds to what it keeps: its options, as the head of
   * its file says. `orcs hook`, `orcs serve` and `orcs mcp` have it. Default: false.
   */
  selfGuard?: boolean | Readonly<Record<string, Json>> | undefined;
  /** Time, for tests. */
  clock?: Clock | undefined;
}

export type ProjectLoads = "before" | "behind" | "asked";

/** Options of an engine, and what only orcs itself has a use for. */
export interface EngineOptions extends CreateOrcsOptions {
  /** Digest of the sealed copy that stands for the file that `config` names. */
  readonly seal?: string | undefined;
  /** Stands at what the tools do, in place of what records it. */
  readonly tap?: ToolRecorder | undefined;
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
