import type { HookContext, Injection, PointName, PointSpec } from "../../core/index.ts";

/** Points whose texts for the model reach it with every agent. */
const DELIVERING: readonly PointName[] = ["tool.post_execute", "prompt.pre_submit"];

/** Limits: sessions with waiting texts, and texts of one session. The oldest are dropped first. */
const MOST_SESSIONS = 1000;
const MOST_TEXTS = 100;

/** Texts for the model that asynchronous hooks return: they wait for the next event of their session and agent. */
export class LateTexts {
  readonly #waiting = new Map<string, readonly Injection[]>();

  /** @param ctx the context of the asynchronous hook */
  add(ctx: HookContext, texts: readonly Injection[]): void {
    if (texts.length === 0) return;
    const key = keyOf(ctx);
    const before = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    this.#waiting.set(key, [...before, ...texts].slice(-MOST_TEXTS));
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST_SESSIONS && oldest !== undefined) this.#waiting.delete(oldest);
  }

  /** Whether texts could be delivered at a point. */
  waitsFor({ name }: Pick<PointSpec, "name">): boolean {
    return this.#waiting.size > 0 && DELIVERING.some((point) => point === name);
  }

  /** The texts for the session and agent of an event, which then wait no more. */
  take(ctx: HookContext): readonly Injection[] {
    const key = keyOf(ctx);
    const texts = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    return texts;
  }
}

function keyOf({ payload }: HookContext): string {
  return JSON.stringify([payload["session_id"] ?? null, payload["agent_id"] ?? null]);
}
