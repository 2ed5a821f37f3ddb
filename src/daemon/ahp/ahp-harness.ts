import { getOwn, isJsonObject, messageOf, objectAt, readJson } from "../../core/index.ts";
import type { Json, JsonObject, Logger } from "../../core/index.ts";
import {
  AHP_COMPONENT,
  decisionOf,
  denied,
  dispatchOf,
  handshakeResult,
  inBatch,
  queryOf,
} from "../../formats/index.ts";
import type { AhpDispatch } from "../../formats/index.ts";
import type { EngineLease } from "../agent-gateway.ts";
import { errorAnswer, idOf, RPC_ERRORS, type RpcMessage } from "../mcp/json-rpc.ts";

const METHOD_NOT_FOUND = -32601;

/** The most events in one `ahp/batch`. */
const MAX_BATCH = 1_000;

/**
 * A harness of AHP 2.x: answers the events of an agent with the decisions of an engine's hooks. Agents let an operation
 * proceed when they get an error, so whatever goes wrong with an event is a denial.
 */
export class AhpHarness {
  readonly #lease: Pick<EngineLease, "use">;
  readonly #logger: Logger;
  readonly #version: string;

  constructor(lease: Pick<EngineLease, "use">, logger: Logger, version: string) {
    this.#lease = lease;
    this.#logger = logger;
    this.#version = version;
  }

  /** The answer to a message; undefined for a notification. Never rejects. */
  async answer(text: string): Promise<RpcMessage | undefined> {
    const read = readJson(text, 64);
    if (!read.ok) return errorAnswer(null, RPC_ERRORS.parse, read.why);
    const message = read.value;
    if (!isJsonObject(message) || typeof message["method"] !== "string") {
      return errorAnswer(null, RPC_ERRORS.invalidRequest, "it is not a JSON-RPC request");
    }
    const id = idOf(message);
    const params = getOwn(message, "params") ?? {};
    const result = await this.#result(message["method"], params);
    if (id === undefined) return undefined;
    if ("error" in result) return errorAnswer(id, result.error, result.message);
    return { jsonrpc: "2.0", id, result: result.value };
  }

  async #result(
    method: string,
    params: Json,
  ): Promise<{ value: Json } | { error: number; message: string }> {
    switch (method) {
      case "ahp/handshake": {
        const result = handshakeResult(isJsonObject(params) ? params : {}, this.#version);
        if (typeof result === "string") {
          return { error: RPC_ERRORS.invalidParams, message: `the agent ${result}` };
        }
        return { value: result };
      }
      case "ahp/event":
        return { value: await this.#decide(dispatchOf(params), params) };
      case "ahp/query":
        return { value: await this.#decide(queryOf(params), params, "query") };
      case "ahp/batch": {
        const events = isJsonObject(params) ? getOwn(params, "events") : undefined;
        if (!Array.isArray(events) || events.length > MAX_BATCH) {
          const message = `events must be a list of at most ${MAX_BATCH}`;
          return { error: RPC_ERRORS.invalidParams, message };
        }
        const decisions: JsonObject[] = [];
        // One after the other: a later event may depend on what an earlier one has changed.
        for (const event of events) {
          decisions.push(inBatch(await this.#decide(dispatchOf(event), event)));
        }
        return { value: { decisions } };
      }
      default:
        return { error: METHOD_NOT_FOUND, message: `unknown method ${method.slice(0, 60)}` };
    }
  }

  async #decide(asked: AhpDispatch | string, params: Json, otherwise = ""): Promise<JsonObject> {
    if (typeof asked === "string") return denied(otherwise, `orcs: the event is invalid: ${asked}`);
    const { point, payload, metadata } = asked;
    try {
      return await this.#lease.use(async (orcs) => {
        const outcome = await orcs.dispatch(point, payload, { metadata, component: AHP_COMPONENT });
        const sent = isJsonObject(params) ? objectAt(params, "payload") : {};
        return decisionOf(asked, outcome, sent);
      });
    } catch (thrown) {
      const why = messageOf(thrown);
      this.#logger.error(`${asked.event}: ${why}`);
      return denied(asked.event, why);
    }
  }
}
