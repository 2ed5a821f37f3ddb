import { randomUUID } from "node:crypto";
import { fileText } from "../../../../machine/index.ts";
import type { Redis } from "ioredis";
import { messageOf, OrcsError } from "../../../../core/index.ts";
import type { ServerScript } from "./scripts.ts";
import { shownStoreUrl } from "./store-url.ts";

/** What a script returned: the kind, and the value if there is one. */
export interface StoreReply {
  readonly kind: string;
  readonly value: string | undefined;
}

/** The class of the client library. */
export type StoreClient = typeof Redis;

/** How long a connection may take until it is given up, in milliseconds. */
const CONNECT_MS = 1000;
/** A server that does not answer for this long is taken for lost, in milliseconds. */
const PATIENCE_MS = 20;
/** Waits before each further attempt to connect, in milliseconds; the last one repeats. */
const RETRY_MS = [5, 20, 100, 500, 2000];

/** @throws OrcsError ORCS9200 when the client library is not installed */
export async function loadStoreClient(): Promise<StoreClient> {
  try {
    return (await import("ioredis")).Redis;
  } catch (thrown) {
    const why = `state.url needs the package ioredis, which cannot be loaded: ${messageOf(thrown)}`;
    throw new OrcsError("ORCS9200", why, {}, { cause: thrown });
  }
}

/** A connection to the server of the shared state, made again whenever it is lost. */
export class StoreLink {
  readonly shown: string;
  readonly #Client: StoreClient;
  readonly #url: string;
  readonly #caFile: string | undefined;
  readonly #greet: () => Promise<void>;
  readonly #changed: (why: string | undefined) => void;
  readonly #waiting = new Set<() => void>();
  #client: Redis | undefined;
  #isReady = false;
  /** Since when there is no connection, on the clock of this process. */
  #lostAt = performance.now();
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #why = "the connection is being made";

  /**
   * @param caFile certificates of the authorities that are trusted for TLS; default: those of Node
   * @param greet run on each connection before it is used; rejects if it cannot be
   * @param changed called with why it was lost, and without when it is ready
   */
  constructor(
    Client: StoreClient,
    { url, caFile }: { readonly url: string; readonly caFile?: string | undefined },
    greet: () => Promise<void>,
    changed: (why: string | undefined) => void,
  ) {
    this.#Client = Client;
    this.#url = url;
    this.#caFile = caFile;
    this.shown = shownStoreUrl(url);
    this.#greet = greet;
    this.#changed = changed;
    this.#connect();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Why it is not ready. */
  get why(): string {
    return this.#why;
  }

  /**
   * Wait until it is ready. One that was lost some time ago is not waited for: a decision must not pay for each of its
   * operations. Only the event loop gets a turn: a program that calls again at once would otherwise keep the connection
   * from being made.
   */
  async ready(withinMs: number): Promise<boolean> {
    if (this.#isReady || this.#closed) return this.#isReady;
    const left = Math.min(withinMs, this.#lostAt + withinMs - performance.now());
    if (left <= 0) {
      await new Promise((resolve) => setImmediate(resolve));
      return this.#isReady;
    }
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, left);
      this.#waiting.add(done);
    });
    return this.#isReady;
  }

  /**
   * Run a script on the current connection, ready or not.
   * @param withinMs how long to wait; the time in which this process does something else is not part of it
   * @throws OrcsError ORCS9201 when it does not answer in time, and then the connection is made again; ORCS9202 when it
   * refuses, or answers in another form
   */
  async run(
    script: ServerScript,
    keys: readonly string[],
    id: string,
    args: readonly string[],
    withinMs: number,
  ): Promise<StoreReply> {
    const client = this.#client;
    if (!client) throw this.unreachable(this.#why);
    let clearLimit: (() => void) | undefined;
    const late = new Promise<never>((_, reject) => {
      const why = `it did not answer within ${Math.round(withinMs)} ms`;
      clearLimit = afterWaiting(withinMs, () => {
        // Time that a dispatch has nearly used up says nothing about the server.
        if (withinMs >= PATIENCE_MS) this.#lose(client, why);
        reject(this.unreachable(why));
      });
    });
    try {
      const reply = await Promise.race([evaluated(client, script, keys, [id, ...args]), late]);
      return this.#read(client, reply, id);
    } catch (thrown) {
      const coded = this.#coded(thrown);
      // The connection has ended, and the client says so before its event "end": without this, it would seem ready.
      if (coded !== thrown && coded.code === "ORCS9201") this.#lose(client, messageOf(thrown));
      throw coded;
    } finally {
      clearLimit?.();
    }
  }

  unreachable(why: string): OrcsError {
    return new OrcsError("ORCS9201", `the shared state ${this.shown} cannot be used: ${why}`);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#drop();
    this.#release();
  }

  /** A server, or whatever is between, can return anything. */
  #read(client: Redis, reply: unknown, id: string): StoreReply {
    const [asked, kind, value] = Array.isArray(reply) ? (reply as unknown[]) : [];
    const isText = value === undefined || value === null || typeof value === "string";
    if (asked === id && typeof kind === "string" && isText) {
      return { kind, value: value ?? undefined };
    }
    const why = "it returned something else than was asked for";
    this.#lose(client, why);
    throw new OrcsError("ORCS9202", `the shared state ${this.shown} cannot be used: ${why}`);
  }

