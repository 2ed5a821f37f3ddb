import {
  denialText,
  numbersOf,
  isDeeper,
  isPlainObject,
  MAX_JSON_DEPTH,
  messageOf,
  traceContext,
} from "../../core/index.ts";
import type { Injection, JsonObject, TraceContext } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import { maskedText } from "../../guards/index.ts";
import { noticeLine } from "../../formats/index.ts";
import type { CallLine } from "./client-line.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";
import { errorAnswer, lineOf, progressTokenOf, RPC_ERRORS, textOfLine } from "./json-rpc.ts";
import type { AnswerListener, PendingRequests } from "./pending-requests.ts";
import type { ProxyDeps } from "./proxy.ts";
import type { ToolAnnotations } from "./tool-list.ts";
import {
  asToolResult,
  failureOf,
  hasContent,
  isInterim,
  refusal,
  syncStructuredContent,
  withInjected,
} from "./tool-result.ts";

/** What a call needs from its proxy. */
export interface ToolCallDeps extends ProxyDeps {
  readonly exchange: PendingRequests;
  readonly annotations: ToolAnnotations;
  readonly toServer: (line: Buffer) => void;
}

/** A response of the server. */
interface Answer {
  readonly id: RpcId;
  readonly message: RpcMessage;
  readonly line: Buffer;
}

/** The client no longer wants a response. */
class Cancelled extends Error {
  override readonly message = "the call was cancelled";
}

/** The server returned a JSON-RPC error. */
class ServerError extends Error {}

/** No response of the server will come, or only an unreadable one. */
class LostAnswer extends Error {}

/** There is a result, and hooks cannot inspect it. */
class UninspectableResult extends Error {}

/** One tool call: through its hooks to the server, and back. */
export class ToolCall {
  readonly #parts: ToolCallDeps;
  readonly #call: CallLine;
  /** Whether denials must state that they are complete. */
  readonly #complete: boolean;
  #cancelled = false;
  #attempts = 0;
  #answer: Answer | undefined;
  /** While the server has it: the id that the server knows, and how to give up. */
  #asked: { readonly id: RpcId; giveUp(error: Error): void } | undefined;

  constructor(parts: ToolCallDeps, call: CallLine, complete: boolean) {
    this.#parts = parts;
    this.#call = call;
    this.#complete = complete;
  }

  /**
   * Give up without a response.
   * @returns the id that the server knows, if it has the call
   */
  cancel(): RpcId | undefined {
    this.#cancelled = true;
    const asked = this.#asked;
    if (!asked) return undefined;
    this.#parts.exchange.forget(asked.id);
    asked.giveUp(new Cancelled());
    return asked.id;
  }

  /** The response line; undefined when nobody waits for one. Never rejects. */
  async run(): Promise<Buffer | undefined> {
    let answer: Buffer;
    try {
      answer = await this.#answered();
    } catch (thrown) {
      answer = await this.#failed(thrown);
    }
    return this.#cancelled ? undefined : answer;
  }

