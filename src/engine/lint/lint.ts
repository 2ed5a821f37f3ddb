import type { Diagnostic, PointSpec } from "../../core/index.ts";
import type { Expression, FunctionLiteral, Range } from "./ast.ts";
import { checkArguments, checkPatterns } from "./check-arguments.ts";
import { checkHookTables } from "./check-hook-tables.ts";
import { checkContext, checkNames } from "./check-names.ts";
import { alwaysDecides, alwaysRefuses, checkResults, isRefusal } from "./check-results.ts";
import { checkMasks, checkProtected } from "./check-failures.ts";
import { type ChunkKind, chunkText, type ChunkText, type Place, placesIn } from "./chunk-text.ts";
import { type Deed, deedsOf } from "./deeds.ts";
import type { Finding, Handler, HookFacts, LintOptions } from "./finding.ts";
import type { KnownFacts } from "./live-code.ts";
import { calledName, fieldOf, globalPath, resolve, textOf, valueOf } from "./resolve.ts";
import type { ResolvedChunk } from "./resolve.ts";
import { type ScriptHook, scriptHooks } from "./script-hooks.ts";

/** What a configuration states of a hook with a handler in a chunk; undefined values are left to the script. */
export interface ConfiguredFacts {
  readonly point?: PointSpec | undefined;
  readonly match?: readonly string[] | undefined;
  readonly isAsync?: boolean | undefined;
  readonly onError?: unknown;
}

/** A piece of Lua to check. */
export interface LintChunk {
  readonly code: string;
  readonly kind: ChunkKind;
  /** The hooks that a configuration makes of it; empty if no configuration names it. */
  readonly hooks: readonly ConfiguredFacts[];
}

/** A diagnostic without its file; line and column count from the start of the chunk. */
export type LuaFinding = Omit<Diagnostic, "place"> & Place;

/** A hook as found in the text. */
export interface SeenHook {
  readonly point: PointSpec | undefined;
  /** Its conditions. */
  readonly match: readonly string[] | undefined;
  /** Line of its handler. */
  readonly line: number | undefined;
  /** Whether its handler denies every call. */
  readonly refusesAll: boolean;
  /** The only decision of its handler, if that does nothing else. */
  readonly decides: "allow" | "ask" | undefined;
  /** The place of `on_error = "open"` in its table. */
  readonly openAt: Place | undefined;
  /** The place of `async` in its table, unless it is false. */
  readonly asyncAt: Place | undefined;
  /** Whether its table declares that it only observes. */
  readonly observes: boolean;
  /** What its handler can do under these facts; undefined when the handler is not a literal. */
  deeds(facts: KnownFacts): readonly SeenDeed[] | undefined;
}

/** A deed of a handler with its line. */
export interface SeenDeed extends Omit<Deed, "at"> {
  readonly line: number;
}

/** The results of checking a chunk. */
export interface Linted {
  /** Whether it is Lua; otherwise the VM reports the error. */
  readonly isParsed: boolean;
  readonly findings: readonly LuaFinding[];
  readonly hooks: readonly SeenHook[];
  /** Whether anything in it denies an operation. */
  readonly mayRefuse: boolean;
  /** Modules that it requires by literal names. */
  readonly requires: readonly { readonly name: string; readonly at: Place }[];
}

const CHECKS = [
  checkNames,
  checkHookTables,
  checkResults,
  checkContext,
  checkArguments,
  checkPatterns,
  checkProtected,
  checkMasks,
];
const NOT_LUA: Linted = {
  isParsed: false,
  findings: [],
  hooks: [],
  mayRefuse: false,
  requires: [],
};

/** Check chunks that share a state, and so their globals. */
export function lintLua(chunks: readonly LintChunk[], options: LintOptions): Linted[] {
  const read = chunks.map(({ code, kind }) => {
    const chunk = chunkText(code, kind);
    return chunk && { chunk, program: resolve(chunk.statements) };
  });
  const assigned = new Set<string>();
  for (const each of read) if (each) for (const name of globalsOf(each.program)) assigned.add(name);
  return chunks.map(({ hooks }, i) => {
    const each = read[i];
    return each ? linted(each.chunk, each.program, hooks, assigned, options) : NOT_LUA;
  });
}

