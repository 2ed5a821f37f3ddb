import { PATH_ARGS } from "../../core/index.ts";
import type { Expression, FunctionLiteral, Statement } from "./ast.ts";
import type { Finding, HookFacts, Subject } from "./finding.ts";
import {
  calledName,
  childrenOf,
  type Local,
  localPath,
  type ResolvedChunk,
  textOf,
  valueOf,
} from "./resolve.ts";

/**
 * Arguments that a hook for every tool uses as if every tool had them: for other tools it fails, and so denies. Only
 * code that certainly runs is examined, up to the first branch.
 */
export function* checkArguments({ program, handlers, options }: Subject): Generator<Finding> {
  const tools = Object.entries(options.toolArguments);
  for (const { literal, hooks } of handlers) {
    const forAll = hooks.find(isForEveryTool);
    if (!forAll?.match) continue;
    for (const { key, at } of new UnguardedReads(literal, program).found) {
      const having = tools.filter(([, args]) => args.includes(key)).map(([tool]) => tool);
      if (having.length === tools.length || promises(forAll.match, key)) continue;
      const message = `the hook uses the argument ${JSON.stringify(key)} for every tool, but ${lacking(having)}: for other tools the hook fails and so denies the call`;
      const hint = having.length > 0 ? `match = { tool = "${having.join("|")}" }` : undefined;
      yield {
        code: "ORCS1108",
        severity: "warning",
        message,
        at,
        hint: hint === undefined ? "add match = { tool = … }" : `add ${hint}`,
      };
    }
  }
}

function isForEveryTool({ point, match, failsOpen }: HookFacts): boolean {
  if (point?.name !== "tool.pre_execute" || failsOpen || match === undefined) return false;
  return !match.includes("tool") && !match.includes("tool_regex");
}

/** Whether a condition is true only for calls with the argument. */
function promises(match: readonly string[], key: string): boolean {
  if (match.includes("command") || match.includes("runs")) return key === "command";
  return match.includes("path") && PATH_ARGS.includes(key);
}

function lacking(having: readonly string[]): string {
  if (having.length === 0) return "no built-in tool has it";
  const names =
    having.length > 3 ? `${having.slice(0, 3).join(", ")} and others` : having.join(", ");
  return `only ${names} ${having.length === 1 ? "has" : "have"} it`;
}

const FAIL_ON_NIL: ReadonlySet<string> = new Set(
  "< > <= >= .. + - * / // % ^ & | ~ << >>".split(" "),
);
/** Functions that raise an error when one of their first arguments is nil: the number of these arguments. */
const NEED_ARGUMENTS: Readonly<Record<string, number>> = {
  ipairs: 1,
  pairs: 1,
  "string.find": 2,
  "string.match": 2,
  "string.gmatch": 2,
  "string.gsub": 2,
  "string.lower": 1,
  "string.upper": 1,
  "string.len": 1,
  "string.sub": 1,
  "string.rep": 1,
  "orcs.glob_match": 2,
  "orcs.starts_with": 2,
  "orcs.contains": 1,
  "orcs.json_decode": 1,
  "orcs.shell": 1,
  "orcs.runs": 2,
  "orcs.real_path": 1,
};

interface ArgumentRead {
  readonly key: string;
  readonly at: Expression;
}

/** The reads of `ctx.payload.args.KEY` in a function that certainly run and fail when it is missing. */
class UnguardedReads {
  readonly found: ArgumentRead[] = [];
  readonly #program: ResolvedChunk;
  readonly #ctx: Local | undefined;
  /** Arguments that were tested, given a default or assigned before. */
  readonly #seen = new Set<string>();

