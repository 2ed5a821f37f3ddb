import { isDeepStrictEqual } from "node:util";
import { OrcsError, POINT_TABLE, type HookContext, type JsonObject } from "../../core/index.ts";
import { createOrcs, type HookDefinition, type Orcs } from "../../engine/index.ts";
import type { EventRow } from "./a3s-events.ts";
import { eventRow, isEventOf, modifiedBy, modify, toEvent, toPoint } from "./a3s-events.ts";
import type { HookHandler, HookResponse, HookResult, HookSpec } from "./a3s-hook.ts";
import { actionOf, Hook, matchOf, resultOf, TARGETS } from "./a3s-hook.ts";
import type { HookEvent, HookEventType } from "./a3s-payloads.ts";
import { NewestMap } from "./newest-map.ts";

/** Number of tools in `recent_tools`. */
const MOST_RECENT = 10;

export { HookEventType } from "./a3s-payloads.ts";
export type * from "./a3s-payloads.ts";
export { Hook, HookMatcher, HookResponse } from "./a3s-hook.ts";
export type { HookConfig, HookHandler, HookResult, HookSpec, MatcherSpec } from "./a3s-hook.ts";

interface Registered {
  readonly hook: Hook;
  /** Removes it from the engine; undefined while there is none. */
  remove: (() => void) | undefined;
}

/**
 * The hook engine of A3S Box, implemented with orcs. Hooks and handlers are registered separately, in any order, and
 * matched by id; a hook without a handler allows everything.
 * The rules are those of orcs: ascending priority; a hook that fails before an operation denies it; `Block` after one
 * withholds its result; at `session_start` and `session_end` it is a failure that is skipped. `Escalate` before an
 * operation asks, and a later hook can still block; after one it withholds the result. An event without a point of its
 * own is dispatched at `host.pre_event`.
 */
export class HookEngine {
  #orcs: Orcs | undefined;
  /** Its own engine, once it was requested. */
  #opening: Promise<Orcs> | undefined;
  #closed = false;
  readonly #hooks = new Map<string, Registered>();
  readonly #handlers = new Map<string, HookHandler>();
  /** Names of the tools called before, by session; of the newest sessions only. */
  readonly #recent = new NewestMap<unknown, readonly unknown[]>();
  /** Hooks whose handlers were reported because they changed their event. */
  readonly #warned = new Set<string>();

  /**
   * @param orcs engine to use, whose other hooks see the same events; its owner closes it. Without it, the first `fire`
   * creates one without a configuration.
   */
  constructor(orcs?: Orcs) {
    this.#orcs = orcs;
  }

  /**
   * Register a hook; it replaces one with the same id.
   * With its own engine, an invalid hook (for example an invalid pattern) is found by the first `fire`, which rejects
   * then, and so do later ones until the hook is unregistered.
   * @throws OrcsError ORCS1005 (unknown event); with a given engine, also ORCS1003, ORCS1004, ORCS1012 for an invalid
   * hook and ORCS2007 when another hook there has the id
   */
  register(spec: HookSpec): void {
    const hook = Hook.of(spec);
    const definition = this.#definition(hook);
    const old = this.unregister(hook.id);
    try {
      this.#hooks.set(hook.id, { hook, remove: this.#orcs?.hook(definition) });
    } catch (thrown) {
      if (old) this.register(old);
      throw thrown;
    }
  }

  /** Remove a hook and return it; its handler stays. */
  unregister(hookId: string): Hook | null {
    const registered = this.#hooks.get(hookId);
    if (!registered) return null;
    this.#hooks.delete(hookId);
    registered.remove?.();
    return registered.hook;
  }

  /** Set the handler of a hook, which need not be registered yet; it replaces an existing one. */
  register_handler<E extends HookEventType>(hookId: string, handler: HookHandler<E>): void {
    this.#handlers.set(hookId, handler);
  }

  /** Remove a handler; its hook allows everything from now on. */
  unregister_handler(hookId: string): void {
    this.#handlers.delete(hookId);
  }

