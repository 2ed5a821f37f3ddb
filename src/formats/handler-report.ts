import { isDenialWord, objectAt, stated, verdictFor } from "../core/index.ts";
import type {
  Action,
  Edit,
  FailureMode,
  HookFailure,
  HookReport,
  Json,
  JsonObject,
  PointSpec,
} from "../core/index.ts";
import type { HandlerCall, HandlerProtocol } from "./handler-protocol.ts";

/** The optional parts of a handler's result when the operation continues. */
type Words = Omit<Extract<Action, { action: "continue" }>, "action" | "inject"> & {
  readonly inject?: Json;
};

/** The operation continues, with these texts and edits. */
export function carryOn(
  words: { readonly [K in keyof Words]: Words[K] | undefined } = {},
  edits: readonly Edit[] = [],
): HookReport {
  const said = stated<Json>(words);
  const isSaid = Object.keys(said).length > 0;
  return { answer: isSaid ? { action: "continue", ...said } : undefined, edits };
}

/** A text, if there is one, as the texts for the model. */
export function listed(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : [text];
}

/** The edit that replaces the result of the operation. */
export function withResult({ point }: HandlerCall, value: Json): Edit {
  return { path: ["payload", point.resultKey], value };
}

/**
 * The operation is denied, or its result withheld. If neither is possible, it is a failure, so that it is visible.
 * @param context further text for the model when it reads the reason instead of a result
 */
export function refuse(
  { point }: Pick<HandlerCall, "point">,
  given: string,
  context: readonly string[] = [],
): HookReport {
  const shown = point.phase === "post" ? context : [];
  const reason = [given, ...shown].filter((text) => text !== "").join("\n\n");
  if (verdictFor(point, "abort") === "legal") {
    return { answer: { action: "abort", reason }, edits: [] };
  }
  return failed("answer", `denied ${point.name}, which cannot be denied: ${reason}`, "open");
}

/** The hook failed; without a mode, `on_error` decides. */
export function failed(kind: HookFailure["kind"], message: string, mode?: FailureMode): HookReport {
  return { failure: { kind, message, ...(mode !== undefined && { mode }) } };
}

/** A command ended with an unexpected code. */
export function failedExit(code: number, stderr: string, mode?: FailureMode): HookReport {
  const text = stderr.trim();
  const cause = text.length > MAX_CAUSE ? `${text.slice(0, MAX_CAUSE)}…` : text;
  const why = `its command exited with code ${code}`;
  return failed("error", cause === "" ? why : `${why}: ${cause}`, mode);
}

/** A request got an unexpected status. */
export function failedStatus(status: number, mode?: FailureMode): HookReport {
  return failed("error", `the response has status ${status}`, mode);
}

/** The edit that replaces the input of the operation. */
export function rewrite({ point }: HandlerCall, input: Json): Edit {
  return { path: ["payload", point.inputKey], value: input };
}

/** Whether a handler can still change the input of the operation. */
export function isPre({ point }: HandlerCall): boolean {
  return point.phase === "pre";
}

/** Whether a status means success. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The failure mode of a protocol at a point: only what has not happened yet can be denied. */
export function modeAt(point: PointSpec, mode: FailureMode | undefined): FailureMode | undefined {
  return mode === "closed" && point.phase !== "pre" ? undefined : mode;
}

/** A report with what its system does when a response is invalid, unless that is known already. */
export function modedAnswer(
  report: HookReport,
  { point }: HandlerCall,
  { fails }: Pick<HandlerProtocol, "fails">,
): HookReport {
  return isUndecided(report) ? withMode(report, modeAt(point, fails.answer)) : report;
}

type Failed = Extract<HookReport, { failure: HookFailure }>;

/** Whether a response is invalid, and nothing says what then happens. */
function isUndecided(report: HookReport): report is Failed {
  return "failure" in report && report.failure.kind === "answer" && !report.failure.mode;
}

function withMode(report: Failed, mode: FailureMode | undefined): HookReport {
  return mode === undefined ? report : { failure: { ...report.failure, mode } };
}

/** Keys with which systems name a decision. */
const DECISION_KEYS = ["decision", "permissionDecision", "permission", "action"] as const;

/**
 * An invalid response that is meant as a denial fails closed before an operation, whatever its system does with others:
 * the author of a guard has only misspelt it.
 */
export function strictIfDenied(
  report: HookReport,
  answer: JsonObject,
  { point }: HandlerCall,
): HookReport {
  if (!isUndecided(report)) return report;
  const parts = [answer, objectAt(answer, "hookSpecificOutput")];
  const denies = parts.some((part) => DECISION_KEYS.some((key) => isDenialWord(part[key])));
  return denies ? withMode(report, modeAt(point, "closed")) : report;
}

/** Failure messages are one line of a log. */
const MAX_CAUSE = 500;
