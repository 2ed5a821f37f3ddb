import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { HookContext } from "../core/context.ts";
import { messageOf } from "../core/errors.ts";
import type { Hook, HookFailure, HookReport, HookRunner, Turn } from "../core/hook.ts";
import { jsonContext } from "../core/visible-value.ts";
import type { Json } from "../core/json.ts";
import type { Redactor } from "../core/ports.ts";
import type { HandlerCall, HandlerProtocol } from "../protocols/handler-protocol.ts";
import { modeAt } from "../protocols/handler-report.ts";
import type { Resolve } from "./address-guard.ts";
import { AddressGuard, RefusedAddress } from "./address-guard.ts";
import { restoredReport } from "./unmasked-answer.ts";
import type { Incoming } from "./webhook-exchange.ts";
import { exchangeFollowing, RefusedRedirect } from "./webhook-exchange.ts";
import type { Variables } from "./webhook-request.ts";
import { secretsOf, webhookHeaders, webhookUrl } from "./webhook-request.ts";

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
      return {
        ...failure("error", `${this.#name} is not allowed: ${thrown.message}`),
        again: false,
      };
    }
    if (thrown instanceof RefusedRedirect) {
      return { ...failure("answer", `${this.#name} ${thrown.message}`), again: false };
    }
    const code = codeOf(thrown);
    if (code.startsWith("HPE_")) {
      return {
        ...failure("answer", `${this.#name} returned what is not HTTP: ${code}`),
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
      return failure("answer", `the response of ${this.#name}, status ${status}, ${body.unfit}`);
    }
    // Before it is read: later, a message might quote a part of what was cut.
    return this.#options.protocol.readHttp({ status, body: this.#redacted(body) }, call);
  }

  #ended({ ended }: Deadline, timeoutMs: number): HookFailure | undefined {
    switch (ended) {
      case undefined:
        return undefined;
      case "aborted":
        return {
          kind: "killed",
          message: `the request to ${this.#name} was cancelled with the call`,
        };
      case "timeout":
        return {
          kind: "timeout",
          message: `no complete response from ${this.#name} within ${timeoutMs} ms`,
          mode: this.#options.protocol.onTimeout,
        };
    }
  }

  /** What should not have been thrown, by the protocol for one. */
  #failed(thrown: unknown): HookFailure {
    return {
      kind: "error",
      message: `the response of ${this.#name} could not be read: ${messageOf(thrown)}`,
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

/** How the time of one call ends: by itself, or because the caller wants everything to end. */
type Ended = "timeout" | "aborted";

/** The time that one call has, retries and bodies included. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #end: number;
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  #ended: Ended | undefined;
  #reject!: (reason: Error) => void;

  /** Rejects when time is up: a wait that misses the signal ends all the same. */
  readonly over = new Promise<never>((_, reject) => {
    this.#reject = reject;
  });

  /**
   * @param ms at most 2^31 - 1
   * @param outer ends it early
   */
  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#end = performance.now() + ms;
    this.#timer = setTimeout(() => this.#expire("timeout"), ms);
    this.#outer = outer;
    outer?.addEventListener("abort", this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
  }

  /** Aborts when time is up, or when the outer signal does. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why time is up; undefined while it is not. */
  get ended(): Ended | undefined {
    return this.#ended;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.#end - performance.now();
  }

  /** Let go of the timer and the outer signal. */
  release(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.#expire("aborted");

  #expire(why: Ended): void {
    this.#ended ??= why;
    this.#controller.abort();
    this.#reject(new Error(why));
  }
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;

/** Whether a status says that the same request may fare better later. */
export function isRetriedStatus(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Network errors that may be over in a moment. A wrong certificate or a name that is none stays so. */
const RETRIED_CODES: readonly string[] = [
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
];

/** Whether a network error, by its code, is worth another try. */
export function isRetriedError(code: string): boolean {
  return RETRIED_CODES.includes(code);
}

/**
 * How long to wait before the next try, in milliseconds: twice as long each time, and never less than the
 * server asked for.
 *
 * @param tries how many there were, from 1
 * @param retryAfter the header, seconds or a date; one that is neither is not there
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
  // A date has the name of a day or a month; Date.parse would read "-5" or "1.5" as one, too.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : date - now;
}
