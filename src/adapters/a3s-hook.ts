import { DEFAULT_PRIORITY, DEFAULT_TIMEOUT_MS } from "../core/hook.ts";
import type { MatchSpec } from "../core/hook.ts";
import type { HookEventType } from "./a3s-events.ts";

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
