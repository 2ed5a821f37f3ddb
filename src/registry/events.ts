import type { Action, ActionName, Decision } from "../core/actions.ts";
import type { OrcsError } from "../core/errors.ts";
import { messageOf } from "../core/errors.ts";
import type { Edit, Hook, HookFailure } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Clock, Logger } from "../core/ports.ts";
import type { InvokeOutcome } from "./invoke.ts";
import type { ChainObserver } from "./trace-recorder.ts";

/** What became of one hook in one dispatch. */
interface HookEvent {
  hook: string;
  point: string;
  duration_ms: number;
  action: ActionName;
  decision?: Decision;
  reason?: string;
}

/** The events of single hooks. */
const HOOK_EVENTS = ["executed", "skipped", "aborted", "replaced", "failed"] as const;

/** What an engine tells those who listen. */
export interface EngineEvents {
  /** A dispatch has settled, whether or not a hook ran. */
  dispatched: {
    point: string;
    component: string;
    /** Child path, where a child is concerned. */
    child?: string;
    outcome: Outcome;
    duration_ms: number;
  };
  /** A tool call has settled: with its arguments as the caller gave them. */
  called: { tool: string; args: JsonObject; outcome: InvokeOutcome; duration_ms: number };
  /** A hook answered, whatever it was. */
  executed: HookEvent;
  /** A hook answered `skip`, `abort` or `replace`; told after `executed`. */
  skipped: HookEvent;
  aborted: HookEvent;
  replaced: HookEvent;
  /** A hook failed. */
  failed: { hook: string; point: string; duration_ms: number; failure: HookFailure };
  /** A hook that nobody waits for was not run: too many were waiting, or the engine closed. */
  dropped: { hook: string; point: string };
  /** The configuration was loaded anew. */
  reloaded: {
    /** How many hooks it has now. */
    hooks: number;
    /** Settings that differ and take effect at the next start. */
    pending: readonly string[];
    duration_ms: number;
  };
  /** The new configuration has errors; the previous hooks stay active. */
  reload_failed: { error: OrcsError };
  /** A recording could not be gone on with (ORCS8008): nothing more of this engine is recorded. */
  record_stopped: { error: OrcsError };
  /** An entry of the audit log could not be written (ORCS8005). */
  audit_failed: { error: OrcsError };
}

export type EventName = keyof EngineEvents;

/** Listeners of an engine. A listener that throws is logged and cannot break a dispatch. */
export class EventEmitter {
  readonly #logger: Logger;
  /** Asked by every dispatch, so it is known beforehand. */
  #hooksHeard = false;
  readonly #listeners = new Map<EventName, Set<(event: never) => void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Listen; returns a function that stops listening. */
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

  /** Whether anybody listens to what becomes of single hooks. */
  get hooksHeard(): boolean {
    return this.#hooksHeard;
  }

  /** Whether anybody listens, so that nobody pays for events that are not heard. */
  heard(name: EventName): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<E extends EventName>(name: E, event: EngineEvents[E]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        const waits: unknown = (listener as (event: EngineEvents[E]) => unknown)(event);
        // Nobody awaits a listener: an async one that rejects would end the whole program.
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

/** The event of an action, besides `executed`. */
const OF_ACTION = { skip: "skipped", abort: "aborted", replace: "replaced" } as const;

/** What tells listeners what becomes of each hook of a dispatch; nobody listens, nobody pays. */
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
