import type { WebhookHandler } from "../../config/index.ts";
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  codeOf,
  type Environment,
  type HookFailure,
  type HookReport,
  type HookRunner,
  messageOf,
  RAISE_TIMEOUT,
  timedSignal,
  type TimedSignal,
  type Turn,
  unlessAborted,
  words,
} from "../../core/index.ts";
import { modeAt, modedAnswer } from "../../formats/index.ts";
import type { HandlerCall, HandlerProtocol } from "../../formats/index.ts";
import { AddressGuard, RefusedAddress, type Resolve } from "./address-guard.ts";
import { askOutside, type OutsideOptions } from "./ask-outside.ts";
import { exchangeFollowing, type Incoming, RefusedRedirect } from "./webhook-exchange.ts";
import { anyValues, redacted, secretsOf, webhookHeaders, webhookUrl } from "./webhook-request.ts";

/** The request of a webhook, and its limits. */
export interface WebhookOptions
  extends
    Pick<OutsideOptions, "environment" | "redactor">,
    Omit<WebhookHandler, "kind" | "protocol" | "redact"> {
  /** Whether each call has its own, so that a variable that is not set is an error of the call. */
  readonly isPerCall?: boolean | undefined;
  readonly protocol: HandlerProtocol;
  /** Maximum size of a response body, in bytes. */
  readonly maxAnswerBytes: number;
  /** Aborts pending calls and prevents new ones. */
  readonly signal?: AbortSignal | undefined;
  /** Resolves names; default: the system's lookup. */
  readonly resolve?: Resolve | undefined;
}

/** Where a call goes, with the variables of its caller. */
interface Destination {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that messages must not contain. */
  readonly secrets: readonly string[];
}

/** The result of a try, before the protocol has read it. `again`: a retry may succeed. */
type Attempt =
  | { readonly incoming: Incoming; readonly again: boolean }
  | { readonly failure: HookFailure; readonly again: boolean };

/**
 * Sends the context to a URL in the form of a protocol, which reads the response. Connection errors, 429 and 5xx are
 * retried at most `maxRetries` times and within the hook's `timeoutMs`, which covers everything.
 */
export class WebhookRunner implements HookRunner {
  readonly #options: WebhookOptions;
  /** The host, which variables cannot change. */
  readonly #host: string;
  readonly #guard: AddressGuard;

  /** @throws OrcsError ORCS1004, ORCS1017 or ORCS1019 for invalid options, such as a variable that is not set */
  constructor(options: WebhookOptions) {
    const { allowEnv, allowHosts, environment, isPerCall } = options;
    this.#options = options;
    this.#host = this.#destination(isPerCall ? anyValues(allowEnv) : environment).url.host;
    this.#guard = new AddressGuard(allowHosts, options.resolve);
    // Each pending call adds a listener, and there may be many.
    if (options.signal) setMaxListeners(0, options.signal);
  }

  async run(turn: Turn): Promise<void> {
    const { environment, redactor } = this.#options;
    const options = { environment, redactor, isShared: true };
    const reach = (from: Environment): Destination => this.#destination(from);
    const ask = (call: HandlerCall, to: Destination): Promise<HookReport> =>
      this.#ask(turn, call, to);
    turn.settle(await askOutside(turn, options, reach, ask));
  }

