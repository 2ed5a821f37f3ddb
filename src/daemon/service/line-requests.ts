import { isAbsolute } from "node:path";
import {
  getOwn,
  HOST_NAMES,
  numbersOf,
  isJsonObject,
  messageOf,
  OrcsError,
  parseJson,
  traceContext,
} from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { type Gateway, NotCarried } from "../agent-gateway.ts";
import type { EntryCall, LineError } from "../service-protocol.ts";
import { carriedEnvironment, PROTOCOL_VERSION } from "../service-protocol.ts";
import type { WireDeps } from "../wire/wire-requests.ts";
import {
  answerOperation,
  expectVersion,
  isOperation,
  wireError,
  withoutFrame,
} from "../wire/wire-requests.ts";
import { entryRequest } from "./entry-request.ts";
import type { LineAnswer } from "./socket-server.ts";

const MAX_ID = 256;

/**
 * Answer one line of `wire/operations.ts` or `service-protocol.ts`. Never rejects.
 * @param connection that the line came from
 */
export async function answerLine(
  line: string,
  served: WireDeps,
  connection: object,
): Promise<LineAnswer> {
  const request = requestOf(line);
  if (typeof request === "string") return { answer: invalid(request) };
  const id = idOf(request);
  const op = getOwn(request, "op");
  if (op === undefined) return { id, answer: await answerRequest(request, served) };
  try {
    if (op !== "hello") expectVersion(getOwn(request, "v"));
    if (!isOperation(op)) throw new OrcsError("ORCS7014", `unknown op ${JSON.stringify(op)}`);
    const owner = { owner: connection };
    const answered = await answerOperation(op, withoutFrame(request), served, owner);
    return { id, numbers: numbersOf(line), ...answered };
  } catch (thrown) {
    return { id, answer: { error: wireError(thrown) } };
  }
}

/** The response to a line that is not processed, because the service ends. */
export function declineLine(line: string, why: string) {
  const request = requestOf(line);
  const id = typeof request === "string" ? undefined : idOf(request);
  return { id, answer: { error: wireError(new OrcsError("ORCS7018", why)) } };
}

async function answerRequest(request: JsonObject, served: WireDeps): Promise<object> {
  const { key, gateway } = served;
  if (getOwn(request, "v") !== PROTOCOL_VERSION) return invalid(`v must be ${PROTOCOL_VERSION}`);
  if (getOwn(request, "key") !== key) return invalid("this service serves another configuration");
  const entry = getOwn(request, "entry");
  if (entry !== undefined) return answerEntry(entry, request, served);
  return answerEvent(request, gateway);
}

function invalid(why: string): LineError {
  return { error: wireError(new OrcsError("ORCS7014", why)) };
}

async function answerEntry(
  entryFields: Json,
  request: JsonObject,
  served: WireDeps,
): Promise<object> {
  const came = performance.now();
  const entry = readEntry(entryFields);
  if (entry === undefined) return invalid("entry must be { cwd, env, args }");
  const event = getOwn(request, "event");
  const within = getOwn(request, "within_ms");
  if (typeof event !== "string") return invalid("event must be a string");
  if (!(typeof within === "number" && within > 0)) {
    return invalid("within_ms must be a number above 0");
  }
  const asked = await entryRequest(entry, served.key);
  if (typeof asked === "string") return invalid(asked);
  const left = Math.max(1, within - (performance.now() - came));
  const { strict, trace, environment } = asked;
  // Not with `canRun`: the entry would run with the same variables, which were recorded at the start of the session.
  return served.gateway.answer(asked.host, event, left, { strict, environment, ...trace });
}

function readEntry(fields: Json): EntryCall | undefined {
  if (!isJsonObject(fields)) return undefined;
  const { cwd, args } = fields;
  const carried = readCarried(fields);
  const isWhole =
    typeof cwd === "string" &&
    isAbsolute(cwd) &&
    carried !== undefined &&
    Array.isArray(args) &&
    args.every((word) => typeof word === "string");
  return isWhole ? { cwd, ...carried, args } : undefined;
}

function readCarried({ env, umask }: JsonObject): Pick<EntryCall, "env" | "umask"> | undefined {
  const isRead =
    isJsonObject(env) &&
    Object.values(env).every((value) => value === null || typeof value === "string") &&
    (umask === undefined || typeof umask === "number");
  return isRead ? { env: env as EntryCall["env"], umask } : undefined;
}

async function answerEvent(request: JsonObject, gateway: Gateway): Promise<object> {
  const host = HOST_NAMES.find((name) => name === getOwn(request, "host"));
  if (host === undefined) return invalid(`host must be one of ${HOST_NAMES.join(", ")}`);
  const event = getOwn(request, "event");
  if (typeof event !== "string" && !isJsonObject(event)) {
    return invalid("event must be a string or an object");
  }
  const within = getOwn(request, "within_ms");
  if (within !== undefined && !(typeof within === "number" && within > 0)) {
    return invalid("within_ms must be a number above 0");
  }
  const parent = getOwn(request, "parent");
  const carried: Partial<EntryCall> | undefined =
    request["env"] === undefined ? {} : readCarried(request);
  if (carried === undefined) return invalid("env must be an object, and umask a number");
  try {
    return await gateway.answer(host, event, within, {
      strict: getOwn(request, "strict") === true,
      parent: typeof parent === "number" ? parent : undefined,
      environment: carriedEnvironment(carried.env, carried.umask),
      canRun: carried.env !== undefined,
      ...traceContext(request),
    });
  } catch (thrown) {
    if (thrown instanceof NotCarried) return invalid(thrown.message);
    throw thrown;
  }
}

function requestOf(line: string): JsonObject | string {
  let request: Json;
  try {
    request = parseJson(line);
  } catch (thrown) {
    return `a line is not JSON: ${messageOf(thrown)}`;
  }
  return isJsonObject(request) ? request : "a request must be a JSON object";
}

function idOf(request: JsonObject): string | number | undefined {
  const id = getOwn(request, "id");
  if (typeof id === "number") return id;
  return typeof id === "string" && id.length <= MAX_ID ? id : undefined;
}
