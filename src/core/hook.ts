import type { HookContext } from "./context.ts";
import type { LuaFrame, SourcePlace } from "./diagnostic.ts";
import type { FqlMatcher } from "./fql.ts";
import type { Json } from "./json.ts";
import type { PointSpec } from "./points.ts";
import type { CallScope } from "./ports.ts";

/** What happens when a hook fails: refuse the operation, or pass the hook over. */
export type FailureMode = "open" | "closed";

export const DEFAULT_PRIORITY = 100;
export const DEFAULT_TIMEOUT_MS = 30_000;
export const DEFAULT_MAX_RETRIES = 3;

/** Conditions on a payload, as written in config. All must hold; one on something missing does not. */
export interface MatchSpec {
  /** Tool names separated by `|`, each exact or a glob. */
  tool?: string;
  /** Regular expression (RE2) over the tool name. */
  tool_regex?: string;
  /** Glob over the path-like arguments; without `/` it matches at any depth. */
  path?: string;
  /** Regular expression (RE2) over the command. */
  command?: string;
  /** Commands, one of which the command line would run, or may run for all that is known of it. */
  runs?: readonly string[] | string;
  session?: string;
  agent?: string;
}

export const MATCH_KEYS = [
  "tool",
  "tool_regex",
  "path",
  "command",
  "runs",
  "session",
  "agent",
] as const;

/** Compiled conditions. */
export interface PayloadMatcher {
  /** Names of the tools that it may hold for, here or at a foreign host; undefined when that may be any. */
  readonly tools?: readonly string[] | undefined;
  /** The first condition that does not hold, or undefined when all do, unless the command line was not read whole. */
  failing(
    payload: Readonly<Record<string, unknown>>,
  ): (typeof MATCH_KEYS)[number] | Unread | undefined;
}

/** All conditions hold, on a command line that could not be read whole. */
export interface Unread {
  /** Why it could not. */
  readonly why: string;
  /** Whether `runs` holds for what could be read of it; else it holds because nobody knows. */
  readonly isMatch: boolean;
}

/** A hook as the registry holds it: everything parsed and compiled. */
export interface Hook {
  readonly id: string;
  readonly point: PointSpec;
  readonly fql: string;
  readonly appliesTo: FqlMatcher;
  readonly matcher: PayloadMatcher | undefined;
  readonly match: MatchSpec | undefined;
  /** Hooks of a config found in a project (1) run after all others (0), whatever their priority. */
  readonly rank: 0 | 1;
  /** Lower runs earlier. */
  readonly priority: number;
  readonly enabled: boolean;
  /** Wall clock of one call in milliseconds, awaits included. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly onError: FailureMode | undefined;
  /** Defaults to `onError`. */
  readonly onTimeout: FailureMode | undefined;
  /** Removed after it has run once. */
  readonly once: boolean;
  /** Nobody waits for it: it gets a copy, and what it answers is ignored. */
  readonly async: boolean;
  /** It only looks on, so that `async` at a pre point is meant. */
  readonly observe: boolean;
  /** At a post point, it is shown a stream piece by piece as it comes, not the whole once it has ended. */
  readonly stream: boolean;
  readonly source: SourcePlace | undefined;
  /** Where it was defined: a config layer, or code. */
  readonly origin: string;
  /** SHA-256 of what it runs, as hexadecimal digits; undefined of a function in code. */
  readonly digest?: string | undefined;
  readonly runner: HookRunner;
  /** Of a hook that a component or a child registered: what that one may. */
  readonly limit?: HookLimit;
}

/**
 * What the owner of a hook may. On whomever's behalf it runs, its calls do no more, and where its owner needs
 * grants it cannot allow what they would not.
 */
export interface HookLimit {
  readonly capabilities: number;
  readonly elevated: boolean;
}

/**
 * Runs hooks of one kind. Consecutive hooks of the same runner are handed over together: `run` gets the
 * turn at its first hook and settles one after the other until no more is offered.
 * It stays synchronous unless a handler waits.
 */
export interface HookRunner {
  run(turn: Turn): void | Promise<void>;
}

/** One runner's turn in a chain. */
export interface Turn {
  /** The hook to run now; changes with `settle`. */
  readonly hook: Hook;
  /** The context as the hooks before have left it. Not to be written to: edits go into the report. */
  readonly ctx: HookContext;
  /** Whether the hook that stands after this one in the chain has the same runner. */
  readonly followed: boolean;
  /** What the hook's own calls are bound to. */
  readonly scope: CallScope;
  /**
   * A runner's own view of `ctx`, kept for the next hook while the context stays the one it shows; the
   * chain forgets it when it changes.
   */
  view: unknown;
  /** What the dispatch has used up so far; runners of all its hooks add to it. */
  readonly spent: { luaMs: number; cpuFromMs?: number; elsewhereMs?: number };
  /**
   * Settle the hook with what comes first: what its function has promised, or the end of its time. The turn is over.
   * @param read makes a report of what the function has answered, given what it had
   */
  wait<T>(
    promised: PromiseLike<unknown>,
    read: (had: T, answer: unknown) => HookReport,
    had: T,
  ): void;
  /**
   * Report on the hook, commit or drop its edits.
   * @returns the next hook of the same runner that applies, already made current, or undefined when the turn is over.
   */
  settle(report: HookReport): Hook | undefined;
}

/** One change to the context. */
export interface Edit {
  /** From the context's root; list indices count from 0. */
  readonly path: readonly (string | number)[];
  /** Undefined removes the key. */
  readonly value: Json | undefined;
}

/** What a runner says of one hook. */
export type HookReport =
  | {
      /** Undefined when it gave nothing or the context itself. */
      readonly answer: unknown;
      /** Journal of the paths it changed. */
      readonly edits: readonly Edit[];
    }
  | { readonly failure: HookFailure };

/** How a hook failed. */
export interface HookFailure {
  readonly kind: "error" | "timeout" | "memory" | "killed" | "answer" | "payload";
  readonly message: string;
  /** Of a script: the calls under way, the innermost first. */
  readonly traceback?: readonly LuaFrame[] | undefined;
  /** What its handler's protocol does about it; the hook's own `on_error` and `on_timeout` come first. */
  readonly mode?: FailureMode | undefined;
}
