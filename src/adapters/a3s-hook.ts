import type { Action } from "../core/actions.ts";
import type { MatchSpec } from "../core/hook.ts";
import { DEFAULT_PRIORITY, DEFAULT_TIMEOUT_MS } from "../core/hook.ts";
import type { Outcome } from "../core/outcome.ts";
import type { HookEvent, HookEventType, Modified } from "./a3s-events.ts";

/** How a hook runs. */
export interface HookConfig {
  /** Lower runs earlier; default 100. */
  priority: number;
  /** Wall clock of one call of the handler; default 30,000. */
  timeout_ms: number;
  /**
   * Fire and forget: the handler gets a copy and its answer is ignored; default false. Has no effect at
   * `pre_tool_use` and `generate_start`, whose hooks may block what has not happened yet: they are waited for.
   */
  async_execution: boolean;
  /** How often `orcs.invoke` and wrapped tools do what its `Retry` says, before they refuse; default 0. */
  max_retries: number;
}

const DEFAULTS: HookConfig = {
  priority: DEFAULT_PRIORITY,
  timeout_ms: DEFAULT_TIMEOUT_MS,
  async_execution: false,
  max_retries: 0,
};

/** Conditions on an event; all must hold, and one on something that the event lacks does not. */
export interface MatcherSpec {
  /** Exact tool name. */
  tool?: string;
  /** Glob over the path-like arguments: `*.rs` at any depth, `src/**` below the working directory. */
  path_pattern?: string;
  /** Regular expression (RE2) over the command. */
  command_pattern?: string;
  /** Exact session id. */
  session_id?: string;
}

/** Conditions, put together step by step: each step gives a new matcher. */
export class HookMatcher implements MatcherSpec {
  readonly tool?: string;
  readonly path_pattern?: string;
  readonly command_pattern?: string;
  readonly session_id?: string;

  private constructor(before: MatcherSpec, more: MatcherSpec = {}) {
    Object.assign(this, before, more);
  }

  /** Matches all. */
  static new(): HookMatcher {
    return new HookMatcher({});
  }

  static tool(name: string): HookMatcher {
    return new HookMatcher({ tool: name });
  }

  static path(pattern: string): HookMatcher {
    return new HookMatcher({ path_pattern: pattern });
  }

  static command(pattern: string): HookMatcher {
    return new HookMatcher({ command_pattern: pattern });
  }

  static session(id: string): HookMatcher {
    return new HookMatcher({ session_id: id });
  }

  with_tool(name: string): HookMatcher {
    return new HookMatcher(this, { tool: name });
  }

  with_path(pattern: string): HookMatcher {
    return new HookMatcher(this, { path_pattern: pattern });
  }

  with_command(pattern: string): HookMatcher {
    return new HookMatcher(this, { command_pattern: pattern });
  }

  with_session(id: string): HookMatcher {
    return new HookMatcher(this, { session_id: id });
  }
}

/** A hook as a plain object; what is left out of its config gets the default. */
export interface HookSpec<E extends HookEventType = HookEventType> {
  id: string;
  event_type: E;
  matcher?: MatcherSpec;
  config?: Partial<HookConfig>;
}

/** A hook: when it runs, and how. What it does is a handler of the same id. Each step gives a new hook. */
export class Hook<E extends HookEventType = HookEventType> implements HookSpec<E> {
  readonly id: string;
  readonly event_type: E;
  readonly matcher?: MatcherSpec;
  readonly config: HookConfig;

  private constructor({ id, event_type, matcher, config }: HookSpec<E>) {
    this.id = id;
    this.event_type = event_type;
    if (matcher !== undefined) this.matcher = matcher;
    this.config = { ...DEFAULTS, ...config };
  }

  static new<E extends HookEventType>(id: string, eventType: E): Hook<E> {
    return new Hook({ id, event_type: eventType });
  }

  /** A hook written as a plain object. */
  static of<E extends HookEventType>(spec: HookSpec<E>): Hook<E> {
    return spec instanceof Hook ? spec : new Hook(spec);
  }

  with_matcher(matcher: MatcherSpec): Hook<E> {
    const { id, event_type, config } = this;
    return new Hook({ id, event_type, config, matcher });
  }

  with_config(config: Partial<HookConfig>): Hook<E> {
    const { id, event_type, matcher } = this;
    const merged = { ...this.config, ...config };
    return new Hook({ id, event_type, config: merged, ...(matcher && { matcher }) });
  }
}

