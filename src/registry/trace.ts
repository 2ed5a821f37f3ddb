import type { Action } from "../core/actions.ts";
import type { HookContext } from "../core/context.ts";
import type { Edit, Hook, HookFailure } from "../core/hook.ts";
import { jsonPointer } from "../core/json.ts";
import type { TraceChange, TraceEntry } from "../core/outcome.ts";
import type { Clock } from "../core/ports.ts";
import type { ChainObserver } from "./observer.ts";
import type { Entry } from "./snapshot.ts";

/** Writes one dispatch down, hook by hook; exists only while tracing is on. */
export class ChainTrace implements ChainObserver {
  readonly entries: TraceEntry[] = [];
  readonly #clock: Clock;
  #started = 0;

  readonly #withValues: boolean;

  /** @param withValues whether it says what changed from what to what */
  constructor(clock: Clock, withValues: boolean) {
    this.#clock = clock;
    this.#withValues = withValues;
  }

  start(): void {
    this.#started = this.#clock.now();
  }

  ran(hook: Hook, action: Action, edits: readonly Edit[], before: HookContext): void {
    const reason = "reason" in action ? action.reason : undefined;
    this.#push(hook, {
      status: "ran",
      action: action.action,
      ...(reason !== undefined && { reason }),
      duration_ms: this.#clock.now() - this.#started,
      ...(edits.length > 0 && { changed: edits.map((edit) => jsonPointer(edit.path)) }),
      ...(this.#withValues && edits.length > 0 && { changes: changesOf(edits, before) }),
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

/** The last word on each path, against what was there before all of them. */
function changesOf(edits: readonly Edit[], before: HookContext): TraceChange[] {
  const last = new Map(edits.map((edit) => [jsonPointer(edit.path), edit]));
  return Array.from(last, ([path, edit]) => {
    const was = valueAt(before, edit.path);
    return {
      path,
      ...(was !== undefined && { before: was }),
      ...(edit.value !== undefined && { after: edit.value }),
    };
  });
}

function valueAt(root: unknown, path: Edit["path"]): unknown {
  let at = root;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    // A getter of the host's is not run for a trace.
    const own = Object.getOwnPropertyDescriptor(at, key);
    at = own?.value;
  }
  return at;
}
