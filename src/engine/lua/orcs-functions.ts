import { transcriptUsage } from "../../formats/index.ts";
import {
  agentToolName,
  type LogLevel,
  isPlainObject,
  type Json,
  type JsonObject,
  MASK,
  operate,
  plainCommand,
  type ShellArguments,
  type ShellCommand,
  type ShellReading,
  type ShellSpan,
  SNAPSHOT,
  type StateOperation,
  TOOLS,
  UNDO_POINT,
  type HookContext,
  type ReadingCall,
} from "../../core/index.ts";
import {
  commandLine,
  compileRuns,
  NameRules,
  quoteWords,
  replaceWords,
  toolNamesOf,
} from "../../matching/index.ts";
import type { CommandMatcher, WordEdit } from "../../matching/index.ts";
import { formatDate } from "./date.ts";
import { readingRules } from "./reading-rules.ts";
import { inspect, printable } from "./inspect.ts";
import { LuaReader } from "./lua-reader.ts";
import { pushJson } from "./lua-writer.ts";
import { NotConvertible } from "./not-convertible.ts";
import { isLogLevel, type LuaPorts } from "./ports.ts";
import type { LuaThread } from "./raw.ts";
import { KEY, REGISTRY, T_NIL, T_NONE, T_NUMBER, T_STRING, T_TABLE } from "./raw.ts";
import type { HostCall, LuaState } from "./state.ts";
import { type HostFunction, LuaArgumentError } from "./vm.ts";

/** The functions of `orcs` that are the same for every script. Created once per VM. */
export function apiFunctions(ports: LuaPorts): Record<string, HostFunction> {
  const table = {
    ...textFunctions(ports),
    ...guardFunctions(ports),
    ...stateFunctions(ports),
    ...waitingFunctions(ports),
  };
  return hostFunctions(table, ports.limits.maxValueBytes);
}

function textFunctions(ports: LuaPorts): Record<string, ApiFunction> {
  const globs = new Map<string, (text: string) => boolean>();
  return {
    log(args, state) {
      const isAlone = args.type(2) === T_NONE;
      const level = isAlone ? "info" : args.string(1);
      if (!isLogLevel(level)) throw args.wrong(1, "debug, info, warn or error");
      return say(ports, state, level, args.printable(isAlone ? 1 : 2));
    },
    emit_output(args, state) {
      const text = state.current?.logs.admit(args.plain(1));
      if (text !== undefined) ports.output(text);
      return 0;
    },
    ...valued({
      inspect(args, state) {
        if (args.type(1) === T_NONE) throw args.wrong(1, "a value");
        return inspect(state, args.L, 1);
      },
      json_encode: (args) => JSON.stringify(args.json(1) ?? null),
      json_decode(args, state) {
        if (leastLuaBytes(args.bytes(1)) > state.memory.cap) {
          throw args.wrong(1, "JSON that fits into the script's memory limit");
        }
        const text = args.string(1);
        try {
          return JSON.parse(text) as Json;
        } catch {
          throw args.wrong(1, "valid JSON");
        }
      },
      is_enforced: (_, state) => state.script.source.isEnforced === true,
      uuid: () => globalThis.crypto.randomUUID(),
      now_ms: () => Math.floor(ports.now()),
      time: () => Math.floor(ports.wallMs() / 1000),
      date(args) {
        const format = args.optional(1, "string");
        const seconds = args.optional(2, "number") ?? Math.floor(ports.wallMs() / 1000);
        const made = formatDate(format, seconds, ports.isUtc);
        if (made === undefined) throw args.wrong(2, "seconds since 1970, up to the year 9999");
        if (typeof made === "string") return made;
        if ("wrong" in made) throw args.wrong(1, `a format without ${made.wrong}`);
        return made.parts;
      },
      contains: (args) => Buffer.from(args.bytes(1)).includes(Buffer.from(args.bytes(2))),
      starts_with(args) {
        const prefix = Buffer.from(args.bytes(2));
        return prefix.equals(args.bytes(1).subarray(0, prefix.length));
      },
      glob_match(args) {
        const pattern = args.string(1);
        let matches = globs.get(pattern);
        if (!matches) {
          matches = ports.glob(pattern);
          if (globs.size < 256) globs.set(pattern, matches);
        }
        return matches(args.string(2));
      },
      redact(args) {
        // A value that cannot be read may be a secret.
        const value = args.type(1) === T_STRING ? args.string(1) : args.json(1, MASK);
        return value === undefined ? undefined : ports.redact(value);
      },
    }),
  };
}

