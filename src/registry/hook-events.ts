import type { Action } from "../core/actions.ts";
import type { Edit, Hook, HookFailure } from "../core/hook.ts";
import type { Clock } from "../core/ports.ts";
import type { EventEmitter, HookEvent } from "./events.ts";
import type { ChainObserver } from "./observer.ts";

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
