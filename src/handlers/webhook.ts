import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../core/errors.ts";
import type { Hook, HookFailure, HookReport, HookRunner, Turn } from "../core/hook.ts";
import { jsonContext } from "../core/json-context.ts";
import type { HookContext } from "../core/context.ts";
import type { Json } from "../core/json.ts";
import type { Redactor } from "../core/ports.ts";
import type { HandlerCall, HandlerProtocol } from "../protocols/protocol.ts";
import { modeAt } from "../protocols/report.ts";
import { AddressGuard, RefusedAddress } from "./address-guard.ts";
import type { Resolve } from "./address-guard.ts";
import { secretsOf } from "./env-template.ts";
import type { Variables } from "./env-template.ts";
import { Deadline } from "./webhook-deadline.ts";
import type { Incoming } from "./webhook-exchange.ts";
import { webhookHeaders } from "./webhook-headers.ts";
import { exchangeFollowing, RefusedRedirect } from "./webhook-redirect.ts";
import { isRetriedError, isRetriedStatus, retryDelay } from "./webhook-retry.ts";
import { restoredReport } from "./restored.ts";
import { webhookUrl } from "./webhook-url.ts";

/** What to ask, and within which bounds. */
export interface WebhookOptions {
  /** http(s), `${NAME}` in path and query. */
  readonly url: string;
  readonly method: "POST" | "PUT";
  /** Values may hold `${NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The only variables that `${NAME}` may stand for. */
  readonly allowEnv: readonly string[];
  /** Hosts, with or without port, that may be reached although their addresses are not public. */
  readonly allowHosts: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly protocol: HandlerProtocol;
  /** Largest body of an answer, in bytes. */
  readonly maxAnswerBytes: number;
  /** Masks what is sent; without it, everything is sent as it is. */
  readonly redactor?: Redactor | undefined;
  /** Ends what is under way and lets nothing begin. */
  readonly signal?: AbortSignal | undefined;
  /** Finds the addresses of a name; the system's own look-up by default. */
  readonly resolve?: Resolve | undefined;
}

/** How a call came out, before the protocol has read it. `again`: it may fare better in a moment. */
type Attempt =
  | { readonly incoming: Incoming; readonly again: boolean }
  | { readonly failure: HookFailure; readonly again: boolean };

/**
 * Asks a URL: the context goes there as the protocol writes it, and the protocol reads the answer.
 * Connection errors, 429 and 5xx are tried again, at most the hook's `maxRetries` times and within its
 * `timeoutMs`, which is the time for everything.
 */
export class WebhookRunner implements HookRunner {
  readonly #options: WebhookOptions;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #guard: AddressGuard;
  readonly #secrets: readonly string[];

  /** @throws OrcsError ORCS1004, ORCS1017 or ORCS1019 for options that cannot be used, such as a variable not set */
  constructor(options: WebhookOptions) {
    const variables: Variables = { allowed: options.allowEnv, environment: options.environment };
    this.#options = options;
    this.#url = webhookUrl(options.url, variables);
    this.#headers = webhookHeaders(options.headers, variables);
    this.#guard = new AddressGuard(options.allowHosts, options.resolve);
    this.#secrets = secretsOf(variables);
    // Each call under way listens to it, and there may be many.
    if (options.signal) setMaxListeners(0, options.signal);
  }