  #coded(thrown: unknown): OrcsError {
    if (thrown instanceof OrcsError) return thrown;
    const isRefusal = thrown instanceof Error && thrown.name === "ReplyError";
    if (!isRefusal) return this.unreachable(messageOf(thrown));
    const why = `the shared state ${this.shown} refused: ${messageOf(thrown).slice(0, 200)}`;
    return new OrcsError("ORCS9202", why, {}, { cause: thrown });
  }

  #connect(): void {
    let trusted: { readonly tls?: { readonly ca: string } };
    try {
      trusted = this.#trusted();
    } catch (thrown) {
      // Later: whoever makes this link has to have it first.
      this.#timer = setTimeout(() => this.#again(messageOf(thrown)), 0);
      this.#timer.unref();
      return;
    }
    const client = new this.#Client(this.#url, {
      ...trusted,
      lazyConnect: true,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      // Connections are made again here, each by a new client: nothing of the previous one is left.
      retryStrategy: null,
      connectTimeout: CONNECT_MS,
      disableClientInfo: true,
      protocol: 2,
    });
    this.#client = client;
    client.on("error", (thrown) => {
      this.#why = this.#whyNot(messageOf(thrown));
      toleratesErrors(client);
    });
    client.on("end", () => this.#lose(client, this.#why));
    void this.#open(client);
  }

  /** Read for each connection, as certificates are renewed. @throws Error with why they cannot be read */
  #trusted(): { readonly tls?: { readonly ca: string } } {
    if (this.#caFile === undefined || !this.#url.startsWith("rediss:")) return {};
    try {
      return { tls: { ca: fileText(this.#caFile) } };
    } catch (thrown) {
      throw new Error(`state.ca_file cannot be read: ${messageOf(thrown)}`, { cause: thrown });
    }
  }

  async #open(client: Redis): Promise<void> {
    try {
      await client.connect();
      client.stream.unref();
      await this.#greet();
      if (this.#client !== client) return;
      this.#attempt = 0;
      this.#isReady = true;
      this.#release();
      this.#changed(undefined);
    } catch (thrown) {
      this.#lose(client, this.#whyNot(messageOf(thrown)));
    }
  }

  /** A server without TLS takes its greeting for a command that is not complete yet, and waits. */
  #whyNot(why: string): string {
    if (!this.#url.startsWith("rediss:") || !why.includes("ETIMEDOUT")) return why;
    return `${why}; if its port is one without TLS, state.url begins with redis:// instead of rediss://`;
  }

  #lose(client: Redis, why: string): void {
    if (this.#client === client && !this.#closed) this.#again(why);
  }

  /** Give up the connection, and make another one after a while. */
  #again(why: string): void {
    this.#drop();
    this.#why = why;
    if (this.#isReady) this.#lostAt = performance.now();
    this.#isReady = false;
    this.#changed(why);
    const wait = RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)];
    this.#timer = setTimeout(() => this.#connect(), wait);
    this.#timer.unref();
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (!client) return;
    toleratesErrors(client);
    client.disconnect();
  }

  #release(): void {
    for (const done of this.#waiting) done();
  }
}

/**
 * Call `late` after this process has waited in its event loop: a service that decides many calls at once reads no
 * answer meanwhile, and the server would be taken for lost. So the time begins when the process is back in its loop,
 * and at its end the answers that are there already are read first.
 * @returns ends it
 */
function afterWaiting(ms: number, late: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let turn = setImmediate(() => {
    timer = setTimeout(() => {
      turn = setImmediate(late);
    }, ms);
  });
  return () => {
    clearImmediate(turn);
    clearTimeout(timer);
  };
}

/**
 * The client listens to the first error of its socket only. With TLS a second one may follow, such as the alert of a
 * server that was refused, and without a listener it would end the process.
 */
function toleratesErrors({ stream }: { readonly stream?: Redis["stream"] | undefined }): void {
  if (stream?.listeners("error").includes(ignored) === false) stream.on("error", ignored);
}

function ignored(): void {
  // The connection is given up already, and its first error is the cause.
}

async function evaluated(
  client: Redis,
  { lua, sha1 }: ServerScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  try {
    return await client.evalsha(sha1, keys.length, ...keys, ...args);
  } catch (thrown) {
    // A server that was restarted has no scripts.
    if (!messageOf(thrown).startsWith("NOSCRIPT")) throw thrown;
    return client.eval(lua, keys.length, ...keys, ...args);
  }
}

/** An id for one request. */
export function newId(): string {
  return randomUUID();
}
