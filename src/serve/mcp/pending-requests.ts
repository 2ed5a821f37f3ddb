import { isPlainObject } from "../../core/json.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";

/** Who waits for an answer of the server. */
export interface AnswerListener {
  /** @param line the very bytes */
  answered(message: RpcMessage, line: Buffer): void;
  /** No answer will come, or none that can be read. */
  lost(why: string): void;
}

/** A request that is about to be sent. */
export interface PendingRequest {
  readonly id: RpcId;
  /** Under which the server may tell of its progress. */
  readonly token: RpcId | undefined;
  /** Undefined for what is none of the hooks' business. */
  readonly waiting?: AnswerListener;
}

/** What came of an answer. */
export type AnswerRoute =
  /** Hooks see it first. */
  | "ours"
  /** It is nobody's to look into. */
  | "passes"
  /** It answers nothing that the server was asked, or not any more: the client must not see it. */
  | "unasked";

/** How many tokens of tasks that go on are remembered. */
const MAX_TASK_TOKENS = 10_000;

/**
 * The requests that the server has and has not answered, by the ids that the server knows. Nothing that the server
 * says in answer reaches the client unless it stands here.
 */
export class PendingRequests {
  /** Of one id there are several only where a client gives it twice, and hooks wait for none of them. */
  readonly #waiting = new Map<RpcId, PendingRequest[]>();
  /** How many requests have each token. */
  readonly #tokens = new Map<RpcId, number>();
  /** Of requests whose answer was a task: it goes on, and tells of its progress under them. */
  readonly #taskTokens = new Set<RpcId>();
  #count = 0;
  #gone: string | undefined;

  /** Why nothing is asked of the server any more. */
  get gone(): string | undefined {
    return this.#gone;
  }

  get size(): number {
    return this.#waiting.size;
  }

  has(id: RpcId): boolean {
    return this.#waiting.has(id);
  }

  /** Whether an answer with this id is for the hooks. */
  awaits(id: RpcId): boolean {
    return this.#waiting.get(id)?.[0]?.waiting !== undefined;
  }

  /** Whether progress may be told under this token. */
  hasToken(id: RpcId): boolean {
    return this.#tokens.has(id) || this.#taskTokens.has(id);
  }

  /** An id that the server has not seen: for what it is asked again. */
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
    // A request that takes the id of a call under way must not take its answer.
    if (!waiting && this.awaits(id)) return true;
    this.#waiting.set(id, waiting ? [asked] : [...(this.#waiting.get(id) ?? []), asked]);
    if (token !== undefined) this.#tokens.set(token, (this.#tokens.get(token) ?? 0) + 1);
    return true;
  }

  /** An answer has come. */
  take(id: RpcId, message: RpcMessage, line: Buffer): AnswerRoute {
    const asked = this.#end(id);
    if (!asked) return "unasked";
    if (asked.token !== undefined && isTask(message["result"])) this.#keepToken(asked.token);
    asked.waiting?.answered(message, line);
    return asked.waiting ? "ours" : "passes";
  }

  /**
   * No answer to this will come, or none that can be read.
   * @returns whether somebody waits whom nobody here answers
   */
  lose(id: RpcId, why: string): boolean {
    const asked = this.#end(id);
    asked?.waiting?.lost(why);
    return asked !== undefined && !asked.waiting;
  }

  /** Nobody waits for it any more. */
  forget(id: RpcId): void {
    this.#end(id);
  }

  /** Nothing comes of what is asked from now on. */
  close(why: string): void {
    this.#gone = why;
  }

  /** No answer will come. @returns the ids of the requests that nobody here answers */
  loseAll(why: string): RpcId[] {
    const ids = [...this.#waiting].flatMap(([id, asked]) => asked.map(() => id));
    return ids.filter((id) => this.lose(id, why));
  }

  #end(id: RpcId): PendingRequest | undefined {
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

function isTask(result: unknown): boolean {
  return (
    isPlainObject(result) && (isPlainObject(result["task"]) || result["resultType"] === "task")
  );
}
