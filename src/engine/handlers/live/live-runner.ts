import { jsonContext } from "../../../core/index.ts";
import type {
  Environment,
  HookContext,
  HookReport,
  HookRunner,
  Redactor,
  Turn,
} from "../../../core/index.ts";
import { failed, refuse } from "../../../formats/index.ts";
import type { HandlerCall, LiveProtocol } from "../../../formats/index.ts";
import { maskedContext, restoredReport } from "../unmasked-answer.ts";
import { environmentFailure, notJson, redacted } from "../webhook-request.ts";
import type { LiveClient } from "./live-client.ts";
import type { UsedHandler } from "./live-pool.ts";

/** A hook whose handler lives on. */
export interface LiveRunnerOptions {
  /**
   * The handler for an environment: one that was started with the same variables.
   * @throws OrcsError ORCS1004, ORCS1019, ORCS7022
   */
  readonly clientFor: (environment: Environment) => EnvironmentClient;
  /** Those that run already, by key. */
  readonly running: Map<string, UsedHandler>;
  /** Of calls that have none of their own. */
  readonly environment: Environment;
  readonly protocol: LiveProtocol;
  /** Whether the handler is somebody else's: a hook in shadow asks it only with `shadow_effects`. */
  readonly isShared: boolean;
  /** Redacts the request; without it, everything is sent as it is. */
  readonly redactor?: Redactor | undefined;
  /** Returns the reason why it must not run, if any: its script differs from the trusted one. */
  readonly refusal?: (() => string | undefined) | undefined;
}

/** A handler, started with the variables of one environment. */
export interface EnvironmentClient {
  /** What makes it the same as another one. */
  readonly key: string;
  /** Texts that messages must not contain. */
  readonly secrets: readonly string[];
  use(): UsedHandler;
}

/** How many of them a hook keeps; the one that was not used for longest is ended first. */
const MAX_ENVIRONMENTS = 8;

/** Asks a handler that lives on. */
export class LiveRunner implements HookRunner {
  readonly #options: LiveRunnerOptions;
  /** By key, the one that was used last at the end. */
  readonly #used: Map<string, UsedHandler>;
  #isReleased = false;

  constructor(options: LiveRunnerOptions) {
    this.#options = options;
    this.#used = options.running;
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
    this.#isReleased = true;
    this.#keepAtMost(0);
  }

  /** The handler, from now on the one that was used last. */
  #use(wanted: EnvironmentClient): LiveClient {
    const { key } = wanted;
    const used = this.#used.get(key) ?? wanted.use();
    this.#used.delete(key);
    this.#used.set(key, used);
    // Of a hook that was replaced, it ends as soon as this call has.
    this.#keepAtMost(this.#isReleased ? 0 : MAX_ENVIRONMENTS);
    return used.client;
  }

  #keepAtMost(count: number): void {
    for (const [key, { release }] of this.#used) {
      if (this.#used.size <= count) return;
      this.#used.delete(key);
      release();
    }
  }

  async #report(turn: Turn): Promise<HookReport> {
    const { hook, ctx, trace, signal, environment = this.#options.environment } = turn;
    const { protocol, redactor, refusal } = this.#options;
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
    let wanted: EnvironmentClient;
    try {
      wanted = this.#options.clientFor(environment);
    } catch (thrown) {
      return environmentFailure(thrown, hook);
    }
    const client = this.#use(wanted);
    const shown = (text: string): string => redacted(text, wanted.secrets);
    const notes = { hook: hook.id, timeoutMs, isShadow: hook.mode === "audit", trace };
    try {
      const reply = await client.ask((can) => protocol.ask(call, notes, can), timeoutMs, signal);
      if ("failure" in reply) return failed(reply.failure.kind, shown(reply.failure.message));
      if ("error" in reply) {
        const { code, message } = reply.error;
        return failed("error", shown(`it returned the error ${code ?? ""}: ${message}`));
      }
      return restoredReport(protocol.read(reply.result, call), point, call.ctx, whole);
    } catch (thrown) {
      return notJson(thrown);
    }
  }
}
