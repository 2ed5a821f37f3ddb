import type { Expression, FunctionLiteral } from "./ast.ts";
import { ANSWER_FORMS } from "./answer-forms.ts";
import { fieldOf, globalPath, textOf, valueOf } from "./read-expression.ts";
import type { Program } from "./resolve.ts";

type AnswerForm = keyof typeof ANSWER_FORMS;

/** The short form of an answer that an expression calls: `deny` of `orcs.deny(…)`. */
export function answerForm(expression: Expression, program: Program): AnswerForm | undefined {
  if (expression.kind !== "call") return undefined;
  const [root, name = "", ...rest] = globalPath(expression.callee, program) ?? [];
  const isForm = root === "orcs" && rest.length === 0 && Object.hasOwn(ANSWER_FORMS, name);
  return isForm ? (name as AnswerForm) : undefined;
}

/** What a handler may answer, `a and b or c` taken apart; `a == b and c` may answer false. */
export function returnedAnswers(literal: FunctionLiteral, program: Program): Expression[] {
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

/** Whether an expression refuses or skips an operation. */
export function isRefusal(expression: Expression, program: Program): boolean {
  const form = answerForm(expression, program);
  if (form) return ANSWER_FORMS[form] === "abort" || ANSWER_FORMS[form] === "skip";
  if (expression.kind !== "table") return false;
  const action = textOf(fieldOf(expression, "action"));
  return (
    action === "abort" || action === "skip" || textOf(fieldOf(expression, "decision")) === "deny"
  );
}

/** Whether a handler does nothing but refuse, whatever the payload. */
export function alwaysRefuses(literal: FunctionLiteral, program: Program): boolean {
  const [first] = literal.body;
  if (first?.kind !== "return") return false;
  const [answer] = first.values;
  return answer !== undefined && isRefusal(valueOf(answer, program), program);
}
