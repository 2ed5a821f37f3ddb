import type { Logger, TraceContext } from "../../core/index.ts";
import type { Orcs, RefusedEvent } from "../../engine/index.ts";
import { maskedText } from "../../guards/index.ts";
import { type CallLine, readClientLine } from "./client-line.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";
import { errorAnswer, lineOf, paramsOf, progressTokenOf, RPC_ERRORS } from "./json-rpc.ts";
import { type AnswerListener, PendingRequests } from "./pending-requests.ts";
import { readServerLine, type ServerMessage } from "./server-line.ts";
import { ToolCall } from "./tool-call.ts";
import { filteredList, noteAnnotations, type ToolAnnotations } from "./tool-list.ts";
import { saysComplete } from "./tool-result.ts";

/** Both ends of a proxy, and its engine. */
interface ProxyParts extends ProxyDeps {
  readonly toClient: (line: Buffer) => void;
  readonly toServer: (line: Buffer) => void;
}

/** Dropped messages of the server. */
interface DroppedCounts {
  /** Responses to nothing that it was asked. */
  answers: number;
  /** Progress of nothing that it was asked. */
  progress: number;
  /** Possible responses that cannot be read. */
  unreadable: number;
}

/** Number of dropped messages that are logged one by one; all are counted. */
const MOST_TOLD = 10;
/** Maximum length of a shown id or token: the server chooses them. */
const KEY_LENGTH = 60;

/**
 * Stands between an MCP client and server, line by line. Tool calls, their results and lists of tools pass the hooks.
 * Every other line is passed on at once with its original bytes. Of the server's responses, only those to a forwarded
 * request are passed on.
 */
export class McpProxy {
  readonly #parts: ProxyParts;
  readonly #exchange = new PendingRequests();
  /** Pending calls, by the client's ids. */
  readonly #calls = new Map<RpcId, ToolCall>();
  readonly #running = new Set<Promise<void>>();
  /** What the server says of its tools, by their names. */
  readonly #annotations: ToolAnnotations = new Map();
  readonly #dropped: DroppedCounts = { answers: 0, progress: 0, unreadable: 0 };
  #initialized = false;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
  }

  /** Dropped messages of the server. */
  get dropped(): Readonly<DroppedCounts> {
    return this.#dropped;
  }

  /** Whether nobody waits for anything. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#exchange.size === 0;
  }

  /** Resolves when no call is in its hooks, or at the server. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** A line of the client, with its end. */
  fromClient(line: Buffer): void {
    const read = readClientLine(line);
    switch (read.kind) {
      case "refused":
        this.#parts.log.warn(`a message of the client was rejected: ${read.why}`);
        this.#parts.toClient(lineOf(read.answer));
        break;
      case "call":
        this.#call(read);
        break;
      case "list":
        if (this.#refusedAsGone([read.id])) break;
        // It must not receive the response to a call in its hooks.
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
          // The client would take its response for that of the call, which is in its hooks.
          if (!this.#calls.has(request.id)) this.#exchange.expect(request);
        }
        this.#parts.toServer(line);
        break;
    }
  }

  /** A line of the server, with its end. */
  fromServer(line: Buffer): void {
    const read = readServerLine(line);
    if (read.kind === "matched") this.#matched(read.messages, read.anew ?? line);
    else if (read.kind === "other") this.#parts.toClient(read.anew ?? line);
    else this.#broken(read.ids, read.why, line);
  }

  /** A message of the server could not be read at all, so its receiver is unknown. */
  lost(why: string): void {
    for (const id of this.#exchange.loseAll(why)) this.#fail(id, why);
  }

  /** The session is over: log how many messages were dropped, if any. */
  async end(): Promise<void> {
    const { answers, progress, unreadable } = this.#dropped;
    if (answers + progress + unreadable === 0) return;
    const counted = `${answers} responses and ${progress} progress notifications that match no request`;
    const why = `messages of the server dropped in this session: ${counted}; ${unreadable} unreadable responses`;
    this.#parts.log.warn(why);
    await this.#writeDown("session", why);
  }

  /**
   * There is no server: pending and later requests get an error.
   * @returns the number of pending requests
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
    const parts = { ...this.#parts, exchange: this.#exchange, annotations: this.#annotations };
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
          noteAnnotations(answer, this.#annotations);
          this.#parts.toClient(await filteredList(this.#parts, { id, request, answer, line }));
        });
      },
      lost: (why) => this.#fail(id, why),
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
    // The server does not know a call that is still in its hooks, and has already answered one in its post hooks.
    if (known === id) this.#parts.toServer(line);
    else if (known !== undefined) {
      const params = { ...paramsOf(message), requestId: known };
      this.#parts.toServer(lineOf({ ...message, params }));
    }
  }

  #matched(messages: readonly ServerMessage[], whole: Buffer): void {
    const passed = messages.filter((message) => this.#passes(message));
    // A batch is passed on unchanged when nothing in it concerns hooks; otherwise one by one.
    if (passed.length === messages.length) this.#parts.toClient(whole);
    else for (const { line } of passed) this.#parts.toClient(line);
  }

  #passes({ kind, key, message, line }: ServerMessage): boolean {
    if (kind === "other") return true;
    if (kind === "progress") {
      if (key !== undefined && this.#exchange.hasToken(key)) return true;
      this.#drop(
        "progress",
        `the server reported progress with ${named(key, "no token")}, which no request has`,
      );
      return false;
    }
    const taken = key === undefined ? "unasked" : this.#exchange.take(key, message, line);
    if (taken === "unasked") {
      this.#drop(
        "answers",
        `the server answered ${named(key, "no id")} twice, or without a request`,
      );
    }
    return taken === "passes";
  }

  /** An unreadable possible response is not passed on; the clients that may wait for it get an error. */
  #broken(ids: readonly RpcId[], why: string, line: Buffer): void {
    this.#drop("unreadable", `${why}; ${line.length} bytes`);
    for (const id of ids) {
      if (this.#exchange.lose(id, why)) this.#fail(id, why);
    }
  }

  #drop(what: keyof DroppedCounts, why: string): void {
    this.#dropped[what]++;
    if (Object.values(this.#dropped).reduce((sum, count) => sum + count) > MOST_TOLD) return;
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
    this.#fail(id, why, RPC_ERRORS.invalidRequest);
  }

  #refusedAsGone(ids: readonly RpcId[]): boolean {
    const { gone } = this.#exchange;
    if (gone === undefined) return false;
    for (const id of ids) this.#fail(id, gone);
    return true;
  }

  /** Answer a request with an error. */
  #fail(id: RpcId, why: string, code: number = RPC_ERRORS.closed): void {
    this.#parts.toClient(lineOf(errorAnswer(id, code, why)));
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

/** The hooks of a proxy, and their context. */
export interface ProxyDeps {
  /** Use the engine. @throws OrcsError while its configuration has errors; what `run` throws */
  readonly use: <T>(run: (orcs: Orcs) => Promise<T>) => Promise<T>;
  /** Record a denial before the hooks returned. Never rejects. */
  readonly refused: (refusal: RefusedEvent) => Promise<void>;
  /** `mcp::<server>` */
  readonly component: string;
  readonly server: string;
  /** One per run of the proxy. */
  readonly sessionId: string;
  /** Working directory of the server: the base of relative paths in arguments. */
  readonly cwd: string;
  /** The trace that this process belongs to. */
  readonly trace: TraceContext | undefined;
  readonly log: Logger;
}
