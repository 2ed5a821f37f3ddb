import {
  denialText,
  type HookContext,
  isPlainObject,
  type Json,
  type JsonObject,
  lineageOf,
  messageOf,
  type ObjectTool,
  POINT_TABLE,
  stated,
  textIn,
  toJson,
  type ToolAnswer,
  type ToolCall,
  unlessAborted,
} from "../../../core/index.ts";
import { invoke } from "../../registry/index.ts";
import type { Engine } from "../engine.ts";
import type { Llm, LlmRequest } from "../options.ts";
import { recorded } from "./tool-calls.ts";

const NO_FUNCTION = "there is no model function: pass one to createOrcs({ llm })";

/**
 * `llm`: asks the model of the embedding program, between `llm.pre_generate` and `llm.post_generate`. Arguments:
 * `prompt`, `system_prompt`, `messages`, `model = { provider, name, temperature }` and
 * whatever else the function accepts. It returns `{ ok: true, text, usage?, tool_calls? }` and never throws.
 */
export function llmTool(engine: Engine, llm: Llm | undefined): ObjectTool {
  return {
    name: "llm",
    capability: "LLM",
    mainArg: "prompt",
    isNested: true,
    async run(args, call): Promise<ToolAnswer> {
      try {
        // A replay does not need the function.
        if (!llm && !engine.tap?.instead) throw new Error(NO_FUNCTION);
        return await generate(engine, llm, args, call);
      } catch (thrown) {
        return { ok: false, error: `llm: ${messageOf(thrown)}` };
      }
    },
  };
}

async function generate(
  engine: Engine,
  llm: Llm | undefined,
  args: JsonObject,
  { signal, ctx, caller }: ToolCall,
): Promise<ToolAnswer> {
  const { channel_id, principal, depth, metadata } = ctx;
  const session_id = textIn(ctx.payload, "session_id");
  const agent_id = textIn(ctx.payload, "agent_id");
  const outcome = await invoke(
    engine,
    "llm.generate",
    { ...llmPayload(args), ...stated({ session_id, agent_id }) },
    async (payload, pre: HookContext) => {
      if (signal?.aborted) throw new Error(CANCELLED);
      const request = llmRequest(payload);
      const ask = async (): Promise<ReadLlmAnswer> => {
        if (!llm) throw new Error(NO_FUNCTION);
        const work = llm(request, { signal, ctx: pre });
        return readLlmAnswer(await unlessAborted(work, signal, () => new Error(CANCELLED)));
      };
      const asked = { kind: "llm", args: request as JsonObject, depth };
      return readLlmAnswer(await recorded(engine.tap, asked, ask));
    },
    { ...caller, ...lineageOf(caller), channel: channel_id, principal, depth, metadata },
    (pre) => engine.tools.permit("llm.generate", pre, { signal }),
    {
      after: (payload, result) => {
        const { text, ...more } = result as ReadLlmAnswer;
        return { ...payload, ...more, response_text: text };
      },
    },
  );
  if (outcome.action === "abort") return { ok: false, error: denialText(outcome) };
  if (outcome.action === "skip") return { ok: true, ...readLlmAnswer(outcome.result) };
  const { usage, tool_calls } = outcome.ctx.payload;
  return { ok: true, ...readLlmAnswer({ text: outcome.result, usage, tool_calls }) };
}

const CANCELLED = "the request was cancelled";

/** A response of the function, checked. */
interface ReadLlmAnswer {
  readonly text: string;
  readonly usage?: JsonObject;
  readonly tool_calls?: Json[];
}

/** The type of an argument. */
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

/** The keys of a model; each is `model_<key>` in the payload. */
const MODEL_KEYS = {
  provider: TEXT,
  name: TEXT,
  temperature: { expected: "a number", fits: (value) => typeof value === "number" },
} as const satisfies Record<keyof NonNullable<LlmRequest["model"]>, ArgumentSpec>;

/** Payload keys that are not arguments: caller, model and result. */
const RESERVED: ReadonlySet<string> = new Set([
  ...Object.keys(POINT_TABLE["llm.post_generate"].keys).filter(
    (key) => !Object.hasOwn(ARGUMENTS, key),
  ),
  ...Object.keys(MODEL_KEYS).map((key) => `model_${key}`),
  "error",
]);

/**
 * What hooks see of a call: its arguments under their own names, and the model as `model_provider`, `model_name` and
 * `model_temperature`. Null counts as left out.
 * @throws Error naming the missing or wrong argument
 */
function llmPayload(args: JsonObject): Record<string, unknown> {
  const { model: own, ...given } = checked(args, ARGUMENTS, "argument");
  const reserved = Object.keys(given).find((key) => RESERVED.has(key));
  if (reserved !== undefined) {
    throw new Error(`argument ${JSON.stringify(reserved)} cannot be set by the caller`);
  }
  if (given["prompt"] === undefined) throw new Error('argument "prompt" is missing');
  return { ...given, ...modelKeys(own) };
}

/**
 * The request for the function, from the payload as the hooks left it.
 * @throws Error when the hooks left no prompt, or an invalid model
 */
function llmRequest(payload: Readonly<Record<string, unknown>>): LlmRequest {
  const { prompt, model: _none, ...rest } = payload as JsonObject;
  if (!isString(prompt)) throw new Error("a hook removed the prompt");
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
 * A response of the function, or of a hook that replaced it: a text, or an object with one. Keys of an object other
 * than `usage` and `tool_calls` are dropped: no hook would have seen them.
 * @throws Error when it has no text, or contains something that is not JSON
 */
function readLlmAnswer(answer: unknown): ReadLlmAnswer {
  if (isString(answer)) return { text: answer };
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    throw new Error("the model function returned neither a string nor an object with a text");
  }
  const { text, usage, tool_calls } = answer as Readonly<Record<string, unknown>>;
  if (!isString(text)) throw new Error("the model function returned an object without a text");
  return {
    text,
    ...known("usage", usage, isPlainObject, "an object"),
    ...known("tool_calls", tool_calls, Array.isArray, "a list"),
  };
}

/** The model given in a call, under the keys of the payload. */
function modelKeys(model: Json | undefined): Record<string, Json> {
  if (!isPlainObject(model)) return {};
  const stray = Object.keys(model).find((key) => !Object.hasOwn(MODEL_KEYS, key));
  if (stray !== undefined) throw new Error(`unknown key ${JSON.stringify(stray)} of "model"`);
  const given = Object.entries(checked(model, MODEL_KEYS, "model"));
  return Object.fromEntries(given.map(([key, value]) => [`model_${key}`, value]));
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

/** An optional key of a response, as JSON; null and undefined count as left out. */
function known(
  key: string,
  value: unknown,
  fits: (value: unknown) => boolean,
  expected: string,
): Record<string, Json> {
  if (value === undefined || value === null) return {};
  if (!fits(value))
    throw new Error(`${key} in the result of the model function is not ${expected}`);
  return { [key]: toJson(value, undefined, [key]) };
}