  /**
   * Run the hooks of an event. It does not follow `Retry`: the caller does.
   * @throws OrcsError ORCS1005 (unknown event), ORCS2003 (invalid payload), ORCS2006 (closed); with its own engine also
   * the error of an invalid hook
   */
  async fire<E extends HookEventType>(event: HookEvent<E>): Promise<HookResult<E>> {
    const row = eventRow(event.event_type);
    const payload = toPoint(row, event.payload);
    if (row.event_type === "pre_tool_use") this.#fillRecent(payload);
    if (!this.#orcs && this.#closed) throw new OrcsError("ORCS2006", "this engine is closed");
    const orcs = this.#orcs ?? (await (this.#opening ??= this.#create()));
    const outcome = await orcs.dispatch(row.point, payload);
    const modified = modifiedBy(row, payload, outcome.ctx.payload);
    return resultOf(outcome, modified, (id) => this.#hooks.has(id)) as HookResult<E>;
  }

  /** All hooks, in the order of registration. */
  all_hooks(): Hook[] {
    return [...this.#hooks.values()].map(({ hook }) => hook);
  }

  get_hook(id: string): Hook | null {
    return this.#hooks.get(id)?.hook ?? null;
  }

  hook_count(): number {
    return this.#hooks.size;
  }

  /** Close its own engine; then `fire` rejects. A given engine is not closed. */
  async close(): Promise<void> {
    this.#closed = true;
    // Hooks that kept it from opening were reported by `fire`.
    const orcs = await this.#opening?.catch(() => undefined);
    await orcs?.close();
  }

  /** The tools called before in the session, if the event does not say them. */
  #fillRecent(payload: Record<string, unknown>): void {
    const { session_id: session = "", tool_name: tool, recent_tools: given } = payload;
    const recent = this.#recent.get(session) ?? [];
    if (!Array.isArray(given) || given.length === 0) payload["recent_tools"] = [...recent];
    this.#recent.keep(session, [...recent, tool].slice(-MOST_RECENT));
  }

  async #create(): Promise<Orcs> {
    const orcs = await createOrcs({ config: false });
    try {
      for (const registered of this.#hooks.values()) {
        registered.remove = orcs.hook(this.#definition(registered.hook));
      }
    } catch (thrown) {
      this.#opening = undefined;
      await orcs.close();
      throw thrown;
    }
    this.#orcs = orcs;
    return orcs;
  }

  /** A hook in the engine's form. Unknown config keys are kept, for the engine to reject. */
  #definition({ id, event_type, matcher, config }: Hook): HookDefinition {
    const row = eventRow(event_type);
    const { priority, timeout_ms, async_execution, max_retries, ...unknown } = config;
    return {
      ...unknown,
      id,
      point: row.point,
      match: matcher && matchOf(matcher),
      priority,
      timeoutMs: timeout_ms,
      maxRetries: max_retries,
      // Hooks before an operation are awaited: otherwise their `Block` would be too late.
      async: row.gates && async_execution ? false : async_execution,
      handler: (ctx) => this.#run(id, row, ctx),
    };
  }

  #run(id: string, row: EventRow, ctx: HookContext): unknown {
    const handler = this.#handlers.get(id);
    if (!handler || !isEventOf(row, ctx.payload)) return undefined;
    const event = toEvent(row, ctx.payload);
    const take = (answer: HookResponse | undefined): unknown => {
      this.#warnOfEdits(id, row, ctx, event);
      return taken(id, row, ctx, answer);
    };
    const answer = handler.handle(event);
    return answer instanceof Promise ? answer.then(take) : take(answer);
  }

  /** A handler that edits its copy of the event expects an effect. */
  #warnOfEdits(id: string, row: EventRow, ctx: HookContext, event: HookEvent): void {
    if (this.#warned.has(id) || isDeepStrictEqual(event, toEvent(row, ctx.payload))) return;
    this.#warned.add(id);
    process.emitWarning(
      `the handler of hook ${id} changed its copy of the event, which has no effect: return the change as \`modified\` of a Continue`,
      "OrcsWarning",
    );
  }
}

/** Apply a handler's response: its changes, and the rest in the engine's form. */
function taken(
  id: string,
  row: EventRow,
  ctx: HookContext,
  answer: HookResponse | undefined,
): unknown {
  // The engine handles a missing response and values that are not objects.
  if (typeof answer !== "object" || answer === null) return answer;
  const canAsk = POINT_TABLE[row.point].phase === "pre";
  const action = actionOf(answer, canAsk);
  if (answer.action === "Continue" && answer.modified !== undefined) {
    modify(row, ctx.payload, answer.modified);
  }
  if (answer.action === "Escalate" && canAsk && answer.target !== undefined) {
    ctx.metadata[TARGETS] = {
      ...(ctx.metadata[TARGETS] as JsonObject | undefined),
      [id]: answer.target,
    };
  }
  return action;
}