  constructor({ parameters: [ctx], body }: FunctionLiteral, program: ResolvedChunk) {
    this.#program = program;
    this.#ctx = ctx && program.localOf.get(ctx);
    if (this.#ctx) this.#run(body);
  }

  /** @returns whether the code after these statements certainly runs */
  #run(statements: readonly Statement[]): boolean {
    return statements.every((statement) => this.#statement(statement));
  }

  #statement(statement: Statement): boolean {
    switch (statement.kind) {
      case "local":
        // Giving an argument a shorter name does not test it.
        this.#evaluate(statement.values.filter((value) => this.#argument(value) === undefined));
        return true;
      case "assign":
        this.#evaluate([...statement.values, ...statement.targets]);
        return true;
      case "call":
        this.#evaluate([statement.call]);
        return true;
      case "do":
        return this.#run(statement.body);
      case "localFunction":
        return true;
      case "if":
        this.#evaluate(statement.clauses.slice(0, 1).map(({ condition }) => condition));
        return false;
      case "while":
        this.#evaluate([statement.condition]);
        return false;
      case "for":
      case "return":
        this.#evaluate(statement.values);
        return false;
      default:
        return false;
    }
  }

  #evaluate(expressions: readonly Expression[]): void {
    const reads: string[] = [];
    const waiting = [...expressions].reverse();
    for (let at = waiting.pop(); at; at = waiting.pop()) {
      const own = this.#argument(at);
      if (own !== undefined) reads.push(own);
      else if (at.kind === "binary" && (at.operator === "and" || at.operator === "or")) {
        waiting.push(at.left);
      } else if (at.kind !== "function") {
        const failing = new Set(failingOperands(at, this.#program));
        for (const child of childrenOf(at).reverse()) {
          const key = failing.has(child) ? this.#argument(child) : undefined;
          if (key === undefined) waiting.push(child);
          else if (!this.#seen.has(key)) {
            this.found.push({ key, at: child });
            // Reported once.
            this.#seen.add(key);
          }
        }
      }
    }
    for (const key of reads) this.#seen.add(key);
  }

  /** The argument that an expression reads. */
  #argument(expression: Expression): string | undefined {
    if (expression.kind !== "index" && expression.kind !== "name") return undefined;
    const path = localPath(expression, this.#program);
    if (!path || path.root !== this.#ctx || path.keys.length !== 3) return undefined;
    const [payload, args, key] = path.keys;
    return payload === "payload" && args === "args" ? key : undefined;
  }
}

/** Signs of a Lua pattern other than `-`. */
const OTHER_SIGNS = /[%^$()[\]*+?.]/;

/** Texts such as `rm -rf` that are looked for as Lua patterns, where `-` repeats what is before it: they never match. */
export function* checkPatterns({ program }: Subject): Generator<Finding> {
  for (const call of program.expressions) {
    const isMethod = call.kind === "method";
    const name = isMethod ? `string.${call.name.name}` : calledName(call, program);
    if (name !== "string.find" && name !== "string.match") continue;
    const args = call.kind === "method" || call.kind === "call" ? call.args : [];
    const [at, , plain] = args.slice(isMethod ? 0 : 1);
    const text = at && textOf(valueOf(at, program));
    if (!at || text === undefined || plain || OTHER_SIGNS.test(text)) continue;
    const pattern = text.replaceAll(/[{}|\\]/g, "\\$&").replaceAll(/([^\\]|\\.)-/gs, "$1*?");
    if (new RegExp(pattern, "s").test(text)) continue;
    const message = `${name} reads ${JSON.stringify(text)} as a pattern, where "-" repeats what is before it: it does not match this text`;
    const hint = "write %- for each -, or use orcs.contains(text, part) or match.runs";
    yield { code: "ORCS1115", severity: "warning", message, at, hint };
  }
}

/** The parts of an expression that must not be nil. */
function failingOperands(expression: Expression, program: ResolvedChunk): readonly Expression[] {
  switch (expression.kind) {
    case "index":
    case "method":
      return [expression.object];
    case "call": {
      const name = calledName(expression, program);
      const needed = (name !== undefined && NEED_ARGUMENTS[name]) || 0;
      return [expression.callee, ...expression.args.slice(0, needed)];
    }
    case "binary":
      return FAIL_ON_NIL.has(expression.operator) ? [expression.left, expression.right] : [];
    case "unary":
      return expression.operator === "not" ? [] : [expression.operand];
    default:
      return [];
  }
}