  /** @throws OrcsError ORCS1004, ORCS1017, ORCS1019, ORCS7022 */
  #destination(environment: Environment): Destination {
    const { allowEnv: allowed, url, headers } = this.#options;
    const variables = { allowed, environment };
    return {
      url: webhookUrl(url, variables),
      headers: webhookHeaders(headers, variables),
      secrets: secretsOf(variables),
    };
  }

  async #ask(turn: Turn, call: HandlerCall, to: Destination): Promise<HookReport> {
    const { hook } = turn;
    const body = JSON.stringify(this.#options.protocol.encode(call).body);
    const signals = [this.#options.signal, turn.signal].filter((each) => each !== undefined);
    const outer = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    const endsAt = performance.now() + hook.timeoutMs;
    const within = timedSignal(hook.timeoutMs, outer);
    const { signal } = within;
    let report: HookReport;
    try {
      // Even if an operation ignores the signal.
      report = await unlessAborted(this.#tries(turn, call, body, to, { signal, endsAt }), signal);
    } catch (thrown) {
      // Unexpected errors, for example of the protocol.
      const unread = `the response of ${this.#name} could not be read: ${messageOf(thrown)}`;
      report = signal.aborted ? this.#ended(within, hook.timeoutMs) : failure("error", unread);
    } finally {
      within.end();
    }
    if (!("failure" in report)) return report;
    // A server may return what it was sent, and a message may quote it.
    const message = redacted(report.failure.message, to.secrets);
    const mode = modeAt(hook.point, report.failure.mode);
    return { failure: { ...report.failure, message, mode } };
  }

  async #tries(
    { hook, trace }: Turn,
    call: HandlerCall,
    body: string,
    to: Destination,
    { signal, endsAt }: { readonly signal: AbortSignal; readonly endsAt: number },
  ): Promise<HookReport> {
    // A configured trace replaces the caller's.
    const headers = {
      ...("traceparent" in to.headers ? undefined : trace),
      ...to.headers,
      ...(hook.mode === "audit" && { "x-orcs-shadow": encodeURIComponent(hook.id) }),
    };
    for (let tries = 1; ; tries++) {
      const attempt = await this.#attempt(body, signal, { ...to, headers });
      const wait = this.#waitBefore(attempt, tries, hook.maxRetries);
      if (wait === undefined || wait >= endsAt - performance.now()) {
        return this.#report(attempt, tries, call, to);
      }
      await sleep(wait, undefined, { signal });
    }
  }

  /** One try with its redirects. Throws when the time is over. */
  async #attempt(
    body: string,
    signal: AbortSignal,
    { url, headers }: Destination,
  ): Promise<Attempt> {
    const { method, maxAnswerBytes } = this.#options;
    const outgoing = { url, method, headers, body, maxAnswerBytes, signal };
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
    const final = (kind: HookFailure["kind"], why: string): Attempt => {
      return { ...failure(kind, `${this.#name} ${why}`), again: false };
    };
    if (thrown instanceof RefusedAddress)
      return final("error", `is not allowed: ${thrown.message}`);
    if (thrown instanceof RefusedRedirect) return final("answer", thrown.message);
    const code = codeOf(thrown) ?? "an unknown network error";
    if (code.startsWith("HPE_")) return final("answer", `returned what is not HTTP: ${code}`);
    const { failure: unreached } = failure("error", `${this.#name} could not be reached: ${code}`);
    const { unreachable: mode } = this.#options.protocol.fails;
    return { failure: { ...unreached, mode }, again: isRetriedError(code) };
  }

  /** Milliseconds until the next try; undefined when there is none. */
  #waitBefore(attempt: Attempt, tries: number, maxRetries: number): number | undefined {
    if (!attempt.again || tries > maxRetries) return undefined;
    const retryAfter = "incoming" in attempt ? attempt.incoming.retryAfter : undefined;
    return retryDelay(tries, retryAfter, Date.now());
  }

  #report(
    attempt: Attempt,
    tries: number,
    call: HandlerCall,
    { secrets }: Destination,
  ): HookReport {
    if ("failure" in attempt) {
      if (tries === 1) return { failure: attempt.failure };
      const message = `${attempt.failure.message} (${tries} tries)`;
      return { failure: { ...attempt.failure, message } };
    }
    const { status, body } = attempt.incoming;
    if (typeof body !== "string") {
      return failure("answer", `the response of ${this.#name}, status ${status}, ${body.unfit}`);
    }
    // Redacted before it is read: a message might quote a truncated part.
    const { protocol } = this.#options;
    const read = protocol.readHttp({ status, body: redacted(body, secrets) }, call);
    return modedAnswer(read, call, protocol);
  }

  #ended({ isLate }: TimedSignal, timeoutMs: number): { failure: HookFailure } {
    if (!isLate) {
      return failure("killed", `the request to ${this.#name} was cancelled with the call`);
    }
    const message = `no complete response from ${this.#name} within ${timeoutMs} ms${RAISE_TIMEOUT}`;
    return { failure: { kind: "timeout", message, mode: this.#options.protocol.fails.timeout } };
  }

  /** For messages: only its host, as the rest of the URL may contain a secret. */
  get #name(): string {
    return `the webhook at ${this.#host}`;
  }
}

function failure(kind: HookFailure["kind"], message: string): { failure: HookFailure } {
  return { failure: { kind, message } };
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;

/** Whether the same request may succeed later with this status. */
export function isRetriedStatus(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Temporary network errors. A wrong certificate or an unknown name is permanent. */
const RETRIED_CODES =
  words(`EAI_AGAIN ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH
  EPIPE ETIMEDOUT`);

/** Whether a retry makes sense after a network error with this code. */
export function isRetriedError(code: string): boolean {
  return RETRIED_CODES.includes(code);
}

/**
 * Delay before the next try in milliseconds: doubled each time, and at least what the server asked for.
 * @param tries number of tries so far, from 1
 * @param retryAfter the header, seconds or a date; an invalid one is ignored
 * @param now milliseconds since 1970
 */
export function retryDelay(tries: number, retryAfter: string | undefined, now: number): number {
  const own = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);
  return Math.max(own, askedFor(retryAfter, now));
}

function askedFor(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  const text = retryAfter.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // A date begins with the name of a day or month; Date.parse would also accept "-5" or "1.5".
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : date - now;
}
