import type { Ability } from "../../core/index.ts";
import type { CallExpression, Expression, FunctionLiteral, Range, TableLiteral } from "./ast.ts";
import { formNamed } from "./check-results.ts";
import { type KnownFacts, liveCode } from "./live-code.ts";
import { calledName, fieldOf, pathTo, textOf, valueOf } from "./resolve.ts";
import type { Local, ResolvedChunk } from "./resolve.ts";

/** Something that a handler does or may do, as its text shows. */
export interface Deed {
  /** What it returns, or the key of the payload that it writes. */
  readonly what: { readonly returns: Exclude<Ability, "rewrite"> } | { readonly writes: string };
  readonly at: Range;
  /** Whether it does so each time that it runs; otherwise a branch decides. */
  readonly isSure: boolean;
}

/**
 * What a handler can do under these facts. It covers the functions of the same file that it calls, and not what
 * modules do.
 */
export function deedsOf(
  handler: FunctionLiteral,
  program: ResolvedChunk,
  facts: KnownFacts,
): Deed[] {
  const isLive = liveCode(program, facts);
  const sure = sureParts(handler, program, isLive);
  const deeds: Deed[] = [];
  const parts = [...reached(handler, program, isLive)].flatMap((literal) =>
    partsOf(literal, program, isLive),
  );
  for (const at of new Set(parts)) {
    for (const returns of resultsIn(at, program)) {
      deeds.push({ what: { returns }, at, isSure: sure.has(at) });
    }
  }
  for (const { path, at } of writesTo(handler, 0, { program, isLive, callers: [] })) {
    const [root, key] = path;
    if (root === "payload" && key !== undefined) {
      deeds.push({ what: { writes: key }, at, isSure: sure.has(at) });
    }
  }
  return deeds.sort((a, b) => a.at.start - b.at.start);
}

type IsLive = (at: Range) => boolean;

/** The expressions of a function, including those of the functions in it. */
function partsOf(
  { start, end }: FunctionLiteral,
  { expressions }: ResolvedChunk,
  isLive: IsLive,
): Expression[] {
  return expressions.filter((at) => start <= at.start && at.end <= end && isLive(at));
}

/** A handler, and the functions of the file that it uses, directly or not. */
function reached(
  handler: FunctionLiteral,
  program: ResolvedChunk,
  isLive: IsLive,
): Set<FunctionLiteral> {
  const found = new Set([handler]);
  for (const literal of found) {
    for (const at of partsOf(literal, program, isLive)) {
      const used = at.kind === "name" || at.kind === "index" ? functionAt(at, program) : undefined;
      if (used) found.add(used);
    }
  }
  return found;
}

function functionAt(at: Expression, program: ResolvedChunk): FunctionLiteral | undefined {
  const value = valueOf(at, program);
  if (value.kind === "function") return value;
  const name = value.kind === "name" ? value.name : textOf(value.kind === "index" ? value.key : at);
  return name === undefined ? undefined : program.functions.get(name);
}

/** The expressions that a handler returns or assigns whenever it runs. */
function sureParts(
  { body }: FunctionLiteral,
  program: ResolvedChunk,
  isLive: IsLive,
): Set<Expression> {
  const sure = new Set<Expression>();
  for (const statement of body) {
    if (!isLive(statement)) continue;
    if (statement.kind === "assign") for (const target of statement.targets) sure.add(target);
    else if (statement.kind === "call") sure.add(statement.call);
    else if (statement.kind === "return") {
      const [first] = statement.values;
      const value = first && valueOf(first, program);
      if (value) sure.add(value.kind === "call" ? value.callee : value);
    } else if (!["local", "localFunction", "function"].includes(statement.kind)) return sure;
  }
  return sure;
}

/** What an expression returns, if it is a result. */
function resultsIn(at: Expression, program: ResolvedChunk): Exclude<Ability, "rewrite">[] {
  if (at.kind === "table") return tableResults(at, program);
  const form = at.kind === "index" ? formNamed(at, program) : undefined;
  return form ? [form] : [];
}

