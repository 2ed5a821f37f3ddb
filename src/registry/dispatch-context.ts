import type { RuntimeAccess } from "../core/child.ts";
import type { HookContext, Principal } from "../core/context.ts";
import { DEFAULT_COMPONENT } from "../core/context.ts";
import { parseComponentId } from "../core/ids.ts";
import { isPlainObject } from "../core/json.ts";
import type { TraceMode } from "../core/outcome.ts";
import type { Authority } from "../core/permission.ts";
import type { PointSpec } from "../core/points.ts";
import type { Clock } from "../core/ports.ts";

/** Whom a dispatch concerns, and what it starts with. */
export interface DispatchOptions {
  /** `namespace::name`; default `host::main`. */
  component?: string | undefined;
  /** Child path, such as `agent-1/sub-worker`. */
  child?: string | undefined;
  channel?: string | undefined;
  /** Channel instance, matched by `#instance`. */
  instance?: string | undefined;
  principal?: Principal | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** Nesting; set by the engine for calls that hooks make. */
  depth?: number | undefined;
  /** What the caller may do; default: the engine's own. */
  authority?: Authority | undefined;
  /** The runtime that the call comes from; set by the runtime. */
  runtime?: RuntimeAccess | undefined;
  /** Overrides the engine's own setting. */
  trace?: TraceMode | undefined;
}

const HOST_PRINCIPAL: Principal = { type: "Host", id: "main" };

/** Makes the contexts that dispatches begin with. */
export class ContextMaker {
  readonly #clock: Clock;
  readonly #maxDepth: number;
  /** The last component that was found to be well written. */
  #component = DEFAULT_COMPONENT;
  #now = 0;
  #time = 0;

  constructor(clock: Clock, maxDepth: number) {
    this.#clock = clock;
    this.#maxDepth = maxDepth;
  }

  /** Read the clock: contexts carry the time of the last reading, in whole milliseconds. */
  tick(): void {
    this.#now = this.#clock.now();
    this.#time = Math.floor(this.#now);
  }

  /** The last reading, in milliseconds with fractions. */
  get now(): number {
    return this.#now;
  }

  /** @throws OrcsError ORCS1010 when the component is not `namespace::name` */
  make(point: PointSpec, payload: object, options: DispatchOptions): HookContext {
    const { component = DEFAULT_COMPONENT } = options;
    // One that is misspelt would pass the guards of the component that was meant.
    if (component !== this.#component) {
      parseComponentId(component);
      this.#component = component;
    }
    return {
      hook_point: point.name,
      component_id: component,
      channel_id: options.channel ?? "main",
      principal: options.principal ?? HOST_PRINCIPAL,
      timestamp_ms: this.#time,
      payload: mirrored(payload as ToolPayload),
      metadata: options.metadata ?? {},
      depth: options.depth ?? 0,
      max_depth: this.#maxDepth,
    };
  }
}

type ToolPayload = Record<string, unknown> & { tool_name?: unknown; tool?: unknown };

/** Tool payloads carry the name under both words, `tool_name` and `tool`. */
function mirrored(payload: ToolPayload): Record<string, unknown> {
  // Whether it is an object at all is checked with the rest of it.
  const named = (payload as ToolPayload | null)?.tool_name;
  if (named === undefined || payload.tool !== undefined || !isPlainObject(payload)) return payload;
  return { ...payload, tool: named };
}
