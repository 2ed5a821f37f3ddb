import type { ApprovalRequest } from "../runtime/index.ts";
import type {
  CallerKeys,
  Clock,
  CustomPoint,
  DeclaredEffect,
  DispatchLog,
  Environment,
  HookContext,
  HookOptions,
  HookRunner,
  Json,
  JsonObject,
  Logger,
  TraceMode,
} from "../../core/index.ts";
import type { LineSteps } from "../lua/index.ts";
import type { DispatchOptions, HookHandler, HookSet } from "../registry/index.ts";
import type { HookEntry, LayerFiles, MachinePlace, Notice } from "../../config/index.ts";
import type { Engine } from "./engine.ts";
import type { ToolRecorder } from "./calls/tool-calls.ts";

export type { ApprovalRequest };

/** Answers `ask`: whether the call may run. Anything but `true` in time denies it. */
export interface Approve {
  (request: ApprovalRequest): boolean | Promise<boolean>;
  /** For a question that is kept somewhere else until somebody answers it: `hil.timeout_ms` does not end it. */
  readonly hasNoTimeLimit?: true;
}

/** What `orcs.llm` sends: its arguments as the hooks at `llm.pre_generate` left them. */
export interface LlmRequest {
  readonly prompt: string;
  readonly system_prompt?: string | undefined;
  readonly messages?: Json[] | undefined;
  /** As the caller or a hook gave it. */
  readonly model?:
    | { readonly provider?: string; readonly name?: string; readonly temperature?: number }
    | undefined;
  /** Further arguments, as they were given. */
  readonly [key: string]: Json | undefined;
}

/** A text, or an object with one; `usage` and `tool_calls` must be JSON. Other keys are dropped. */
export type LlmAnswer =
  | string
  | {
      readonly text: string;
      readonly usage?: object | null | undefined;
      readonly tool_calls?: readonly unknown[] | null | undefined;
      readonly [key: string]: unknown;
    };

/** The call that a function of the program serves. */
export interface CallInfo {
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal | undefined;
  /** The context as the pre hooks left it. */
  readonly ctx: HookContext;
}

/** Calls a model for `orcs.llm`. What it throws is returned as `{ ok: false, error }`. */
export type Llm = (request: LlmRequest, call: CallInfo) => LlmAnswer | Promise<LlmAnswer>;

/** A hook written in TypeScript. */
export interface HookDefinition<P extends string = string> extends HookOptions {
  /** Point or alias. The form `"{FQL}:{point}"` is not supported here; use `fql`. */
  point: P;
  handler: HookHandler<P>;
  /** The third argument of the handler, as `orcs.options` in Lua. */
  options?: JsonObject | undefined;
}

/** Options of `createOrcs`. */
export interface CreateOrcsOptions {
  /**
   * Path of an `orcs.toml`, an object with the same keys, or false for none. Default: the layers discovered from `cwd`
   * (user, project, local).
   */
  config?: string | Readonly<Record<string, unknown>> | false | undefined;
  /** Default: the process's working directory. */
  cwd?: string | undefined;
  /**
   * What happens with a discovered project that is not trusted, so its hooks are not active. `"throw"`: `createOrcs`
   * rejects with ORCS8001. `"deny"`: tool calls are denied. `"ignore"`: a warning is logged, and the engine runs
   * without its hooks. Default: `"throw"`. The user's `[trust] untrusted = "deny"` turns `"ignore"` into `"deny"`.
   */
  untrusted?: "throw" | "deny" | "ignore" | undefined;
  /** Settings that override all layers of the configuration, with the same keys. */
  overrides?: Readonly<Record<string, unknown>> | undefined;
  /** Hooks to register in addition to those of the configuration. */
  hooks?: readonly HookDefinition[] | undefined;
  /** What tools of the program do, by name: for `match.writes` and the like, and for `orcs.effects`. */
  tools?: Readonly<Record<string, { readonly effects: readonly DeclaredEffect[] }>> | undefined;
  /** Hook points of the embedding program. */
  points?: Readonly<Record<string, CustomPoint>> | undefined;
  /** The agent whose `[agents.NAME]` applies to calls whose `agent_id` is not the name of one. */
  agent?: string | undefined;
  /** Default: warnings and errors on stderr. */
  logger?: Logger | undefined;
  /**
   * Whether outcomes have a trace; `"values"` for one with values before and after each change. Default `[engine]
   * trace`.
   */
  trace?: TraceMode | undefined;
  /** The trace that calls belong to if they name none, in the form of W3C Trace Context. */
  traceparent?: string | undefined;
  tracestate?: string | undefined;
  /** Answers `ask`; without it such a call is denied. A session and a call can have their own. */
  onAsk?: Approve | undefined;
  /** The former name of `onAsk`. */
  approve?: Approve | undefined;
  /** Answers `ask` at the terminal: when `hil.mode` says so, or is not set and there is no `onAsk`. */
  askTerminal?: Approve | undefined;
  /** Calls a model for `orcs.llm`; without it `orcs.llm` returns an error. */
  llm?: Llm | undefined;
  /** Receives the texts of `orcs.emit_output`. Default: the logger's info level. */
  output?: ((text: string) => void) | undefined;
  /**
   * Keep `orcs.state` in a file, which engines can share, in this directory or the one in `[paths] state`. The file
   * also remembers hooks with `once`: they run once per session of the payload. Default: `orcs.state` is in memory, and
   * `once` means once per engine.
   */
  stateDir?: string | undefined;
  /**
   * Keep an audit log in this directory, or in the one in `[paths] audit`; false: none, even if that is set. Default:
   * `[paths] audit`, if set.
   */
  auditDir?: string | false | undefined;
  /** Record every dispatch in this file, with its context and outcome, for `orcs replay`: redacted, or `whole`. */
  record?: string | { readonly file: string; readonly whole?: boolean | undefined } | undefined;
  /** Reload the configuration and its scripts when they change; see `orcs.reload`. */
  watch?: boolean | undefined;
  /**
   * Put the policy `orcs:self-guard` in front of all other hooks, which keeps an agent from disabling orcs, unless the
   * user's own configuration has `self_guard = false`. An object adds options of the policy, listed at the top of its
   * file. `orcs hook`, `orcs serve` and `orcs mcp` enable it. Default: false.
   */
  selfGuard?: boolean | Readonly<Record<string, Json>> | undefined;
  /** A clock, for tests. */
  clock?: Clock | undefined;
}