/** Log what a script says, within its limits; returns the number of results. */
export function say({ logger }: LuaPorts, { current }: LuaState, level: LogLevel, said: string): 0 {
  const text = current?.logs.admit(said);
  if (text !== undefined) {
    logger[level](text);
    current?.scope?.said?.(text);
  }
  return 0;
}

/** Functions that return one value. */
function valued(
  table: Readonly<Record<string, (args: LuaArguments, state: LuaState) => Json | undefined>>,
): Record<string, ApiFunction> {
  const functions = Object.entries(table).map(([name, read]): [string, ApiFunction] => [
    name,
    (args, state, L) => {
      const value = read(args, state);
      if (!state.pushScalar(L, value)) pushJson(state, L, value, "keep");
      return 1;
    },
  ]);
  return Object.fromEntries(functions);
}

/** What the operations of `orcs.state` take besides a key. */
const STATE_ARGUMENTS: Readonly<
  Record<StateOperation, (args: LuaArguments) => (Json | undefined)[]>
> = {
  get: () => [],
  set: (args) => [args.json(2)],
  delete: () => [],
  incr: (args) => [
    args.optional(2, "number") ?? 1,
    args.optional(3, "number"),
    args.optional(4, "number"),
  ],
  compareAndSet: (args) => [args.json(2), args.json(3)],
};

function stateFunctions({ state: store }: LuaPorts): Record<string, ApiFunction> {
  const functions = Object.entries(STATE_ARGUMENTS).map(([operation, read]) => {
    const name = operation === "compareAndSet" ? "compare_and_set" : operation;
    const run: ApiFunction = (args, state, L) => {
      const more = read(args);
      const key = stateKey(args, state);
      const isDeletion = operation === "set" && more[0] === undefined;
      const what = isDeletion ? "delete" : (operation as StateOperation);
      if (store.waits) {
        // The view of the hook that runs: it knows what happens when the store cannot be used.
        const seen = state.current?.scope?.state ?? store;
        const call = async (): Promise<Json | undefined> => {
          const value = await operate(seen, what, [key, ...more]);
          return isDeletion ? undefined : (value as Json | undefined);
        };
        return wait(state, L, `state.${name}`, call, "keep");
      }
      const value = operate(store, what, [key, ...more]) as Json | undefined;
      if (isDeletion || (value === undefined && name !== "get")) return 0;
      if (name === "get") pushJson(state, L, value, "keep");
      else state.pushScalar(L, value);
      return 1;
    };
    return [`state_${name}`, run] as const;
  });
  return Object.fromEntries(functions);
}

/** A script's key, within the key space of the scripts that share its values. */
function stateKey(args: LuaArguments, { script }: LuaState): string {
  const key = args.string(1);
  if (!key.startsWith(ENGINE_KEYS)) return (script.source.stateSpace ?? "") + key;
  throw new LuaArgumentError(
    `orcs.state: keys that begin with ${ENGINE_KEYS} are reserved for the engine`,
  );
}

/** Prefix of the keys that the engine reserves for itself. */
const ENGINE_KEYS = "orcs:";

