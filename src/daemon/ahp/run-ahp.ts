import {
  getOwn,
  numbersOf,
  isJsonObject,
  type Json,
  type JsonObject,
  type Logger,
  messageOf,
  objectAt,
  readJson,
} from "../../core/index.ts";
import {
  AHP_COMPONENT,
  type AhpDispatch,
  decisionOf,
  denied,
  dispatchOf,
  handshakeResult,
  inBatch,
  queryOf,
} from "../../formats/index.ts";
import { LineSplitter, LineWriter } from "../../machine/index.ts";
import { type EngineLease, stdioLease, type StdioOptions } from "../engine-lease.ts";
import { errorAnswer, idOf, lineOf, RPC_ERRORS, type RpcMessage } from "../mcp/json-rpc.ts";

export interface AhpOptions extends StdioOptions {
  readonly version: string;
  /** Resolves when the program must end. */
  readonly stopped: Promise<void>;
}

const METHOD_NOT_FOUND = -32601;

/** The most events in one `ahp/batch`. */
const MAX_BATCH = 1_000;
/** The longest message, in bytes. */
const MAX_LINE = 64 * 2 ** 20;
/** Events that are decided at the same time; more are not read. */
const MAX_PENDING = 1_000;
/** How long the agent has to read the rest, in milliseconds. */
const FLUSH_MS = 2_000;

/** Serve an agent as its harness over stdio, until it closes the connection. */
export async function runAhp(options: AhpOptions): Promise<void> {
  const { input, output, log, version, stopped } = options;
  const lease = stdioLease(options);
  const writer = new LineWriter(output);
  const pending = new Set<Promise<void>>();
  const answer = async (text: string): Promise<void> => {
    const message = await answerTo(text, { lease, log, version });
    if (message) writer.write(lineOf(message, numbersOf(text)));
  };
  const splitter = new LineSplitter(MAX_LINE, {
    line(bytes) {
      const text = bytes.toString("utf8");
      if (text.trim() === "") return;
      const answering = answer(text).finally(() => {
        pending.delete(answering);
        if (pending.size < MAX_PENDING) input.resume();
      });
      pending.add(answering);
      if (pending.size >= MAX_PENDING) input.pause();
    },
    tooLong() {
      const why = `a message of more than ${MAX_LINE / 2 ** 20} MB was dropped`;
      log.error(why);
      writer.write(lineOf(errorAnswer(null, RPC_ERRORS.invalidRequest, why)));
    },
  });
  input.on("data", (chunk: Buffer) => splitter.push(chunk));
  const ended = new Promise<void>((resolve) => {
    input.on("end", () => {
      splitter.end();
      resolve();
    });
    input.on("error", () => resolve());
  });
  await Promise.race([ended, stopped, writer.closed]);
  input.pause();
  await Promise.all(pending);
  await writer.flushed(FLUSH_MS);
  await lease.close();
}

/** What an engine's hooks decide about the events of an agent. */
interface Harness {
  readonly lease: EngineLease;
  readonly log: Logger;
  readonly version: string;
}

/**
 * The answer to a message; undefined for a notification. Never rejects. Agents let an operation proceed when they get an
 * error, so whatever goes wrong with an event is a denial.
 */
async function answerTo(text: string, harness: Harness): Promise<RpcMessage | undefined> {
  const read = readJson(text, 64);
  if (!read.ok) return errorAnswer(null, RPC_ERRORS.parse, read.why);
  const message = read.value;
  if (!isJsonObject(message) || typeof message["method"] !== "string") {
    return errorAnswer(null, RPC_ERRORS.invalidRequest, "it is not a JSON-RPC request");
  }
  const id = idOf(message);
  const params = getOwn(message, "params") ?? {};
  const result = await resultOf(message["method"], params, harness);
  if (id === undefined) return undefined;
  if ("error" in result) return errorAnswer(id, result.error, result.message);
  return { jsonrpc: "2.0", id, result: result.value };
}

async function resultOf(
  method: string,
  params: Json,
  harness: Harness,
): Promise<{ value: Json } | { error: number; message: string }> {
  switch (method) {
    case "ahp/handshake": {
      const result = handshakeResult(isJsonObject(params) ? params : {}, harness.version);
      return typeof result === "string"
        ? { error: RPC_ERRORS.invalidParams, message: `the agent ${result}` }
        : { value: result };
    }
    case "ahp/event":
      return { value: await decide(harness, dispatchOf(params), params) };
    case "ahp/query":
      return { value: await decide(harness, queryOf(params), params, "query") };
    case "ahp/batch": {
      const events = isJsonObject(params) ? getOwn(params, "events") : undefined;
      if (!Array.isArray(events) || events.length > MAX_BATCH) {
        const message = `events must be a list of at most ${MAX_BATCH}`;
        return { error: RPC_ERRORS.invalidParams, message };
      }
      const decisions: JsonObject[] = [];
      // One after the other: a later event may depend on what an earlier one has changed.
      for (const event of events) {
        decisions.push(inBatch(await decide(harness, dispatchOf(event), event)));
      }
      return { value: { decisions } };
    }
    default:
      return { error: METHOD_NOT_FOUND, message: `unknown method ${method.slice(0, 60)}` };
  }
}

async function decide(
  { lease, log }: Harness,
  asked: AhpDispatch | string,
  params: Json,
  otherwise = "",
): Promise<JsonObject> {
  if (typeof asked === "string") return denied(otherwise, `orcs: the event is invalid: ${asked}`);
  const { point, payload, metadata } = asked;
  try {
    return await lease.use(async (orcs) => {
      const outcome = await orcs.dispatch(point, payload, { metadata, component: AHP_COMPONENT });
      return decisionOf(asked, outcome, isJsonObject(params) ? objectAt(params, "payload") : {});
    });
  } catch (thrown) {
    const why = messageOf(thrown);
    log.error(`${asked.event}: ${why}`);
    return denied(asked.event, why);
  }
}
