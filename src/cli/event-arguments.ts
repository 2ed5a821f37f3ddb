import { readFileSync } from "node:fs";
import { isPlainObject, jsonOr, messageOf, OrcsError, parseFql, setOwn } from "../core/index.ts";
import type { Json, JsonObject } from "../core/index.ts";
import type { DispatchOptions } from "../engine/index.ts";

/**
 * The payload on a command line. At tool points `tool=NAME` sets the tool's name, `session_id`, `agent_id`, `cwd` and
 * `result` are keys of the payload, `args={…}` is all arguments, and any other `KEY=VALUE`, or `args.KEY=VALUE`, one. At other points
 * every key belongs to the payload. A value is JSON if it parses, otherwise a string.
 * @param input file with a complete payload in JSON, or `-` for stdin
 * @throws OrcsError ORCS5001
 */
export function eventPayload(
  point: string,
  words: readonly string[],
  input: string | undefined,
): JsonObject {
  const payload = input === undefined ? {} : readPayload(input);
  const isTool = point.startsWith("tool.") && point !== "tool.on_list";
  for (const word of words) {
    const at = word.indexOf("=");
    if (at <= 0) {
      throw new OrcsError("ORCS5001", `${JSON.stringify(word)} is not KEY=VALUE`, { word });
    }
    const key = word.slice(0, at);
    const value = jsonOr(word.slice(at + 1), word.slice(at + 1)) as Json;
    if (isTool && key === "args") {
      if (!isPlainObject(value)) {
        const why = `${JSON.stringify(word)} is not an object in JSON: write args={…}, or KEY=VALUE`;
        throw new OrcsError("ORCS5001", why, { word });
      }
      for (const [name, each] of Object.entries(value)) setOwn(argumentsOf(payload), name, each);
      continue;
    }
    if (!isTool || PAYLOAD_KEYS.includes(key)) setOwn(payload, key, value);
    else if (key === "tool") payload["tool_name"] = String(word.slice(at + 1));
    else
      setOwn(
        argumentsOf(payload),
        key.startsWith(ARGUMENT) ? key.slice(ARGUMENT.length) : key,
        value,
      );
  }
  if (isTool) argumentsOf(payload);
  return payload;
}

/** Keys that are never arguments, although tools may have arguments with these names. */
const PAYLOAD_KEYS: readonly string[] = ["session_id", "agent_id", "cwd", "result"];
/** Prefix that makes any key an argument. */
const ARGUMENT = "args.";

/**
 * The address of an event, from `namespace::name[/child][#instance]`.
 * @throws OrcsError ORCS1011
 */
export function eventAddress(fql: string | undefined): DispatchOptions {
  if (fql === undefined) return {};
  const { scope, target, child, instance } = parseFql(fql);
  return { component: `${scope}::${target}`, child: child?.join("/"), instance };
}

function argumentsOf(payload: JsonObject): JsonObject {
  const args = payload["args"];
  if (isPlainObject(args)) return args;
  const fresh: JsonObject = {};
  if (args === undefined) payload["args"] = fresh;
  return fresh;
}

/** A payload in JSON. @param input file, or `-` for stdin @throws OrcsError ORCS5001 */
export function readPayload(input: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(input === "-" ? 0 : input, "utf8"));
  } catch (thrown) {
    const why = `the payload in ${input} cannot be read: ${messageOf(thrown)}`;
    throw new OrcsError("ORCS5001", why, { input });
  }
  if (!isPlainObject(value)) {
    throw new OrcsError("ORCS5001", `the payload in ${input} is not a JSON object`, { input });
  }
  return value as JsonObject;
}
