import { TOOLS } from "../../core/index.ts";
import type { Expression, Range } from "./ast.ts";
import { formNamed } from "./check-results.ts";
import type { Finding, Subject } from "./finding.ts";
import { calledName, globalPath, type ResolvedChunk, textOf, valueOf } from "./resolve.ts";

/** Calls and handlers that are examined in one file: each looks at the whole of it. */
const MOST = 200;

/** `pcall` around a tool call whose result is not examined: a denial is a result, so the call counts as done. */
export function* checkProtected({ program }: Subject): Generator<Finding> {
  const calls = program.expressions.filter((at) => calledName(at, program) === "pcall");
  for (const at of calls.slice(0, MOST)) {
    const tool = protectedTool(at, program);
    if (tool === undefined || isExamined(at, program)) continue;
    const message = `pcall does not notice a denial: ${tool} returns { ok = false, error = … } and raises no error`;
    const hint = `call ${tool} without pcall, and read ok of its result`;
    yield { code: "ORCS1116", severity: "warning", message, at, hint };
  }
}

/** The tool function that `pcall(orcs.exec, …)` or `pcall(function() … end)` calls. */
function protectedTool(at: Expression, program: ResolvedChunk): string | undefined {
  if (at.kind !== "call") return undefined;
  const [what] = at.args;
  if (what?.kind !== "function") return what && toolNamed(what, program);
  const within = program.expressions.filter((each) => each.kind === "call" && isIn(each, what));
  const tool = within.flatMap(
    (each) => toolNamed(each.kind === "call" && each.callee, program) ?? [],
  )[0];
  const examines = program.expressions.some((each) => isIn(each, what) && isOutcome(each));
  return examines ? undefined : tool;
}

function toolNamed(callee: Expression | false, program: ResolvedChunk): string | undefined {
  const [root, name = "", ...more] =
    (callee && globalPath(valueOf(callee, program), program)) || [];
  const isTool = name === "get" || name === "exec_argv" || Object.hasOwn(TOOLS, name);
  return root === "orcs" && isTool && more.length === 0 ? `orcs.${name}` : undefined;
}

/** Whether anything after the call reads `ok` or `error`, or the call is returned as a whole. */
function isExamined(call: Expression, program: ResolvedChunk): boolean {
  const isReturned = [...program.returns.values()].flat(2).includes(call);
  return isReturned || program.expressions.some((each) => each.start > call.end && isOutcome(each));
}

function isOutcome(at: Expression): boolean {
  return at.kind === "index" && ["ok", "error"].includes(textOf(at.key) ?? "");
}

function isIn({ start, end }: Range, outer: Range): boolean {
  return start > outer.start && end <= outer.end;
}

/**
 * A hook at a post point that masks a result, and fails open as all of them do: what it cannot mask passes as it is.
 */
export function* checkMasks({ program, handlers }: Subject): Generator<Finding> {
  for (const { literal, hooks } of handlers.slice(0, MOST)) {
    const open = hooks.find(
      ({ point, isAsync, failsClosed }) => point?.phase === "post" && !isAsync && !failsClosed,
    );
    if (!open?.point) continue;
    const own = program.expressions.filter((each) => isIn(each, literal));
    const masks = own.some((each) => isMask(each, program));
    const at = own.find(
      (each) => each.kind === "call" && formNamed(each.callee, program) === "replace",
    );
    if (!masks || !at) continue;
    const message = `this hook masks the result at ${open.point.name}, but the result passes as it is when the hook fails`;
    const hint = 'set on_error = "closed", which withholds the result then';
    yield { code: "ORCS1110", severity: "warning", message, at, hint };
  }
}

/** `orcs.redact(…)`, `string.gsub(…)` or `text:gsub(…)`. */
function isMask(at: Expression, program: ResolvedChunk): boolean {
  if (at.kind === "method") return at.name.name === "gsub";
  const path = calledName(at, program);
  return path === "orcs.redact" || path === "string.gsub";
}
