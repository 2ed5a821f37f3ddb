import type { Caller, HookContext } from "../../core/context.ts";
import type { Json } from "../../core/json.ts";
import type { Authority } from "../../core/permission.ts";
import { CAPABILITIES } from "../../core/permission.ts";
import type { CallScope, GetOptions, ToolAnswer } from "../../core/ports.ts";
import type { RuntimeVerb } from "../../core/runtime-verbs.ts";
import type { CallOptions, ToolCalls } from "./tool-calls.ts";

/** The calls of a program: component, channel and principal are set once and cannot be claimed by a call. */
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

/** What the calls of hooks need from their engine. */
export interface HookScopeDeps {
  readonly tools: ToolCalls;
  /** For callers without an authority of their own. */
  readonly authority: Authority;
}

/**
 * The calls of a hook during a dispatch: with the component, channel, principal, capabilities and metadata of that
 * dispatch, one level deeper. Most hooks make no call, so this is assembled only when one does.
 */
export class HookScope implements CallScope {
  readonly #host: HookScopeDeps;
  readonly #ctx: HookContext;
  readonly #caller: Caller;
  /** Only in the runtime. */
  readonly verb?: NonNullable<CallScope["verb"]>;

  constructor(host: HookScopeDeps, ctx: HookContext, caller: Caller) {
    this.#host = host;
    this.#ctx = ctx;
    this.#caller = caller;
    if (caller.runtime) this.verb = (...asked) => this.#verb(...asked);
  }

  get depth(): number {
    return this.#ctx.depth + 1;
  }

  get mayHook(): boolean {
    return (this.#authority.capabilities & CAPABILITIES.SPAWN) !== 0;
  }

  get(kind: string, arg?: Json, more: GetOptions = {}): Promise<ToolAnswer> {
    const { component_id, channel_id, principal, metadata } = this.#ctx;
    const { child, instance, runtime } = this.#caller;
    const options: CallOptions = {
      component: component_id,
      child,
      instance,
      channel: channel_id,
      principal,
      metadata,
      authority: this.#authority,
      runtime,
      depth: this.depth,
    };
    return this.#host.tools.get(kind, arg, withMore(options, more));
  }

  async #verb(
    name: RuntimeVerb,
    args: readonly (Json | undefined)[],
    signal: AbortSignal,
  ): Promise<Json> {
    const { metadata } = this.#ctx;
    const authority = this.#authority;
    // The call would run under the principal of the dispatch, which could then approve what the owner of the hook
    // wants.
    if (name === "send_signal" && args[1] === "approve" && this.#caller.limit?.elevated === false) {
      return { ok: false, error: "a hook whose owner needs grants cannot approve anything" };
    }
    const context = this.#caller.runtime?.at({ depth: this.depth, metadata, authority });
    const answer = await context?.verb?.(name, args, signal);
    return answer ?? { ok: false, error: "there is no runtime in this engine" };
  }

  /**
   * The capabilities of the call that the hook serves; in a tool call, those that earlier hooks left. A hook of a
   * component never has more than its owner.
   */
  get #authority(): Authority {
    const authority = this.#caller.authority ?? this.#host.authority;
    const { hook_point, payload } = this.#ctx;
    const { capabilities: left } = payload;
    const { limit } = this.#caller;
    const isNarrowed = typeof left === "number" && hook_point.startsWith("tool.");
    if (!isNarrowed && !limit) return authority;
    const capabilities =
      authority.capabilities & (isNarrowed ? left : ~0) & (limit?.capabilities ?? ~0);
    const session =
      limit?.elevated === false ? { ...authority.session, elevated: false } : authority.session;
    return { ...authority, capabilities, session };
  }
}

function withMore(options: CallOptions, more: GetOptions): CallOptions {
  return { ...options, ...more, metadata: { ...options.metadata, ...more.metadata } };
}
