import { isAbsolute } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { HOST_NAMES } from "../../core/hosts.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { getOwn, isJsonObject } from "../../core/json.ts";
import { traceContext } from "../../core/trace-context.ts";
import { outcomeJson } from "../../engine/outcome-json.ts";
import type { Gateway } from "../agent-gateway.ts";
import type { EntryCall } from "../service-protocol.ts";
import { PROTOCOL_VERSION } from "../service-protocol.ts";
import { entryRequest } from "./entry-request.ts";
import type { LineAnswer } from "./socket-server.ts";

/** What answering lines needs. */
interface LineDeps {
  /** Key of the configuration; requests for another one are declined. */
  readonly key: string;
  readonly gateway: Gateway;
  /** Answers whoever watches; missing where nobody can. */
  readonly watch?: (reader: string) => Promise<object>;
}

const MAX_ID = 256;

/** Answer one line of `service-protocol.ts`. Never rejects; a response with `error` means that no hook has run. */
export async function answerLine(line: string, served: LineDeps): Promise<LineAnswer> {
  const request = requestOf(line);
  if (typeof request === "string") return { hasId: false, answer: { error: request } };
  const id = idOf(request);
  return withId(id, await answerRequest(request, served));
}

/** The response to a line that is not processed. */
export function declineLine(line: string, why: string): LineAnswer {
  const request = requestOf(line);
  const id = typeof request === "string" ? undefined : idOf(request);
  return withId(id, { error: why });
}

async function answerRequest(request: JsonObject, served: LineDeps): Promise<object> {
  const { key, gateway, watch } = served;
  if (getOwn(request, "v") !== PROTOCOL_VERSION) return { error: `v must be ${PROTOCOL_VERSION}` };
  if (getOwn(request, "key") !== key) return { error: "this service serves another configuration" };
  const reader = getOwn(request, "watch");
  if (typeof reader === "string" && watch) return watch(reader);
  const entry = getOwn(request, "entry");
  if (entry !== undefined) return answerEntry(entry, request, { key, gateway });
  return getOwn(request, "host") === undefined
    ? answerDispatch(request, gateway)
    : answerEvent(request, gateway);
}

async function answerEntry(
  entryFields: Json,
  request: JsonObject,
  served: LineDeps,
): Promise<object> {
  const came = performance.now();
  const entry = readEntry(entryFields);
  if (entry === undefined) return { error: "entry must be { cwd, env, args }" };
  const event = getOwn(request, "event");
  const within = getOwn(request, "within_ms");
  if (typeof event !== "string") return { error: "event must be a string" };
  if (!(typeof within === "number" && within > 0)) {
    return { error: "within_ms must be a number above 0" };
  }
  const asked = await entryRequest(entry, served.key);
  if (typeof asked === "string") return { error: asked };
  const left = Math.max(1, within - (performance.now() - came));
  const { strict, trace } = asked;
  return served.gateway.answer(asked.host, event, left, { strict, ...trace });
}

function readEntry(fields: Json): EntryCall | undefined {
  if (!isJsonObject(fields)) return undefined;
  const { cwd, env, args } = fields;
  const isWhole =
    typeof cwd === "string" &&
    isAbsolute(cwd) &&
    isJsonObject(env) &&
    Object.values(env).every((value) => typeof value === "string") &&
    Array.isArray(args) &&
    args.every((word) => typeof word === "string");
  return isWhole ? { cwd, env: env as EntryCall["env"], args } : undefined;
}

async function answerEvent(request: JsonObject, gateway: Gateway): Promise<object> {
  const host = HOST_NAMES.find((name) => name === getOwn(request, "host"));
  if (host === undefined) return { error: `host must be one of ${HOST_NAMES.join(", ")}` };
  const event = getOwn(request, "event");
  if (typeof event !== "string" && !isJsonObject(event)) {
    return { error: "event must be a string or an object" };
  }
  const within = getOwn(request, "within_ms");
  if (within !== undefined && !(typeof within === "number" && within > 0)) {
    return { error: "within_ms must be a number above 0" };
  }
  const parent = getOwn(request, "parent");
  return gateway.answer(host, event, within, {
    strict: getOwn(request, "strict") === true,
    parent: typeof parent === "number" ? parent : undefined,
    ...traceContext(request),
  });
}

async function answerDispatch(request: JsonObject, gateway: Gateway): Promise<object> {
  const read = readDispatch(getOwn(request, "point"), request);
  if (typeof read === "string") return { error: read };
  const { point, payload, scope } = read;
  try {
    return outcomeJson(await gateway.dispatch(point, payload, scope));
  } catch (thrown) {
    return { error: messageOf(thrown) };
  }
}

/** The dispatch of a request; a text is its error. */
export function readDispatch(point: Json | undefined, request: JsonObject) {
  const payload = getOwn(request, "payload");
  const component = getOwn(request, "component");
  const child = getOwn(request, "child");
  const metadata = getOwn(request, "metadata");
  if (typeof point !== "string") return "point must be a string";
  if (!isJsonObject(payload)) return "payload must be an object";
  if (component !== undefined && typeof component !== "string") return "component must be a string";
  if (child !== undefined && typeof child !== "string") return "child must be a string";
  if (metadata !== undefined && !isJsonObject(metadata)) return "metadata must be an object";
  const scope = { component, child, metadata: metadata && { ...metadata } };
  return { point, payload, scope: { ...scope, ...traceContext(request) } };
}

function requestOf(line: string): JsonObject | string {
  let request: Json;
  try {
    request = JSON.parse(line) as Json;
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

function withId(id: string | number | undefined, answer: object): LineAnswer {
  return { hasId: id !== undefined, answer: id === undefined ? answer : { id, ...answer } };
}
