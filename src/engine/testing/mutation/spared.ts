import { childrenOf, fieldOf, globalPath, textOf } from "../../lint/index.ts";
import type {
  Expression,
  Local,
  Range,
  ResolvedChunk,
  Statement,
  TableLiteral,
} from "../../lint/index.ts";
import { SENTENCE_WORD, SPEAKING, UNSEEN_KEYS, WORDING_KEYS } from "./swaps.ts";

/** What is not changed, because no test should see it. */
export interface Spared {
  /** Code that cannot run, tests in hook tables and what only they use, and keys of hooks that no test sees. */
  isSpared(at: Range): boolean;
  /** Texts for people, and numbers beside them. */
  readonly wording: ReadonlySet<Expression>;
}

/** Find what is not changed in a chunk. */
export function sparedIn(program: ResolvedChunk, text: string): Spared {
  const ranges = unseenFields(program);
  addUnreachable(program.statements, ranges);
  for (const at of program.expressions) if (at.kind === "function") addUnreachable(at.body, ranges);
  addTestHelpers(program, ranges);
  return {
    isSpared: (at) => isInside(at, ranges),
    wording: wordingIn(program, text),
  };
}

function isInside(at: Range, ranges: readonly Range[]): boolean {
  return ranges.some(({ start, end }) => start <= at.start && at.end <= end);
}

function unseenFields({ expressions }: ResolvedChunk): Range[] {
  return expressions.flatMap((at) => {
    if (at.kind !== "table" || !isHook(at)) return [];
    return at.fields.flatMap(({ key, value }) =>
      key && UNSEEN_KEYS.has(textOf(key) ?? "") ? { start: key.start, end: value.end } : [],
    );
  });
}

function isHook(table: TableLiteral): boolean {
  return fieldOf(table, "handler") !== undefined;
}

/** Add what literally cannot run: after `do return end`, and behind `if false`. */
function addUnreachable(statements: readonly Statement[], ranges: Range[]): void {
  const ends = statements.findIndex(
    ({ kind, ...rest }) => kind === "do" && "body" in rest && rest.body.at(-1)?.kind === "return",
  );
  const [next, last] = [statements[ends + 1], statements.at(-1)];
  if (ends >= 0 && next && last) ranges.push({ start: next.start, end: last.end });
  for (const statement of statements) {
    if (statement.kind === "if") {
      for (const { condition, body } of statement.clauses) {
        const isFalse =
          condition.kind === "nil" || (condition.kind === "boolean" && !condition.value);
        const final = body.at(-1);
        if (isFalse && final) ranges.push({ start: condition.start, end: final.end });
        addUnreachable(body, ranges);
      }
      addUnreachable(statement.otherwise ?? [], ranges);
    } else if ("body" in statement) addUnreachable(statement.body, ranges);
  }
}

/** Add the declarations of locals that only spared code uses, such as a function that makes tests. */
function addTestHelpers(program: ResolvedChunk, ranges: Range[]): void {
  const uses = new Map<Local, Range[]>();
  for (const [name, local] of program.localOf) {
    if (name !== local.name) uses.set(local, [...(uses.get(local) ?? []), name]);
  }
  const declarations = declarationsIn(program.statements);
  for (let grew = ranges.length > 0; grew;) {
    grew = false;
    for (const declaration of declarations) {
      const used = namesOf(declaration).flatMap((name) => {
        const local = program.localOf.get(name);
        return (local && uses.get(local)) ?? [];
      });
      const others = used.filter((use) => !isInside(use, [declaration]));
      if (others.length === 0 || isInside(declaration, ranges)) continue;
      if (!others.every((use) => isInside(use, ranges))) continue;
      ranges.push(declaration);
      grew = true;
    }
  }
}

/** Local declarations of the chunk itself. */
function declarationsIn(statements: readonly Statement[]): Statement[] {
  return statements.filter(({ kind }) => kind === "local" || kind === "localFunction");
}

function namesOf(declaration: Statement) {
  if (declaration.kind === "localFunction") return [declaration.name];
  return declaration.kind === "local" ? declaration.names.map(({ name }) => name) : [];
}

/** Texts that are for people: reasons, messages, lines of a log, and sentences. */
function wordingIn(program: ResolvedChunk, text: string): Set<Expression> {
  const wording = new Set<Expression>();
  const words = new Set<Expression>();
  for (const at of program.expressions) {
    if (at.kind === "call") {
      const called = globalPath(at.callee, program)?.slice(0, 2).join(".");
      const spoken = SPEAKING.has(called ?? "");
      if (spoken) addTexts(at.args, wording);
      // A list of words, as in `set "a b c"`; texts beside other arguments are sentences.
      else if (at.args.length === 1) for (const arg of at.args) words.add(arg);
    } else if (at.kind === "table") {
      for (const { key, value } of at.fields) {
        if (key && WORDING_KEYS.has(textOf(key) ?? "")) addTexts([value], wording);
      }
    } else if (at.kind === "binary" && at.operator === ".." && isSentence(at, text)) {
      addTexts([at], wording);
    } else if (at.kind === "string" && !words.has(at) && isSentence(at, text)) wording.add(at);
  }
  return wording;
}

function isSentence(at: Range, text: string): boolean {
  const written = text.slice(at.start + 1, at.end);
  // Letters alone, as in `set "a b c"`, are no sentence.
  return SENTENCE_WORD.test(written) && /[a-z]{3}/i.test(written);
}

function addTexts(list: readonly Expression[], texts: Set<Expression>): void {
  const waiting = [...list];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    if (at.kind === "string" || at.kind === "number") texts.add(at);
    else if (at.kind !== "call" && at.kind !== "table") waiting.push(...childrenOf(at));
  }
}
