import type {
  BinaryExpression,
  CallExpression,
  Expression,
  IndexExpression,
  Range,
  Statement,
} from "./ast.ts";
import { formNamed } from "./check-results.ts";
import { fieldOf, globalName, localPath, type ResolvedChunk, textOf, valueOf } from "./resolve.ts";

/** What is known of the runs of a handler. */
export interface KnownFacts {
  /** The options of its hook, as the configuration states them. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The component of a coding agent, such as `agent::codex`: then `payload.host` is a table. */
  readonly component?: string;
}

/**
 * A test of whether code can run under these facts: code behind `options.mode == "off"` cannot if `mode` is another
 * text. Anything that is not certain can run.
 */
export function liveCode(program: ResolvedChunk, facts: KnownFacts): (at: Range) => boolean {
  const dead = new DeadCode(program, facts).ranges;
  return (at) => !dead.some(({ start, end }) => start <= at.start && at.end <= end);
}

/** How deep conditions are evaluated: a generated one may have thousands of parts. */
const MAX_DEPTH = 20;

/** Null stands for nil. */
type Known = string | boolean | null;

class DeadCode {
  readonly ranges: Range[] = [];
  readonly #program: ResolvedChunk;
  readonly #options: Readonly<Record<string, unknown>>;
  readonly #component: string | undefined;

  constructor(program: ResolvedChunk, { options = {}, component }: KnownFacts) {
    this.#program = program;
    this.#options = options;
    this.#component = component;
    this.#block(program.statements);
    for (const expression of program.expressions) {
      if (expression.kind === "function") this.#block(expression.body);
      else if (expression.kind === "binary") this.#operator(expression);
    }
  }

  #operator({ operator, left, right }: BinaryExpression): void {
    if (operator !== "and" && operator !== "or") return;
    const isTrue = this.#isTrue(left);
    if (isTrue === (operator === "or")) this.ranges.push(right);
  }

  /** @returns whether the block certainly ends the function */
  #block(statements: readonly Statement[]): boolean {
    for (const [i, statement] of statements.entries()) {
      if (!this.#ends(statement)) continue;
      this.#kill(statements.slice(i + 1));
      return true;
    }
    return false;
  }

  #ends(statement: Statement): boolean {
    if (statement.kind === "return") return true;
    if (statement.kind === "do") return this.#block(statement.body);
    if (statement.kind === "while" || statement.kind === "repeat" || statement.kind === "for") {
      this.#block(statement.body);
      return false;
    }
    if (statement.kind !== "if") return false;
    const ends: boolean[] = [];
    let isDecided = false;
    for (const { condition, body } of statement.clauses) {
      const isTrue: boolean | undefined = isDecided ? false : this.#isTrue(condition);
      if (isTrue === false) this.#kill(body);
      else ends.push(this.#block(body));
      isDecided ||= isTrue === true;
    }
    const { otherwise = [] } = statement;
    if (isDecided) this.#kill(otherwise);
    else ends.push(this.#block(otherwise));
    return ends.every(Boolean);
  }

  #kill(statements: readonly Statement[]): void {
    const [first] = statements;
    const last = statements.at(-1);
    if (first && last) this.ranges.push({ start: first.start, end: last.end });
  }

  /** Undefined when it is not certain. */
  #isTrue(expression: Expression, depth = 0): boolean | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const at = valueOf(expression, this.#program);
    switch (at.kind) {
      case "nil":
        return false;
      case "string":
      case "number":
      case "table":
      case "function":
        return true;
      case "boolean":
        return at.value;
      case "call":
        if (formNamed(at.callee, this.#program)) return true;
        return this.#known(at) === undefined ? undefined : true;
      case "unary":
        return at.operator === "not" ? not(this.#isTrue(at.operand, depth + 1)) : undefined;
      case "binary":
        return this.#isTrueOf(at, depth + 1);
      default: {
        const known = this.#known(at);
        return known === undefined ? undefined : known !== false && known !== null;
      }
    }
  }

  #isTrueOf({ operator, left, right }: BinaryExpression, depth: number): boolean | undefined {
    if (operator === "==" || operator === "~=") {
      const [a, b] = [this.#known(left), this.#known(right)];
      if (a === undefined || b === undefined) return undefined;
      return (a === b) === (operator === "==");
    }
    if (operator !== "and" && operator !== "or") return undefined;
    const [a, b] = [this.#isTrue(left, depth), this.#isTrue(right, depth)];
    const decides = operator === "or";
    if (a === decides || b === decides) return decides;
    return a === undefined || b === undefined ? undefined : !decides;
  }

  /** The value of a literal, an option, or a fact. */
  #known(expression: Expression): Known | undefined {
    const at = valueOf(expression, this.#program);
    if (at.kind === "nil") return null;
    if (at.kind === "string" || at.kind === "boolean") return at.value;
    if (at.kind === "call") return this.#typeOf(at);
    if (at.kind !== "index") return undefined;
    const key = textOf(at.key);
    if (key === undefined) return this.#lookedUp(at);
    return key === "component_id" ? this.#component : this.#option(at.object, key);
  }

  /** `type(payload.host)` */
  #typeOf({ callee, args: [argument] }: CallExpression): Known | undefined {
    if (this.#component === undefined || argument === undefined) return undefined;
    if (globalName(callee, this.#program) !== "type") return undefined;
    const path = localPath(argument, this.#program)?.keys ?? [];
    return path.at(-2) === "payload" && path.at(-1) === "host" ? "table" : undefined;
  }

  /** `AGENTS[ctx.component_id]`, in a table with only texts as keys that nothing writes to. */
  #lookedUp({ object, key }: IndexExpression): Known | undefined {
    const name = this.#known(key);
    const table = valueOf(object, this.#program);
    if (typeof name !== "string" || table.kind !== "table") return undefined;
    const isFixed = table.fields.every((field) => textOf(field.key) !== undefined);
    if (!isFixed || this.#isWritten(table)) return undefined;
    const value = fieldOf(table, name);
    return value ? this.#known(value) : null;
  }

  #isWritten(table: Expression): boolean {
    return [...this.#program.writtenFields].some(
      (field) => field.kind === "index" && valueOf(field.object, this.#program) === table,
    );
  }

  #option(table: Expression, key: string): Known | undefined {
    const isOwn = globalName(table, this.#program) === "orcs.options";
    const isNamed = table.kind === "name" && table.name.startsWith("opt");
    if (!isOwn && !isNamed) return undefined;
    const given = Object.hasOwn(this.#options, key) ? this.#options[key] : undefined;
    if (typeof given === "string" || typeof given === "boolean") return given;
    if (given !== undefined) return undefined;
    // What the script itself sets is the default.
    const own = defaultOf(valueOf(table, this.#program), key);
    return own?.kind === "string" || own?.kind === "boolean" ? own.value : undefined;
  }
}

/** What a table of options has by itself: `{ mode = "mask" }`, `read("policy", { mode = { of = { "mask", "off" } } })`. */
function defaultOf(options: Expression, key: string): Expression | undefined {
  if (options.kind === "table") return fieldOf(options, key);
  const spec = options.kind === "call" ? options.args.at(-1) : undefined;
  const entry = spec?.kind === "table" ? fieldOf(spec, key) : undefined;
  if (entry?.kind !== "table") return undefined;
  const choices = fieldOf(entry, "of");
  return choices?.kind === "table" ? choices.fields[0]?.value : fieldOf(entry, "default");
}

function not(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}
