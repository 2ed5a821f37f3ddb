import {
  ACTION_NAMES,
  DECISIONS,
  nearest,
  ORCS_FUNCTIONS,
  readAnswer,
  verdictFor,
} from "../../core/index.ts";
import type { ActionName, OrcsFunction, PointSpec } from "../../core/index.ts";
import type { Expression, FunctionLiteral, TableLiteral } from "./ast.ts";
import { chunkText } from "./chunk-text.ts";
import { didYouMean, type Finding, type Handler, type Subject } from "./finding.ts";
import { fieldOf, globalPath, resolve, type ResolvedChunk, textOf, valueOf } from "./resolve.ts";

/** Results that are invalid, not allowed at their point, or deny without a reason. */
export function* checkResults({ program, handlers }: Subject): Generator<Finding> {
  for (const at of program.callStatements) {
    const form = resultForm(at, program);
    if (!form) continue;
    const message = `orcs.${form} only creates a result, which is dropped here: nothing is decided`;
    const hint = `write return orcs.${form}(…)`;
    yield { code: "ORCS1114", severity: "error", message, at, hint };
  }
  for (const expression of program.expressions) {
    if (resultForm(expression, program) !== "deny" || expression.kind !== "call") continue;
    const [reason] = expression.args;
    if (reason && !saysNothing(reason)) continue;
    yield noReason(expression);
  }
  for (const handler of handlers) yield* checkHandler(handler, program);
}

function* checkHandler({ literal, hooks }: Handler, program: ResolvedChunk): Generator<Finding> {
  const read = hooks.filter(({ isAsync }) => !isAsync);
  if (read.length === 0) return;
  const points = new Set(read.flatMap(({ point }) => point ?? []));
  // An author who withholds a result even when the hook fails knows that it is about the result.
  const unsure = new Set(
    read.flatMap(({ point, failsClosed }) => (failsClosed ? [] : (point ?? []))),
  );
  for (const answer of returnedResults(literal, program)) {
    const form = resultForm(answer, program);
    const action = form ? undefined : literalAnswer(answer, program);
    if (action && "why" in action) {
      const hint = answer.kind === "table" ? didYouMean(meant(answer)) : undefined;
      const message = `the hook would fail: it ${action.why}`;
      yield { code: "ORCS1106", severity: "error", message, at: answer, ...hint };
      continue;
    }
    if (answer.kind === "table" && answer.fields.every(({ key }) => textOf(key) === "reason")) {
      const message = "a reason without an action or a decision: the operation continues";
      const hint = "write orcs.deny(reason) to deny";
      yield { code: "ORCS1106", severity: "warning", message, at: answer, hint };
    }
    const name = form ? RESULT_FORMS[form] : action?.name;
    if (name === "abort" && answer.kind === "table") {
      const reason = fieldOf(answer, "reason");
      if (!reason || saysNothing(reason)) yield noReason(answer);
    }
    if (name === undefined) continue;
    const written = form ? `orcs.${form}` : name;
    for (const point of points) {
      yield* illegal(answer, written, name, point);
      const decision = form ?? decisionIn(answer, program);
      // The operation has already run.
      if (point.phase !== "pre" && DECISIONS.some((word) => word === decision)) {
        const message = `the decision ${decision} is not legal at ${point.name}: the hook would fail`;
        yield { code: "ORCS1105", severity: "error", message, at: answer };
      }
      const isLate = name === "abort" && point.phase === "post" && unsure.has(point);
      if (isLate) yield tooLateToKeepFrom(answer, written, point);
    }
  }
}

function* illegal(
  at: Expression,
  written: string,
  action: ActionName,
  point: PointSpec,
): Generator<Finding> {
  const verdict = verdictFor(point, action);
  if (verdict === "legal") return;
  const instead = verdictFor(point, action === "replace" ? "skip" : "replace");
  const message =
    verdict === "fail"
      ? `${written} is not legal at ${point.name}: the hook would fail`
      : `${written} has no effect at ${point.name}`;
  const hint =
    instead === "legal" && action !== "retry"
      ? { hint: `use ${action === "replace" ? "orcs.skip(result)" : "orcs.replace(result)"} there` }
      : undefined;
  const severity = verdict === "fail" ? "error" : "warning";
  yield { code: "ORCS1105", severity, message, at, ...hint };
}

