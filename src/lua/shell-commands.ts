import type { ShellCommand, ShellReading, ShellRedirect } from "../core/shell.ts";
import type { LuaThread } from "./raw.ts";
import { KEY, REGISTRY } from "./raw.ts";
import type { LuaState } from "./state.ts";

/**
 * Push commands as `pushJson` would push them: a list of tables of the script's own. Positions count from 1 there.
 * Guards ask at every command line, and that the fields are known beforehand takes a third off the price.
 * The list has fields, too, that say whether the line was read whole. They stand in its metatable: to `pairs`, and
 * where the list becomes JSON, it is a list like others.
 */
export function pushShellCommands(
  state: LuaState,
  L: LuaThread,
  { commands, unread }: ShellReading,
): void {
  const { raw } = state;
  // The list, a command, a list in there, an item, a field of that or a metatable.
  raw.lua_checkstack(L, 8);
  new Commands(state, L).push(unread === undefined ? commands : [...commands, UNREAD]);
  if (unread === undefined) raw.lua_rawgetp(L, REGISTRY, KEY.wholeLineMeta);
  else {
    raw.lua_createtable(L, 0, 2);
    setLineFields(state, L, unread);
  }
  raw.lua_setmetatable(L, -2);
}

/** Set what the metatable on top gives a list of commands. */
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

/** Stands at the end of the list for what could not be read. */
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

  /** Set what is on top as a field of the table below it. */
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