  async #answered(): Promise<Buffer> {
    let isOpen = false;
    try {
      return await this.#parts.use((orcs) => {
        isOpen = true;
        return this.#hooked(orcs);
      });
    } catch (thrown) {
      if (isOpen) throw thrown;
      const why = maskedText(messageOf(thrown));
      return this.#refused(`no tool may run until this is mended: ${why}`);
    }
  }

  /** The call between its hooks. */
  async #hooked(orcs: Orcs): Promise<Buffer> {
    const most = orcs.settings.engine.max_payload_mb;
    if (this.#call.bytes > most * 2 ** 20) {
      return this.#refused(`the call is larger than engine.max_payload_mb, ${most} MB, allows`);
    }
    const { component, log } = this.#parts;
    const outcome = await orcs.invoke(
      "tool.execute",
      this.#payload(),
      (payload) => this.#ask(payload.args, orcs),
      { component, ...this.#trace },
      { isInterim },
    );
    if (outcome.action === "abort") {
      const denied = refusal(denialText(outcome), this.#complete);
      const result = withInjected(denied, outcome.inject);
      return this.#resultLine(this.#withNotice(result, orcs));
    }
    if (outcome.action === "skip") {
      const result = asToolResult(outcome.result, this.#complete);
      return this.#resultLine(this.#withNotice(withInjected(result, outcome.inject), orcs));
    }
    const failure = failureOf(outcome.result);
    if (failure !== undefined) {
      const failed = { ...outcome.ctx.payload, error: failure } as never;
      const { metadata } = outcome.ctx;
      await orcs.dispatch("tool.on_failure", failed, { component, metadata }).catch((thrown) => {
        log.warn(`tool.on_failure: ${messageOf(thrown)}`);
      });
    }
    return this.#delivered(outcome.result, outcome.inject, orcs);
  }

  /** The result as hooks left it: the original bytes of the server, if they left it unchanged. */
  #delivered(result: unknown, inject: readonly Injection[], orcs: Orcs): Buffer {
    const answer = this.#answer;
    const own = answer?.message["result"];
    const isUntouched = result === own && inject.length === 0;
    if (answer && isUntouched && answer.id === this.#call.id) {
      const shown = this.#withNotice(own, orcs);
      return shown === own ? answer.line : this.#resultLine(shown, answer.message);
    }
    // An intermediate result has no content to add to.
    if (answer && isInterim(own)) return this.#resultLine(result, answer.message);
    if (answer && result === own && isPlainObject(result)) {
      const shown = this.#withNotice(withInjected(result, inject), orcs);
      return this.#resultLine(shown, answer.message);
    }
    const whole = withInjected(
      syncStructuredContent(own, asToolResult(result, this.#complete)),
      inject,
    );
    return this.#resultLine(this.#withNotice(whole, orcs), answer?.message);
  }

  /** A result with the notice for the client, once; if there is no room in it, the next one gets it. */
  #withNotice(result: unknown, orcs: Orcs): unknown {
    // A result that is nested too deeply might not be serialisable.
    if (orcs.notice === undefined || !hasContent(result) || isDeeper(result, MAX_DEPTH)) {
      return result;
    }
    const notice = this.#cancelled ? undefined : orcs.takeNotice(this.#parts.sessionId, "shown");
    return notice === undefined ? result : withInjected(result, [noticeLine(notice)]);
  }

  /** The trace that the client named for this call. */
  get #trace(): TraceContext | undefined {
    const { _meta: meta } = this.#call.params;
    return isPlainObject(meta) ? traceContext(meta) : undefined;
  }

  #payload() {
    const { params } = this.#call;
    const { name, arguments: given, ...rest } = params;
    const { server, sessionId, cwd } = this.#parts;
    const annotations = this.#parts.annotations.get(name);
    return {
      tool_name: name,
      args: (given ?? NO_ARGS) as JsonObject,
      session_id: sessionId,
      cwd,
      host: { ...rest, server, tool_name: name },
      ...(annotations && { annotations }),
    };
  }

  /** The parameters for the server: a trace of this process is handed on, unless the client named one. */
  #tracedParams(): CallLine["params"] {
    const { params } = this.#call;
    const { trace } = this.#parts;
    const { _meta: meta = {} } = params;
    if (!trace || !isPlainObject(meta) || "traceparent" in meta) return params;
    return { ...params, _meta: { ...meta, ...trace } };
  }

  /** One round trip to the server. */
  #ask(args: JsonObject, orcs: Orcs): Promise<unknown> {
    const { exchange, toServer } = this.#parts;
    const { message, line, id: clientId, text } = this.#call;
    const params = this.#tracedParams();
    if (this.#cancelled) throw new Cancelled();
    this.#attempts++;
    const isAgain = this.#attempts > 1 || exchange.has(clientId);
    const id = isAgain ? exchange.freshId() : clientId;
    const isSame = args === (params["arguments"] ?? NO_ARGS);
    const isWhole = isSame && params === this.#call.params;
    const sent =
      isWhole && !isAgain && line
        ? line
        : lineOf(
            { ...message, id, params: isSame ? params : { ...params, arguments: args } },
            numbersOf(text),
          );
    return new Promise((resolve, reject) => {
      const settle = (): void => void (this.#asked = undefined);
      this.#asked = { id, giveUp: (error) => (settle(), reject(error)) };
      const waiting: AnswerListener = {
        answered: (answer, bytes) => {
          settle();
          this.#answer = { id, message: answer, line: bytes };
          const unseen = this.#unseen(bytes, answer["result"], orcs);
          if (unseen !== undefined) reject(new UninspectableResult(unseen));
          else if (isResult(answer)) resolve(answer["result"]);
          else reject(new ServerError(errorText(answer["error"])));
        },
        lost: (why) => {
          settle();
          reject(new LostAnswer(why));
        },
      };
      const isThere = exchange.expect({ id, token: progressTokenOf(message), waiting });
      if (isThere) toServer(sent);
    });
  }

  /**
   * Why hooks could not see a result. Such a result is denied if there are post hooks without `on_error = "open"`: the
   * server chooses its size and depth, which would be a way past every hook that redacts.
   */
  #unseen({ length }: Buffer, result: unknown, { settings, registry }: Orcs): string | undefined {
    const { max_payload_mb: most, on_error } = settings.engine;
    if (on_error === "open") return undefined;
    if (!registry.list("tool.post_execute").some(({ enabled }) => enabled)) return undefined;
    const isLarge = length > most * 2 ** 20;
    if (!isLarge && !isDeeper(result, MAX_DEPTH)) return undefined;
    const why = isLarge
      ? `larger than engine.max_payload_mb, ${most} MB`
      : `nested deeper than ${MAX_DEPTH} levels`;
    return `the result is ${why}, so that hooks cannot look at it`;
  }

  async #failed(thrown: unknown): Promise<Buffer> {
    const { id } = this.#call;
    const { log, server } = this.#parts;
    if (thrown instanceof ServerError && this.#answer) {
      const { line, message, id: asked } = this.#answer;
      return asked === id ? line : errorLine(message, id);
    }
    if (thrown instanceof UninspectableResult) return this.#refused(thrown.message);
    if (thrown instanceof Cancelled) return Buffer.alloc(0);
    const why = messageOf(thrown);
    if (thrown instanceof LostAnswer) return lineOf(errorAnswer(id, RPC_ERRORS.closed, why));
    log.error(`a call of ${server} failed: ${why}`);
    return lineOf(errorAnswer(id, RPC_ERRORS.internal, `orcs: ${why}`));
  }

  /** A denial that no hook made. */
  async #refused(text: string): Promise<Buffer> {
    const { component, sessionId: session, refused } = this.#parts;
    const { name: tool } = this.#call.params;
    await refused({ host: "mcp", event: CALL_METHOD, component, session, tool, reason: text });
    return this.#resultLine(refusal(text, this.#complete));
  }

  /** @param answer of the server, whose other keys stay */
  #resultLine(result: unknown, answer: RpcMessage = { jsonrpc: "2.0" }): Buffer {
    const texts = [this.#call.text, ...(this.#answer ? [textOfLine(this.#answer.line)] : [])];
    return lineOf({ ...answer, id: this.#call.id, result }, numbersOf(...texts));
  }
}

const CALL_METHOD = "tools/call";

/** The arguments of a call without any. */
const NO_ARGS: JsonObject = Object.freeze({});

/** An error of the server with the client's id; without its details if they are nested too deeply. */
function errorLine(message: RpcMessage, id: RpcId): Buffer {
  try {
    return lineOf({ ...message, id });
  } catch {
    return lineOf(errorAnswer(id, RPC_ERRORS.internal, errorText(message["error"])));
  }
}

/** Some servers add `"result": null` to an error. */
function isResult({ result, error }: RpcMessage): boolean {
  return result !== undefined && (result !== null || error === undefined || error === null);
}

function errorText(error: unknown): string {
  const message = isPlainObject(error) ? error["message"] : undefined;
  return typeof message === "string" ? message : "the server returned an error";
}

/** A result is two levels deep in the payload of hooks. */
const MAX_DEPTH = MAX_JSON_DEPTH - 2;
