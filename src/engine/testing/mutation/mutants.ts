import {
  calledName,
  chunkText,
  formNamed,
  globalPath,
  placesIn,
  resolve,
  textOf,
} from "../../lint/index.ts";
import type { ChunkKind, Expression, Range, ResolvedChunk, Statement } from "../../lint/index.ts";
import { type Spared, sparedIn } from "./spared.ts";
import { ANSWER_SWAPS, BOUNDARY, FIELD_SWAPS, LOGGING, OPERATOR_SWAPS } from "./swaps.ts";
import type { MutantKind } from "./swaps.ts";

/** One change of a Lua text. */
export interface Mutant {
  readonly kind: MutantKind;
  /** What is replaced; offsets in the text. */
  readonly range: Range;
  readonly replacement: string;
  /** Line and column of the change, from 1. */
  readonly line: number;
  readonly column: number;
  /** Lines of the changed code, and of the statement that contains it. */
  readonly lines: Lines;
  readonly statement: Lines;
  /** The code before and after the change, on one line. */
  readonly from: string;
  readonly to: string;
  /** Which test would notice the change. */
  readonly killer: string;
}

interface Lines {
  readonly first: number;
  readonly last: number;
}

/**
 * The mutants of a Lua text, in the order of the text. Texts for people, tests in hook tables and code that cannot run
 * are not changed.
 * @returns none for a text that is not Lua
 */
export function mutantsOf(code: string, kind: ChunkKind): readonly Mutant[] {
  const chunk = chunkText(code, kind);
  return chunk ? new MutantFinder(chunk.text, chunk.lead, chunk.statements).found() : [];
}

/** Long code is cut in reports. */
const MAX_SHOWN = 70;

class MutantFinder {
  readonly #text: string;
  readonly #lead: number;
  readonly #program: ResolvedChunk;
  readonly #spared: Spared;
  readonly #placeOf: ReturnType<typeof placesIn>;
  readonly #statements: Statement[] = [];
  /** Strings that are names or fixed words. */
  readonly #fixed = new Set<Expression>();
  readonly #mutants: Mutant[] = [];

  constructor(text: string, lead: number, statements: readonly Statement[]) {
    this.#text = text;
    this.#lead = lead;
    this.#program = resolve(statements);
    this.#spared = sparedIn(this.#program, text);
    this.#placeOf = placesIn(text);
  }

  found(): readonly Mutant[] {
    this.#block(this.#program.statements);
    for (const at of this.#program.expressions) if (at.kind === "function") this.#block(at.body);
    this.#statements.sort((a, b) => a.start - b.start);
    for (const statement of this.#statements) this.#statement(statement);
    for (const expression of this.#program.expressions) this.#expression(expression);
    return this.#mutants.sort((a, b) => a.range.start - b.range.start);
  }

  /** Collect statements, without those of functions in expressions. */
  #block(statements: readonly Statement[]): void {
    for (const statement of statements) {
      this.#statements.push(statement);
      if (statement.kind === "if") {
        for (const { body } of statement.clauses) this.#block(body);
        this.#block(statement.otherwise ?? []);
      } else if ("body" in statement) this.#block(statement.body);
    }
  }

  #statement(statement: Statement): void {
    switch (statement.kind) {
      case "if":
        for (const { condition } of statement.clauses) this.#condition(condition);
        return;
      case "while":
      case "repeat": {
        const { condition } = statement;
        if (condition.kind === "boolean") return;
        const ends = statement.kind === "while" ? "false" : "true";
        this.#add("condition", condition, ends, "a test in which the loop runs more than once");
        return;
      }
      case "call": {
        const { call } = statement;
        const callee = call.kind === "call" ? globalPath(call.callee, this.#program) : undefined;
        if (LOGGING.has(callee?.slice(0, 2).join(".") ?? "")) return;
        this.#remove(statement);
        return;
      }
      case "assign":
        if (!statement.values.some(({ kind }) => kind === "function")) this.#remove(statement);
        return;
      case "break":
      case "goto":
        this.#remove(statement);
        return;
      case "return":
        this.#return(statement.values);
        return;
      default:
    }
  }

  #condition(condition: Expression): void {
    if (condition.kind === "boolean") return;
    const shown = this.#shown(condition);
    this.#add("condition", condition, "true", `a test in which \`${shown}\` is false`);
    this.#add("condition", condition, "false", `a test in which \`${shown}\` is true`);
  }

  #remove(statement: Statement): void {
    const why = `a test that expects what \`${this.#shown(statement)}\` does`;
    this.#add("statement", statement, ";", why, "(nothing)");
  }

