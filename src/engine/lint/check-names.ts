import { ALLOWED_GLOBALS, LIBRARIES, nearest, ORCS_NAMES } from "../../core/index.ts";
import type { HookContext } from "../../core/index.ts";
import type { Expression } from "./ast.ts";
import { didYouMean, type Finding, type HookFacts, type Subject } from "./finding.ts";
import { globalName, globalPath, type Local, localPath } from "./resolve.ts";

/** Names of standard Lua that scripts do not have, and what to use instead. */
const REMOVED: Readonly<Record<string, string | undefined>> = {
  io: "use orcs.read and orcs.write",
  os: "use orcs.exec for commands, orcs.time and orcs.date for the time",
  debug: undefined,
  package: undefined,
  load: "code cannot be loaded from strings",
  loadstring: "code cannot be loaded from strings",
  loadfile: "use require",
  dofile: "use require",
  collectgarbage: undefined,
  warn: 'use orcs.log("warn", text)',
  unpack: "use table.unpack",
  setfenv: undefined,
  getfenv: undefined,
  module: "return a table instead",
};

const KNOWN_GLOBALS: ReadonlySet<string> = new Set([...ALLOWED_GLOBALS.base, ...LIBRARIES, "orcs"]);
const ORCS_KNOWN: ReadonlySet<string> = new Set(ORCS_NAMES);
const ORCS_TABLES: ReadonlySet<string> = new Set(
  ORCS_NAMES.filter((name) => name.includes(".")).map((name) => name.slice(0, name.indexOf("."))),
);

/** Maximum number of names to compare an unknown one with: more would take long in a file of a megabyte. */
const MOST_CANDIDATES = 1000;
const MOST_HINTS = 100;

/** Globals that are never set, and unknown names of `orcs` and of the libraries. */
export function* checkNames(subject: Subject): Generator<Finding> {
  const used = usedAsValue(subject);
  yield* checkGlobals(subject, used);
  const written = new Set<string>();
  for (const field of subject.program.writtenFields) {
    const path = globalPath(field, subject.program);
    if (path) written.add(path.join("."));
  }
  for (const expression of subject.program.expressions) {
    if (expression.kind === "method" && globalName(expression.object, subject.program) === "orcs") {
      const { name } = expression.name;
      const message = `orcs:${name}(…) passes orcs itself as the first argument`;
      const hint = `write orcs.${name}(…)`;
      yield { code: "ORCS1102", severity: "error", message, at: expression.name, hint };
    }
    if (expression.kind !== "index") continue;
    const path = globalPath(expression, subject.program);
    if (path === undefined || written.has(path.slice(0, 2).join("."))) continue;
    const finding = memberFinding(path, expression.key);
    if (finding) yield { ...finding, severity: used.has(expression) ? "error" : "warning" };
  }
}

/** Expressions that are called or indexed: nil there is an error. */
function usedAsValue({ program }: Subject): Set<Expression> {
  const used = new Set<Expression>();
  for (const expression of program.expressions) {
    if (expression.kind === "index" || expression.kind === "method") used.add(expression.object);
    else if (expression.kind === "call") used.add(expression.callee);
  }
  return used;
}

function* checkGlobals(subject: Subject, used: ReadonlySet<Expression>): Generator<Finding> {
  const { program, assigned } = subject;
  // Code that uses the table of globals can set any global.
  if (hasDynamicGlobals(subject)) return;
  const seen = new Map<string, number>();
  for (const at of program.globalReads) {
    const { name } = at;
    if (KNOWN_GLOBALS.has(name) || assigned.has(name)) continue;
    const isUsed = used.has(at);
    // Each name once; a use is worse than an assignment and takes precedence.
    if (seen.has(name)) continue;
    seen.set(name, seen.size);
    const isRemoved = Object.hasOwn(REMOVED, name);
    const instead = REMOVED[name];
    const severity = isRemoved && isUsed ? "error" : "warning";
    const message = isRemoved
      ? `${name} is not available to scripts`
      : `the global ${JSON.stringify(name)} is never set`;
    const hint = isRemoved
      ? instead && { hint: instead }
      : seen.size <= MOST_HINTS && meant(name, nearest(name, candidates(subject)));
    yield { code: "ORCS1101", severity, message, at, ...hint };
  }
}

function hasDynamicGlobals({ program }: Subject): boolean {
  const bare = new Set<Expression>();
  for (const expression of program.expressions) {
    if (expression.kind === "index") bare.add(expression.object);
  }
  const names = [...program.globalReads, ...program.globalWrites, ...program.localOf.keys()];
  return names.some((at) => at.name === "_ENV" || (at.name === "_G" && !bare.has(at)));
}

/** A local can have the same name where it is not visible. */
function meant(name: string, near: string | undefined): { hint: string } | undefined {
  if (near === name) return { hint: `the local ${name} is not visible here` };
  return didYouMean(near);
}

/** Locals first: among equally near names, one of the script's own is meant. */
function candidates({ program, assigned }: Subject): Set<string> {
  const names = new Set<string>();
  for (const name of program.localOf.keys()) {
    if (names.size >= MOST_CANDIDATES) break;
    names.add(name.name);
  }
  for (const name of [...KNOWN_GLOBALS, ...assigned]) {
    if (names.size >= 2 * MOST_CANDIDATES) break;
    names.add(name);
  }
  return names;
}

