import { OrcsError, RAISE_TIMEOUT, unlessAborted, withTimeLimit } from "../../../core/index.ts";
import type { ErrorCode, Logger } from "../../../core/index.ts";
import type { LiveProtocol, RpcCall } from "../../../formats/index.ts";
import type { OpenLink } from "./link.ts";
import { GIVEN_UP, LiveSession, type Reply } from "./live-session.ts";

/** What a handler that lives on needs. */
interface LiveClientOptions {
  /** For messages: `the process python3 guard.py`. */
  readonly name: string;
  readonly protocol: LiveProtocol;
  /** Whether it is asked for its version and capabilities first. */
  readonly handshake: boolean;
  readonly open: OpenLink;
  /** Maximum number of calls that wait. */
  readonly maxPending: number;
  /** Maximum number of bytes that the handler has not taken yet. */
  readonly maxBacklogBytes: number;
  readonly logger: Logger;
  /** Version of orcs. */
  readonly version: string;
}

/** Maximum time from the start to the end of the handshake, in milliseconds. */
const START_MS = 10_000;
const FIRST_BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 10_000;
/** How long a handler has to end by itself after SIGTERM, in milliseconds. */
const GRACE_MS = 2_000;
/** How long a replaced handler waits for calls of dispatches that have begun before, in milliseconds. */
const LINGER_MS = 1_000;

/** Maximum number of handlers of one client; a call that comes after an abort waits for one of them then. */
const MAX_OPEN = 4;

/** A handler that is ready, or the reason why it is not. */
type Ready = { readonly session: LiveSession } | { readonly failure: string };

/** Builds the request for a handler with these capabilities. */
type MakeCall = (capabilities: readonly string[]) => RpcCall | { readonly unfit: string };

/**
 * A handler that lives on: started by its first call, started again by the next call after its end, and not before the
 * back-off is over if it ends without having answered any.
 */
export class LiveClient {
  readonly #options: LiveClientOptions;
  #session: LiveSession | undefined;
  #starting: Promise<Ready> | undefined;
  readonly #open = new Set<LiveSession>();
  /** Calls that wait for its start. */
  #waiting = 0;
  /** Ends in a row without an answered call. */
  #failures = 0;
  #notBefore = 0;
  #lastEnd = "";
  #isRetired = false;
  #closing: string | undefined;

  constructor(options: LiveClientOptions) {
    this.#options = options;
  }