/** The decision in a literal result. */
function decisionIn(answer: Expression, program: ResolvedChunk): string | undefined {
  const decision = answer.kind === "table" ? fieldOf(answer, "decision") : undefined;
  return decision && textOf(valueOf(decision, program));
}

/** A denial there withholds the result; an author who wants to prevent the operation is at the wrong point. */
function tooLateToKeepFrom(at: Expression, written: string, point: PointSpec): Finding {
  return {
    code: "ORCS1105",
    severity: "warning",
    message: `${written} at ${point.name}: the operation has already run, so only its result is withheld`,
    at,
    hint: 'to prevent the operation, use a pre point; to withhold the result, set on_error = "closed"',
  };
}

/** Stand-ins for values that are known only at run time, chosen to be valid. */
const LIKELY: Readonly<Record<string, unknown>> = { delay_ms: 0, stop: true, decision: "allow" };

/** The action that the engine would read from a literal result. */
function literalAnswer(
  answer: Expression,
  program: ResolvedChunk,
): { name: ActionName } | { why: string } | undefined {
  let written: unknown;
  if (answer.kind === "table") {
    written = tableAnswer(answer, program);
    if (written === undefined) return undefined;
  } else if (answer.kind === "string" || answer.kind === "boolean") written = answer.value;
  else if (answer.kind === "number") written = Number(answer.text);
  else if (answer.kind === "call") {
    const why = callResult(answer, program);
    return why === undefined ? undefined : { why };
  } else {
    const uncalled = formNamed(answer, program);
    return uncalled && { why: `returned the function orcs.${uncalled}, which nothing calls` };
  }
  const result = readAnswer(written);
  return result.ok ? { name: result.action.action } : { why: result.why };
}

/** Why the value of a call of an `orcs` function is not a hook result; undefined when it is one, or may be. */
function callResult(call: Expression, program: ResolvedChunk): string | undefined {
  if (call.kind !== "call") return undefined;
  const [root, ...names] = globalPath(call.callee, program) ?? [];
  const name = names.join(".");
  if (root !== "orcs" || !Object.hasOwn(ORCS_FUNCTIONS, name)) return undefined;
  const fn: OrcsFunction = ORCS_FUNCTIONS[name as keyof typeof ORCS_FUNCTIONS];
  const type = fn.returns?.type ?? "";
  if (!PLAIN_TYPES.includes(type)) return undefined;
  return `returned the ${type} of orcs.${name}, expected a table with an action; call it as a statement, with a return of its own behind it`;
}

/**
 * Why an inline handler that is a single call fails at every event: the value of the call is the hook's result, and is
 * for example a number. Undefined for any other handler.
 */
export function inlineProblem(code: string): string | undefined {
  const statements = chunkText(code, "inline")?.statements;
  const [only] = statements ?? [];
  const literal = only?.kind === "return" ? only.values[0] : undefined;
  if (!statements || literal?.kind !== "function") return undefined;
  const [returned, ...others] = literal.body;
  if (returned?.kind !== "return" || others.length > 0) return undefined;
  const [value] = returned.values;
  return value && callResult(value, resolve(statements));
}

const PLAIN_TYPES: readonly string[] = ["boolean", "integer", "number", "string"];

function tableAnswer(
  table: TableLiteral,
  program: ResolvedChunk,
): Readonly<Record<string, unknown>> | undefined {
  const answer: Record<string, unknown> = {};
  for (const { key, value } of table.fields) {
    const name = textOf(key);
    if (name === undefined) return undefined;
    const known = textOf(valueOf(value, program));
    if (name === "action" && known === undefined) return undefined;
    if (name !== "ctx") answer[name] = known ?? LIKELY[name] ?? "…";
  }
  return answer;
}

/** The action, decision or key that a misspelt one resembles. */
function meant(table: TableLiteral): string | undefined {
  const action = textOf(fieldOf(table, "action"));
  if (action !== undefined) {
    const names: readonly string[] = ACTION_NAMES;
    if (!names.includes(action)) return nearest(action, names);
  }
  const decision = textOf(fieldOf(table, "decision"));
  if (decision !== undefined) {
    const names = [...DECISIONS, "deny"];
    if (!names.includes(decision)) return nearest(decision, names);
  }
  const keys = ["action", "decision", "reason", "inject", "stop", "result", "delay_ms"];
  for (const { key } of table.fields) {
    const name = textOf(key);
    if (name !== undefined && name !== "ctx" && !keys.includes(name)) return nearest(name, keys);
  }
  return undefined;
}

