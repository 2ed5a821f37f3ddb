import { isPlainObject } from "../../core/index.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";

/** Waits for a response of the server. */
export interface AnswerListener {
  /** @param line the original bytes */
  answered(message: RpcMessage, line: Buffer): void;
  /** No response will come, or only an unreadable one. */
  lost(why: string): void;
}

/** A request that is about to be sent. */
export interface PendingRequest {
  readonly id: RpcId;
  /** The token for progress messages of the server. */
  readonly token: RpcId | undefined;
  /** Undefined for a request that does not concern hooks. */
  readonly waiting?: AnswerListener;
}

/** The route of a response. */
export type AnswerRoute =
  /** Hooks see it first. */
  | "ours"
  /** Passed on without hooks. */
  | "passes"
  /** A response to no pending request: the client must not get it. */
  | "unasked";

/** Maximum number of remembered tokens of running tasks. */
const MAX_TASK_TOKENS = 10_000;

/**
 * The requests that the server has not answered yet, by the ids that the server knows. Responses of the server reach
 * the client only if they are listed here.
 */
export class PendingRequests {
  /** Several requests share an id only if a client uses it twice; hooks wait for none of these. */
  readonly #waiting = new Map<RpcId, PendingRequest[]>();
  /** Number of requests per token. */
  readonly #tokens = new Map<RpcId, number>();
  /** Tokens of requests whose response was a task: it continues, and reports progress with them. */
  readonly #taskTokens = new Set<RpcId>();
  #count = 0;
  #gone: string | undefined;

  /** Why the server gets no more requests. */
  get gone(): string | undefined {
    return this.#gone;
  }

  get size(): number {
    return this.#waiting.size;
  }

  has(id: RpcId): boolean {
    return this.#waiting.has(id);
  }

  /** Whether a response with this id goes to the hooks. */
  awaits(id: RpcId): boolean {
    return this.#waiting.get(id)?.[0]?.waiting !== undefined;
  }

  /** Whether progress can be reported with this token. */
  hasToken(id: RpcId): boolean {
    return this.#tokens.has(id) || this.#taskTokens.has(id);
  }

  /** An id that the server has not seen, for a retry. */
  freshId(): RpcId {
    let id: RpcId;
    do id = `orcs-${++this.#count}`;
    while (this.#waiting.has(id));
    return id;
  }

  /** @returns false when there is no server to send it to */
  expect(asked: PendingRequest): boolean {
    const { id, token, waiting } = asked;
    if (this.#gone !== undefined) {
      waiting?.lost(this.#gone);
      return false;
    }
    // A request with the id of a pending call must not receive its response.
    if (!waiting && this.awaits(id)) return true;
    this.#waiting.set(id, waiting ? [asked] : [...(this.#waiting.get(id) ?? []), asked]);
    if (token !== undefined) this.#tokens.set(token, (this.#tokens.get(token) ?? 0) + 1);
    return true;
  }

  /** A response has arrived. */
  take(id: RpcId, message: RpcMessage, line: Buffer): AnswerRoute {
    const asked = this.forget(id);
    if (!asked) return "unasked";
    const { result } = message;
    const isTask =
      isPlainObject(result) && (isPlainObject(result["task"]) || result["resultType"] === "task");
    if (asked.token !== undefined && isTask) this.#keepToken(asked.token);
    asked.waiting?.answered(message, line);
    return asked.waiting ? "ours" : "passes";
  }

  /**
   * No response will come, or only an unreadable one.
   * @returns whether a client waits that nobody here answers
   */
  lose(id: RpcId, why: string): boolean {
    const asked = this.forget(id);
    asked?.waiting?.lost(why);
    return asked !== undefined && !asked.waiting;
  }

  /** Fail all later requests. */
  close(why: string): void {
    this.#gone = why;
  }

  /** No response will come. @returns the ids of the requests that nobody here answers */
  loseAll(why: string): RpcId[] {
    const ids = [...this.#waiting].flatMap(([id, asked]) => asked.map(() => id));
    return ids.filter((id) => this.lose(id, why));
  }

  /** Nobody waits for it any more. @returns what was pending */
  forget(id: RpcId): PendingRequest | undefined {
    const [asked, ...more] = this.#waiting.get(id) ?? [];
    if (more.length > 0) this.#waiting.set(id, more);
    else this.#waiting.delete(id);
    if (asked?.token !== undefined) this.#dropToken(asked.token);
    return asked;
  }

  #dropToken(id: RpcId): void {
    const left = (this.#tokens.get(id) ?? 1) - 1;
    if (left > 0) this.#tokens.set(id, left);
    else this.#tokens.delete(id);
  }

  #keepToken(id: RpcId): void {
    this.#taskTokens.add(id);
    const [oldest] = this.#taskTokens;
    if (this.#taskTokens.size > MAX_TASK_TOKENS && oldest !== undefined)
      this.#taskTokens.delete(oldest);
  }
}
