import type { Signal } from "../core/component.ts";
import type { HookContext } from "../core/context.ts";
import { OrcsError } from "../core/errors.ts";
import { jsonContext } from "../core/visible-value.ts";
import type { JsonObject } from "../core/json.ts";
import type { EventBus } from "./event-bus.ts";

/** A question for approval. */
interface ApprovalQuestion {
  readonly tool: string;
  readonly args: JsonObject;
  readonly reason: string | undefined;
  readonly ctx: HookContext;
  /** Withdraws it. */
  readonly signal: AbortSignal;
}

interface Pending {
  /** Whose call it is about. */
  readonly component: string;
  answer(approved: boolean): void;
}

/**
 * Questions for approval that components answer: each is an event `requested` of the category `Approval`,
 * and the signal `approve` or `reject` with its `approval_id` is the answer.
 */
export class PendingApprovals {
  readonly #bus: EventBus;
  readonly #pending = new Map<string, Pending>();

  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  /** How many wait for an answer. */
  get size(): number {
    return this.#pending.size;
  }

  /**
   * Whether some component answers a question: one that hears all events may but keep them, and nobody answers
   * a question of its own.
   */
  isThereFor({ component_id }: HookContext): boolean {
    return this.#bus.isWanted(APPROVAL, component_id);
  }

  /** Ask, and wait for the signal that answers. @throws what broadcasting the question throws */
  async ask({ tool, args, reason, ctx, signal }: ApprovalQuestion): Promise<boolean> {
    const approval_id = globalThis.crypto.randomUUID();
    const { component_id, depth, principal } = ctx;
    const answered = new Promise<boolean>((resolve) => {
      this.#pending.set(approval_id, { component: component_id, answer: resolve });
      signal.addEventListener("abort", () => resolve(false), { once: true });
    });
    try {
      const payload = { approval_id, component: component_id, tool, args, reason: reason ?? null };
      const event = { category: APPROVAL, operation: "requested", source: component_id, payload };
      const { metadata } = jsonContext({ ...ctx, payload: {} }, "pre");
      await this.#bus.broadcast(event, { depth, metadata, principal, via: [] });
      return await answered;
    } finally {
      this.#pending.delete(approval_id);
    }
  }

  /**
   * Take the answer in a signal. Nobody approves a call of its own, and no child approves any: a hook may have
   * spawned it in the name of who is asked.
   */
  take({ kind, approval_id, source }: Signal): void {
    const pending = approval_id === undefined ? undefined : this.#pending.get(approval_id);
    if (!pending) return;
    const isOwn = source !== undefined && source.split(/[/#]/, 1)[0] === pending.component;
    const isChild = source?.includes("/") ?? false;
    if ((!isOwn && !isChild) || kind === "reject") pending.answer(kind === "approve");
  }
}

/** Category of what components subscribe to that answer questions for approval. */
export const APPROVAL = "Approval";

/** Whoever answers a question must be sure that it is the one that was asked: hooks may refuse it, not change it. */
export function questionChanged(): OrcsError {
  const why = `a hook changed or created an approval request (category ${APPROVAL}); only the runtime may do so`;
  return new OrcsError("ORCS6010", why, { category: APPROVAL });
}