function waitingFunctions(ports: LuaPorts): Record<string, ApiFunction> {
  const tools = Object.entries(TOOLS).map(([tool, { short }]): [string, ApiFunction] => [
    tool,
    (args, state, L) => {
      const { arg, next } = shortArguments(args, short);
      return wait(state, L, tool, toolCall(args, tool, arg, next));
    },
  ]);
  return {
    ...Object.fromEntries(tools),
    get(args, state, L) {
      const kind = args.string(1);
      return wait(state, L, "get", toolCall(args, kind, args.json(2), 3));
    },
    exec_argv(args, state, L) {
      const { metadata: _, ...options } = args.optional(3, "object") ?? {};
      // Hooks and grants see the line of `exec`, so a rule for one holds for the other.
      const command = plainCommand(args.string(1), args.isMissing(2) ? [] : argumentList(args, 2));
      const given = { ...options, command, shell: false };
      return wait(state, L, "exec_argv", toolCall(args, "exec", given, 3));
    },
    snapshot(args, state, L) {
      const reason = args.optional(1, "string");
      const given = { ...args.optional(2, "object"), ...(reason !== undefined && { reason }) };
      return wait(state, L, "snapshot", toolCall(args, SNAPSHOT, given, 3));
    },
    undo_point: (args, state, L) =>
      wait(state, L, "undo_point", toolCall(args, UNDO_POINT, undefined, 2)),
    sleep(args, state, L) {
      const ms = args.number(1);
      // Node's timers have 31 bits; a longer sleep would end at once.
      if (!(ms >= 0 && ms < 2 ** 31)) throw args.wrong(1, "milliseconds, from 0 to 2^31 - 1");
      return wait(state, L, "sleep", async (signal) => {
        await ports.sleep(ms, signal);
        return undefined;
      });
    },
  };
}

/** The arguments of a program. */
function argumentList(args: LuaArguments, at: number): readonly string[] {
  const expected = "a list of strings";
  return args.list(at, expected).map((value) => {
    if (typeof value !== "string") throw args.wrong(at, expected);
    return value;
  });
}

/** A table contains all arguments; bare values are the named ones in order. */
function shortArguments(
  args: LuaArguments,
  names: readonly string[],
): { arg: Json | undefined; next: number } {
  if (args.type(1) === T_TABLE) return { arg: args.json(1), next: 2 };
  const arg: Record<string, Json> = {};
  let next = 1;
  for (const name of names) {
    if (args.type(next) === T_TABLE) break;
    if (!args.isMissing(next)) arg[name] = args.string(next);
    next++;
  }
  return { arg, next };
}

function toolCall(args: LuaArguments, kind: string, arg: Json | undefined, at: number): HostCall {
  const { metadata } = args.optional(at, "object") ?? {};
  if (metadata !== undefined && !isPlainObject(metadata)) {
    throw args.wrong(at, "a table whose metadata is a table with string keys");
  }
  const scope = args.state.current?.scope;
  return async (signal) => {
    if (!scope) throw new Error("it is not called within a hook or component");
    return scope.get(kind, arg, { signal, ...(metadata && { metadata }) });
  };
}

/** A function of `orcs`: reads its arguments, returns how many results it pushed. */
export type ApiFunction = (args: LuaArguments, state: LuaState, L: LuaThread) => number;

/**
 * Functions of `orcs` as the VM calls them.
 * @param table by name; `state_get` appears as `state.get`
 * @param maxValueBytes maximum size of an argument
 */
export function hostFunctions(
  table: Readonly<Record<string, ApiFunction>>,
  maxValueBytes: number,
): Record<string, HostFunction> {
  const wrapped: Record<string, HostFunction> = {};
  for (const [name, fn] of Object.entries(table)) {
    const shown = name.replace(/^state_/, "state.");
    wrapped[name] = (state, L) => {
      // Many of these do a lot of work for one instruction.
      state.limits.check();
      return fn(new LuaArguments(state, L, shown, maxValueBytes), state, L);
    };
  }
  return wrapped;
}

/** Yield until the host has the result; only possible in the handler's own coroutine. */
export function wait(
  state: LuaState,
  L: LuaThread,
  name: string,
  call: HostCall,
  nulls: "keep" | "drop" = "drop",
): number {
  const task = state.current;
  if (!task?.scope) {
    throw new LuaArgumentError(`orcs.${name} cannot be called while a script is loading`);
  }
  if (task.thread !== L || state.raw.lua_isyieldable(L) === 0) {
    throw new LuaArgumentError(
      `orcs.${name} cannot wait here: waiting is not possible in the script's own coroutines, in gsub callbacks and in sort comparators`,
    );
  }
  task.pending = call;
  task.nulls = nulls;
  return state.raw.lua_yieldk(L, 0, 0, 0);
}

/** Reads the arguments of one call of a host function; errors name the function and the position. */
export class LuaArguments {
  readonly state: LuaState;
  readonly L: LuaThread;
  readonly #name: string;
  readonly #maxBytes: number;

  constructor(state: LuaState, L: LuaThread, name: string, maxBytes: number) {
    this.state = state;
    this.L = L;
    this.#name = name;
    this.#maxBytes = maxBytes;
  }

