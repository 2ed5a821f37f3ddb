import type { HookContext } from "../../core/context.ts";
import { messageOf } from "../../core/errors.ts";
import type { HookReport, HookRunner, Turn } from "../../core/hook.ts";
import type { Redactor } from "../../core/ports.ts";
import { jsonContext } from "../../core/visible-value.ts";
import type { HandlerCall } from "../../protocols/handler-protocol.ts";
import { failed, refuse } from "../../protocols/handler-report.ts";
import type { LiveProtocol } from "../../protocols/live/live-protocol.ts";
import { maskedContext, restoredReport } from "../unmasked-answer.ts";
import type { LiveClient } from "./live-client.ts";

/** A hook whose handler lives on. */
export interface LiveRunnerOptions {
  readonly client: LiveClient;
  readonly protocol: LiveProtocol;
  /** Whether the handler is somebody else's: a hook in shadow asks it only with `shadow_effects`. */
  readonly isShared: boolean;
  /** Redacts the request; without it, everything is sent as it is. */
  readonly redactor?: Redactor | undefined;
  /** Returns the reason why it must not run, if any: its script differs from the trusted one. */
  readonly refusal?: (() => string | undefined) | undefined;
  /** Texts that messages must not contain. */
  readonly secrets?: readonly string[];
  /** The hook was replaced. */
  readonly release: () => void;
}

/** Asks a handler that lives on. */
export class LiveRunner implements HookRunner {
  readonly #options: LiveRunnerOptions;
  #isReleased = false;

  constructor(options: LiveRunnerOptions) {
    this.#options = options;
  }

  async run(turn: Turn): Promise<void> {
    const { isShared } = this.#options;
    if (isShared && turn.hook.mode === "audit" && turn.scope.effect?.("webhook") !== true) {
      turn.settle({ answer: undefined, edits: [] });
      return;
    }
    turn.settle(await this.#report(turn));
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#options.release();
  }

  async #report({ hook, ctx, trace }: Turn): Promise<HookReport> {
    const { client, protocol, redactor, refusal } = this.#options;
    const { point, timeoutMs } = hook;
    let whole: HookContext;
    let call: HandlerCall;
    try {
      // A copy: later changes of the context are not changes by the handler.
      whole = jsonContext(ctx, point.phase);
      call = { point, ctx: maskedContext(whole, redactor) };
    } catch (thrown) {
      return notJson(thrown);
    }
    const why = refusal?.();
    // Independent of `on_error`: nobody has trusted this code.
    if (why !== undefined) return refuse(call, why);
    const notes = { hook: hook.id, timeoutMs, isShadow: hook.mode === "audit", trace };
    try {
      const reply = await client.ask((can) => protocol.ask(call, notes, can), timeoutMs);
      if ("failure" in reply) return failed(reply.failure.kind, this.#shown(reply.failure.message));
      if ("error" in reply) {
        const { code, message } = reply.error;
        return failed("error", this.#shown(`it returned the error ${code ?? ""}: ${message}`));
      }
      return restoredReport(protocol.read(reply.result, call), point, call.ctx, whole);
    } catch (thrown) {
      return notJson(thrown);
    }
  }

  #shown(text: string): string {
    const { secrets = [] } = this.#options;
    return secrets.reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text);
  }
}

function notJson(thrown: unknown): HookReport {
  const [why] = messageOf(thrown).split("\n");
  return failed("payload", `the context cannot be written as JSON: ${why}`);
}