function linted(
  chunk: ChunkText,
  program: ResolvedChunk,
  hooks: readonly ConfiguredFacts[],
  assigned: ReadonlySet<string>,
  options: LintOptions,
): Linted {
  const stated = scriptHooks(program, options.points);
  const handlers = handlersOf(stated, hooks, program);
  const subject = { program, stated, handlers, assigned, options };
  const findings = CHECKS.flatMap((check) => Array.from(check(subject)));
  const placeOf = placesIn(chunk.text);
  const place = (range: Range): Place => {
    const { line, column, length } = placeOf(range);
    return { line, column: line === 1 ? column - chunk.lead : column, length };
  };
  return {
    isParsed: true,
    findings: findings
      .map((finding) => placed(finding, place))
      .sort((a, b) => a.line - b.line || a.column - b.column),
    hooks: stated.map((hook) => seenHook(hook, program, place)),
    mayRefuse: program.expressions.some((expression) => isRefusal(expression, program)),
    requires: requiresOf(program, place),
  };
}

function placed({ at, ...finding }: Finding, place: (range: Range) => Place): LuaFinding {
  return { ...finding, ...place(at) };
}

function seenHook(
  hook: ScriptHook,
  program: ResolvedChunk,
  place: (range: Range) => Place,
): SeenHook {
  const { handler, point, table } = hook;
  const onError = table && fieldOf(table, "on_error");
  const isAsync = asyncOf(hook, program);
  const observe = table && fieldOf(table, "observe");
  return {
    point,
    match: matchOf(hook),
    line: handler && place(handler).line,
    decides: handler && alwaysDecides(handler, program),
    refusesAll: handler !== undefined && alwaysRefuses(handler, program),
    openAt: onError && textOf(onError) === "open" ? place(onError) : undefined,
    asyncAt: isAsync && place(isAsync),
    observes: observe !== undefined && !isFalse(valueOf(observe, program)),
    deeds: (known) =>
      handler &&
      deedsOf(handler, program, known).map(({ what, isSure, at }) => ({
        what,
        isSure,
        line: place(at).line,
      })),
  };
}

/** The handlers with a known text, each with every hook that it serves. */
function handlersOf(
  stated: readonly ScriptHook[],
  configured: readonly ConfiguredFacts[],
  program: ResolvedChunk,
): Handler[] {
  const hooksOf = new Map<FunctionLiteral, HookFacts[]>();
  for (const hook of stated) {
    // A bare function that no configuration names can be anything: a component, a child.
    const isBare = hook.table === undefined && hook.pointAt === undefined;
    if (!hook.handler || (isBare && configured.length === 0)) continue;
    const list = hooksOf.get(hook.handler) ?? [];
    hooksOf.set(hook.handler, list);
    const each = configured.length > 0 ? configured : [{}];
    for (const facts of each) list.push(factsOf(hook, facts, program));
  }
  return [...hooksOf].map(([literal, hooks]) => ({ literal, hooks }));
}

function factsOf(hook: ScriptHook, facts: ConfiguredFacts, program: ResolvedChunk): HookFacts {
  const { table } = hook;
  const onError = table && fieldOf(table, "on_error");
  const mode = facts.onError ?? textOf(onError && valueOf(onError, program));
  return {
    point: facts.point ?? hook.point,
    match: facts.match ?? matchOf(hook),
    isAsync: facts.isAsync ?? asyncOf(hook, program) !== undefined,
    failsOpen: mode === "open",
    failsClosed: mode === "closed",
  };
}

/** The value of `async` in a script's table, in either spelling, unless it is false. */
function asyncOf({ table }: ScriptHook, program: ResolvedChunk): Expression | undefined {
  const isAsync = table && (fieldOf(table, "async") ?? fieldOf(table, "async_execution"));
  return isAsync && !isFalse(valueOf(isAsync, program)) ? isAsync : undefined;
}

function isFalse(value: Expression): boolean {
  return value.kind === "boolean" && !value.value;
}

/** The conditions in a script's table; undefined when they are not literal. */
function matchOf({ table }: ScriptHook): readonly string[] | undefined {
  if (!table) return [];
  const match = fieldOf(table, "match");
  if (!match) return fieldOf(table, "matcher") || fieldOf(table, "tool_matcher") ? undefined : [];
  return match.kind === "table" ? match.fields.flatMap(({ key }) => textOf(key) ?? []) : undefined;
}

function requiresOf(program: ResolvedChunk, place: (range: Range) => Place): Linted["requires"] {
  return program.expressions.flatMap((expression) => {
    if (expression.kind !== "call" || calledName(expression, program) !== "require") return [];
    const [argument] = expression.args;
    const name = textOf(argument);
    return argument && name !== undefined ? [{ name, at: place(argument) }] : [];
  });
}

/** Globals that a chunk sets, including `_G.name = …`. */
function globalsOf(program: ResolvedChunk): string[] {
  const fields = [...program.writtenFields].flatMap((field) => {
    const [root, name, ...below] = globalPath(field, program) ?? [];
    return root === "_G" && name !== undefined && below.length === 0 ? [name] : [];
  });
  return [...program.globalWrites.map(({ name }) => name), ...fields];
}