  isMissing(index: number): boolean {
    const type = this.type(index);
    return type === T_NIL || type === T_NONE;
  }

  type(index: number): number {
    return this.state.raw.lua_type(this.L, index);
  }

  string(index: number): string {
    if (this.type(index) !== T_STRING) throw this.wrong(index, "a string");
    const text = this.state.text.read(this.L, index);
    if (text === undefined) throw this.wrong(index, "a valid UTF-8 string");
    return text;
  }

  /** A string, or a number in Lua's notation. */
  plain(index: number): string {
    const type = this.type(index);
    if (type !== T_STRING && type !== T_NUMBER) throw this.wrong(index, "a string");
    return this.printable(index);
  }

  /** A value for people to read: a string as it is, anything else as in `orcs.inspect`. */
  printable(index: number): string {
    if (this.type(index) === T_NONE) throw this.wrong(index, "a value");
    return printable(this.state, this.L, index);
  }

  bytes(index: number): Uint8Array {
    if (this.type(index) !== T_STRING) throw this.wrong(index, "a string");
    return this.state.text.bytes(this.L, index);
  }

  number(index: number): number {
    if (this.type(index) !== T_NUMBER) throw this.wrong(index, "a number");
    const number = this.state.raw.lua_tonumberx(this.L, index, 0);
    if (!Number.isFinite(number)) throw this.wrong(index, "a finite number");
    return number;
  }

  /** An argument that may be missing. */
  optional<K extends "string" | "number" | "object">(
    index: number,
    kind: K,
  ): ReturnType<LuaArguments[K]> | undefined {
    return this.isMissing(index) ? undefined : (this[kind](index) as ReturnType<LuaArguments[K]>);
  }

  /** @param instead replaces host values that hooks cannot read */
  json(index: number, instead?: Json): Json | undefined {
    if (this.isMissing(index)) return undefined;
    try {
      const how = instead === undefined ? {} : { instead };
      return new LuaReader(this.state, this.#maxBytes, how).read(this.L, index, "the value");
    } catch (thrown) {
      if (!(thrown instanceof NotConvertible)) throw thrown;
      throw new LuaArgumentError(`orcs.${this.#name}: argument ${index}: ${thrown.message}`);
    }
  }

  object(index: number): JsonObject {
    const value = this.json(index);
    if (!isPlainObject(value)) throw this.wrong(index, "a table with string keys");
    return value;
  }

  /** A list; Lua's `{}` is an empty one. */
  list(index: number, expected = "a list"): Json[] {
    const value = this.json(index);
    if (Array.isArray(value)) return value;
    if (isPlainObject(value) && Object.keys(value).length === 0) return [];
    throw this.wrong(index, expected);
  }

  wrong(index: number, expected: string): LuaArgumentError {
    return new LuaArgumentError(`orcs.${this.#name}: argument ${index} must be ${expected}`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
/** The memory that Lua needs for a table, and for a value in one, in bytes. */
const TABLE_BYTES = 56;
const VALUE_BYTES = 16;

/**
 * The minimum memory of a JSON text as Lua tables, in bytes. Computed before parsing: a text of brackets takes twenty
 * times its size.
 */
function leastLuaBytes(json: Uint8Array): number {
  let bytes = 0;
  let quoted = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) quoted = !quoted;
    else if (quoted) i += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) bytes += VALUE_BYTES;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) bytes += TABLE_BYTES;
  }
  return bytes;
}

/** Tests and rules that a state has made. */
interface Made {
  readonly readings: ((call: ReadingCall) => boolean)[];
  readonly nameRules: (() => NameRules)[];
}

/** None is given back before the end of its state. */
const MOST_MADE = 100;
const MADE_ONCE = `one of at most ${MOST_MADE} that a script makes: make it outside of the handler`;
const LONGEST_RULE = 1024;

