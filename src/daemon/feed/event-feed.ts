import { ANSWERED, ownData } from "../../core/index.ts";
import type { Container, HookContext, Redactor } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import type { EndedDispatch, Step } from "./ended-dispatch.ts";
import { briefDispatch, isNotable, seenDispatch, seenStep } from "./ended-dispatch.ts";
import type { FeedItem, SeenDispatch, SeenStep } from "./seen-dispatch.ts";

/** A dispatch that has begun. */
interface Open {
  readonly id: string;
  readonly began: number;
  readonly ctx: HookContext;
  readonly steps: Step[];
  /** Of its steps. */
  characters: number;
  isNotable: boolean;
}

/** Limits of what is kept for a reader. */
export interface FeedLimits {
  /** Items that were not taken yet. */
  readonly waiting: number;
  /**
   * Characters of these items together; the newest item is kept in any case. The same for what is kept of summaries.
   */
  readonly characters: number;
  /** Dispatches that have begun and not ended. */
  readonly open: number;
  /** Dispatches of which the reader got a summary. */
  readonly kept: number;
}

const LIMITS: FeedLimits = {
  waiting: 5000,
  characters: 32 * 2 ** 20,
  open: 10_000,
  // As many as the page lists.
  kept: 10_000,
};

/** What a reader asks for. */
export interface FeedOptions {
  /** Dispatches that passed come as summaries; the rest of each is there while it is kept. Default: all come whole. */
  readonly brief?: boolean | undefined;
  /** Called after each item. */
  readonly added?: (() => void) | undefined;
  readonly limits?: Partial<FeedLimits> | undefined;
}

/**
 * What the engines of a process do, for one reader: each dispatch with all its hooks, masked as the log is. It listens
 * only between `attach` and `detach`. A reader that is slow loses the oldest items, and learns how many.
 */
export class EventFeed {
  readonly #limits: FeedLimits;
  readonly #added: () => void;
  /** For a reader that takes summaries. */
  readonly #kept: KeptDispatches | undefined;
  readonly #logs = new WeakMap<Step, readonly string[]>();
  #detachers: (() => void)[] = [];
  #items: { readonly item: FeedItem; readonly size: number }[] = [];
  #characters = 0;
  #lost = 0;

  constructor({ brief = false, added = () => undefined, limits = {} }: FeedOptions = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#added = added;
    if (brief) this.#kept = new KeptDispatches(this.#limits);
  }

  /** Listen to an engine as well. */
  attach(orcs: Orcs): void {
    const open = new Map<string, Open>();
    /** What hooks have logged that have not ended, by dispatch and hook. */
    const said = new Map<string, string[]>();
    const keepLogs = (step: Step): void => {
      // A queued hook runs later.
      if (said.size === 0 || step.status === "queued") return;
      const key = `${step.dispatch_id} ${step.hook}`;
      const lines = said.get(key);
      if (lines) this.#logs.set(step, lines);
      said.delete(key);
    };
    /** Most steps are of the dispatch that the last one was of. */
    let last: Open | undefined;
    const dispatchOf = (id: string): Open | undefined => {
      if (last?.id !== id) last = open.get(id);
      return last;
    };
    const add = (step: Step): void => {
      const dispatch = "async" in step ? undefined : dispatchOf(step.dispatch_id);
      keepLogs(step);
      if (dispatch) {
        dispatch.steps.push(step);
        dispatch.characters += this.#charactersOf(step);
        dispatch.isNotable ||= isNotable(step);
      } else if ("async" in step || step.mode === "audit") this.#addLate(step);
    };
    const value: Redactor["value"] = (given) => orcs.redact(given);
    const mask: Redactor = { value, text: (text) => value(text) };
    const { events } = orcs;
    /** The newest that a hook wants approved, and that nobody has answered. */
    const asked = new Map<string, HookContext>();
    const answered = (id: string, refusal: string | undefined, by = "a person"): void => {
      if (!asked.delete(id)) return;
      const late: SeenStep = {
        hook: ANSWERED,
        status: "ran",
        action: refusal === undefined ? "continue" : "abort",
        reason: mask.text(refusal ?? `approved by ${by}`),
      };
      this.#add({ dispatch_id: id, late }, charactersIn(late));
    };
    this.#detachers.push(
      events.on("dispatch_started", ({ dispatch_id, ctx }) => {
        if (open.size < this.#limits.open) {
          const began = Date.now();
          const id = dispatch_id;
          open.set(id, { id, began, ctx, steps: [], characters: 0, isNotable: false });
        } else this.#lost++;
      }),
      events.on("hook", add),
      events.on("shadow", add),
      events.on("logged", ({ dispatch_id, hook, text }) => {
        const key = `${dispatch_id} ${hook}`;
        const lines = said.get(key);
        if (lines) lines.push(text);
        else if (said.size < this.#limits.open) said.set(key, [text]);
      }),
      events.on("answered", ({ ctx, refusal, by }) => {
        for (const [id, own] of asked) if (own === ctx) answered(id, refusal, by);
      }),
      // A call of a program goes on when it was approved.
      events.on("called", ({ dispatch_id, outcome }) =>
        answered(dispatch_id, outcome.action === "abort" ? outcome.reason : undefined),
      ),
      events.on("dispatched", (ended) => {
        const dispatch = dispatchOf(ended.dispatch_id);
        // It began before somebody listened.
        if (!dispatch) return;
        open.delete(ended.dispatch_id);
        last = undefined;
        // Key by key: V8 takes microseconds for each key after a spread.
        const { began, ctx, steps, characters, isNotable } = dispatch;
        const at = Date.now();
        if (ended.outcome.action === "continue" && ended.outcome.decision === "ask") {
          asked.set(ended.dispatch_id, ended.outcome.ctx);
          if (asked.size > MOST_ASKED) asked.delete(asked.keys().next().value ?? "");
        }
        this.#addDispatch({ began, at, ctx, ended, steps, characters, isNotable, mask });
      }),
    );
  }