function noReason(at: Expression): Finding {
  return {
    code: "ORCS1104",
    severity: "warning",
    message: "the denial has no reason, so the model does not learn what to do instead",
    at,
    hint: 'orcs.deny("what to do instead")',
  };
}

function saysNothing(reason: Expression): boolean {
  return reason.kind === "nil" || textOf(reason)?.trim() === "";
}

type AnswerForm = keyof typeof RESULT_FORMS;

/** The short form that an expression calls: `deny` of `orcs.deny(…)`. */
function resultForm(expression: Expression, program: ResolvedChunk): AnswerForm | undefined {
  if (expression.kind !== "call") return undefined;
  return formNamed(valueOf(expression.callee, program), program);
}

/** The short form that an expression names: `deny` of `orcs.deny`. */
export function formNamed(expression: Expression, program: ResolvedChunk): AnswerForm | undefined {
  const [root, name = "", ...rest] = globalPath(expression, program) ?? [];
  const isForm = root === "orcs" && rest.length === 0 && Object.hasOwn(RESULT_FORMS, name);
  return isForm ? (name as AnswerForm) : undefined;
}

/** The results that a handler can return, with `a and b or c` taken apart; `a == b and c` can be false. */
function returnedResults(literal: FunctionLiteral, program: ResolvedChunk): Expression[] {
  const answers: Expression[] = [];
  const waiting = (program.returns.get(literal) ?? []).flatMap(([first]) =>
    first ? { at: first, orElse: false } : [],
  );
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { orElse } = next;
    const value = valueOf(next.at, program);
    if (value.kind !== "binary") {
      if (!orElse || value.kind !== "boolean") answers.push(value);
    } else if (value.operator === "and") {
      waiting.push({ at: value.right, orElse });
      if (!orElse && isComparison(value.left)) {
        const { start, end } = value.left;
        answers.push({ kind: "boolean", value: false, start, end });
      }
    } else if (value.operator === "or") {
      waiting.push({ at: value.right, orElse }, { at: value.left, orElse: true });
    }
  }
  return answers;
}

/** Whether it is true or false, and never nil. */
function isComparison(expression: Expression): boolean {
  if (expression.kind === "paren") return isComparison(expression.inner);
  if (expression.kind === "unary") return expression.operator === "not";
  return expression.kind === "binary" && COMPARISONS.includes(expression.operator);
}

const COMPARISONS: readonly string[] = ["==", "~=", "<", ">", "<=", ">="];

/** Whether an expression denies or skips an operation. */
export function isRefusal(expression: Expression, program: ResolvedChunk): boolean {
  const form = resultForm(expression, program);
  if (form) return RESULT_FORMS[form] === "abort" || RESULT_FORMS[form] === "skip";
  if (expression.kind !== "table") return false;
  const action = textOf(fieldOf(expression, "action"));
  return (
    action === "abort" || action === "skip" || textOf(fieldOf(expression, "decision")) === "deny"
  );
}

/** Whether a handler only denies, whatever the payload. */
export function alwaysRefuses(literal: FunctionLiteral, program: ResolvedChunk): boolean {
  const [first] = literal.body;
  if (first?.kind !== "return") return false;
  const [answer] = first.values;
  return answer !== undefined && isRefusal(valueOf(answer, program), program);
}

/** The decision of a handler that does nothing else. */
export function alwaysDecides(
  literal: FunctionLiteral,
  program: ResolvedChunk,
): "allow" | "ask" | undefined {
  const [first] = literal.body;
  const answer = first?.kind === "return" ? first.values[0] : undefined;
  const form = answer && resultForm(valueOf(answer, program), program);
  return form === "allow" || form === "ask" ? form : undefined;
}

/** The functions of `orcs` that create results, with their actions. `deny` is an abort. */
export const RESULT_FORMS = {
  deny: "abort",
  allow: "continue",
  ask: "continue",
  inject: "continue",
  retry: "retry",
  skip: "skip",
  replace: "replace",
} as const satisfies { readonly [Name in keyof typeof ORCS_FUNCTIONS]?: ActionName };
