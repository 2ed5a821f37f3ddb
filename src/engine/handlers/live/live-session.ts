import { type HookFailure, RAISE_TIMEOUT } from "../../../core/index.ts";
import { randomUUID } from "node:crypto";
import { readMessage, requestLine, type RpcAnswer, type RpcCall } from "../../../formats/index.ts";
import type { Link, OpenLink } from "./link.ts";

/** The outcome of a call: what the handler returned, or how it failed. */
export type Reply = RpcAnswer | { readonly failure: Pick<HookFailure, "kind" | "message"> };

/** Messages without a valid answer in between, after which a handler counts as broken. */
const MAX_STRAYS = 1_000;
/** How long a handler has to answer a call that was given up, before it is ended, in milliseconds. */
const GIVEN_UP_MS = 500;
/** Timeouts without any message in between, after which a handler counts as unresponsive. */
const MAX_SILENT_TIMEOUTS = 3;

interface Pending {
  readonly resolve: (reply: Reply) => void;
  readonly timeoutMs: number;
  /** When its time is over, as `performance.now()`. */
  readonly dueAt: number;
}

/** What a session reports. */
export interface SessionEvents {
  /** Something that was not asked for was dropped; only some are reported. */
  dropped(why: string): void;
  /** No more requests should be sent. Called once. @param isGivenUp whether it only works on what nobody waits for */
  lost(why: string, isGivenUp: boolean): void;
}

/** One connection to a handler, from its start to its end, with the requests that wait for an answer. */
export class LiveSession {
  readonly #link: Link;
  readonly #events: SessionEvents;
  readonly #pending = new Map<string, Pending>();
  /** Requests that were given up, and that the handler may still work on. */
  readonly #givenUp = new Set<string>();
  /** One timer for all requests: a timer per request would cost as much as reading its answer. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  /**
   * Of the next request; made while the handler works on the one before. Unguessable: an answer that was sent before its
   * question cannot be taken for one.
   */
  #nextId: string = randomUUID();
  /** What the handler said that it can do. */
  capabilities: readonly string[] = [];
  /** Whether it has answered a call, apart from the handshake. */
  hasAnswered = false;
  #strays = 0;
  #silent = 0;
  #why: string | undefined;
  #isLost = false;
  readonly #idle = new Set<() => void>();

  constructor(open: OpenLink, events: SessionEvents) {
    this.#events = events;
    this.#link = open({
      message: (text) => this.#message(text),
      stray: (why) => this.#stray(why),
      failed: (id, why, isLost) => {
        if (isLost) this.#lose(why);
        this.#settle(id, { failure: { kind: "error", message: why } });
      },
      ended: (why) => this.#end(why),
    });
    this.#link.keepAlive(false);
  }

  /** Number of requests that wait for an answer. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Whether it may still work on a request that was given up: one that handles a call at a time hears no other. */
  get isBehind(): boolean {
    return this.#givenUp.size > 0;
  }

  /** Bytes that the handler has not taken yet. */
  get backlog(): number {
    return this.#link.backlog;
  }

  /** Send a request; never rejects. @param signal of a caller that may give it up */
  ask(call: RpcCall, timeoutMs: number, signal?: AbortSignal): Promise<Reply> {
    if (this.#why !== undefined) return Promise.resolve(killed(this.#why));
    if (signal?.aborted) return Promise.resolve(killed(GIVEN_UP));
    if (call.isNotification) {
      this.#link.send(requestLine(call, undefined), undefined);
      return Promise.resolve({ result: null });
    }
    const id = this.#nextId;
    this.#link.send(requestLine(call, id), id);
    return new Promise((resolve) => {
      if (this.#pending.size === 0) this.#link.keepAlive(true);
      const dueAt = performance.now() + timeoutMs;
      const giveUp = (): void => this.#giveUp(id);
      signal?.addEventListener("abort", giveUp);
      const settle = (reply: Reply): void => {
        signal?.removeEventListener("abort", giveUp);
        resolve(reply);
      };
      this.#pending.set(id, { resolve: settle, timeoutMs, dueAt });
      if (dueAt < this.#timerAt) this.#setTimer(dueAt);
      this.#nextId = randomUUID();
    });
  }

  /** Resolves when no request waits for an answer. */
  idle(): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.add(resolve));
  }

  /** End it; requests that wait for an answer fail. @param graceMs as for a link */
  close(why: string, graceMs: number): Promise<void> {
    this.#end(why);
    return this.#link.close(graceMs);
  }

  #message(text: string): void {
    // What comes after the end of a flood is not read any more.
    if (this.#why !== undefined) return;
    const message = readMessage(text);
    if ("stray" in message) return this.#stray(message.stray);
    this.#silent = 0;
    const { id, answer } = message;
    if (this.#givenUp.delete(id)) return;
    if (!this.#pending.has(id)) return this.#stray("answers no pending request");
    this.#strays = 0;
    this.#settle(id, answer);
  }

  #stray(why: string): void {
    if (this.#why !== undefined) return;
    this.#silent = 0;
    this.#strays++;
    // The first, the tenth, the hundredth.
    if (/^10*$/.test(String(this.#strays))) this.#events.dropped(why);
    if (this.#strays < MAX_STRAYS) return;
    void this.close(`it sent ${MAX_STRAYS} messages that answer nothing`, 0);
  }

  /** A handler that is waited for keeps the process running; the timer must not. */
  #setTimer(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#expireDue(), at - performance.now()).unref();
  }

  #expireDue(): void {
    const now = performance.now();
    this.#timerAt = Infinity;
    for (const [id, { dueAt, timeoutMs }] of this.#pending) {
      if (dueAt <= now) this.#expire(id, timeoutMs);
    }
    const next = Math.min(...Array.from(this.#pending.values(), ({ dueAt }) => dueAt));
    if (next < this.#timerAt) this.#setTimer(next);
  }

  #expire(id: string, timeoutMs: number): void {
    const message = `it did not answer within ${timeoutMs} ms${RAISE_TIMEOUT}`;
    this.#settle(id, { failure: { kind: "timeout", message } });
    this.#link.abandon?.(id);
    if (++this.#silent < MAX_SILENT_TIMEOUTS || this.#why !== undefined) return;
    void this.close(`it did not answer ${MAX_SILENT_TIMEOUTS} requests in a row`, 0);
  }

  /** Nobody waits for a request: what works on nothing else, and does not answer soon, is ended. */
  #giveUp(id: string): void {
    this.#settle(id, killed(GIVEN_UP));
    if (this.#link.abandon) return this.#link.abandon(id);
    this.#givenUp.add(id);
    const look = (): void => {
      if (!this.#givenUp.has(id) || this.#why !== undefined) return;
      if (this.#pending.size > 0) wait();
      else void this.close(GIVEN_UP, 0);
    };
    const wait = (): void => void setTimeout(look, GIVEN_UP_MS).unref();
    wait();
  }

  #settle(id: string, reply: Reply): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    pending.resolve(reply);
    if (this.#pending.size > 0) return;
    this.#link.keepAlive(false);
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }

  #lose(why: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#events.lost(why, why === GIVEN_UP);
  }

  #end(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    clearTimeout(this.#timer);
    this.#timerAt = -Infinity;
    this.#lose(why);
    for (const id of this.#pending.keys()) this.#settle(id, killed(why));
  }
}

/** Why a handler was ended that worked on nothing but calls that were given up. */
export const GIVEN_UP = "the call was given up";

function killed(message: string): Reply {
  return { failure: { kind: "killed", message } };
}