export type ProjectLoads = "before" | "behind" | "asked";

/** Options of an engine, including those that only orcs itself uses. */
export interface EngineOptions extends CreateOrcsOptions {
  /** Digest of the sealed copy to use in place of the file that `config` names. */
  readonly seal?: string | undefined;
  /** Files to read in place of the one that `config` names. */
  readonly files?: LayerFiles | undefined;
  /** Where the configuration of the machine is; false for none. Default: the place of this machine. */
  readonly machine?: MachinePlace | false | undefined;
  /** Replaces the recorder of tool results. */
  readonly tap?: ToolRecorder | undefined;
  /** Receives every dispatch, in addition to the configured logs. */
  readonly log?: DispatchLog | undefined;
  /**
   * When the hooks of a project are loaded: `before` the engine is ready (default), `behind` it while it serves, or
   * when they are first `asked`. Until then, dispatches wait for them after the user's own hooks.
   */
  readonly projectLoads?: ProjectLoads | undefined;
  /**
   * Whether modules may be loaded into this process; default true. If false, creating an engine with a module rejects.
   */
  readonly modules?: boolean | undefined;
  /** Called each time before the configuration is read. */
  readonly beforeRead?: (() => void) | undefined;
  /** Notices besides those about the configuration. */
  readonly notices?: (() => readonly Notice[]) | undefined;
  /** Called with the maximum load time when loading begins, and with undefined when it has ended. */
  readonly loading?: ((withinMs: number | undefined) => void) | undefined;
  /** Whether hooks in shadow run only when the engine closes: the process ends as soon as it has answered. */
  readonly shadowAtClose?: boolean | undefined;
  /**
   * The environment of calls that bring none. If it is given, calls bring their own, so that variables of webhooks are
   * looked up when they are called, not at the start. Default: that of this process.
   */
  readonly environment?: Environment | undefined;
  /** Replaces the runner of handlers outside Lua. */
  readonly runnerFor?: ((entry: HookEntry) => HookRunner) | undefined;
  /** The hooks of its registry: whoever has them can disable enforced ones. */
  readonly hookSet?: HookSet | undefined;
  /** Gets the engine itself. */
  readonly opened?: ((engine: Engine) => void) | undefined;
  /** Sees each line of Lua that runs. */
  readonly lines?: LineSteps | undefined;
  /** The text to load in place of a script's own. */
  readonly edited?: EditedScript | undefined;
}

/** A script that was not saved. */
export interface EditedScript {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** Thrown instead of creating an engine: a module that blocks this process could not be stopped. */
export class NeedsOwnProcess extends Error {
  override readonly name = "NeedsOwnProcess";
}

/** Options of one call, of all calls of a wrapped tool, or of a session. */
export interface CallOptions extends DispatchOptions, CallerKeys {
  /** Answers `ask` for this call, in place of the engine's own `onAsk`. */
  onAsk?: Approve | undefined;
}
