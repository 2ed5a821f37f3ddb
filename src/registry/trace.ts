import type { Action } from "../core/actions.ts";
import type { Edit, Hook, HookFailure } from "../core/hook.ts";
import { jsonPointer } from "../core/json.ts";
import type { TraceEntry } from "../core/outcome.ts";
import type { Clock } from "../core/ports.ts";
import type { ChainObserver } from "./observer.ts";
import type { Entry } from "./snapshot.ts";

/** Writes one dispatch down, hook by hook; exists only while tracing is on. */
export class ChainTrace implements ChainObserver {
  readonly entries: TraceEntry[] = [];
  readonly #clock: Clock;
  #started = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#started = this.#clock.now();
  }

  ran(hook: Hook, action: Action, edits: readonly Edit[]): void {
    const reason = "reason" in action ? action.reason : undefined;
    this.#push(hook, {
      status: "ran",
      action: action.action,
      ...(reason !== undefined && { reason }),
      duration_ms: this.#clock.now() - this.#started,
      ...(edits.length > 0 && { changed: edits.map((edit) => jsonPointer(edit.path)) }),
    });
  }

  failed(hook: Hook, failure: HookFailure): void {
    this.#push(hook, {
      status: failure.kind === "timeout" ? "timed_out" : "failed",
      reason: failure.message,
      duration_ms: this.#clock.now() - this.#started,
    });
  }

  passed(
    hook: Hook,
    status: "disabled" | "not_matched" | "queued",
    failing?: TraceEntry["failing"],
  ): void {
    this.#push(hook, { status, ...(failing !== undefined && { failing }) });
  }

  notReached(entries: readonly Entry[]): void {
    for (const { hook } of entries) this.#push(hook, { status: "not_reached" });
  }

  #push(hook: Hook, rest: Omit<TraceEntry, "id" | "source">): void {
    this.entries.push({ id: hook.id, ...(hook.source && { source: hook.source }), ...rest });
  }
}