/** Functions of `orcs` that tell a guard what a call would really do. Input that they cannot read is an error. */
function guardFunctions(ports: LuaPorts): Record<string, ApiFunction> {
  const matchers = new Map<string, CommandMatcher>();
  // They end with their state.
  const made = new WeakMap<LuaState, Made>();
  const madeBy = (state: LuaState): Made => {
    const known = made.get(state) ?? { readings: [], nameRules: [] };
    made.set(state, known);
    return known;
  };
  return {
    shell(args, state, L) {
      const isLine = args.type(1) === T_STRING;
      const line = isLine ? args.string(1) : quoteWords(wordsOf(args, 1));
      const { spans: wantsSpans, files, dialect } = args.optional(3, "object") ?? {};
      const spans = wantsSpans === true;
      if (spans && !isLine) throw args.wrong(1, "a string, because a list of words has no spans");
      const cwd = args.optional(2, "string");
      if (dialect !== undefined && dialect !== "powershell" && dialect !== "cmd")
        throw args.wrong(3, 'options with the dialect "powershell" or "cmd"');
      const texts = Array.isArray(files)
        ? files.filter((each) => typeof each === "string")
        : files === true;
      const isPlain = !spans && texts === false && dialect === undefined;
      const call = state.current?.ctx;
      const begin = performance.now();
      const reading = ports.shell(
        line,
        cwd,
        isPlain ? undefined : { spans, files: texts, dialect, call },
      );
      pushShellCommands(state, L, reading, spans ? line : undefined);
      if (texts !== false) state.limits.excuse(performance.now() - begin);
      return 1;
    },
    effects(args, state, L) {
      const found = ports.effects(() => args.object(1), callAt(state, L, 1));
      const { effects, unread, malformed = false, lines = [] } = found;
      pushKnown(state, L, effects as unknown as Known);
      for (const value of [unread, unread && malformed])
        if (!state.pushScalar(L, value)) state.raw.lua_pushnil(L);
      pushKnown(state, L, lines as unknown as Known);
      return 4;
    },
    ...valued({
      only_reads(args, state) {
        const { readings } = madeBy(state);
        const rules = readingRules(args.object(1));
        if (rules === undefined)
          throw args.wrong(1, "a table with lists of strings: programs, given, says, names");
        if (readings.length >= MOST_MADE) throw args.wrong(1, MADE_ONCE);
        return readings.push(rules) - 1;
      },
      reads_only(args, state) {
        const call = callAt(state, args.L, 2);
        const found = ports.onlyReads(() => args.object(2), call);
        const rules = madeBy(state).readings[args.number(1)];
        return found !== undefined && rules !== undefined && !rules(found);
      },
      name_rules(args, state) {
        const { nameRules } = madeBy(state);
        if (args.type(1) !== T_TABLE) throw args.wrong(1, "a list of strings");
        const rules = Object.values(args.json(1) ?? {});
        if (!rules.every((rule) => typeof rule === "string"))
          throw args.wrong(1, "a list of strings");
        if (rules.some((rule) => rule.length > LONGEST_RULE))
          throw args.wrong(1, `a list of rules of at most ${LONGEST_RULE} characters`);
        if (nameRules.length >= MOST_MADE) throw args.wrong(1, MADE_ONCE);
        // Most calls name no file that needs them.
        const spend = (units: number): void => state.limits.spend(units);
        let compiled: NameRules | undefined;
        return nameRules.push(() => (compiled ??= new NameRules(rules, spend))) - 1;
      },
      name_rule(args, state) {
        const rules = madeBy(state).nameRules[args.number(1)]?.();
        const how = args.string(2);
        const path = Buffer.from(args.bytes(3)).toString();
        if (how === "match") return rules?.match(path);
        if (how === "matters") return rules?.matters(path);
        return rules?.below(path, args.json(4) === true, args.json(5) === true);
      },
      tool_names(args) {
        const own = args.string(1);
        // Only our name for an agent's tool depends on the arguments.
        const given = agentToolName(own) === undefined ? undefined : args.json(3);
        const names = toolNamesOf({
          tool_name: own,
          args: given,
          host: { tool_name: args.json(2) },
        });
        return [...new Set(names)];
      },
      shell_replace(args) {
        const bytes = Buffer.from(args.string(1));
        const edits = args.json(2);
        if (!Array.isArray(edits)) throw args.wrong(2, "a list of edits { span, word }");
        try {
          return replaceWords(
            bytes.toString(),
            edits.map((edit) => wordEdit(edit, bytes)),
          );
        } catch (thrown) {
          if (thrown instanceof RangeError) throw args.wrong(2, `valid: ${thrown.message}`);
          throw thrown;
        }
      },
      transcript_usage(args) {
        const usage = transcriptUsage(args.string(1), args.optional(2, "object"));
        return usage as unknown as Json | undefined;
      },
      real_path: (args) => ports.realPath(args.string(1), args.optional(2, "string")),
    }),
    runs(args, state, L) {
      const line = commandLine(textOrWords(args, 1));
      const patterns = [textOrWords(args, 2)].flat();
      const key = JSON.stringify(patterns);
      let holds = matchers.get(key);
      if (!holds) {
        holds = compileRuns(patterns);
        if (matchers.size < KEPT_MATCHERS) matchers.set(key, holds);
      }
      const { commands, unread } = ports.shell(line, undefined);
      const isFound = holds(commands, unread);
      state.pushScalar(L, isFound || unread !== undefined);
      if (isFound || unread === undefined) return 1;
      state.pushScalar(L, unread);
      return 2;
    },
  };
}

