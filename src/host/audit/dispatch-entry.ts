import type { HookChanged, HookFailed, SettledDispatch } from "../../core/audit.ts";
import type { Hook } from "../../core/hook.ts";
import { jsonPointer } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { inputDigest } from "./input-digest.ts";

/** Of what a hook changed, so many places are named. */
const MOST_PATHS = 100;

/**
 * The line of a dispatch, before secrets are masked. Never throws, whatever the payload is.
 * @param config digest of the configuration, where there is one
 */
export function dispatchEntry(settled: SettledDispatch, config: string | undefined): JsonObject {
  const { point, began, caller, outcome, failures, changed, duration_ms } = settled;
  const action = actionOf(settled);
  const hook = decidingHook(settled, action);
  return stated({
    kind: "dispatch",
    point: point.name,
    component: began.component_id,
    child: caller.child,
    session: textOf(began.payload, "session_id"),
    depth: began.depth > 0 ? began.depth : undefined,
    async: settled.async,
    action,
    decision: "decision" in outcome ? outcome.decision : undefined,
    tool: textOf(began.payload, "tool_name"),
    hook: hook?.id ?? ("hook" in outcome ? outcome.hook : undefined),
    source: sourceOf(hook),
    script: hook?.digest,
    config,
    ...inputDigest(began.payload),
    changed: changed.length > 0 ? changed.map(changedEntry) : undefined,
    stopped_by: settled.stoppedBy?.id,
    reason: "reason" in outcome ? outcome.reason : undefined,
    duration_ms: Number(duration_ms.toFixed(3)),
    failures: failures.length > 0 ? failures.map(failureEntry) : undefined,
  });
}

/** An entry without what is undefined. */
export function stated(entry: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).filter((pair): pair is [string, Json] => pair[1] !== undefined),
  );
}

/** The outcome's action; one that goes on is named by what became of the payload, or of the hooks behind. */
function actionOf({ point, outcome, changed, stoppedBy }: SettledDispatch): string {
  if (outcome.action !== "continue") return outcome.action;
  if (changed.length === 0) return stoppedBy && !outcome.decision ? "stop" : "continue";
  const result = resultOf(point.resultKey);
  const mayReplace = point.phase === "post" || point.question;
  return mayReplace && changed.some(({ paths }) => paths.includes(result)) ? "replace" : "rewrite";
}

/** The hook that ended the chain or decided; else the last that changed what the action is named by. */
function decidingHook(settled: SettledDispatch, action: string): Hook | undefined {
  const { point, by, changed } = settled;
  if (by) return by;
  if (action === "stop") return settled.stoppedBy;
  if (action === "rewrite") return changed.at(-1)?.hook;
  if (action !== "replace") return undefined;
  return changed.findLast(({ paths }) => paths.includes(resultOf(point.resultKey)))?.hook;
}

function resultOf(key: string): string {
  return jsonPointer(["payload", key]);
}

function changedEntry({ hook, paths }: HookChanged): JsonObject {
  const more = paths.length - MOST_PATHS;
  return stated({
    hook: hook.id,
    paths: paths.slice(0, MOST_PATHS),
    more: more > 0 ? more : undefined,
  });
}

function failureEntry({ hook, failure }: HookFailed): JsonObject {
  return stated({
    hook: hook.id,
    source: sourceOf(hook),
    script: hook.digest,
    kind: failure.kind,
    message: failure.message,
  });
}

function sourceOf(hook: Hook | undefined): string | undefined {
  return hook?.source && `${hook.source.file}:${hook.source.line}`;
}

/** A text of a payload, which is the host's own object: reading it may throw. */
function textOf(payload: Readonly<Record<string, unknown>>, key: string): string | undefined {
  try {
    const value = payload[key];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
