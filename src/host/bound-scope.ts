import type { Address, HookContext } from "../core/context.ts";
import type { Json } from "../core/json.ts";
import type { CallScope, GetOptions, ToolAnswer } from "../core/ports.ts";
import type { CallOptions, ToolCalls } from "./tool-calls.ts";

/** Calls bound to whom they are made for: component, channel, principal and depth are given, not claimed. */
export class BoundScope implements CallScope {
  readonly #tools: ToolCalls;
  readonly #options: CallOptions;

  constructor(tools: ToolCalls, options: CallOptions) {
    this.#tools = tools;
    this.#options = options;
  }

  /** The scope of a hook that serves a dispatch: its calls are dispatched one level deeper. */
  static nested(tools: ToolCalls, ctx: HookContext, address: Address): BoundScope {
    return new BoundScope(tools, {
      component: ctx.component_id,
      child: address.child,
      instance: address.instance,
      channel: ctx.channel_id,
      principal: ctx.principal,
      metadata: ctx.metadata,
      depth: ctx.depth + 1,
    });
  }

  get depth(): number {
    return this.#options.depth ?? 0;
  }

  get(kind: string, arg?: Json, more: GetOptions = {}): Promise<ToolAnswer> {
    return this.#tools.get(kind, arg, {
      ...this.#options,
      ...more,
      metadata: { ...this.#options.metadata, ...more.metadata },
    });
  }
}
