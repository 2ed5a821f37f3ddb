import type { HookContext } from "./context.ts";
import type { LuaFrame, SourcePlace } from "./diagnostic.ts";
import type { CallEffects, EffectKind } from "./effects.ts";
import type { Environment } from "./environment.ts";
import type { FqlMatcher } from "./fql.ts";
import type { HookMode } from "./hook-mode.ts";
import type { Json } from "./json.ts";
import type { PointSpec } from "./points.ts";
import type { CallScope } from "./ports.ts";
import type { TraceContext } from "./trace-context.ts";

/** What happens when a hook fails: `closed` denies the operation, `open` skips the hook. */
export type FailureMode = "open" | "closed";

/**
 * What happens when the shared state cannot be used: `closed` and `open` as in `FailureMode`; with `local`, the state
 * of this machine is used until then.
 */
export const STORE_ERROR_MODES = ["closed", "open", "local"] as const;
export type StoreErrorMode = (typeof STORE_ERROR_MODES)[number];

export const DEFAULT_PRIORITY = 100;
export const DEFAULT_TIMEOUT_MS = 30_000;
export const DEFAULT_MAX_RETRIES = 3;

/** The end of a message about a hook that was late. */
export const RAISE_TIMEOUT = "; shorten it or raise timeout_ms";

/** Conditions on a payload, as written in config. All must be true; a condition on a missing field is false. */
export interface MatchSpec {
  /** Tool names separated by `|`, each exact or a glob. */
  tool?: string;
  /** Regular expression (RE2) over the tool name. */
  tool_regex?: string;
  /** Glob over the path-like arguments; without `/` it matches at any depth. */
  path?: string;
  /** Regular expression (RE2) over the command. */
  command?: string;
  /** Command patterns: true when the command line would run one of them, or might (a word of it is unknown). */
  runs?: readonly string[] | string;
  /**
   * Globs of files that the call would write, remove or read, whatever its tool: see `orcs.effects`. A leading `!`
   * leaves files out; if all have one, they match every other file, an unknown one included.
   */
  writes?: readonly string[] | string;
  removes?: readonly string[] | string;
  reads?: readonly string[] | string;
  /** The same for hosts that it would connect to: `*.example.com`, `localhost:8080`. */
  connects?: readonly string[] | string;
  /** What happens if only an effect that may happen, an unknown target or an unread rest matches; default `ask`. */
  unsure?: UnsureMatch;
  session?: string;
  agent?: string;
  /** Names of events of a coding agent, separated by `|`, at `host.pre_event`. */
  event?: string;
  /**
   * What caused an event, or whose it is, separated by `|`, each exact or a glob: `startup`, `auto`, a type of agent.
   */
  source?: string;
}

export const MATCH_KEYS = [
  "tool",
  "tool_regex",
  "path",
  "command",
  "runs",
  "writes",
  "removes",
  "reads",
  "connects",
  "session",
  "agent",
  "event",
  "source",
] as const;

/** The keys that `match.source` is compared with, in a payload and in what the coding agent sent. */
export const SOURCE_KEYS = [
  "source",
  "trigger",
  "kind",
  "reason",
  "agent_type",
  "notification_type",
  "subagent_type",
  "load_reason",
  "command_name",
  "mcp_server_name",
  "error",
] as const;

/** Keys of `match` that are no conditions. */
export const MATCH_OPTIONS = ["unsure"] as const;

/** The conditions on what a call does, with the kind of effect that each is about. */
export const EFFECT_CONDITIONS = {
  writes: "write",
  removes: "remove",
  reads: "read",
  connects: "connect",
} as const satisfies Partial<Record<(typeof MATCH_KEYS)[number], EffectKind>>;

/**
 * What happens if it is not sure that a hook's condition on effects matches: `ask`: its denial becomes a question, and
 * nothing else counts; `match`: it matches; `ignore`: it does not.
 */
export const UNSURE_MATCHES = ["ask", "match", "ignore"] as const;
export type UnsureMatch = (typeof UNSURE_MATCHES)[number];

/** A condition on the payload that can be false: a key of `match`, or the hook's own `rollout`. */
export type PayloadCondition = (typeof MATCH_KEYS)[number] | "rollout";

