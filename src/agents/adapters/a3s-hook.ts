import { DEFAULT_PRIORITY, DEFAULT_TIMEOUT_MS } from "../../core/index.ts";
import type { Action, MatchSpec, Outcome } from "../../core/index.ts";
import type { HookEvent, HookEventType, Modified } from "./a3s-payloads.ts";

/** How a hook runs. */
export interface HookConfig {
  /** Lower runs earlier; default 100. */
  priority: number;
  /** Time limit of one call of the handler; default 30,000. */
  timeout_ms: number;
  /**
   * Fire and forget: the handler gets a copy and its response is ignored; default false. Has no effect at events before
   * an operation, such as `pre_tool_use` and `generate_start`, whose hooks can block: they are awaited.
   */
  async_execution: boolean;
  /** How often `orcs.invoke` and wrapped tools follow its `Retry` before they deny; default 0. */
  max_retries: number;
}

const DEFAULTS: HookConfig = {
  priority: DEFAULT_PRIORITY,
  timeout_ms: DEFAULT_TIMEOUT_MS,
  async_execution: false,
  max_retries: 0,
};

/** Conditions on an event; all must be true, and one on a missing value is false. */
export interface MatcherSpec {
  /** Exact tool name. */
  tool?: string;
  /** Glob over the path arguments: `*.rs` at any depth, `src/**` below the working directory. */
  path_pattern?: string;
  /** Regular expression (RE2) over the command. */
  command_pattern?: string;
  /** Exact session id. */
  session_id?: string;
}

/** Conditions, built step by step: each step returns a new matcher. */
export class HookMatcher implements MatcherSpec {
  readonly tool?: string;
  readonly path_pattern?: string;
  readonly command_pattern?: string;
  readonly session_id?: string;

  private constructor(before: MatcherSpec, more: MatcherSpec = {}) {
    Object.assign(this, before, more);
  }

