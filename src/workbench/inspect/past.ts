import { type RecordedOutcome, tailLog } from "../../records/index.ts";
import { ANSWERED, type JsonObject, objectsIn, textsIn } from "../../core/index.ts";
import type { SeenDispatch, SeenStep } from "../../daemon/index.ts";

/** A dispatch from the audit log: without its payload, and with the hooks that did something. */
export interface PastDispatch extends SeenDispatch {
  readonly past: true;
}

export function isPast(dispatch: SeenDispatch): dispatch is PastDispatch {
  return "past" in dispatch;
}

/** Where `orcs:undo` notes the id of a point. */
export const POINT = "/metadata/undo_point";

/** Lines that are read at most, from the end of the log. */
const MOST_LINES = 1000;

/**
 * Dispatches of the audit log, the oldest first. Never throws: a log that is not there or cannot be read has none.
 * @param dir of the log
 * @param since those that ended later, in milliseconds since 1970
 */
export function pastDispatches(dir: string, since: number, most = MOST_LINES): PastDispatch[] {
  try {
    const found: PastDispatch[] = [];
    for (const { record } of tailLog(dir, most)) {
      const past = record && pastDispatch(record);
      if (past) found.push(past);
      else if (record?.["kind"] === "approval") answer(found, record);
    }
    return found.filter(({ at }) => at > since);
  } catch {
    return [];
  }
}

/** Add what a person answered to the call that it was about. */
function answer(found: PastDispatch[], record: JsonObject): void {
  const { session, tool, hook, action, refusal, by = "a person" } = texts(record);
  const at = found.findLastIndex(
    ({ outcome, session_id, payload }) =>
      outcome.decision === "ask" &&
      outcome.hook === hook &&
      session_id === session &&
      payload["tool_name"] === tool,
  );
  const asked = found[at];
  if (!asked) return;
  const isDenied = action === "deny";
  const reason = isDenied ? (refusal ?? "denied") : `approved by ${by}`;
  const step = { hook: ANSWERED, status: "ran", reason, ...(isDenied && { action: "abort" }) };
  found[at] = { ...asked, hooks: [...asked.hooks, step as SeenStep] };
}

function pastDispatch(record: JsonObject): PastDispatch | undefined {
  const { kind, seq, time, duration_ms: ms } = record;
  if (kind !== "dispatch" && kind !== "shadow" && kind !== "refused") return undefined;
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  const duration = typeof ms === "number" ? ms : 0;
  const { subject, tool, session, point, event, host, component, child } = texts(record);
  return {
    past: true,
    dispatch_id: `log-${typeof seq === "number" ? seq : at}`,
    ...(session !== undefined && { session_id: session }),
    at,
    began: at - duration,
    point: point ?? event ?? "",
    component: component ?? host ?? "",
    ...(child !== undefined && { child }),
    channel: "",
    principal: { type: "host", id: "" },
    payload: {
      ...(tool !== undefined && { tool_name: tool }),
      // Where `subjectOf` looks first.
      ...(subject !== undefined && { args: { command: subject } }),
    },
    outcome: kind === "shadow" ? { action: "continue", edits: [] } : outcomeOf(record),
    duration_ms: duration,
    hooks: kind === "shadow" ? [shadowStep(record)] : stepsOf(record),
  };
}

function outcomeOf(record: JsonObject): RecordedOutcome {
  const { action, reason, hook, decision } = texts(record);
  const ended = action === "abort" || action === "skip" || action === "retry" ? action : "continue";
  const paths = objectsIn(record["changed"]).flatMap(({ paths: changed }) => textsIn(changed));
  return {
    action: ended,
    ...(reason !== undefined && { reason }),
    ...(hook !== undefined && { hook }),
    ...(decision !== undefined && { decision: decision as never }),
    // Of what was changed, the log names the place only.
    edits: paths.map((path) =>
      path === POINT ? { path, value: record["undo_point"] ?? null } : { path },
    ),
  };
}

/** The hooks that a line names: those that changed something or failed, and the one that decided. */
function stepsOf(record: JsonObject): SeenStep[] {
  const { action, reason, hook, decision, source } = texts(record);
  const changed = objectsIn(record["changed"]);
  const steps: SeenStep[] = changed
    .filter(({ hook: changer }) => changer !== hook)
    .map((entry) => ({ hook: texts(entry)["hook"] ?? "", status: "ran" }));
  for (const failure of objectsIn(record["failures"])) steps.push(failedStep(failure));
  if (hook !== undefined && !steps.some((step) => step.hook === hook)) {
    steps.push({
      hook,
      status: "ran",
      ...placeOf(source),
      ...(action === "abort" && { action }),
      ...(decision !== undefined && { decision: decision as never }),
      ...(reason !== undefined && { reason }),
    });
  }
  return steps;
}

function failedStep(failure: JsonObject): SeenStep {
  const { hook = "", message = "", source } = texts(failure);
  return { hook, status: "failed", reason: message, ...placeOf(source) };
}

function shadowStep(record: JsonObject): SeenStep {
  const { hook = "", action, reason, decision, source } = texts(record);
  const [failure] = objectsIn(record["failures"]);
  const { patch } = record;
  return {
    hook,
    mode: "audit",
    ...(failure ? failedStep(failure) : { status: "ran" as const }),
    ...placeOf(source),
    ...(action !== undefined && action !== "failed" && { action: ACTIONS[action] ?? "continue" }),
    ...(decision !== undefined && { decision: decision as never }),
    ...(reason !== undefined && { reason }),
    ...(Array.isArray(patch) && { patch: patch as never }),
  };
}

/** The log names a `continue` after what it did. */
const ACTIONS: Readonly<Record<string, NonNullable<SeenStep["action"]>>> = {
  abort: "abort",
  skip: "skip",
  retry: "retry",
  replace: "replace",
};

/** `file:line` as a place. */
function placeOf(source: string | undefined): Pick<SeenStep, "source"> {
  const [, file, line] = /^(.+):(\d+)$/.exec(source ?? "") ?? [];
  return file === undefined ? {} : { source: { file, line: Number(line) } };
}

/** The members that are texts. */
function texts(record: JsonObject): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(record);
  return Object.fromEntries(
    entries.filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