const ACTIONS: Readonly<Record<string, Exclude<Ability, "rewrite">>> = {
  abort: "deny",
  skip: "skip",
  replace: "replace",
  retry: "retry",
};
const DECISIONS = ["deny", "ask", "defer", "allow"] as const;

function tableResults(table: TableLiteral, program: ResolvedChunk): Exclude<Ability, "rewrite">[] {
  const action = textOf(fieldOf(table, "action"));
  const own = action !== undefined && Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  const isContinue = action === "continue" || (action === undefined && isBare(table));
  const decision = isContinue ? fieldOf(table, "decision") : undefined;
  const decided = decision ? textsIn(decision, program) : [];
  return [
    ...(own ? [own] : []),
    ...DECISIONS.filter((name) => decided.includes(name)),
    ...(isContinue && fieldOf(table, "inject") ? (["inject"] as const) : []),
  ];
}

/** Only keys that a result without an action may have. */
function isBare({ fields }: TableLiteral): boolean {
  const keys = ["decision", "reason", "inject", "stop"];
  return fields.every(({ key }) => keys.includes(textOf(key) ?? ""));
}

/** The texts that an expression may be: `asks and "ask"`. */
function textsIn(expression: Expression, program: ResolvedChunk): string[] {
  const at = valueOf(expression, program);
  if (at.kind === "string") return [at.value];
  if (at.kind !== "binary") return [];
  return [...textsIn(at.left, program), ...textsIn(at.right, program)];
}

/** Keys from a parameter on; undefined stands for one that is computed. */
type LoosePath = readonly (string | undefined)[];

interface Written {
  readonly path: LoosePath;
  readonly at: Expression;
}

interface Search {
  readonly program: ResolvedChunk;
  readonly isLive: IsLive;
  readonly callers: readonly FunctionLiteral[];
}

/** Functions of a library that change the list that they get. */
const CHANGES_LIST = ["table.insert", "table.remove", "table.sort"];

/** How far a parameter is followed from function to function. */
const MAX_CALLS = 4;

/** The paths below a parameter that a function, or one to which it passes the parameter, assigns. */
function writesTo(literal: FunctionLiteral, index: number, search: Search): Written[] {
  const { program, isLive, callers } = search;
  const parameter = literal.parameters[index];
  const root = parameter && program.localOf.get(parameter);
  if (!root || callers.includes(literal) || callers.length > MAX_CALLS) return [];
  const inner = { ...search, callers: [...callers, literal] };
  return partsOf(literal, program, isLive).flatMap((at): Written[] => {
    if (program.writtenFields.has(at)) {
      const path = pathTo(at, program, (local) => local === root)?.keys;
      return path ? [{ path, at }] : [];
    }
    return at.kind === "call" ? passedOn(at, root, inner) : [];
  });
}

function passedOn(call: CallExpression, root: Local, search: Search): Written[] {
  const { program } = search;
  const callee = calledName(call, program) ?? "";
  const literal = functionAt(call.callee, program);
  return call.args.flatMap((argument, i): Written[] => {
    const path = pathTo(argument, program, (local) => local === root)?.keys;
    if (!path) return [];
    if (i === 0 && CHANGES_LIST.includes(callee)) return [{ path, at: call }];
    const below = literal ? writesTo(literal, i, search) : [];
    return below.flatMap((written) =>
      filled(written.path, call).map((rest) => ({ path: [...path, ...rest], at: call })),
    );
  });
}

/** `mask(payload, "result")` writes the key that it is given. */
function filled(path: LoosePath, { args }: CallExpression): LoosePath[] {
  const [first, ...rest] = path;
  const given = args.flatMap((argument) => textOf(argument) ?? []);
  if (first !== undefined || given.length === 0) return [path];
  return Array.from(given, (key) => [key, ...rest]);
}
