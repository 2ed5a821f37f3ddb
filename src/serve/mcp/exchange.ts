import type { RpcId, RpcMessage } from "./json-rpc.ts";

/** Who waits for an answer of the server. */
export interface Waiting {
  /** @param line the very bytes */
  answered(message: RpcMessage, line: Buffer): void;
  /** No answer will come, or none that can be read. */
  lost(why: string): void;
}

/** What came of an answer. */
export type Taken =
  /** Hooks see it first. */
  | "ours"
  /** It is nobody's to look into. */
  | "passes"
  /** It answers what has been answered, or was cancelled: it must not reach the client unseen. */
  | "dropped";

/** How many ids of requests that are over are remembered. */
const REMEMBERED = 10_000;

/** The client's requests that the server has and has not answered, by the ids that the server knows. */
export class Exchange {
  readonly #waiting = new Map<RpcId, Waiting | undefined>();
  /** Of requests that hooks watch over: another answer to one would pass them by. */
  readonly #over = new Set<RpcId>();
  #count = 0;
  #gone: string | undefined;

  /** Why nothing is asked of the server any more. */
  get gone(): string | undefined {
    return this.#gone;
  }

  /** Whether there is, or was, any answer that hooks must see. */
  get watches(): boolean {
    return this.#over.size > 0 || [...this.#waiting.values()].some((waiting) => waiting);
  }

  get size(): number {
    return this.#waiting.size;
  }

  has(id: RpcId): boolean {
    return this.#waiting.has(id);
  }

  /** Whether an answer with this id is for the hooks. */
  awaits(id: RpcId): boolean {
    return this.#waiting.get(id) !== undefined;
  }

  /** An id that the server has not seen: for what it is asked again. */
  freshId(): RpcId {
    let id: RpcId;
    do id = `orcs-${++this.#count}`;
    while (this.#waiting.has(id) || this.#over.has(id));
    return id;
  }

  /**
   * A request is about to be sent.
   * @param waiting undefined for what is none of the hooks' business
   * @returns false when there is no server to send it to
   */
  expect(id: RpcId, waiting?: Waiting): boolean {
    if (this.#gone !== undefined) {
      waiting?.lost(this.#gone);
      return false;
    }
    // A request that takes the id of a call under way must not take its answer.
    if (!waiting && this.awaits(id)) return true;
    this.#over.delete(id);
    this.#waiting.set(id, waiting);
    return true;
  }

  /** An answer has come. */
  take(id: RpcId, message: RpcMessage, line: Buffer): Taken {
    if (this.#waiting.has(id)) {
      const waiting = this.#end(id);
      waiting?.answered(message, line);
      return waiting ? "ours" : "passes";
    }
    return this.#isKnown(id) ? "dropped" : "passes";
  }

  /** An answer has come that cannot be read. @returns whether it was for the hooks */
  spoil(id: RpcId, why: string): boolean {
    if (this.#isOurs(id)) this.#end(id)?.lost(why);
    return this.#isKnown(id);
  }

  /** Nobody waits for it any more. */
  forget(id: RpcId): void {
    if (this.#waiting.has(id)) this.#end(id);
  }

  /** Nothing comes of what is asked from now on. */
  close(why: string): void {
    this.#gone = why;
  }

  /** No answer will come. @returns the ids of the requests that nobody here answers */
  loseAll(why: string): RpcId[] {
    const ids = [...this.#waiting.keys()];
    return ids.filter((id) => {
      const waiting = this.#end(id);
      waiting?.lost(why);
      return !waiting;
    });
  }

  #isOurs(id: RpcId): boolean {
    return this.#over.has(id) || this.awaits(id);
  }

  /** Some clients take "1" for 1. */
  #isKnown(id: RpcId): boolean {
    const twin = twinOf(id);
    return this.#isOurs(id) || (twin !== undefined && this.#isOurs(twin));
  }

  #end(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting) {
      this.#over.add(id);
      const [oldest] = this.#over;
      if (this.#over.size > REMEMBERED && oldest !== undefined) this.#over.delete(oldest);
    }
    return waiting;
  }
}

function twinOf(id: RpcId): RpcId | undefined {
  if (typeof id === "number") return String(id);
  const number = Number(id);
  return Number.isNaN(number) ? undefined : number;
}