  async run(turn: Turn): Promise<void> {
    const { hook } = turn;
    const deadline = new Deadline(hook.timeoutMs, this.#options.signal);
    let report: HookReport;
    try {
      const asked = this.#ask(turn, deadline);
      report = await Promise.race([asked, deadline.over]);
    } catch (thrown) {
      report = { failure: this.#ended(deadline, hook.timeoutMs) ?? this.#failed(thrown) };
    } finally {
      deadline.release();
    }
    turn.settle("failure" in report ? this.#told(report.failure, hook) : report);
  }

  /** A server may have sent back what it was sent, and a message may quote it. */
  #told(failure: HookFailure, { point }: Hook): HookReport {
    const message = this.#redacted(failure.message);
    return { failure: { ...failure, message, mode: modeAt(point, failure.mode) } };
  }

  #redacted(text: string): string {
    return this.#secrets.reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text);
  }

  async #ask({ hook, ctx }: Turn, deadline: Deadline): Promise<HookReport> {
    const { maxRetries, point } = hook;
    let whole: HookContext;
    let call: HandlerCall;
    let body: string;
    try {
      // A copy: what the host does with its context meanwhile is not the answer's doing.
      whole = jsonContext(ctx, point.phase);
      // The answer is held against what was sent.
      call = { point, ctx: maskedContext(whole, this.#options.redactor) };
      body = JSON.stringify(this.#options.protocol.encode(call).body);
    } catch (thrown) {
      const [why] = messageOf(thrown).split("\n");
      return failure("payload", `the context cannot be written as JSON: ${why}`);
    }
    for (let tries = 1; ; tries++) {
      const attempt = await this.#attempt(body, deadline);
      const wait = this.#waitBefore(attempt, tries, maxRetries);
      if (wait === undefined || wait >= deadline.left) {
        return restoredReport(this.#report(attempt, tries, call), point, call.ctx, whole);
      }
      await sleep(wait, undefined, { signal: deadline.signal });
    }
  }

  /** One try, redirects included. Throws when time is up. */
  async #attempt(body: string, { signal }: Deadline): Promise<Attempt> {
    const { method, maxAnswerBytes } = this.#options;
    const outgoing = {
      url: this.#url,
      method,
      headers: this.#headers,
      body,
      maxAnswerBytes,
      signal,
    };
    try {
      signal.throwIfAborted();
      const incoming = await exchangeFollowing(outgoing, (url) => this.#guard.lookupFor(url));
      return { incoming, again: isRetriedStatus(incoming.status) };
    } catch (thrown) {
      signal.throwIfAborted();
      return this.#fault(thrown);
    }
  }

  #fault(thrown: unknown): Attempt {
    if (thrown instanceof RefusedAddress) {
      return { ...failure("error", `${this.#name} is refused: ${thrown.message}`), again: false };
    }
    if (thrown instanceof RefusedRedirect) {
      return { ...failure("answer", `${this.#name} ${thrown.message}`), again: false };
    }
    const code = codeOf(thrown);
    if (code.startsWith("HPE_")) {
      return {
        ...failure("answer", `${this.#name} answered what is not HTTP: ${code}`),
        again: false,
      };
    }
    return {
      failure: {
        kind: "error",
        message: `${this.#name} could not be reached: ${code}`,
        mode: this.#options.protocol.onUnreachable,
      },
      again: isRetriedError(code),
    };
  }

  /** Milliseconds until the next try; undefined when there is none to come. */
  #waitBefore(attempt: Attempt, tries: number, maxRetries: number): number | undefined {
    if (!attempt.again || tries > maxRetries) return undefined;
    const retryAfter = "incoming" in attempt ? attempt.incoming.retryAfter : undefined;
    return retryDelay(tries, retryAfter, Date.now());
  }

  #report(attempt: Attempt, tries: number, call: HandlerCall): HookReport {
    if ("failure" in attempt) {
      if (tries === 1) return { failure: attempt.failure };
      const message = `${attempt.failure.message} (${tries} tries)`;
      return { failure: { ...attempt.failure, message } };
    }
    const { status, body } = attempt.incoming;
    if (typeof body !== "string") {
      return failure("answer", `the answer of ${this.#name}, status ${status}, ${body.unfit}`);
    }
    // Before it is read: later, a message might quote a part of what was cut.
    return this.#options.protocol.readHttp({ status, body: this.#redacted(body) }, call);
  }

  #ended({ ended }: Deadline, timeoutMs: number): HookFailure | undefined {
    switch (ended) {
      case undefined:
        return undefined;
      case "aborted":
        return { kind: "killed", message: `${this.#name} was not awaited: the call was cancelled` };
      case "timeout":
        return {
          kind: "timeout",
          message: `no complete answer from ${this.#name} within ${timeoutMs} ms`,
          mode: this.#options.protocol.onTimeout,
        };
    }
  }

  /** What should not have been thrown, by the protocol for one. */
  #failed(thrown: unknown): HookFailure {
    return {
      kind: "error",
      message: `the answer of ${this.#name} could not be read: ${messageOf(thrown)}`,
    };
  }

  /** For messages: its host alone, as the rest of the URL may hold a secret. */
  get #name(): string {
    return `the webhook at ${this.#url.host}`;
  }
}

function maskedContext(ctx: HookContext, redactor: Redactor | undefined): HookContext {
  if (!redactor) return ctx;
  const payload = redactor.value(ctx.payload as Json) as HookContext["payload"];
  const metadata = redactor.value(ctx.metadata as Json) as HookContext["metadata"];
  return { ...ctx, payload, metadata };
}

function failure(kind: HookFailure["kind"], message: string): { failure: HookFailure } {
  return { failure: { kind, message } };
}

/** The system's word for a network error. Its message may tell what was sent. */
function codeOf(thrown: unknown): string {
  const code: unknown = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "an unknown network error";
}
