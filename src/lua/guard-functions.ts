import type { Json } from "../core/json.ts";
import type { ShellCommand, ShellReading, ShellRedirect } from "../core/shell.ts";
import type { CommandMatcher } from "../shell/shell.ts";
import { commandLine, compileRuns, quoteWords } from "../shell/shell.ts";
import type { ApiFunction, LuaArguments } from "./api.ts";
import type { LuaPorts } from "./ports.ts";
import type { LuaThread } from "./raw.ts";
import { KEY, REGISTRY, T_STRING, T_TABLE } from "./raw.ts";
import type { LuaState } from "./state.ts";

/** Functions of `orcs` that tell a guard what a call would really do. Input that they cannot read is an error. */
export function guardFunctions(ports: LuaPorts): Record<string, ApiFunction> {
  const matchers = new Map<string, CommandMatcher>();
  return {
    shell(args, state, L) {
      const line = args.type(1) === T_STRING ? args.string(1) : quoteWords(wordsOf(args, 1));
      pushShellCommands(state, L, ports.shell(line, directory(args)));
      return 1;
    },
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
    real_path(args, state, L) {
      state.text.push(L, ports.realPath(args.string(1), directory(args)));
      return 1;
    },
  };
}

/** Maximum number of compiled pattern lists in the cache. */
const KEPT_MATCHERS = 256;

/** The second argument of `shell` and `real_path`. */
function directory(args: LuaArguments): string | undefined {
  return args.isMissing(2) ? undefined : args.string(2);
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
): void {
  const { raw } = state;
  // The list, a command, a list in it, an item, a field of that, and a metatable.
  raw.lua_checkstack(L, 8);
  new Commands(state, L).push(unread === undefined ? commands : [...commands, UNREAD]);
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

class Commands {
  readonly #state: LuaState;
  readonly #L: LuaThread;

  constructor(state: LuaState, L: LuaThread) {
    this.#state = state;
    this.#L = L;
  }

  push(commands: readonly ShellCommand[]): void {
    this.#list(commands, this.#command);
  }

  readonly #command = (command: ShellCommand): void => {
    this.#table(9);
    this.#list(command.argv, this.#text);
    this.#field("argv");
    this.#list(command.unknown, this.#position);
    this.#field("unknown");
    this.#text(command.program);
    this.#field("program");
    this.#list(command.redirects, this.#redirect);
    this.#field("redirects");
    this.#list(command.via, this.#text);
    this.#field("via");
    this.#list(command.from, this.#text);
    this.#field("from");
    if (command.cwd !== undefined) {
      this.#text(command.cwd);
      this.#field("cwd");
    }
    this.#truth(command.dynamic);
    this.#field("dynamic");
    this.#truth(command.opaque);
    this.#field("opaque");
  };

  readonly #redirect = ({ op, target, dynamic }: ShellRedirect): void => {
    this.#table(3);
    this.#text(op);
    this.#field("op");
    this.#text(target);
    this.#field("target");
    this.#truth(dynamic);
    this.#field("dynamic");
  };

  readonly #text = (text: string): void => void this.#state.pushScalar(this.#L, text);

  readonly #position = (at: number): void => void this.#state.pushScalar(this.#L, at + 1);

  #truth(value: boolean): void {
    this.#state.raw.lua_pushboolean(this.#L, value ? 1 : 0);
  }

  #table(fields: number): void {
    this.#state.limits.spend(fields);
    this.#state.raw.lua_createtable(this.#L, 0, fields);
  }

  /** Set the value on top as a field of the table below it. */
  #field(name: keyof ShellCommand | keyof ShellRedirect): void {
    const { raw, text } = this.#state;
    raw.lua_setfield(this.#L, -2, text.constant(name));
  }

  #list<T>(items: readonly T[], push: (item: T) => void): void {
    const { raw, limits } = this.#state;
    const L = this.#L;
    limits.spend(1 + items.length);
    raw.lua_createtable(L, items.length, 0);
    for (let i = 0; i < items.length; i++) {
      push(items[i] as T);
      raw.lua_rawseti(L, -2, BigInt(i + 1));
    }
    raw.lua_rawgetp(L, REGISTRY, KEY.arrayMeta);
    raw.lua_setmetatable(L, -2);
  }
}
