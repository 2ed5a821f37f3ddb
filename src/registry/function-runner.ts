import type { HookContext } from "../core/context.ts";
import { messageOf } from "../core/errors.ts";
import type { Edit, HookReport, HookRunner, Turn } from "../core/hook.ts";
import { getOwn, isPlainObject } from "../core/json.ts";
import type { CallScope } from "../core/ports.ts";
import { draftJson, draftOf, isUntouched, journalOf } from "./copy-on-write-payload.ts";
import type { Draft } from "./copy-on-write-payload.ts";

/** A hook written in TypeScript: may edit `ctx` in place, and answers an action, `ctx`, or nothing. */
export type HookHandler<P extends string = string> = (
  ctx: HookContext<P>,
  orcs: CallScope,
) => unknown;

/** Of a function that looked and had nothing to say, which is most of them. */
const NOTHING_SAID: HookReport = { answer: undefined, edits: [] };

/** Runs a TypeScript function as a hook. It stays synchronous until the function answers a promise. */
export class FunctionRunner implements HookRunner {
  readonly #handler: HookHandler;
  /** Whether the function answers at once; unknown until it has answered, no for good once it has waited. */
  #atOnce: boolean | undefined;

  constructor(handler: HookHandler) {
    this.#handler = handler;
  }

  run(turn: Turn): void {
    const draft = this.#draftFor(turn);
    let answer: unknown;
    try {
      answer = this.#handler(draft.ctx, turn.scope);
    } catch (thrown) {
      turn.view = undefined;
      turn.settle({ failure: { kind: "error", message: messageOf(thrown) } });
      return;
    }
    if (isThenable(answer)) {
      this.#atOnce = false;
      // It may go on writing after its time is up: what it has is its own.
      turn.view = undefined;
      turn.wait(answer, report, draft);
      return;
    }
    this.#atOnce ??= true;
    const settled = report(draft, answer);
    if ("failure" in settled) turn.view = undefined;
    turn.settle(settled);
  }

  /**
   * The draft that the function before has left as it was, or a new one. Only a function that answers at
   * once may share one: while another waits, whoever kept the draft could write to it in its name.
   */
  #draftFor(turn: Turn): Draft {
    const kept = turn.view as Draft | undefined;
    if (this.#atOnce && kept && isUntouched(kept)) return kept;
    const draft = draftOf(turn.ctx, turn.hook.point.phase === "pre");
    turn.view = draft;
    return draft;
  }
}

function report(draft: Draft, answer: unknown): HookReport {
  if (answer === undefined && isUntouched(draft)) return NOTHING_SAID;
  try {
    if (answer === undefined || answer === null || answer === draft.ctx) {
      return { answer: undefined, edits: journalOf(draft) };
    }
    const { answer: read, ctx } = splitContext(answer);
    const edits = ctx === undefined || ctx === draft.ctx ? journalOf(draft) : replaced(draft, ctx);
    return { answer: draftJson(read), edits };
  } catch (thrown) {
    return {
      failure: {
        kind: "answer",
        message: `returned a value that is not JSON: ${messageOf(thrown)}`,
      },
    };
  }
}

/** An answer apart from the `ctx` that a continue may carry; elsewhere `ctx` is a key that makes no sense. */
function splitContext(answer: unknown): { answer: unknown; ctx?: unknown } {
  if (!isPlainObject(answer) || answer["action"] !== "continue") return { answer };
  const { ctx, ...rest } = answer;
  return { answer: rest, ctx };
}

/** Edits of a context that was answered instead of edited: `{ ...ctx, payload: { … } }`. */
function replaced(draft: Draft, ctx: unknown): Edit[] {
  if (!isPlainObject(ctx)) throw new Error("ctx is not a context");
  const edits = [...journalOf(draft)];
  for (const [key, value] of Object.entries(ctx)) {
    if (unchanged(key, value, draft.ctx)) continue;
    edits.push({ path: [key], value: value === undefined ? undefined : draftJson(value, [key]) });
  }
  return edits;
}

/** Read-only parts may come back as a copy, from JSON for one; a change to them is for the chain to refuse. */
function unchanged(key: string, value: unknown, draft: HookContext): boolean {
  const own: unknown = getOwn(draft as unknown as Record<string, unknown>, key);
  if (value === own) return true;
  if (key === "payload" || key === "metadata" || own === undefined || value === undefined)
    return false;
  return JSON.stringify(draftJson(value, [key])) === JSON.stringify(own);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}