/** Compiled conditions. */
export interface PayloadMatcher {
  /** Names of the tools that it can be true for, ours or an agent's; undefined if any. */
  readonly tools?: readonly string[] | undefined;
  /**
   * The first condition that is false, or undefined when all are true; `Unread` when all are true but the command line
   * could not be parsed completely.
   */
  failing(payload: Readonly<Record<string, unknown>>): PayloadCondition | Unread | undefined;
  /** What a call does, for a hook with conditions on it. */
  readonly effects?: ((payload: Readonly<Record<string, unknown>>) => CallEffects) | undefined;
}

/** All conditions are true, but the command line could not be parsed completely, or an effect is not sure. */
export interface Unread {
  /** Why it could not be parsed, or what may happen. */
  readonly why: string;
  /** Whether `runs` matches the parsed part; otherwise it is true only because the rest is unknown. */
  readonly isMatch: boolean;
  /** A denial of the hook is a question. */
  readonly asks?: true;
}

/**
 * Whose a hook is. It sorts before the priority, and a hook cannot replace one of a lower rank:
 * - -2: enforced by the machine
 * - -1: of the bundle that an enforced machine configuration names
 * - 0: of the user, of a program, and everything else
 * - 1: of a discovered project
 */
export type Rank = (typeof RANKS)[number];

/** In the order in which their hooks run. */
export const RANKS = [-2, -1, 0, 1] as const;

/** The settings of a hook, wherever it is defined; omitted ones get their defaults. */
export interface HookOptions {
  id?: string | undefined;
  /** Default `*::*`. */
  fql?: string | undefined;
  match?: MatchSpec | undefined;
  /** Default 100; lower runs earlier. */
  priority?: number | undefined;
  enabled?: boolean | undefined;
  /** Removed after it has run once. */
  once?: boolean | undefined;
  /**
   * Runs in the background on a copy of the context; of its result, only texts for the model count, with the next
   * event.
   */
  async?: boolean | undefined;
  /** It only looks on: `async` at a pre point is meant, and `orcs check` does not warn. */
  observe?: boolean | undefined;
  /** At a post point: it is shown a result that is a stream piece by piece, with an overlap; default false. */
  stream?: boolean | undefined;
  /** Wall clock of one call, awaits included; default 30,000. */
  timeoutMs?: number | undefined;
  /** Default 3. */
  maxRetries?: number | undefined;
  onError?: FailureMode | undefined;
  onTimeout?: FailureMode | undefined;
  /** What happens when the shared state cannot be used; default: as for any other error. */
  onStoreError?: StoreErrorMode | undefined;
  /**
   * What becomes of its result: `enforce` (default), `warn` tells it, `audit` runs it after the decision and records
   * it.
   */
  mode?: HookMode | undefined;
  /** With `audit`: whether its tool calls and its webhook take place; default false. */
  shadowEffects?: boolean | undefined;
  /** The per cent of the sessions that it runs in, by a hash of the session's id; default 100. */
  rollout?: number | undefined;
}

/** The settings of a hook that have a value. */
type Filled<Key extends keyof HookOptions> = {
  readonly [Each in Key]-?: NonNullable<HookOptions[Each]>;
};

/** A hook as the registry holds it: everything parsed and compiled. */
export interface Hook
  extends
    Filled<"id" | "fql" | "priority" | "enabled" | "timeoutMs" | "maxRetries">,
    Filled<"once" | "async" | "observe" | "stream">,
    Partial<Filled<"onStoreError" | "mode" | "shadowEffects" | "rollout">> {
  readonly point: PointSpec;
  readonly appliesTo: FqlMatcher;
  readonly matcher: PayloadMatcher | undefined;
  readonly match: MatchSpec | undefined;
  readonly rank: Rank;
  readonly onError: FailureMode | undefined;
  /** Defaults to `onError`. */
  readonly onTimeout: FailureMode | undefined;
  readonly source: SourcePlace | undefined;
  /** The `[[hooks]]` table that it comes from; a script can define several hooks. */
  readonly table?: SourcePlace | undefined;
  /** Where it was defined: a config layer, or code. */
  readonly origin: string;
  /** SHA-256 of its code in hexadecimal; undefined for a function in code. */
  readonly digest?: string | undefined;
  readonly runner: HookRunner;
  /** Its place among the hooks of its configuration, from 0 to 1; undefined: as registered. */
  readonly order?: number;
  /** For a hook that a component or a child registered: the permissions of its owner. */
  readonly limit?: HookLimit;
  /** Undefined for a hook of all agents. */
  readonly agents?: AgentRule;
}