/** The context of the running handler, if the table at an index is its payload and unchanged. */
function callAt(state: LuaState, L: LuaThread, index: number): HookContext | undefined {
  const node = state.views.at(L, index);
  const { current } = state;
  const isOwn = node?.depth === 1 && node.key === "payload" && node.session.ctx === current?.ctx;
  return isOwn && !node.session.dirty ? current?.ctx : undefined;
}

/** Maximum number of compiled pattern lists in the cache. */
const KEPT_MATCHERS = 256;

/**
 * An edit `{ { first, last }, "word" }` or `{ { first, last }, { "several", "words" } }`, in bytes from 1.
 * @throws RangeError
 */
function wordEdit(edit: Json, line: Uint8Array): WordEdit {
  const [span, given] = Array.isArray(edit) ? edit : [];
  const [first, last] = Array.isArray(span) ? span : [];
  if (typeof first !== "number" || typeof last !== "number") {
    throw new RangeError("an edit is { span, word }, with a span of orcs.shell");
  }
  const words = typeof given === "string" ? [given] : given;
  if (!isWords(words)) throw new RangeError("the new word of an edit is a text, or a list of them");
  return { span: { begin: characters(line, first - 1), end: characters(line, last) }, words };
}

/** The position in characters of a position in bytes; NaN if it is none. */
function characters(text: Uint8Array, at: number): number {
  const isStart = Number.isInteger(at) && at >= 0 && at <= text.length;
  // The other bytes of a character are 10xxxxxx.
  if (!isStart || ((text[at] ?? 0) & 0xc0) === 0x80) return Number.NaN;
  return Buffer.from(text.subarray(0, at)).toString().length;
}

function textOrWords(args: LuaArguments, at: 1 | 2): string | string[] {
  return args.type(at) === T_STRING ? args.string(at) : wordsOf(args, at);
}

function wordsOf(args: LuaArguments, at: 1 | 2): string[] {
  const value = args.type(at) === T_TABLE ? args.json(at) : undefined;
  if (isWords(value)) return value;
  throw args.wrong(at, "a string or a list of strings");
}

function isWords(value: Json | undefined): value is string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")
  );
}

/**
 * Push commands as `pushJson` would: a list of tables that belongs to the script, with positions from 1. Guards call
 * this for every command line; knowing the fields in advance saves a third of the time. The list also has fields that
 * tell whether the line was read completely. These are in its metatable, so `pairs` and JSON see an ordinary list.
 */
function pushShellCommands(
  state: LuaState,
  L: LuaThread,
  { commands, unread }: ShellReading,
  line: string | undefined,
): void {
  const { raw } = state;
  // The list, a command, a list in it, an item, a field of that, and a metatable.
  raw.lua_checkstack(L, 8);
  const all = unread === undefined ? commands : [...commands, UNREAD];
  pushKnown(
    state,
    L,
    all.map((command) => commandFields(command, line)),
  );
  if (unread === undefined) raw.lua_rawgetp(L, REGISTRY, KEY.wholeLineMeta);
  else {
    raw.lua_createtable(L, 0, 2);
    setLineFields(state, L, unread);
  }
  raw.lua_setmetatable(L, -2);
}

