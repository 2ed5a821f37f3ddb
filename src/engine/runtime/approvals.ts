import { jsonContext, OrcsError } from "../../core/index.ts";
import type { HookContext, JsonObject, Signal } from "../../core/index.ts";
import type { EventBus } from "./event-bus.ts";

/** A call that a hook wants somebody to approve. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly args: JsonObject;
  readonly reason: string | undefined;
  /** The hook that asks. */
  readonly hook: string | undefined;
  readonly ctx: HookContext;
  /**
   * Aborted when the answer no longer counts: after `hil.timeout_ms`, when the call is cancelled or the engine closes.
   * `reason` is an Error that says which.
   */
  readonly signal: AbortSignal;
}

interface Pending {
  /** The component whose call needs approval. */
  readonly component: string;
  answer(approved: boolean): void;
}

/**
 * Requests for approval that components answer. Each is an event `requested` of the category `Approval`; the signal
 * `approve` or `reject` with its `approval_id` answers it.
 */
export class PendingApprovals {
  readonly #bus: EventBus;
  readonly #pending = new Map<string, Pending>();

  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  /**
   * Whether a component can answer a request. A subscriber to all events may only log them, and no component answers a
   * request of its own.
   */
  isThereFor({ component_id }: HookContext): boolean {
    return this.#bus.isWanted(APPROVAL, component_id);
  }

  /** Ask, and wait for the signal that answers. @throws what broadcasting the request throws */
  async ask({ tool, args, reason, ctx, signal }: ApprovalRequest): Promise<boolean> {
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
   * Take the answer from a signal. A component cannot approve its own call, and a child cannot approve any: a hook may
   * have spawned it on behalf of the approver.
   */
  take({ kind, approval_id, source }: Signal): void {
    const pending = approval_id === undefined ? undefined : this.#pending.get(approval_id);
    if (!pending) return;
    const isOwn = source !== undefined && source.split(/[/#]/, 1)[0] === pending.component;
    const isChild = source?.includes("/") ?? false;
    if ((!isOwn && !isChild) || kind === "reject") pending.answer(kind === "approve");
  }
}

/** The category that components subscribe to in order to answer requests for approval. */
export const APPROVAL = "Approval";

/** The approver must answer the original request: hooks may deny it, but not change it. */
export function questionChanged(): OrcsError {
  const why = `a hook changed or created an approval request (category ${APPROVAL}); only the runtime may do so`;
  return new OrcsError("ORCS6010", why, { category: APPROVAL });
}
