import { createOrcs, type Orcs } from "../../engine/index.ts";
import { compileRegex } from "../../matching/index.ts";
import { actionOf, HookContext, HookEvent, resultOf, type HookResult } from "./v3-context.ts";

export { HookContext, HookEvent, HookResult, PermissionDecision } from "./v3-context.ts";
export type { AgentInternals } from "./v3-context.ts";

/** A hook as a function: it can edit the context in place, and returns its decision, or nothing. */
export type HookFn<E extends HookEvent = HookEvent> = (
  ctx: HookContext<E>,
) => HookResult | undefined | void | Promise<HookResult | undefined | void>;

/** A hook: a function, or an object with one. */
export type Hook<E extends HookEvent = HookEvent> = HookFn<E> | { call: HookFn<E> };

/** A hook for the tools whose name matches a pattern anywhere; without one, for all. */
export class HookMatcher<E extends HookEvent = HookEvent> {
  readonly pattern: string | undefined;
  readonly hook: Hook<E>;
  readonly #regex: ReturnType<typeof compileRegex> | undefined;

  private constructor(hook: Hook<E>, pattern?: string) {
    this.hook = hook;
    this.pattern = pattern;
    this.#regex = pattern === undefined ? undefined : compileRegex("tool_regex", pattern);
  }

  static new<E extends HookEvent>(hook: Hook<E>): HookMatcher<E> {
    return new HookMatcher(hook);
  }

  /** @param pattern regular expression (RE2) @throws OrcsError ORCS1012 for an invalid one */
  static with_pattern<E extends HookEvent>(pattern: string, hook: Hook<E>): HookMatcher<E> {
    return new HookMatcher(hook, pattern);
  }

  /** Whether the hook runs for a tool; undefined where there is none. */
  matches(tool: string | undefined): boolean {
    return this.#regex === undefined || (tool !== undefined && this.#regex.test(tool));
  }
}

/**
 * The hook registry of the agent SDK ("v3"), implemented with orcs. Hooks run in the order in which they were added; a
 * denial wins and ends the chain, then `ask`, then `allow`. The edits of a failed hook are dropped, and it denies
 * before an operation.
 *
 * @example
 * const hooks = await HookRegistry.new();
 * hooks.addWithPattern(HookEvent.PreToolUse, "Bash", (ctx) =>
 *   String(ctx.tool_input["command"]).includes("rm -rf") ? HookResult.deny("Dangerous command") : HookResult.none(),
 * );
 * const result = await hooks.run(HookContext.preToolUse(internals, "Bash", input, id));
 */
export class HookRegistry {
  /** Its engine; close it when done. */
  readonly orcs: Orcs;

  /** @param orcs engine to use, whose other hooks see the same events */
  constructor(orcs: Orcs) {
    this.orcs = orcs;
  }

  /** A registry with its own engine, without a configuration. */
  static async new(): Promise<HookRegistry> {
    return new HookRegistry(await createOrcs({ config: false }));
  }

  /**
   * Add a hook for all occurrences of an event.
   * @throws OrcsError ORCS1005 (unknown event), ORCS2006 (closed)
   */
  add<E extends HookEvent>(event: E, hook: Hook<E>): this {
    return this.#add(event, hook, undefined);
  }

  /**
   * Add a hook for tools whose name matches the pattern anywhere; anchor it for whole names.
   * @param pattern regular expression (RE2)
   * @throws OrcsError as `add`, and ORCS1012 for an invalid pattern
   */
  addWithPattern<E extends HookEvent>(event: E, pattern: string, hook: Hook<E>): this {
    return this.#add(event, hook, pattern);
  }

  /** Add a hook with its own condition. @throws OrcsError as `add` */
  addMatcher<E extends HookEvent>(event: E, matcher: HookMatcher<E>): this {
    return this.#add(event, matcher.hook, matcher.pattern);
  }

  /**
   * Run the hooks of a context, which they can change: see `HookContext`.
   * @returns their combined decision
   * @throws OrcsError ORCS2003 (invalid context), ORCS2006 (closed)
   */
  async run<E extends HookEvent>(ctx: HookContext<E>): Promise<HookResult> {
    const outcome = await ctx.lend((payload, metadata) =>
      this.orcs.dispatch<string>(ctx.event, payload, { metadata }),
    );
    return resultOf(outcome);
  }

  #add<E extends HookEvent>(event: E, hook: Hook<E>, pattern: string | undefined): this {
    const call: HookFn<E> = typeof hook === "function" ? hook : (ctx) => hook.call(ctx);
    this.orcs.hook<string>({
      point: event,
      ...(pattern !== undefined && { match: { tool_regex: pattern } }),
      handler: (ctx) => {
        const result = call(new HookContext(event, ctx));
        return result instanceof Promise ? result.then(actionOf) : actionOf(result);
      },
    });
    return this;
  }
}
