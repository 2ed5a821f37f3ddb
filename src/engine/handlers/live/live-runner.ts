import type { Environment, HookReport, HookRunner, Turn } from "../../../core/index.ts";
import { failed, type HandlerCall, type LiveProtocol } from "../../../formats/index.ts";
import { askOutside, type OutsideOptions } from "../ask-outside.ts";
import { redacted } from "../webhook-request.ts";
import type { LiveClient } from "./live-client.ts";
import type { UsedHandler } from "./live-pool.ts";

/** A hook whose handler lives on. */
export interface LiveRunnerOptions extends OutsideOptions {
  /**
   * The handler for an environment: one that was started with the same variables.
   * @throws OrcsError ORCS1004, ORCS1019, ORCS7022
   */
  readonly clientFor: (environment: Environment) => EnvironmentClient;
  /** Those that run already, by key. */
  readonly running: Map<string, UsedHandler>;
  readonly protocol: LiveProtocol;
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
    const { clientFor } = this.#options;
    const ask = (call: HandlerCall, wanted: EnvironmentClient): Promise<HookReport> =>
      this.#ask(turn, call, wanted);
    turn.settle(await askOutside(turn, this.#options, clientFor, ask));
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

  async #ask(
    { hook, trace, signal }: Turn,
    call: HandlerCall,
    wanted: EnvironmentClient,
  ): Promise<HookReport> {
    const { protocol } = this.#options;
    const { timeoutMs } = hook;
    const client = this.#use(wanted);
    const shown = (text: string): string => redacted(text, wanted.secrets);
    const notes = { hook: hook.id, timeoutMs, isShadow: hook.mode === "audit", trace };
    const reply = await client.ask((can) => protocol.ask(call, notes, can), timeoutMs, signal);
    if ("failure" in reply) return failed(reply.failure.kind, shown(reply.failure.message));
    if ("error" in reply) {
      const { code, message } = reply.error;
      return failed("error", shown(`it returned the error ${code ?? ""}: ${message}`));
    }
    return protocol.read(reply.result, call);
  }
}
