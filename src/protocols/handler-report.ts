import type { Action } from "../core/actions.ts";
import { verdictFor } from "../core/actions.ts";
import type { Edit, FailureMode, HookFailure, HookReport } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import type { PointSpec } from "../core/points.ts";
import type { HandlerCall } from "./handler-protocol.ts";

/** What a handler may say besides that the operation goes on. */
type Words = Omit<Extract<Action, { action: "continue" }>, "action" | "inject"> & {
  readonly inject?: Json;
};

/** The operation goes on, with what was said and changed. */
export function carryOn(words: Words = {}, edits: readonly Edit[] = []): HookReport {
  const said = Object.keys(words).length > 0;
  return { answer: said ? { action: "continue", ...words } : undefined, edits };
}

/**
 * The operation is denied, or its result where it has run; what cannot be denied is a failure, so that it is never
 * silent.
 * @param context more that the model is to be told where it reads the reason in the place of a result
 */
export function refuse(
  { point }: HandlerCall,
  given: string,
  context: readonly string[] = [],
): HookReport {
  const told = point.phase === "post" ? context : [];
  const reason = [given, ...told].filter((text) => text !== "").join("\n\n");
  if (verdictFor(point, "abort") === "legal") {
    return { answer: { action: "abort", reason }, edits: [] };
  }
  return failed("answer", `denied ${point.name}, which cannot be denied: ${reason}`, "open");
}

/** The hook failed; without a mode, `on_error` decides. */
export function failed(kind: HookFailure["kind"], message: string, mode?: FailureMode): HookReport {
  return { failure: { kind, message, ...(mode !== undefined && { mode }) } };
}

/** A command ended with a code that is no answer. */
export function failedExit(code: number, stderr: string, mode?: FailureMode): HookReport {
  return failed("error", `its command exited with code ${code}${because(stderr)}`, mode);
}

/** A request was answered with a status that is no answer. */
export function failedStatus(status: number, mode?: FailureMode): HookReport {
  return failed("error", `the response has status ${status}`, mode);
}

/** The edit that puts other input in the place of what the operation was to get. */
export function rewrite({ point }: HandlerCall, input: Json): Edit {
  return { path: ["payload", point.inputKey], value: input };
}

/** Whether a handler may still change what the operation gets. */
export function isPre({ point }: HandlerCall): boolean {
  return point.phase === "pre";
}

/** Whether an answer came with a status that means success. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What a protocol does about a failure at a point: only what has not happened yet can be refused. */
export function modeAt(point: PointSpec, mode: FailureMode | undefined): FailureMode | undefined {
  return mode === "closed" && point.phase !== "pre" ? undefined : mode;
}

/** The failures' messages are one line of a log. */
const MAX_CAUSE = 500;

function because(stderr: string): string {
  const text = stderr.trim();
  if (text === "") return "";
  return `: ${text.length > MAX_CAUSE ? `${text.slice(0, MAX_CAUSE)}…` : text}`;
}