  #return(values: readonly Expression[]): void {
    const [first] = values;
    const last = values.at(-1);
    if (!first || !last || this.#isChunkResult(values)) return;
    const isSeen =
      values.length === 1 &&
      (isContinue(first) ||
        ["nil", "boolean", "function"].includes(first.kind) ||
        (first.kind === "call" && formNamed(first.callee, this.#program) !== undefined));
    if (isSeen) return;
    const range = { start: first.start, end: last.end };
    const why = `a test that expects the result \`${this.#shown(range)}\``;
    this.#add("answer", range, "nil", why);
    if (values.length > 1 || !isPredicate(first)) return;
    this.#add("answer", first, "true", `a test in which \`${this.#shown(first)}\` is false`);
  }

  /** Without its result, a script or module does not load. */
  #isChunkResult(values: readonly Expression[]): boolean {
    const results = this.#program.returns.get(undefined) ?? [];
    return results.includes(values);
  }

  #expression(at: Expression): void {
    switch (at.kind) {
      case "binary":
        this.#operator(at);
        return;
      case "unary":
        if (at.operator === "not" || at.operator === "-") {
          const why = `a test that depends on \`${this.#shown(at)}\``;
          const range = { start: at.start, end: at.operand.start };
          this.#add(at.operator === "not" ? "logic" : "arithmetic", range, "", why, "(nothing)");
        }
        return;
      case "number":
        this.#number(at);
        return;
      case "boolean":
        if (this.#fixed.has(at)) return;
        this.#add("constant", at, `${!at.value}`, `a test in which this is not ${!at.value}`);
        return;
      case "string":
        this.#string(at);
        return;
      case "call":
        this.#answer(at);
        if (calledName(at, this.#program) === "require") {
          for (const arg of at.args) this.#fixed.add(arg);
        }
        if (isFind(at.callee)) this.#find(at.args.slice(1));
        return;
      case "method":
        if (at.name.name === "find") this.#find(at.args);
        return;
      case "table":
        for (const { key, value } of at.fields) this.#field(textOf(key), value);
        return;
      default:
    }
  }

  #operator(at: Expression & { kind: "binary" }): void {
    const [kind, ...others] = OPERATOR_SWAPS[at.operator] ?? [];
    if (!kind) return;
    const [left, right] = [this.#shown(at.left), this.#shown(at.right)];
    const range = { start: at.operatorAt, end: at.operatorAt + at.operator.length };
    for (const other of others) {
      const why =
        kind === "logic"
          ? `a test in which only one of \`${left}\` and \`${right}\` is true`
          : BOUNDARY[at.operator] === other
            ? `a test in which \`${left}\` is ${textual(right)}`
            : `a test that depends on \`${this.#shown(at)}\``;
      this.#add(kind, range, other, why, undefined, at);
    }
  }

  #number(at: Expression & { kind: "number" }): void {
    if (this.#spared.wording.has(at)) return;
    const next = /^\d{1,15}$/.test(at.text) ? `${Number(at.text) + 1}` : `(${at.text} + 1)`;
    const why = `a test that depends on this number: ${at.text}, not ${next}`;
    this.#add("constant", at, next, why);
  }

  #string(at: Expression & { kind: "string" }): void {
    if (this.#fixed.has(at) || this.#spared.wording.has(at)) return;
    // Names after a dot and names of fields have no quotes.
    if (!/["'[]/.test(this.#text[at.start] ?? "")) return;
    const why = `a test that depends on the text ${this.#shown(at)}`;
    this.#add("constant", at, at.value === "" ? '"mutant"' : '""', why);
  }

  #answer(call: Expression & { kind: "call" }): void {
    const form = formNamed(call.callee, this.#program);
    if (form === undefined || this.#isStatement(call)) return;
    const shown = this.#shown(call);
    for (const other of ANSWER_SWAPS[form] ?? [undefined]) {
      const expected = form === "deny" ? 'action = "abort"' : `the result of orcs.${form}`;
      const why = `a test that expects ${form === "ask" ? 'decision = "ask"' : expected} from \`${shown}\``;
      if (other === undefined) this.#add("answer", call, "nil", why);
      else if (form === "allow") this.#add("answer", call, `orcs.${other}("mutant")`, why);
      else this.#add("answer", call.callee, `orcs.${other}`, why, undefined, call);
    }
  }

  #isStatement(call: Expression): boolean {
    return this.#statements.some((at) => at.kind === "call" && at.call === call);
  }

  /** A search for a text without special characters is the same with and without patterns. */
  #find([needle, , plain]: readonly Expression[]): void {
    const isSame = !/[$%()*+\-.?[^]/.test(textOf(needle) ?? "%");
    if (isSame && plain) this.#fixed.add(plain);
  }

  #field(key: string | undefined, value: Expression): void {
    const other = FIELD_SWAPS[key ?? ""]?.[textOf(value) ?? ""];
    if (key === undefined || other === undefined) return;
    this.#fixed.add(value);
    const why = `a test that expects ${key} = ${JSON.stringify(textOf(value))}`;
    this.#add("answer", value, JSON.stringify(other), why);
  }

  /** @param around the code to show, if it is more than what is replaced */
  #add(
    kind: MutantKind,
    range: Range,
    replacement: string,
    killer: string,
    to = replacement,
    around: Range = range,
  ): void {
    if (this.#spared.isSpared(range)) return;
    const before = this.#text.slice(around.start, range.start);
    const after = this.#text.slice(range.end, around.end);
    const changed = this.#placeOf(range);
    // The prefix of an inline handler is not in the file.
    const lead = this.#lead;
    this.#mutants.push({
      kind,
      range: { start: range.start - lead, end: range.end - lead },
      replacement,
      line: changed.line,
      column: changed.line === 1 ? changed.column - lead : changed.column,
      lines: this.#lines(around),
      statement: this.#lines(this.#statementAround(range)),
      from: this.#shown(around),
      to: around === range ? to : shortened(`${before}${to}${after}`),
      killer,
    });
  }

  #lines({ start, end }: Range): Lines {
    const first = this.#placeOf({ start, end: start }).line;
    return { first, last: this.#placeOf({ start: Math.max(start, end - 1), end }).line };
  }

  /** The innermost statement. */
  #statementAround(range: Range): Range {
    const around = this.#statements.findLast(
      ({ start, end }) => start <= range.start && range.end <= end,
    );
    return around ?? range;
  }

  #shown({ start, end }: Range): string {
    return shortened(this.#text.slice(start, end));
  }
}

function shortened(code: string): string {
  const line = code.replaceAll(/\s+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
}

function textual(code: string): string {
  return /^(?:[\d.]+|"[^"]*"|'[^']*')$/.test(code) ? code : `equal to \`${code}\``;
}

/** `string.find`, or a local of that name. */
function isFind(callee: Expression): boolean {
  if (callee.kind === "name") return callee.name === "find";
  return callee.kind === "index" && textOf(callee.key) === "find";
}

/** `return ctx` and `return { action = "continue", ctx = ctx }` are the same as no result. */
function isContinue(at: Expression): boolean {
  if (at.kind === "name") return at.name === "ctx";
  if (at.kind !== "table" || at.fields.length === 0) return false;
  return at.fields.every(({ key, value }) =>
    textOf(key) === "action" ? textOf(value) === "continue" : textOf(key) === "ctx",
  );
}

function isPredicate(at: Expression): boolean {
  if (at.kind === "paren") return isPredicate(at.inner);
  if (at.kind === "unary") return at.operator === "not";
  return at.kind === "binary" && OPERATOR_SWAPS[at.operator]?.[0] === "comparison";
}
