import type { Logger } from "../../core/ports.ts";
import type { RefusedEvent } from "../../engine/audit/entries.ts";
import type { Orcs } from "../../engine/orcs.ts";
import { maskedText } from "../../engine/redaction.ts";
import type { CallLine } from "./client-line.ts";
import { readClientLine } from "./client-line.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";
import { errorAnswer, lineOf, paramsOf, progressTokenOf, RPC_ERRORS } from "./json-rpc.ts";
import type { AnswerListener } from "./pending-requests.ts";
import { PendingRequests } from "./pending-requests.ts";
import type { ServerMessage } from "./server-line.ts";
import { readServerLine } from "./server-line.ts";
import { ToolCall } from "./tool-call.ts";
import { filteredList } from "./tool-list.ts";
import { saysComplete } from "./tool-result.ts";

/** Both ends of a proxy, and whose hooks stand between them. */
interface ProxyParts extends ProxyDeps {
  readonly toClient: (line: Buffer) => void;
  readonly toServer: (line: Buffer) => void;
}

/** Messages of the server that were dropped. */
interface DroppedCounts {
  /** Answers to nothing that it was asked. */
  answers: number;
  /** Progress of nothing that it was asked. */
  progress: number;
  /** What may be an answer, and cannot be read. */
  unreadable: number;
}

/** So many are told and written down one by one; all are counted. */
const MOST_TOLD = 10;
/** What is shown of an id or a token: they are the server's to choose. */
const KEY_LENGTH = 60;

/**
 * Stands between a client and a server of MCP, line by line. Tool calls and their results pass the hooks, lists of
 * tools, too; every other line goes on as the bytes that it is, at once, whatever hooks are doing. Of what the server
 * answers, only that goes on which answers a request that was passed on to it.
 */
export class McpProxy {
  readonly #parts: ProxyParts;
  readonly #exchange = new PendingRequests();
  /** Under way, by the client's ids. */
  readonly #calls = new Map<RpcId, ToolCall>();
  readonly #running = new Set<Promise<void>>();
  readonly #dropped: DroppedCounts = { answers: 0, progress: 0, unreadable: 0 };
  #initialized = false;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
  }

  /** What was dropped of what the server said. */
  get dropped(): Readonly<DroppedCounts> {
    return this.#dropped;
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
        this.#exchange.expect({
          id: read.id,
          token: progressTokenOf(read.message),
          waiting: this.#listing(read.id, read.message),
        });
        this.#parts.toServer(line);
        break;
      case "cancelled":
        this.#cancel(read.id, read.message, line);
        break;
      case "other":
        this.#initialized ||= read.method === "initialize";
        if (this.#refusedAsGone(read.requests.map(({ id }) => id))) break;
        for (const request of read.requests) {
          // The client would take its answer for that of the call, which is with its hooks.
          if (!this.#calls.has(request.id)) this.#exchange.expect(request);
        }
        this.#parts.toServer(line);
        break;
    }
  }

  /** A line of the server, its end included. */
  fromServer(line: Buffer): void {
    const read = readServerLine(line);
    if (read.kind === "matched") this.#matched(read.messages, read.anew ?? line);
    else if (read.kind === "other") this.#parts.toClient(read.anew ?? line);
    else this.#broken(read.ids, read.why, line);
  }

  /** Something of the server could not be read at all, so that nobody knows whom it was for. */
  lost(why: string): void {
    for (const id of this.#exchange.loseAll(why)) {
      this.#parts.toClient(lineOf(errorAnswer(id, RPC_ERRORS.closed, why)));
    }
  }

  /** The session is over: say how much was dropped, where anything was. */
  async end(): Promise<void> {
    const { answers, progress, unreadable } = this.#dropped;
    if (answers + progress + unreadable === 0) return;
    const counted = `${answers} answers and ${progress} progress notifications that match no request`;
    const why = `dropped of the server in this session: ${counted}; ${unreadable} unreadable answers`;
    this.#parts.log.warn(why);
    await this.#writeDown("session", why);
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

  #listing(id: RpcId, request: RpcMessage): AnswerListener {
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

  #matched(messages: readonly ServerMessage[], whole: Buffer): void {
    const passed = messages.filter((message) => this.#passes(message));
    // A batch goes on as it is when nothing in it is for the hooks; else one by one.
    if (passed.length === messages.length) this.#parts.toClient(whole);
    else for (const { line } of passed) this.#parts.toClient(line);
  }

  #passes({ kind, key, message, line }: ServerMessage): boolean {
    if (kind === "other") return true;
    if (kind === "progress") {
      if (key !== undefined && this.#exchange.hasToken(key)) return true;
      this.#drop(
        "progress",
        `the server told of progress under ${named(key, "no token")}, which no request has`,
      );
      return false;
    }
    const taken = key === undefined ? "unasked" : this.#exchange.take(key, message, line);
    if (taken === "unasked") {
      this.#drop("answers", `the server answered ${named(key, "no id")} again, or unasked`);
    }
    return taken === "passes";
  }

  /** What cannot be read, and may be an answer, does not go on; those who may have asked for it are told. */
  #broken(ids: readonly RpcId[], why: string, line: Buffer): void {
    this.#drop("unreadable", `${why}; ${line.length} bytes`);
    for (const id of ids) {
      if (this.#exchange.lose(id, why)) {
        this.#parts.toClient(lineOf(errorAnswer(id, RPC_ERRORS.closed, why)));
      }
    }
  }

  #drop(what: keyof DroppedCounts, why: string): void {
    this.#dropped[what]++;
    const { answers, progress, unreadable } = this.#dropped;
    if (answers + progress + unreadable > MOST_TOLD) return;
    this.#parts.log.warn(`dropped: ${why}`);
    this.#run(() => this.#writeDown(what, why));
  }

  async #writeDown(event: keyof DroppedCounts | "session", reason: string): Promise<void> {
    const { component, sessionId: session, refused } = this.#parts;
    await refused({ host: "mcp", event: `server:${event}`, component, session, reason });
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

function named(key: RpcId | undefined, none: string): string {
  if (key === undefined) return none;
  return maskedText(JSON.stringify(key)).slice(0, KEY_LENGTH);
}

/** Whose hooks look at the messages. */
export interface ProxyDeps {
  /** Use the engine. @throws OrcsError while its configuration has mistakes; what `run` throws */
  readonly use: <T>(run: (orcs: Orcs) => Promise<T>) => Promise<T>;
  /** Write down what was refused without an answer of the hooks. Never rejects. */
  readonly refused: (refusal: RefusedEvent) => Promise<void>;
  /** `mcp::<server>` */
  readonly component: string;
  readonly server: string;
  /** One for each run of the proxy. */
  readonly sessionId: string;
  /** Where the server runs: what relative paths of arguments are relative to. */
  readonly cwd: string;
  readonly log: Logger;
}
