import type { Action } from "../core/actions.ts";
import type { HookContext } from "../core/context.ts";
import type { Edit, Hook, HookFailure } from "../core/hook.ts";
import { jsonPointer, setOwn } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { MASK } from "../core/mask.ts";
import type { TraceChange, TraceEntry } from "../core/outcome.ts";
import type { Clock, Redactor } from "../core/ports.ts";
import { isContainer, ownData, shown } from "../core/shown.ts";
import { shownJson } from "../core/to-json.ts";
import type { ChainObserver } from "./observer.ts";
import type { Entry } from "./snapshot.ts";
import type { UnreadReport } from "./unreadable.ts";

/** Writes one dispatch down, hook by hook; exists only while tracing is on. */
export class ChainTrace implements ChainObserver {
  readonly entries: TraceEntry[] = [];
  readonly #clock: Clock;
  #started = 0;

  readonly #withValues: boolean;
  readonly #redactor: Redactor | undefined;

  /**
   * @param withValues whether it says what changed from what to what
   * @param redactor masks what it says
   */
  constructor(clock: Clock, withValues: boolean, redactor?: Redactor) {
    this.#clock = clock;
    this.#withValues = withValues;
    this.#redactor = redactor;
  }

  start(): void {
    this.#started = this.#clock.now();
  }

  ran(
    hook: Hook,
    action: Action,
    edits: readonly Edit[],
    before: HookContext,
    unread?: UnreadReport,
  ): void {
    const reason = "reason" in action ? action.reason : undefined;
    const { why, dropped = [] } = unread ?? {};
    this.#push(hook, {
      status: "ran",
      action: action.action,
      ...(reason !== undefined && { reason: this.#said(reason) }),
      duration_ms: this.#clock.now() - this.#started,
      ...(why !== undefined && { unreadable: this.#said(why) }),
      ...(dropped.length > 0 && { dropped: dropped.map((what) => this.#said(what)) }),
      ...(edits.length > 0 && {
        changed: edits.map((edit) => this.#said(jsonPointer(edit.path))),
      }),
      ...(this.#withValues &&
        edits.length > 0 && { changes: changesOf(edits, before, this.#redactor) }),
    });
  }

  failed(hook: Hook, failure: HookFailure): void {
    this.#push(hook, {
      status: failure.kind === "timeout" ? "timed_out" : "failed",
      reason: this.#said(failure.message),
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

  #said(text: string): string {
    return this.#redactor ? this.#redactor.text(text) : text;
  }

  #push(hook: Hook, rest: Omit<TraceEntry, "id" | "source">): void {
    this.entries.push({ id: hook.id, ...(hook.source && { source: hook.source }), ...rest });
  }
}

/** The last word on each path, against what was there before all of them. */
function changesOf(
  edits: readonly Edit[],
  before: HookContext,
  redactor: Redactor | undefined,
): TraceChange[] {
  const last = new Map(edits.map((edit) => [jsonPointer(edit.path), edit]));
  return Array.from(last, ([path, edit]) => {
    const said = (value: unknown): unknown =>
      redactor ? maskedAt(edit.path, value, redactor) : value;
    const was = valueAt(before, edit.path);
    return {
      path: redactor ? redactor.text(path) : path,
      ...(was !== undefined && { before: said(was) }),
      ...(edit.value !== undefined && { after: said(edit.value) }),
    };
  });
}

/** A value masked as it is where it stands: the names above it tell, too. */
function maskedAt(path: Edit["path"], value: unknown, redactor: Redactor): unknown {
  let json: Json;
  try {
    json = shownJson(value, true);
  } catch {
    // What cannot be looked through is not shown.
    return MASK;
  }
  const nested = path.reduceRight((inner: Json, key) => {
    const outer: JsonObject = {};
    setOwn(outer, String(key), inner);
    return outer;
  }, json);
  let masked: Json | undefined = redactor.value(nested);
  for (let depth = 0; depth < path.length; depth++) masked = Object.values(masked as JsonObject)[0];
  return masked;
}

function valueAt(root: unknown, path: Edit["path"]): unknown {
  let at = root;
  for (const key of path) {
    const seen = shown(at);
    at = isContainer(seen) ? ownData(seen, key) : undefined;
  }
  return at;
}