  /** Ask it; never rejects. @param timeoutMs for everything, including its start */
  async ask(make: MakeCall, timeoutMs: number, signal?: AbortSignal): Promise<Reply> {
    if (this.#session?.isBehind && this.#open.size < MAX_OPEN) this.#leave(this.#session);
    const session = this.#session;
    const isFull =
      (session?.waiting ?? 0) + this.#waiting >= this.#options.maxPending ||
      (session?.backlog ?? 0) > this.#options.maxBacklogBytes;
    const { name } = this.#options;
    if (isFull) return failure("error", coded("ORCS4042", `too many calls wait for ${name}`));
    if (session) return this.#send(session, make, timeoutMs, signal);
    const started = performance.now();
    this.#waiting++;
    const starting = unlessAborted(this.#ready(), signal).catch((): typeof GIVEN_UP => GIVEN_UP);
    const ready = await withTimeLimit(timeoutMs, starting);
    this.#waiting--;
    if (ready === GIVEN_UP) {
      // Nobody waits for its start any more.
      if (this.#waiting === 0 && !this.#session) {
        this.#starting = undefined;
        await this.#endAll(GIVEN_UP, 0);
      }
      return { failure: { kind: "killed", message: GIVEN_UP } };
    }
    const left = timeoutMs - (performance.now() - started);
    if (ready === undefined || left <= 0) {
      const why = `${name} was not ready within ${timeoutMs} ms${RAISE_TIMEOUT}`;
      return failure("timeout", coded("ORCS4041", why));
    }
    if ("failure" in ready) return failure("error", ready.failure);
    return this.#send(ready.session, make, left, signal);
  }

  /**
   * It was replaced: it ends as soon as no call waits for it. Calls of dispatches that have begun before are still
   * answered.
   */
  retire(): void {
    this.#isRetired = true;
    if (this.#session) this.#endWhenIdle(this.#session);
  }

  /** End it with its processes; calls that wait fail. */
  async close(why: string, graceMs = GRACE_MS): Promise<void> {
    this.#closing = why;
    await this.#endAll(why, graceMs);
  }

  async #endAll(why: string, graceMs: number): Promise<void> {
    await Promise.all([...this.#open].map((session) => session.close(why, graceMs)));
  }

  async #send(
    session: LiveSession,
    make: MakeCall,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    const { name } = this.#options;
    const call = make(session.capabilities);
    if ("unfit" in call) return failure("error", coded("ORCS4043", `${name} ${call.unfit}`));
    const reply = await session.ask(call, timeoutMs, signal);
    if (!("failure" in reply)) {
      session.hasAnswered = true;
      this.#failures = 0;
      return reply;
    }
    const message = coded("ORCS4041", `${name}: ${reply.failure.message}`);
    return { ...reply, failure: { ...reply.failure, message } };
  }

  #ready(): Promise<Ready> {
    const { name } = this.#options;
    if (this.#closing !== undefined) {
      return Promise.resolve({ failure: coded("ORCS4041", `${name}: ${this.#closing}`) });
    }
    if (this.#starting) return this.#starting;
    const wait = this.#notBefore - performance.now();
    if (wait > 0) {
      const why = `${this.#lastEnd}; it is not started again for ${Math.ceil(wait)} ms`;
      return Promise.resolve({ failure: coded("ORCS4040", `${name}: ${why}`) });
    }
    const starting = this.#start().finally(() => {
      if (this.#starting === starting) this.#starting = undefined;
    });
    this.#starting = starting;
    return starting;
  }

  async #start(): Promise<Ready> {
    const { name, open, protocol, handshake, version, logger } = this.#options;
    const session: LiveSession = new LiveSession(open, {
      dropped: (why) => logger.warn(`${name}: a message was dropped: it ${why}`),
      lost: (why, isGivenUp) => this.#lost(session, why, isGivenUp),
    });
    this.#open.add(session);
    const unfit = handshake ? await greet(session, protocol, version) : undefined;
    if (unfit !== undefined) {
      await session.close(unfit, 0);
      return { failure: coded("ORCS4040", `${name}: ${unfit}`) };
    }
    this.#session = session;
    if (this.#isRetired) this.#endWhenIdle(session);
    return { session };
  }

  #lost(session: LiveSession, why: string, isGivenUp: boolean): void {
    const { name, logger } = this.#options;
    if (this.#session === session) this.#session = undefined;
    void session.idle().then(() => this.#open.delete(session));
    if (this.#closing !== undefined || this.#isRetired || isGivenUp) return;
    this.#lastEnd = why;
    this.#failures = session.hasAnswered ? 0 : this.#failures + 1;
    this.#notBefore = performance.now() + backOffMs(this.#failures);
    logger.warn(`${name}: ${why}`);
  }

  /** Another takes its place: it answers the calls that wait, and ends. */
  #leave(session: LiveSession): void {
    this.#session = undefined;
    void session.idle().then(() => session.close(GIVEN_UP, 0));
  }

  #endWhenIdle(session: LiveSession): void {
    const linger = async (): Promise<void> => {
      await session.idle();
      // Without a timer that keeps the process running: then it ends with the process.
      await new Promise<void>((resolve) => setTimeout(resolve, LINGER_MS).unref());
      if (session.waiting > 0) return linger();
      if (this.#session === session) this.#session = undefined;
      await session.close("it was replaced by a reload", GRACE_MS);
    };
    void linger();
  }
}

/** The handshake. @returns why the handler cannot be used, if so */
async function greet(
  session: LiveSession,
  protocol: LiveProtocol,
  version: string,
): Promise<string | undefined> {
  const reply = await session.ask(protocol.hello(version), START_MS);
  if ("failure" in reply) return `no handshake: ${reply.failure.message}`;
  if ("error" in reply) return `it refused the handshake: ${reply.error.message}`;
  const welcome = protocol.readWelcome(reply.result);
  if ("unfit" in welcome) return `it ${welcome.unfit}`;
  session.capabilities = welcome.capabilities;
  return undefined;
}

/**
 * Time until the next start in milliseconds.
 * @param failures ends in a row without an answered call; after the first, it is started again at once
 */
function backOffMs(failures: number): number {
  return failures < 2 ? 0 : Math.min(FIRST_BACK_OFF_MS * 2 ** (failures - 2), MAX_BACK_OFF_MS);
}

function failure(kind: "error" | "timeout", message: string): Reply {
  return { failure: { kind, message } };
}

/** The text of a failure with its code. */
function coded(code: ErrorCode, why: string): string {
  return new OrcsError(code, why).message;
}
