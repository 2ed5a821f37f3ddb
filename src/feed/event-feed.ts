import type { HookContext } from "../core/context.ts";
import { addIds } from "../core/dispatch-ids.ts";
import type { SettledDispatch } from "../core/dispatch-log.ts";
import type { Redactor } from "../core/ports.ts";
import type { Writable } from "../core/writable.ts";
import type { Orcs } from "../engine/orcs.ts";
import { recordedEvent } from "../recording/recorded-event.ts";
import type { EngineEvents, HookStep, ShadowStep } from "../registry/events.ts";
import type { FeedItem, SeenDispatch, SeenStep } from "./seen-dispatch.ts";
import { isLate } from "./seen-dispatch.ts";

/** A dispatch that has begun. */
interface Open {
  readonly began: number;
  readonly ctx: HookContext;
  readonly hooks: SeenStep[];
}

/** Limits of what is kept for a reader. */
export interface FeedLimits {
  /** Items that were not taken yet. */
  readonly waiting: number;
  /** Characters of these items together; the newest item is kept in any case. */
  readonly characters: number;
  /** Dispatches that have begun and not ended. */
  readonly open: number;
}

const LIMITS: FeedLimits = { waiting: 5000, characters: 32 * 2 ** 20, open: 10_000 };

/**
 * What the engines of a process do, for one reader: each dispatch with all its hooks, masked as the log is. It listens
 * only between `attach` and `detach`. A reader that is slow loses the oldest items, and learns how many.
 */
export class EventFeed {
  readonly #limits: FeedLimits;
  readonly #added: () => void;
  #detachers: (() => void)[] = [];
  #items: FeedItem[] = [];
  /** The characters of each item. */
  #sizes: number[] = [];
  #characters = 0;
  #lost = 0;

