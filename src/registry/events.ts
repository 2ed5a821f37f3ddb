import type { Action, ActionName, Decision } from "../core/actions.ts";
import type { OrcsError } from "../core/errors.ts";
import { messageOf } from "../core/errors.ts";
import type { Edit, Hook, HookFailure } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Clock, Logger } from "../core/ports.ts";
import type { InvokeOutcome } from "./invoke.ts";
import type { ChainObserver } from "./trace-recorder.ts";

/** Result of one hook in one dispatch. */
interface HookEvent {
  hook: string;
  point: string;
  duration_ms: number;
  action: ActionName;
  decision?: Decision;
  reason?: string;
}

/** Events about single hooks. */
const HOOK_EVENTS = ["executed", "skipped", "aborted", "replaced", "failed"] as const;

/** Events of an engine. */
export interface EngineEvents {
  /** A dispatch has ended, whether or not a hook ran. */
  dispatched: {
    point: string;
    component: string;
    /** Child path, if the event is about a child. */
    child?: string;
    outcome: Outcome;
    duration_ms: number;
  };
  /** A tool call has ended; `args` are those given by the caller. */
  called: { tool: string; args: JsonObject; outcome: InvokeOutcome; duration_ms: number };
  /** A hook has returned, whatever its result. */
  executed: HookEvent;
  /** A hook returned `skip`, `abort` or `replace`; emitted after `executed`. */
  skipped: HookEvent;
  aborted: HookEvent;
  replaced: HookEvent;
  /** A hook failed. */
  failed: { hook: string; point: string; duration_ms: number; failure: HookFailure };
  /** An asynchronous hook was not run: too many were waiting, or the engine was closed. */
  dropped: { hook: string; point: string };
  /** The configuration was reloaded. */
  reloaded: {
    /** Number of hooks in the new configuration. */
    hooks: number;
    /** Changed settings that take effect at the next start. */
    pending: readonly string[];
    duration_ms: number;
  };
  /** The new configuration has errors; the previous hooks stay active. */
  reload_failed: { error: OrcsError };
  /** A recording could not be continued (ORCS8008): nothing more of this engine is recorded. */
  record_stopped: { error: OrcsError };
  /** An entry of the audit log could not be written (ORCS8005). */
  audit_failed: { error: OrcsError };
}

export type EventName = keyof EngineEvents;

/** Listeners of an engine. A listener that throws is logged and cannot break a dispatch. */
export class EventEmitter {
  readonly #logger: Logger;
  /** Cached, because every dispatch asks for it. */
  #hooksHeard = false;
  readonly #listeners = new Map<EventName, Set<(event: never) => void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Add a listener; returns a function that removes it. */
  on<E extends EventName>(name: E, listener: (event: EngineEvents[E]) => void): () => void {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set);
    set.add(listener);
    this.#lookForHooks();
    return () => {
      set.delete(listener);
      this.#lookForHooks();
    };
  }

  /** Whether there are listeners for events of single hooks. */
  get hooksHeard(): boolean {
    return this.#hooksHeard;
  }

  /** Whether there are listeners, to avoid the cost of unused events. */
  heard(name: EventName): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<E extends EventName>(name: E, event: EngineEvents[E]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        const waits: unknown = (listener as (event: EngineEvents[E]) => unknown)(event);
        // Listeners are not awaited: a rejection of an async one would end the whole process.
        if (waits instanceof Promise) waits.catch((thrown: unknown) => this.#threw(name, thrown));
      } catch (thrown) {
        this.#threw(name, thrown);
      }
    }
  }

  #lookForHooks(): void {
    this.#hooksHeard = HOOK_EVENTS.some((name) => this.heard(name));
  }

  #threw(name: EventName, thrown: unknown): void {
    this.#logger.error(`a listener of ${name} threw: ${messageOf(thrown)}`);
  }
}

/** The event for an action, in addition to `executed`. */
const OF_ACTION = { skip: "skipped", abort: "aborted", replace: "replaced" } as const;

/** The observer that emits events for each hook of a dispatch; undefined without listeners, so it costs nothing. */
export function hookEvents(events: EventEmitter, clock: Clock): ChainObserver | undefined {
  return events.hooksHeard ? new HookEvents(events, clock) : undefined;
}

class HookEvents implements ChainObserver {
  readonly #events: EventEmitter;
  readonly #clock: Clock;
  #started = 0;

  constructor(events: EventEmitter, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  start(): void {
    this.#started = this.#clock.now();
  }

  ran(hook: Hook, action: Action, _edits: readonly Edit[]): void {
    const event: HookEvent = {
      ...this.#of(hook),
      action: action.action,
      ...("decision" in action && action.decision && { decision: action.decision }),
      ...("reason" in action && action.reason !== undefined && { reason: action.reason }),
    };
    this.#events.emit("executed", event);
    if (action.action in OF_ACTION) {
      this.#events.emit(OF_ACTION[action.action as keyof typeof OF_ACTION], event);
    }
  }

  failed(hook: Hook, failure: HookFailure): void {
    this.#events.emit("failed", { ...this.#of(hook), failure });
  }

  passed(): void {}

  notReached(): void {}

  #of(hook: Hook): { hook: string; point: string; duration_ms: number } {
    const duration_ms = this.#clock.now() - this.#started;
    return { hook: hook.id, point: hook.point.name, duration_ms };
  }
}
