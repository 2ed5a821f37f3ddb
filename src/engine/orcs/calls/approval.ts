import type { Settings } from "../../../config/index.ts";
import { type Clock, type HookContext, messageOf } from "../../../core/index.ts";
import type { ApprovalRequest, Approve, CreateOrcsOptions } from "../options.ts";

/** A call that a hook wants approved, before anybody is asked. */
export type Asked = Omit<ApprovalRequest, "signal">;

type Mode = NonNullable<Settings["hil"]["mode"]> | "unset";
type Askable = Pick<CreateOrcsOptions, "onAsk" | "approve" | "askTerminal">;

/** For each `hil.mode`: who is asked, and the reason of the denial when nobody is available. */
const MODES: Record<Mode, { who: (there: Askable) => Approve | undefined; nobody: string }> = {
  unset: {
    who: ({ onAsk, approve, askTerminal }) => onAsk ?? approve ?? askTerminal,
    nobody: "nobody is available to ask",
  },
  callback: {
    who: ({ onAsk, approve }) => onAsk ?? approve,
    nobody:
      'nobody is available to ask (hil.mode is "callback", but the program has no onAsk function)',
  },
  terminal: {
    who: ({ askTerminal }) => askTerminal,
    nobody: 'nobody is available to ask (hil.mode is "terminal", but there is no terminal)',
  },
  deny: { who: () => undefined, nobody: 'hil.mode = "deny" denies it' },
};

/** An additional approver, asked together with the configured one. */
export interface Approver {
  isThereFor(ctx: HookContext): boolean;
  ask: Approve;
}

/**
 * Records an answer: the reason of the denial, or undefined for an approval.
 * @returns the reason to deny the call anyway, because the answer could not be recorded
 */
export type ApprovalRecord = (
  asked: Asked,
  refusal: string | undefined,
) => Promise<string | undefined>;

/** Asks for the approval of calls. Anything but `true` in time is a denial. */
export class Approvals {
  readonly #there: Askable;
  readonly #mode: Mode;
  readonly #others = new Set<Approver>();
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #record: ApprovalRecord | undefined;
  /** Open questions; each is withdrawn by aborting it with the reason. */
  readonly #questions = new Set<AbortController>();
  #closed = false;

  constructor(
    { mode, timeout_ms }: Settings["hil"],
    there: Askable,
    clock: Clock,
    record?: ApprovalRecord,
  ) {
    this.#mode = mode ?? "unset";
    this.#there = there;
    this.#timeoutMs = timeout_ms;
    this.#clock = clock;
    this.#record = record;
  }

  /** Add an approver. It is not asked where `hil.mode` names a single one. */
  also(approver: Approver): void {
    if (this.#mode === "unset" || this.#mode === "callback") this.#others.add(approver);
  }

  /** Remove an approver. */
  without(approver: Approver): void {
    this.#others.delete(approver);
  }

  /** Withdraw open questions and ask no more: those calls are denied. */
  close(): void {
    this.#closed = true;
    for (const question of this.#questions) question.abort(new Error(CLOSED));
  }

  /**
   * Why a call is denied, or undefined when it was approved. Never rejects.
   * @param cancel withdraws the question
   * @param onAsk is asked in place of the program's own function
   */
  async refusal(asked: Asked, cancel?: AbortSignal, onAsk?: Approve): Promise<string | undefined> {
    const why = await this.#objection(asked, cancel, onAsk);
    const unrecorded = await this.#record?.(asked, why);
    if (why === undefined || asked.reason === undefined) return why ?? unrecorded;
    return `${why}: ${asked.reason}`;
  }

  async #objection(
    asked: Asked,
    cancel: AbortSignal | undefined,
    onAsk: Approve | undefined,
  ): Promise<string | undefined> {
    const { who, nobody } = MODES[this.#mode];
    const own = who(onAsk ? { ...this.#there, onAsk } : this.#there);
    const there = [...this.#others].filter((other) => other.isThereFor(asked.ctx));
    const others = there.map((other): Approve => other.ask.bind(other));
    const approvers = [...(own ? [own] : []), ...others];
    if (approvers.length === 0) return `needs approval, but ${nobody}`;
    if (this.#closed) return notApproved(CLOSED);
    if (cancel?.aborted) return notApproved(CANCELLED);
    const question = new AbortController();
    const cancelled = (): void => question.abort(new Error(CANCELLED));
    this.#questions.add(question);
    cancel?.addEventListener("abort", cancelled);
    try {
      return await this.#ask(approvers, asked, question);
    } finally {
      cancel?.removeEventListener("abort", cancelled);
      this.#questions.delete(question);
    }
  }

  async #ask(
    approvers: readonly Approve[],
    asked: Asked,
    question: AbortController,
  ): Promise<string | undefined> {
    const { signal } = question;
    const settled = new AbortController();
    const started = this.#clock.now();
    const isTimed = !approvers.every(({ hasNoTimeLimit }) => hasNoTimeLimit);
    try {
      const answer = await Promise.race([
        ...approvers.map((approve) => approve({ ...asked, signal })),
        aborted(signal),
        ...(isTimed ? [this.#timeout(question, settled.signal)] : []),
      ]);
      // An approval that arrives after the question was withdrawn or timed out is ignored.
      if (signal.aborted) return notApproved(messageOf(signal.reason));
      const waited = this.#clock.now() - started;
      if (isTimed && waited > this.#timeoutMs) return notApproved(this.#late());
      if (answer === true) return undefined;
      const isNo = answer === false;
      return notApproved(
        isNo ? undefined : `onAsk returned neither true nor false (${typeof answer})`,
      );
    } catch (thrown) {
      if (signal.aborted) return notApproved(messageOf(signal.reason));
      return `asking for approval failed (${messageOf(thrown)})`;
    } finally {
      settled.abort();
      // The other approvers no longer need to answer.
      if (approvers.length > 1) question.abort(new Error("another approver has answered"));
    }
  }

  async #timeout(question: AbortController, settled: AbortSignal): Promise<void> {
    await this.#clock.sleep(this.#timeoutMs, settled);
    if (!settled.aborted) question.abort(new Error(this.#late()));
  }

  #late(): string {
    return `no answer within ${this.#timeoutMs} ms`;
  }
}

const CLOSED = "the engine is closed";
const CANCELLED = "the call was cancelled";

function notApproved(why: string | undefined): string {
  return why === undefined ? "not approved" : `not approved, ${why}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}
