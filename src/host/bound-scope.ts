import type { Address, HookContext } from "../core/context.ts";
import type { Json } from "../core/json.ts";
import type { CallScope, GetOptions, ToolAnswer } from "../core/ports.ts";
import type { CallOptions, ToolCalls } from "./tool-calls.ts";

/** Calls of a program: component, channel and principal are given once, not claimed by each call. */
export class BoundScope implements CallScope {
  readonly depth = 0;
  readonly #tools: ToolCalls;
  readonly #options: CallOptions;

  constructor(tools: ToolCalls, options: CallOptions) {
    this.#tools = tools;
    this.#options = options;
  }

  get(kind: string, arg?: Json, more: GetOptions = {}): Promise<ToolAnswer> {
    return this.#tools.get(kind, arg, withMore(this.#options, more));
  }
}

/**
 * Calls of a hook while it serves a dispatch: with the component, channel, principal and metadata of
 * that dispatch, one level deeper. Most hooks make none, so the options are put together when one does.
 */
export class HookScope implements CallScope {
  readonly #tools: ToolCalls;
  readonly #ctx: HookContext;
  readonly #address: Address;

  constructor(tools: ToolCalls, ctx: HookContext, address: Address) {
    this.#tools = tools;
    this.#ctx = ctx;
    this.#address = address;
  }

  get depth(): number {
    return this.#ctx.depth + 1;
  }

  get(kind: string, arg?: Json, more: GetOptions = {}): Promise<ToolAnswer> {
    const { component_id, channel_id, principal, metadata } = this.#ctx;
    const { child, instance } = this.#address;
    const options: CallOptions = {
      component: component_id,
      child,
      instance,
      channel: channel_id,
      principal,
      metadata,
      depth: this.depth,
    };
    return this.#tools.get(kind, arg, withMore(options, more));
  }
}

function withMore(options: CallOptions, more: GetOptions): CallOptions {
  return { ...options, ...more, metadata: { ...options.metadata, ...more.metadata } };
}