  /** Stop listening. What was not taken is dropped. */
  detach(): void {
    for (const detach of this.#detachers) detach();
    this.#detachers = [];
    this.#drop(this.#items.length);
    this.#kept?.clear();
    this.#lost = 0;
  }

  /** The whole of a dispatch of which the reader got a summary; undefined when it is not kept any more. */
  dispatch(id: string): SeenDispatch | undefined {
    const dispatch = this.#kept?.get(id);
    return dispatch && seenDispatch(dispatch, this.#logs);
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

  #addDispatch(dispatch: EndedDispatch): void {
    const size = sizeOf(dispatch);
    const brief = this.#kept && briefDispatch(dispatch);
    if (brief) {
      this.#kept.add(dispatch, size);
      this.#add(brief, BRIEF_CHARACTERS);
    } else this.#add(seenDispatch(dispatch, this.#logs), size);
  }

  /** A hook that ran after its dispatch. */
  #addLate(step: Step): void {
    const { dispatch_id } = step;
    const dispatch = this.#kept?.get(dispatch_id);
    if (!dispatch) {
      const late = seenStep(step, this.#logs);
      return this.#add({ dispatch_id, late }, charactersIn(late));
    }
    dispatch.steps.push(step);
    // The summary says that it passed.
    if (isNotable(step)) this.#add(seenDispatch(dispatch, this.#logs), sizeOf(dispatch));
  }

  #charactersOf(step: Step): number {
    const logs = this.#logs.get(step);
    const texts = hasTexts(step) ? charactersIn(step) : 0;
    return STEP_CHARACTERS + texts + (logs ? charactersIn(logs) : 0);
  }

  #add(item: FeedItem, size: number): void {
    this.#items.push({ item, size });
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
    return this.#items.splice(0, count).map(({ item, size }) => {
      this.#characters -= size;
      return item;
    });
  }
}

const MOST_ASKED = 1000;

/** The characters of a step that only ran, or did not; and of a summary, at most. */
const STEP_CHARACTERS = 150;
const BRIEF_CHARACTERS = 800;

/** About as many characters as its JSON has: an exact count would have to make it. */
function sizeOf({ ctx, ended: { outcome }, characters }: EndedDispatch): number {
  let size = characters + charactersIn(ctx.payload) + charactersIn(ctx.metadata);
  if (outcome.ctx.payload !== ctx.payload) size += charactersIn(outcome.ctx.payload);
  if ("result" in outcome) size += charactersIn(outcome.result);
  for (const text of outcome.inject) size += charactersIn(text);
  return size;
}

/** Whether a step has something that may be long. */
function hasTexts({ patch, reason, traceback, dropped, mismatch, mode }: Step): boolean {
  const texts = patch ?? reason ?? traceback ?? dropped ?? mismatch ?? mode;
  return texts !== undefined;
}

/** Values that are counted at most: a program may hand over a circle. */
const MOST_COUNTED = 100_000;

function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  const open: unknown[] = [value];
  let characters = 0;
  for (let counted = 0; counted < MOST_COUNTED && open.length > 0; counted++) {
    const next = open.pop();
    if (typeof next === "string") characters += next.length;
    else if (typeof next !== "object" || next === null) characters += 8;
    else {
      for (const key of Object.keys(next)) {
        characters += key.length + 2;
        open.push(ownData(next as Container, key));
      }
    }
  }
  return characters;
}

/** The part of the limits that is left when they are exceeded. */
const LEFT = 0.9;

/** The most recent dispatches of which a reader got a summary. */
class KeptDispatches {
  readonly #limits: FeedLimits;
  /** By id, the oldest first. */
  readonly #kept = new Map<string, { dispatch: EndedDispatch; characters: number }>();
  #characters = 0;

  constructor(limits: FeedLimits) {
    this.#limits = limits;
  }

  add(dispatch: EndedDispatch, characters: number): void {
    this.#kept.set(dispatch.ended.dispatch_id, { dispatch, characters });
    this.#characters += characters;
    const { kept, characters: most } = this.#limits;
    if (this.#kept.size > kept || this.#characters > most) this.#dropOldest();
  }

  /** Some more than needed: a map that loses one entry after another is slow to find its first. */
  #dropOldest(): void {
    const { kept, characters } = this.#limits;
    for (const [id, oldest] of this.#kept) {
      const { size } = this.#kept;
      const fits = size <= kept * LEFT && this.#characters <= characters * LEFT;
      if (size === 1 || fits) return;
      this.#kept.delete(id);
      this.#characters -= oldest.characters;
    }
  }

  get(id: string): EndedDispatch | undefined {
    return this.#kept.get(id)?.dispatch;
  }

  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }
}