/** A matcher in the engine's words. What it does not know goes along, for the engine to refuse. */
export function matchOf(spec: MatcherSpec): MatchSpec {
  const { tool, path_pattern, command_pattern, session_id, ...unknown } = spec;
  return {
    ...unknown,
    ...(tool !== undefined && exactTool(tool)),
    ...(path_pattern !== undefined && { path: path_pattern }),
    ...(command_pattern !== undefined && { command: command_pattern }),
    ...(session_id !== undefined && { session: session_id }),
  };
}

/** To the engine, `|`, `*`, `?` and brackets in a name mean several names; here they are what they are. */
function exactTool(name: string): MatchSpec {
  if (/^[\w.:-]+$/.test(name)) return { tool: name };
  return { tool_regex: `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$` };
}

/** What a handler answers. */
export interface HookResponse {
  action: "Continue" | "Block" | "Retry" | "Skip";
  /** For Block. */
  reason?: string;
  /**
   * For Continue: the new arguments at `pre_tool_use`, the new result at `post_tool_use`, elsewhere an
   * object with the keys of the payload to change; at `generate_start` and `generate_end` a string is the
   * new prompt or response text.
   */
  modified?: object | string;
  /** For Retry; default 0. */
  retry_delay_ms?: number;
}

/** Makes answers. */
export const HookResponse = {
  /** Go on. */
  continue_: (): HookResponse => ({ action: "Continue" }),
  /** Go on with something else. */
  continue_with: (modified: object | string): HookResponse => ({ action: "Continue", modified }),
  /** Deny the operation; after it, its result. */
  block: (reason: string): HookResponse => ({ action: "Block", reason }),
  /** Have the operation done again; at tools and generations. */
  retry: (delayMs: number): HookResponse => ({ action: "Retry", retry_delay_ms: delayMs }),
  /** Go on without the hooks that stand behind this one. */
  skip: (): HookResponse => ({ action: "Skip" }),
} as const;

/** What a hook does. Its event is a copy: only what it answers counts. One that throws has failed. */
export interface HookHandler<E extends HookEventType = HookEventType> {
  handle(event: HookEvent<E>): HookResponse | Promise<HookResponse>;
}

/** What became of an event. */
export type HookResult<E extends HookEventType = HookEventType> =
  | {
      readonly action: "Continue";
      /** What the hooks changed, if anything. */
      readonly modified?: Modified<E>;
    }
  | { readonly action: "Block"; readonly reason: string }
  | { readonly action: "Retry"; readonly retry_delay_ms: number };

const KEYS: Readonly<Record<keyof HookResponse, true>> = {
  action: true,
  reason: true,
  modified: true,
  retry_delay_ms: true,
};

/**
 * An answer in the engine's words; the engine says whether it is legal. `modified` is not part of it.
 * @throws Error when it is no answer
 */
export function actionOf(response: HookResponse): Partial<Action> {
  const stray = Object.keys(response).find((key) => !Object.hasOwn(KEYS, key));
  if (stray !== undefined) throw new Error(`returned the unknown key ${JSON.stringify(stray)}`);
  const { action, reason, retry_delay_ms } = response;
  switch (action) {
    case "Continue":
      return { action: "continue" };
    case "Skip":
      return { action: "continue", stop: true };
    case "Block":
      return { action: "abort", ...(reason !== undefined && { reason }) };
    case "Retry":
      return { action: "retry", ...(retry_delay_ms !== undefined && { delay_ms: retry_delay_ms }) };
    default:
      throw new Error(
        `returned the unknown action ${JSON.stringify(action)}, expected Continue, Block, Retry or Skip`,
      );
  }
}

/**
 * An outcome in the words of A3S. What it has no word for, because other hooks of the engine said it, is
 * refused rather than let through: a result in the operation's place, and a decision nobody has taken.
 */
export function resultOf(outcome: Outcome, modified: unknown): HookResult {
  switch (outcome.action) {
    case "abort":
      return { action: "Block", reason: outcome.reason };
    case "retry":
      return { action: "Retry", retry_delay_ms: outcome.delay_ms };
    case "skip": {
      const result = JSON.stringify(outcome.result);
      return {
        action: "Block",
        reason: `hook ${outcome.hook} skipped the call with the result ${result}`,
      };
    }
    case "continue": {
      const { decision, reason } = outcome;
      const because = reason === undefined ? "" : `: ${reason}`;
      if (decision === "ask") return { action: "Block", reason: `needs approval${because}` };
      if (decision === "defer") return { action: "Block", reason: `deferred${because}` };
      if (modified === undefined) return { action: "Continue" };
      return { action: "Continue", modified: modified as Modified };
    }
  }
}