/** Set the fields that the metatable on top gives to a list of commands. */
export function setLineFields(state: LuaState, L: LuaThread, unread: string | undefined): void {
  const { raw, text } = state;
  raw.lua_createtable(L, 0, 2);
  raw.lua_pushboolean(L, unread === undefined ? 1 : 0);
  raw.lua_setfield(L, -2, text.constant("complete"));
  if (unread !== undefined) {
    state.pushScalar(L, unread);
    raw.lua_setfield(L, -2, text.constant("why"));
  }
  raw.lua_setfield(L, -2, text.constant("__index"));
  raw.lua_pushboolean(L, 0);
  raw.lua_setfield(L, -2, text.constant("__metatable"));
}

/** The last element of a list that is incomplete because a part could not be read. */
const UNREAD: ShellCommand = {
  argv: [],
  unknown: [],
  program: "",
  redirects: [],
  via: [],
  from: [],
  cwd: undefined,
  dynamic: true,
  opaque: true,
};

/** What is pushed as it is: values, lists, tables with few names of fields, and those with any names. */
type Known =
  | string
  | number
  | boolean
  | undefined
  | readonly Known[]
  | ReadonlyMap<string, Known>
  | { readonly [name: string]: Known };

/** A command as scripts read it. @param line with it, commands have spans, in bytes of it */
function commandFields(
  { line: at, ...command }: ShellCommand,
  line: string | undefined,
): { readonly [name: string]: Known } {
  const { unknown, redirects, file, written, runs, args, effects = [], quoted = [] } = command;
  const { argv, program, via, from, cwd, dynamic, opaque, dialect, unread, stdin } = command;
  const { idle, interprets } = command;
  return {
    argv,
    unknown: unknown.map(position),
    program,
    redirects: redirects.map(({ op, target, dynamic: isDynamic }) => ({
      op,
      target,
      dynamic: isDynamic,
    })),
    via,
    from,
    cwd,
    dynamic,
    opaque,
    dialect,
    described: command.described ?? false,
    idle: idle || undefined,
    interprets: interprets || undefined,
    effects: effects as unknown as Known,
    file,
    line: file === undefined ? undefined : (at ?? 0),
    written: written || undefined,
    unread,
    runs: runs && runs.length > 0 ? runs : undefined,
    args: args && argumentFields(args),
    quoted: quoted.map(position),
    stdin: stdin?.text,
    spans:
      line === undefined ? undefined : (command.spans ?? []).map((span) => bytesOf(span, line)),
  };
}

function argumentFields({ name, at, options, operands, before }: ShellArguments): Known {
  const given = new Map(Object.entries(options));
  return { name, at: position(at), options: given, operands: operands.map(position), before };
}

/** The first and the last byte, from 1; `false` where there is none, because a list has no holes. */
function bytesOf(span: ShellSpan | undefined, line: string): Known {
  const before = (end: number): number => Buffer.byteLength(line.slice(0, end));
  return span ? [before(span.begin) + 1, before(span.end)] : false;
}

function position(at: number): number {
  return at + 1;
}

function pushKnown(state: LuaState, L: LuaThread, value: Known): void {
  const { raw, limits, text } = state;
  if (typeof value !== "object") {
    state.pushScalar(L, value);
  } else if (Array.isArray(value)) {
    limits.spend(1 + value.length);
    raw.lua_createtable(L, value.length, 0);
    for (let i = 0; i < value.length; i++) {
      pushKnown(state, L, value[i] as Known);
      raw.lua_rawseti(L, -2, BigInt(i + 1));
    }
    raw.lua_rawgetp(L, REGISTRY, KEY.arrayMeta);
    raw.lua_setmetatable(L, -2);
  } else if (value instanceof Map) {
    limits.spend(1 + value.size);
    raw.lua_createtable(L, 0, value.size);
    for (const [name, field] of value as ReadonlyMap<string, Known>) {
      state.pushScalar(L, name);
      pushKnown(state, L, field);
      raw.lua_rawset(L, -3);
    }
  } else {
    const fields = Object.entries(value as { readonly [name: string]: Known });
    limits.spend(fields.length);
    raw.lua_createtable(L, 0, fields.length);
    for (const [name, field] of fields) {
      if (field === undefined) continue;
      pushKnown(state, L, field);
      raw.lua_setfield(L, -2, text.constant(name));
    }
  }
}