/** For which agents a hook runs. */
export interface AgentRule {
  /** Only for this one. */
  readonly only?: string;
  /** For all but these. */
  readonly except?: readonly string[];
  /** All names that `agent_id` can select; with any other, the agent is that of the engine. */
  readonly known: readonly string[];
}

/**
 * The permissions of a hook's owner. Its calls never exceed them, whoever the hook runs for. If its owner needs grants,
 * the hook cannot allow more than the grants do.
 */
export interface HookLimit {
  readonly capabilities: number;
  readonly elevated: boolean;
}

/**
 * Runs hooks of one kind. Consecutive hooks of the same runner are processed together: `run` gets the turn at its first
 * hook and settles one after the other until no more are offered. It stays synchronous unless a handler waits.
 */
export interface HookRunner {
  run(turn: Turn): void | Promise<void>;
  /** The hook was replaced. Dispatches that have begun before may still run it. */
  release?(): void;
  /** Whether it visibly leaves processes in the background, which end with the session. */
  readonly leavesProcesses?: boolean;
  /** Whether it calls code that can block the thread, which no limit ends. */
  readonly mayBlock?: boolean;
}

/** One runner's turn in a chain. */
export interface Turn {
  /** The hook to run now; changes with `settle`. */
  readonly hook: Hook;
  /** The context as earlier hooks left it. Read-only: edits are part of the report. */
  readonly ctx: HookContext;
  /** Whether the next hook of the chain has the same runner. */
  readonly followed: boolean;
  /** Scope of the calls made by the hook. */
  readonly scope: CallScope;
  /** The trace that the caller named, for handlers outside this process. */
  readonly trace: TraceContext | undefined;
  /** Aborts when nobody waits for the dispatch any more: what runs for it is to end. */
  readonly signal?: AbortSignal | undefined;
  /** What its caller has sent of its environment; undefined: that of the engine counts. */
  readonly environment: Environment | undefined;
  /**
   * A runner's own view of `ctx`, kept for the next hook as long as the context stays unchanged; the chain resets it
   * when the context changes.
   */
  view: unknown;
  /** Time used so far by the dispatch, in milliseconds; the runners of all its hooks add to it. */
  readonly spent: {
    /** Of Lua, by the wall clock. */
    luaMs: number;
    /** CPU time when the limit of Lua was reached. */
    cpuFromMs?: number;
    /** That other threads have worked for Lua. */
    elsewhereMs?: number;
    /** That it has waited for the shared state. */
    storeMs?: number;
  };
  /**
   * Settle the hook with whatever comes first: the promised result or its timeout. This ends the turn.
   * @param read converts the function's result to a report, given `had`
   */
  wait<T>(
    promised: PromiseLike<unknown>,
    read: (had: T, answer: unknown) => HookReport,
    had: T,
  ): void;
  /**
   * Report on the hook; commits or discards its edits.
   * @returns the next matching hook of the same runner, already current, or undefined when the turn is over.
   */
  settle(report: HookReport): Hook | undefined;
}

/** One change to the context. */
export interface Edit {
  /** Path from the root of the context; list indices are 0-based. */
  readonly path: readonly (string | number)[];
  /** Undefined removes the key. */
  readonly value: Json | undefined;
}

/** A runner's report on one hook. */
export type HookReport =
  | {
      /** Undefined when it returned nothing or the context itself. */
      readonly answer: unknown;
      /** Journal of its changes. */
      readonly edits: readonly Edit[];
    }
  | { readonly failure: HookFailure };

/** How a hook failed. */
export interface HookFailure {
  readonly kind: "error" | "timeout" | "memory" | "killed" | "answer" | "payload" | "store";
  readonly message: string;
  /** For a script: the call stack, innermost frame first. */
  readonly traceback?: readonly LuaFrame[] | undefined;
  /** Failure mode defined by its handler's protocol; the hook's own `on_error` and `on_timeout` have precedence. */
  readonly mode?: FailureMode | undefined;
}
