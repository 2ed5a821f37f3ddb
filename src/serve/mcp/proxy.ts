import { readClientLine } from "./client-line.ts";
import type { CallLine } from "./client-line.ts";
import { Exchange } from "./exchange.ts";
import type { Waiting } from "./exchange.ts";
import type { Hooked } from "./hooked.ts";
import { errorAnswer, lineOf, paramsOf, RPC_ERRORS } from "./json-rpc.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";
import { readServerLine } from "./server-line.ts";
import type { ServerMessage } from "./server-line.ts";
import { ToolCall } from "./tool-call.ts";
import { filteredList } from "./tool-list.ts";
import { saysComplete } from "./tool-result.ts";

/** Both ends of a proxy, and whose hooks stand between them. */
export interface ProxyParts extends Hooked {
  readonly toClient: (line: Buffer) => void;
  readonly toServer: (line: Buffer) => void;
}

/**
 * Stands between a client and a server of MCP, line by line. Tool calls and their results pass the hooks, lists of
 * tools, too; every other line goes on as the bytes that it is, at once, whatever hooks are doing.
 */
export class McpProxy {
  readonly #parts: ProxyParts;
  readonly #exchange = new Exchange();
  /** Under way, by the client's ids. */
  readonly #calls = new Map<RpcId, ToolCall>();
  readonly #running = new Set<Promise<void>>();
  #initialized = false;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
  }

  /** Whether nobody waits for anything. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#exchange.size === 0;
  }

  /** Resolves when no call is in the hands of its hooks, or of the server. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** A line of the client, its end included. */
  fromClient(line: Buffer): void {
    const read = readClientLine(line);
    switch (read.kind) {
      case "refused":
        this.#parts.log.warn(`a message of the client was refused: ${read.why}`);
        this.#parts.toClient(lineOf(read.answer));
        break;
      case "call":
        this.#call(read);
        break;
      case "list":
        if (this.#refusedAsGone([read.id])) break;
        // It must not take the answer of what hooks wait for.
        if (this.#exchange.awaits(read.id)) {
          this.#refusedAsTaken(read.id, "request");
          break;
        }
        this.#exchange.expect(read.id, this.#listing(read.id, read.message));
        this.#parts.toServer(line);
        break;
      case "cancelled":
        this.#cancel(read.id, read.message, line);
        break;
      case "other":
        this.#initialized ||= read.method === "initialize";
        if (this.#refusedAsGone(read.ids)) break;
        for (const id of read.ids) this.#exchange.expect(id);
        this.#parts.toServer(line);
        break;
    }
  }

  /** A line of the server, its end included. */
  fromServer(line: Buffer): void {
    const { watches } = this.#exchange;
    const read = readServerLine(line, watches);
    if (read.kind === "answers") this.#answers(read.messages, read.anew ?? line);
    else if (read.kind === "other") this.#parts.toClient(read.anew ?? line);
    else if (watches) this.#broken(read.ids, read.why, line);
    else this.#parts.toClient(line);
  }

  /** Something of the server could not be read at all, so that nobody knows whom it was for. */
  lost(why: string): void {
    for (const id of this.#exchange.loseAll(why)) {
      this.#parts.toClient(lineOf(errorAnswer(id, RPC_ERRORS.closed, why)));
    }
  }

  /**
   * There is no server: what waits for it is answered with an error, and so is what comes.
   * @returns how many requests waited
   */
  serverGone(why: string): number {
    this.#exchange.close(why);
    const waiting = this.#exchange.size;
    this.lost(why);
    return waiting;
  }

  #call(call: CallLine): void {
    if (this.#refusedAsGone([call.id])) return;
    if (this.#calls.has(call.id)) {
      this.#refusedAsTaken(call.id, "call");
      return;
    }
    const parts = { ...this.#parts, exchange: this.#exchange };
    const running = new ToolCall(parts, call, saysComplete(call.message, this.#initialized));
    this.#calls.set(call.id, running);
    this.#run(async () => {
      const answer = await running.run();
      if (this.#calls.get(call.id) === running) this.#calls.delete(call.id);
      if (answer) this.#parts.toClient(answer);
    });
  }

  #listing(id: RpcId, request: RpcMessage): Waiting {
    return {
      answered: (answer, line) => {
        this.#run(async () => {
          this.#parts.toClient(await filteredList(this.#parts, { id, request, answer, line }));
        });
      },
      lost: (why) => this.#parts.toClient(lineOf(errorAnswer(id, RPC_ERRORS.closed, why))),
    };
  }

  #cancel(id: RpcId, message: RpcMessage, line: Buffer): void {
    const call = this.#calls.get(id);
    if (!call) {
      this.#exchange.forget(id);
      this.#parts.toServer(line);
      return;
    }
    const known = call.cancel();
    this.#calls.delete(id);
    // A call that is with its hooks, the server has never heard of, or has answered.
    if (known === id) this.#parts.toServer(line);
    else if (known !== undefined) {
      const params = { ...paramsOf(message), requestId: known };
      this.#parts.toServer(lineOf({ ...message, params }));
    }
  }

  #answers(messages: readonly ServerMessage[], whole: Buffer): void {
    const passed = messages.filter(({ id, message, line }) => {
      const taken = id === undefined ? "passes" : this.#exchange.take(id, message, line);
      if (taken === "dropped") {
        this.#parts.log.warn(
          `the server answered ${JSON.stringify(id)} again, or after it was cancelled`,
        );
      }
      return taken === "passes";
    });
    // A batch goes on as it is when nothing in it is for the hooks; else one by one.
    if (passed.length === messages.length) this.#parts.toClient(whole);
    else for (const { line } of passed) this.#parts.toClient(line);
  }

  /** What cannot be read, and may be an answer that hooks must see, does not go on. */
  #broken(ids: readonly RpcId[], why: string, line: Buffer): void {
    const spoilt = ids.filter((id) => this.#exchange.spoil(id, why));
    if (ids.length > 0 && spoilt.length === 0) this.#parts.toClient(line);
    else this.#parts.log.warn(`${why}; ${line.length} bytes were dropped`);
  }

  #refusedAsTaken(id: RpcId, what: string): void {
    const why = `a ${what} with the id ${JSON.stringify(id)} is under way already`;
    this.#parts.log.warn(why);
    this.#parts.toClient(lineOf(errorAnswer(id, RPC_ERRORS.invalidRequest, why)));
  }

  #refusedAsGone(ids: readonly RpcId[]): boolean {
    const { gone } = this.#exchange;
    if (gone === undefined) return false;
    for (const id of ids) {
      this.#parts.toClient(lineOf(errorAnswer(id, RPC_ERRORS.closed, gone)));
    }
    return true;
  }

  #run(work: () => Promise<void>): void {
    const running = work().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
