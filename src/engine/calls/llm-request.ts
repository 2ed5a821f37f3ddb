import { toJson } from "../../core/json-copy.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isPlainObject } from "../../core/json.ts";
import { POINT_TABLE } from "../../core/point-table.ts";
import type { LlmRequest } from "../options.ts";

/** What the tool makes of an answer. */
export interface ReadLlmAnswer {
  readonly text: string;
  readonly usage?: JsonObject;
  readonly tool_calls?: Json[];
}

/** What `[model]` of the configuration says. */
type Model = Readonly<Partial<Record<keyof typeof MODEL_KEYS, Json | undefined>>>;

/** What an argument must be. */
interface ArgumentSpec {
  readonly expected: string;
  fits(value: unknown): boolean;
}

const isString = (value: unknown): value is string => typeof value === "string";
const TEXT: ArgumentSpec = { expected: "a string", fits: isString };

const ARGUMENTS = {
  prompt: TEXT,
  system_prompt: TEXT,
  messages: { expected: "a list", fits: Array.isArray },
  available_tools: {
    expected: "a list of strings",
    fits: (value) => Array.isArray(value) && value.every(isString),
  },
  model: { expected: "{ provider, name, temperature }", fits: isPlainObject },
} as const satisfies Record<string, ArgumentSpec>;

/** The keys of a model, each under `model_<key>` in the payload. */
const MODEL_KEYS = {
  provider: TEXT,
  name: TEXT,
  temperature: { expected: "a number", fits: (value) => typeof value === "number" },
} as const satisfies Record<keyof NonNullable<LlmRequest["model"]>, ArgumentSpec>;

/** Payload keys that no argument may stand for: who calls, which model it is, what comes of it. */
const RESERVED: ReadonlySet<string> = new Set([
  ...Object.keys(POINT_TABLE["llm.post_generate"].keys).filter(
    (key) => !Object.hasOwn(ARGUMENTS, key),
  ),
  ...Object.keys(MODEL_KEYS).map((key) => `model_${key}`),
  "error",
]);

/**
 * What hooks see of a call: its arguments under their own names, the model under `model_provider`,
 * `model_name` and `model_temperature`. Null counts as left out.
 * @param model of the configuration; the call's own stands above it, key by key
 * @throws Error naming the argument that is missing or wrong
 */
export function llmPayload(args: JsonObject, model: Model): Record<string, unknown> {
  const { model: own, ...given } = checked(args, ARGUMENTS, "argument");
  const reserved = Object.keys(given).find((key) => RESERVED.has(key));
  if (reserved !== undefined) {
    throw new Error(`argument ${JSON.stringify(reserved)} is not for callers to give`);
  }
  if (given["prompt"] === undefined) throw new Error('argument "prompt" is missing');
  return { ...given, ...prefixed({ ...model, ...ownModel(own) }) };
}

/**
 * What the function is asked, from the payload as the hooks left it.
 * @throws Error when they left no prompt, or a model that is none
 */
export function llmRequest(payload: Readonly<Record<string, unknown>>): LlmRequest {
  const { prompt, model: _none, ...rest } = payload as JsonObject;
  if (!isString(prompt)) throw new Error("a hook took the prompt away");
  const named = Object.keys(MODEL_KEYS).map((key) => [key, rest[`model_${key}`] ?? null] as const);
  const model = checked(Object.fromEntries(named), MODEL_KEYS, "model");
  const given = Object.entries(rest).filter(([key, value]) => !RESERVED.has(key) && value !== null);
  return {
    ...Object.fromEntries(given),
    prompt,
    ...(Object.keys(model).length > 0 && { model }),
  };
}

/**
 * An answer of the function, or of a hook in its place: a text, or an object with one. What else an object
 * holds besides `usage` and `tool_calls` stays behind: no hook would have seen it.
 * @throws Error when it has no text, or something that is not JSON
 */
export function readLlmAnswer(answer: unknown): ReadLlmAnswer {
  if (isString(answer)) return { text: answer };
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    throw new Error("the answer is neither a text nor an object with one");
  }
  const { text, usage, tool_calls } = answer as Readonly<Record<string, unknown>>;
  if (!isString(text)) throw new Error("the answer has no text");
  return {
    text,
    ...known("usage", usage, isPlainObject, "an object"),
    ...known("tool_calls", tool_calls, Array.isArray, "a list"),
  };
}

/** The model that a call names. */
function ownModel(model: Json | undefined): Record<string, Json> {
  if (!isPlainObject(model)) return {};
  const stray = Object.keys(model).find((key) => !Object.hasOwn(MODEL_KEYS, key));
  if (stray !== undefined) throw new Error(`unknown key ${JSON.stringify(stray)} of "model"`);
  return checked(model, MODEL_KEYS, "model");
}

function prefixed(model: Model): Record<string, unknown> {
  const known = Object.entries(model).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([key, value]) => [`model_${key}`, value]));
}

function checked(
  args: JsonObject,
  specs: Readonly<Record<string, ArgumentSpec>>,
  what: string,
): Record<string, Json> {
  const given = Object.entries(args).filter(([, value]) => value !== null);
  for (const [key, value] of given) {
    const spec = Object.hasOwn(specs, key) ? specs[key] : undefined;
    if (spec && !spec.fits(value)) {
      throw new Error(`${what} ${JSON.stringify(key)} is not ${spec.expected}`);
    }
  }
  return Object.fromEntries(given);
}

/** One more key of an answer, as JSON; null and undefined count as left out. */
function known(
  key: string,
  value: unknown,
  fits: (value: unknown) => boolean,
  expected: string,
): Record<string, Json> {
  if (value === undefined || value === null) return {};
  if (!fits(value)) throw new Error(`${key} of the answer is not ${expected}`);
  return { [key]: toJson(value, undefined, [key]) };
}