  /** Matches everything. */
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

/** A hook as a plain object; missing config values get their defaults. */
export interface HookSpec<E extends HookEventType = HookEventType> {
  id: string;
  event_type: E;
  matcher?: MatcherSpec;
  config?: Partial<HookConfig>;
}

/** A hook: when and how it runs. What it does is a handler with the same id. Each step returns a new hook. */
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

/** A matcher in the engine's form. Unknown keys are kept, for the engine to reject. */
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

/** In the engine, `|`, `*`, `?` and brackets in a name match several names; here they are literal. */
function exactTool(name: string): MatchSpec {
  if (/^[\w.:-]+$/.test(name)) return { tool: name };
  return { tool_regex: `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$` };
}

/** The response of a handler. */
export interface HookResponse {
  action: "Continue" | "Block" | "Retry" | "Skip" | "Escalate";
  /** For Block, Retry and Escalate. */
  reason?: string;
  /**
   * For Continue: the new arguments at `pre_tool_use`, the new result at `post_tool_use`, elsewhere an
   * object with the keys of the payload to change; at `generate_start` and `generate_end` a string is the
   * new prompt or response text.
   */
  modified?: object | string;
  /** For Retry; default 0. */
  retry_delay_ms?: number;
  /** For Escalate: who should decide. */
  target?: string;
}

/** Creates responses. */
export const HookResponse = {
  /** Continue. */
  continue_: (): HookResponse => ({ action: "Continue" }),
  /** Continue with changes. */
  continue_with: (modified: object | string): HookResponse => ({ action: "Continue", modified }),
  /** Deny the operation; after it, withhold its result. */
  block: (reason: string): HookResponse => ({ action: "Block", reason }),
  /** Repeat the operation; for tools and generations. */
  retry: (delayMs: number): HookResponse => ({ action: "Retry", retry_delay_ms: delayMs }),
  /** The same, with the reason. */
  retry_with_reason: (reason: string, delayMs: number): HookResponse => ({
    action: "Retry",
    reason,
    retry_delay_ms: delayMs,
  }),
  /** Continue without the remaining hooks. */
  skip: (): HookResponse => ({ action: "Skip" }),
  /** Let a human decide about the operation; after it, withhold its result. */
  escalate: (reason: string, target?: string): HookResponse => ({
    action: "Escalate",
    reason,
    ...(target !== undefined && { target }),
  }),
} as const;

/**
 * The handler of a hook. Its event is a copy: only its response counts, and a changed copy is logged. If it throws, the
 * hook has failed.
 */
export interface HookHandler<E extends HookEventType = HookEventType> {
  handle(event: HookEvent<E>): HookResponse | Promise<HookResponse>;
}

/** The result of an event. */
export type HookResult<E extends HookEventType = HookEventType> =
  | {
      readonly action: "Continue";
      /** The changes of the hooks, if any. */
      readonly modified?: Modified<E>;
    }
  | { readonly action: "Block"; readonly reason: string }
  | { readonly action: "Retry"; readonly retry_delay_ms: number; readonly reason?: string }
  | {
      /** A human has to decide. In `orcs.invoke` and wrapped tools, `onAsk` is asked. */
      readonly action: "Escalate";
      readonly reason: string;
      readonly target?: string;
    };

const KEYS: Readonly<Record<keyof HookResponse, true>> = {
  action: true,
  reason: true,
  modified: true,
  retry_delay_ms: true,
  target: true,
};

/** Key of the metadata that holds the `target` of each `Escalate`, by hook. */
export const TARGETS = "escalation_targets";

/**
 * A response in the engine's form, without `modified` and `target`; the engine checks whether it is allowed.
 * @param canAsk whether the operation can still wait for a human; if not, `Escalate` is a denial
 * @throws Error when it is invalid
 */
export function actionOf(response: HookResponse, canAsk: boolean): Partial<Action> {
  const stray = Object.keys(response).find((key) => !Object.hasOwn(KEYS, key));
  if (stray !== undefined) throw new Error(`returned the unknown key ${JSON.stringify(stray)}`);
  const { action, reason, retry_delay_ms, target } = response;
  const because = reason === undefined ? {} : { reason };
  switch (action) {
    case "Continue":
      return { action: "continue" };
    case "Skip":
      return { action: "continue", stop: true };
    case "Block":
      return { action: "abort", ...because };
    case "Retry": {
      const delay = retry_delay_ms === undefined ? {} : { delay_ms: retry_delay_ms };
      return { action: "retry", ...delay, ...because };
    }
    case "Escalate":
      if (target !== undefined && typeof target !== "string") {
        throw new Error("returned Escalate with a target that is not a string");
      }
      return canAsk
        ? { action: "continue", decision: "ask", ...because }
        : { action: "abort", reason: needsApproval(reason) };
    default:
      throw new Error(
        `returned the unknown action ${JSON.stringify(action)}, expected Continue, Block, Retry, Skip or Escalate`,
      );
  }
}

function needsApproval(reason: string | undefined): string {
  return `needs approval${reason === undefined ? "" : `: ${reason}`}`;
}

/**
 * An outcome in the form of A3S. Results of other hooks of the engine that A3S does not support become denials: a
 * result in place of the operation, and an undecided decision.
 * @param isOwn whether a hook, by its id, is one of A3S, whose `ask` was an `Escalate`
 */
export function resultOf(
  outcome: Outcome,
  modified: unknown,
  isOwn: (hook: string) => boolean,
): HookResult {
  switch (outcome.action) {
    case "abort":
      return { action: "Block", reason: outcome.reason };
    case "retry":
      return {
        action: "Retry",
        retry_delay_ms: outcome.delay_ms,
        ...(outcome.reason !== undefined && { reason: outcome.reason }),
      };
    case "skip": {
      const result = JSON.stringify(outcome.result);
      return {
        action: "Block",
        reason: `hook ${outcome.hook} skipped the call and returned ${result} in its place`,
      };
    }
    case "continue": {
      const { decision, reason, hook, ctx } = outcome;
      if (decision === "ask" && hook !== undefined && isOwn(hook)) {
        const target = ((ctx.metadata[TARGETS] ?? {}) as Record<string, unknown>)[hook];
        return {
          action: "Escalate",
          reason: reason ?? "no reason given",
          ...(typeof target === "string" && { target }),
        };
      }
      if (decision === "ask") return { action: "Block", reason: needsApproval(reason) };
      if (decision === "defer") {
        return { action: "Block", reason: `deferred${reason === undefined ? "" : `: ${reason}`}` };
      }
      if (modified === undefined) return { action: "Continue" };
      return { action: "Continue", modified: modified as Modified };
    }
  }
}
