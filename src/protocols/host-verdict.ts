import { getOwn } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import { POINT_TABLE } from "../core/point-table.ts";
import { toJson } from "../core/to-json.ts";
import { sameJson } from "../core/same-json.ts";
import type { DecodedEvent } from "./host.ts";

/** What a chain came to, in the parts that a host's answer is made of. */
export interface HostVerdict {
  /** Why the operation must not go on; undefined when it may. */
  readonly refusal: string | undefined;
  /** `ask` and `defer` where nothing refuses, `allow` where a hook said so. */
  readonly decision: "allow" | "ask" | "defer" | undefined;
  readonly reason: string | undefined;
  /** The input when hooks changed it: `args` of a tool, a prompt. */
  readonly input: Json | undefined;
  /** The result when hooks changed it. */
  readonly result: Json | undefined;
  /** Text for the model, one below the other. */
  readonly context: string | undefined;
  /** What no host can do. */
  readonly downgrades: readonly string[];
}

/** Read an outcome for a host. A host cannot be handed a result, nor told to try again later: both refuse. */
export function hostVerdict(decoded: DecodedEvent, outcome: Outcome): HostVerdict {
  const row: { phase: string; input?: string; result?: string } = POINT_TABLE[decoded.point];
  const { payload } = outcome.ctx;
  const context = outcome.inject.map((text) => (typeof text === "string" ? text : text.content));
  const said = {
    decision: undefined,
    reason: undefined,
    refusal: undefined,
    downgrades: [],
    input: changed(decoded.payload, payload, row.input ?? "input"),
    result: changed(decoded.payload, payload, row.result ?? "result"),
    context: context.length > 0 ? context.join("\n\n") : undefined,
  };
  if (outcome.action === "continue") {
    const { decision, reason, hook } = outcome;
    return { ...said, decision, reason: reason ?? (decision && hook && `hook ${hook}`) };
  }
  const { hook } = outcome;
  if (outcome.action === "abort") {
    return { ...said, refusal: `blocked by hook ${hook}: ${outcome.reason}` };
  }
  if (outcome.action === "skip") {
    const result = asText(outcome.result);
    return {
      ...said,
      refusal: `hook ${hook} answered in the place of the tool: ${result}`,
      downgrades: [`skip of hook ${hook}: a host runs the tool or refuses it, so it is refused`],
    };
  }
  const again = `hook ${hook} wants it to be tried again in ${outcome.delay_ms} ms`;
  const why = `retry of hook ${hook}: a host does not try again by itself`;
  return row.phase === "pre"
    ? { ...said, refusal: again, downgrades: [`${why}, so it is refused`] }
    : { ...said, downgrades: [why] };
}

/** A value as a model reads it. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a payload's key holds now, where that is something else than it was: null where nothing is left. */
export function changed(
  before: JsonObject,
  after: Readonly<Record<string, unknown>>,
  key: string,
): Json | undefined {
  const value = getOwn(after, key);
  if (value === getOwn(before, key)) return undefined;
  if (value === undefined) return null;
  const json = toJson(value, undefined, ["payload", key]);
  return sameJson(getOwn(before, key), json) ? undefined : json;
}