  /** @param added called after each item */
  constructor(added: () => void = () => undefined, limits: Partial<FeedLimits> = {}) {
    this.#added = added;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Listen to an engine as well. */
  attach(orcs: Orcs): void {
    const open = new Map<string, Open>();
    /** What hooks have logged that have not ended, by dispatch and hook. */
    const said = new Map<string, string[]>();
    const told = (event: HookStep | ShadowStep): SeenStep => {
      const step = stepOf(event);
      // A queued hook runs later.
      if (said.size === 0 || event.status === "queued") return step;
      const key = `${event.dispatch_id} ${event.hook}`;
      const logs = said.get(key);
      if (logs) step.logs = logs;
      said.delete(key);
      return step;
    };
    const mask = redactorOf(orcs);
    const { events } = orcs;
    this.#detachers.push(
      events.on("dispatch_started", ({ dispatch_id, ctx }) => {
        if (open.size < this.#limits.open) {
          open.set(dispatch_id, { began: Date.now(), ctx, hooks: [] });
        } else this.#lost++;
      }),
      events.on("hook", (step) => {
        const dispatch = open.get(step.dispatch_id);
        if (dispatch && step.async !== true) dispatch.hooks.push(told(step));
        else if (step.async === true) {
          this.#add({ dispatch_id: step.dispatch_id, late: told(step) });
        }
      }),
      events.on("shadow", (step) => {
        const dispatch = open.get(step.dispatch_id);
        if (dispatch) dispatch.hooks.push(told(step));
        else this.#add({ dispatch_id: step.dispatch_id, late: told(step) });
      }),
      events.on("logged", ({ dispatch_id, hook, text }) => {
        const key = `${dispatch_id} ${hook}`;
        const lines = said.get(key);
        if (lines) lines.push(text);
        else if (said.size < this.#limits.open) said.set(key, [text]);
      }),
      events.on("dispatched", (ended) => {
        const dispatch = open.get(ended.dispatch_id);
        // It began before somebody listened.
        if (!dispatch) return;
        open.delete(ended.dispatch_id);
        const { began, hooks } = dispatch;
        const settled = settledOf(ended, dispatch.ctx);
        const seen: Writable<SeenDispatch> = Object.assign(
          recordedEvent(settled, mask, Date.now()),
          { dispatch_id: ended.dispatch_id, began, hooks },
        );
        addIds(seen, ended);
        this.#add(seen);
      }),
    );
  }

  /** Stop listening. What was not taken is dropped. */
  detach(): void {
    for (const detach of this.#detachers) detach();
    this.#detachers = [];
    this.#drop(this.#items.length);
    this.#lost = 0;
  }

  /** How many items wait. */
  get size(): number {
    return this.#items.length;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0 && this.#lost === 0;
  }

  /** What has ended since the last call, and how much of it was dropped because nobody took it. */
  take(most: number): { readonly items: readonly FeedItem[]; readonly lost: number } {
    const items = this.#drop(most);
    const lost = this.#lost;
    this.#lost = 0;
    return { items, lost };
  }

  #add(item: FeedItem): void {
    const size = sizeOf(item);
    this.#items.push(item);
    this.#sizes.push(size);
    this.#characters += size;
    const { waiting, characters } = this.#limits;
    // Half of them at once: to drop one after another would move the rest each time.
    while (
      this.#items.length > 1 &&
      (this.#items.length > waiting || this.#characters > characters)
    ) {
      this.#lost += this.#drop(Math.floor(this.#items.length / 2)).length;
    }
    this.#added();
  }

  /** Remove the oldest items. */
  #drop(count: number): FeedItem[] {
    for (const size of this.#sizes.splice(0, count)) this.#characters -= size;
    return this.#items.splice(0, count);
  }
}

/** The characters of a step that only ran, or did not. */
const STEP_CHARACTERS = 150;

/** About as many characters as the JSON of an item has: an exact count would have to make it. */
function sizeOf(item: FeedItem): number {
  if (isLate(item)) return charactersIn(item);
  const { payload, metadata, outcome, hooks } = item;
  let size = charactersIn(payload) + charactersIn(metadata) + charactersIn(outcome);
  for (const step of hooks) size += hasTexts(step) ? charactersIn(step) : STEP_CHARACTERS;
  return size;
}

/** Whether a step has something that may be long. */
function hasTexts({
  patch,
  reason,
  traceback,
  inject,
  result,
  effects,
  mismatch,
  logs,
}: SeenStep): boolean {
  const texts = patch ?? reason ?? traceback ?? inject ?? result ?? effects ?? mismatch ?? logs;
  return texts !== undefined;
}

function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let characters = 2;
  for (const key in value) {
    characters += key.length + charactersIn((value as Readonly<Record<string, unknown>>)[key]);
  }
  return characters;
}

function redactorOf(orcs: Orcs): Redactor {
  const value: Redactor["value"] = (given) => orcs.redact(given);
  return { value, text: (text) => value(text) };
}

/** As the recorder gets it; it reads the name of the point only. */
function settledOf(
  { point, component, child, outcome, duration_ms }: EngineEvents["dispatched"],
  began: HookContext,
): SettledDispatch {
  return {
    point: { name: point } as SettledDispatch["point"],
    began,
    caller: { component, child },
    outcome,
    failures: [],
    changed: [],
    by: undefined,
    duration_ms,
  };
}

/** Without what the dispatch has already. */
function stepOf(event: HookStep | ShadowStep): Writable<SeenStep> {
  const step: Writable<SeenStep> = {
    hook: event.hook,
    status: event.status,
  };
  if (event.source !== undefined) step.source = event.source;
  if (event.failing !== undefined) step.failing = event.failing;
  if (event.mode !== undefined) step.mode = event.mode;
  if (event.mismatch !== undefined) step.mismatch = event.mismatch;
  if (event.action !== undefined) step.action = event.action;
  if (event.decision !== undefined) step.decision = event.decision;
  if (event.reason !== undefined) step.reason = event.reason;
  if (event.traceback !== undefined) step.traceback = event.traceback;
  if (event.unreadable !== undefined) step.unreadable = event.unreadable;
  if (event.dropped !== undefined) step.dropped = event.dropped;
  if (event.duration_us !== undefined) step.duration_us = event.duration_us;
  if (event.patch !== undefined) step.patch = event.patch;
  if ("async" in event) step.async = event.async;
  if ("inject" in event) step.inject = event.inject;
  if ("result" in event) step.result = event.result;
  if ("effects" in event) step.effects = event.effects;
  return step;
}