function memberFinding(path: readonly string[], at: Expression) {
  const [root = "", name = "", below] = path;
  if (root === "orcs") {
    if (name === "options" || path.length > 3) return undefined;
    const isKnown =
      below === undefined
        ? ORCS_KNOWN.has(name) || ORCS_TABLES.has(name)
        : !ORCS_TABLES.has(name) || ORCS_KNOWN.has(`${name}.${below}`);
    if (isKnown) return undefined;
    const written = below === undefined ? name : `${name}.${below}`;
    const near = nearest(written, [...ORCS_NAMES, ...ORCS_TABLES]);
    const message = `orcs.${written} does not exist`;
    return { code: "ORCS1102", message, at, ...didYouMean(near && `orcs.${near}`) } as const;
  }
  const library = LIBRARIES.find((known) => known === root);
  if (library === undefined || path.length !== 2) return undefined;
  const names: readonly string[] = ALLOWED_GLOBALS[library];
  if (names.includes(name)) return undefined;
  const near = nearest(name, names);
  const message = `${root}.${name} does not exist`;
  return { code: "ORCS1103", message, at, ...didYouMean(near && `${root}.${near}`) } as const;
}

/** The keys of `ctx`. */
const CONTEXT_KEYS: readonly string[] = [
  "hook_point",
  "component_id",
  "channel_id",
  "principal",
  "timestamp_ms",
  "payload",
  "metadata",
  "depth",
  "max_depth",
] satisfies (keyof HookContext)[];

/** Unknown keys of the context, and keys of the payload that resemble ones of the point. */
export function* checkContext({ program, handlers, options }: Subject): Generator<Finding> {
  const toolArguments = new Set(Object.values(options.toolArguments).flat());
  const hooksOf = new Map<Local, readonly HookFacts[]>();
  for (const { literal, hooks } of handlers) {
    const [ctx] = literal.parameters;
    const local = ctx && program.localOf.get(ctx);
    if (local) hooksOf.set(local, hooks);
  }
  if (hooksOf.size === 0) return;
  for (const expression of program.expressions) {
    if (expression.kind !== "index") continue;
    const path = localPath(expression, program);
    const hooks = path && hooksOf.get(path.root);
    if (!hooks) continue;
    const [key = "", below] = path.keys;
    if (path.keys.length === 1) yield* unknownContextKey(key, expression.key, hooks, toolArguments);
    else if (path.keys.length === 2 && key === "payload" && below !== undefined) {
      yield* unlikelyPayloadKey(below, expression.key, hooks, toolArguments);
    } else if (path.keys.length === 3 && key === "payload" && below === "args") {
      yield* misspeltArgument(path.keys[2] ?? "", expression.key, toolArguments);
    }
  }
}

function* unknownContextKey(
  key: string,
  at: Expression,
  hooks: readonly HookFacts[],
  toolArguments: ReadonlySet<string>,
): Generator<Finding> {
  if (CONTEXT_KEYS.includes(key)) return;
  const has = (name: string): boolean => hooks.some(({ point }) => point?.known.has(name));
  const isArgument = has("args") && toolArguments.has(key);
  const below = has(key) ? `payload.${key}` : isArgument ? `payload.args.${key}` : undefined;
  const hint = didYouMean(below ?? nearest(key, CONTEXT_KEYS));
  const message = `a context has no key ${JSON.stringify(key)}`;
  yield { code: "ORCS1107", severity: "warning", message, at, ...hint };
}

/** Arguments of tools of others that resemble ours. */
const ARGUMENTS_OF_OTHERS: readonly string[] = ["context"];

/** Tools of others have any arguments: only one letter that differs, or two that changed places, is likely an error. */
function* misspeltArgument(
  key: string,
  at: Expression,
  toolArguments: ReadonlySet<string>,
): Generator<Finding> {
  if (key.length < 5 || toolArguments.has(key) || ARGUMENTS_OF_OTHERS.includes(key)) return;
  const meant = [...toolArguments].find(
    (name) => name.length > 4 && name !== `${key}s` && key !== `${name}s` && isSlip(key, name),
  );
  if (meant === undefined) return;
  const message = `no built-in tool has the argument ${JSON.stringify(key)}`;
  yield { code: "ORCS1107", severity: "warning", message, at, ...didYouMean(meant) };
}

/** Whether two names differ by one letter, or by two that changed places, or in case alone. */
function isSlip(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const rest = (text: string, skipped: number): string => text.slice(from + skipped);
  const swapped = a[from] === b[from + 1] && a[from + 1] === b[from];
  return (
    rest(a, 1) === rest(b, 1) ||
    rest(a, 1) === rest(b, 0) ||
    rest(a, 0) === rest(b, 1) ||
    (swapped && rest(a, 2) === rest(b, 2))
  );
}

/**
 * A payload can have more keys than its point lists: only one that resembles a known key, or is the name of an argument,
 * is likely an error.
 */
function* unlikelyPayloadKey(
  key: string,
  at: Expression,
  hooks: readonly HookFacts[],
  toolArguments: ReadonlySet<string>,
): Generator<Finding> {
  const [first, ...others] = new Set(hooks.map(({ point }) => point));
  if (!first || others.length > 0 || first.known.size === 0 || first.known.has(key)) return;
  const isArgument = first.known.has("args") && toolArguments.has(key);
  const near = isArgument ? `args.${key}` : nearest(key, first.known.keys());
  if (near === undefined) return;
  const message = `the payload of ${first.name} has no key ${JSON.stringify(key)}`;
  yield { code: "ORCS1107", severity: "warning", message, at, ...didYouMean(near) };
}
