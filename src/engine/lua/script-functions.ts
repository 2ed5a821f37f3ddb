import { type JsonObject, messageOf, missingModule, setOwn } from "../../core/index.ts";
import { LuaArguments, say } from "./orcs-functions.ts";
import { printable } from "./inspect.ts";
import { LuaReader } from "./lua-reader.ts";
import { NotConvertible } from "./not-convertible.ts";
import { type LuaPorts, type LuaTestTable, moduleFor } from "./ports.ts";
import { KEY, type LuaThread, REGISTRY, T_FUNCTION, T_NONE, T_STRING, T_TABLE } from "./raw.ts";
import { LuaFailure, type LuaState, MOST_CHARS, type StatedInLua } from "./state.ts";
import { placeText } from "./traceback.ts";
import { type HostFunction, LuaArgumentError } from "./vm.ts";

/** Offset of `linedefined` in `lua_Debug`, in bytes (Lua 5.4, 32-bit). */
const LINE_DEFINED = 28;

/** Functions that belong to the script they are called from: `orcs.hook`, `orcs.unhook`, `require`, `print`. */
export function scriptFunctions(ports: LuaPorts): Record<string, HostFunction> {
  const { maxValueBytes } = ports.limits;
  return {
    hook(state, L) {
      expectMayHook(state, "hook: registering");
      const args = new LuaArguments(state, L, "hook", maxValueBytes);
      const read =
        args.type(1) === T_STRING ? shorthand(args) : readSpec(state, L, 1, maxValueBytes);
      const line = read.line || (state.vm.callStack.frames(L)[0]?.line ?? 0);
      try {
        state.text.push(L, state.script.define({ ...read, line }));
      } catch (thrown) {
        throw new LuaArgumentError(`orcs.hook: ${messageOf(thrown)}`);
      }
      return 1;
    },
    unhook(state, L) {
      expectMayHook(state, "unhook: removing");
      const args = new LuaArguments(state, L, "unhook", maxValueBytes);
      state.pushScalar(L, state.script.undefine(args.string(1)));
      return 1;
    },
    load_module(state, L) {
      const name = new LuaArguments(state, L, "require", maxValueBytes).string(1);
      const found = moduleFor(state.script.source, name, ports);
      if (!found) throw new LuaArgumentError(missingModule(name).message);
      state.script.requires.add(found.file);
      compile(state, L, [found.bytes, `@${found.file}`], `module '${name}': `);
      if (state.raw.lua_type(L, 2) === T_TABLE) {
        state.raw.lua_pushvalue(L, 2);
        state.raw.lua_setupvalue(L, -2, 1);
      }
      return 1;
    },
    load_text(state, L) {
      const args = new LuaArguments(state, L, "load_lua", maxValueBytes);
      const [content, name] = [args.string(1), args.string(2)];
      if (args.type(3) !== T_TABLE) throw args.wrong(3, "a table");
      compile(state, L, [content, name]);
      state.raw.lua_pushvalue(L, 3);
      state.raw.lua_setupvalue(L, -2, 1);
      return 1;
    },
    print(state, L) {
      const count = state.raw.lua_gettop(L);
      const words: string[] = [];
      let length = 0;
      // Stop at the length of a line: thousands of arguments can all be the same long string.
      for (let i = 1; i <= count && length <= MOST_CHARS; i++) {
        const word = printable(state, L, i);
        length += word.length + 1;
        words.push(word);
      }
      return say(ports, state, "info", words.join("\t"));
    },
    traced(state, L) {
      const { current, raw, text } = state;
      const calls = state.vm.callStack.frames(L);
      if (current) current.traceback = calls;
      if (raw.lua_type(L, 2) === T_STRING) text.push(L, placeText(calls) + text.readLossy(L, 2));
      return 1;
    },
    made(state, L) {
      const { current, vm, text } = state;
      if (!current || current.dropped !== undefined || !vm.callStack.isStatement(L)) return 0;
      // Without the short form, which is the package's own.
      const [at] = vm.callStack.frames(L);
      const form = `orcs.${text.readLossy(L, 1)}`;
      current.dropped = `${at?.file}:${at?.line}: ${form} only creates a result, which was dropped: write return ${form}(…)`;
      return 0;
    },
    look(state, L) {
      state.look(L);
      return 0;
    },
    is_outermost(state, L) {
      state.raw.lua_pushboolean(L, state.current?.thread === L ? 1 : 0);
      return 1;
    },
  };
}

/** Compile a text for a script that runs: a failure is an error of its. */
function compile(
  state: LuaState,
  L: LuaThread,
  [code, name]: readonly [code: string | Uint8Array, name: string],
  lead = "",
): void {
  try {
    state.compile(L, code, name);
  } catch (thrown) {
    if (!(thrown instanceof LuaFailure)) throw thrown;
    throw new LuaArgumentError(lead + thrown.message);
  }
}

/**
 * Read a hook from the table at a stack index: its fields, with the handler put into a slot; slot 0 without a handler
 * function. A field without a JSON form is an Error that says what it is.
 * @throws LuaArgumentError when it is not a table with names
 */
export function readSpec(
  state: LuaState,
  L: LuaThread,
  index: number,
  maxBytes: number,
): StatedInLua {
  const { raw, text } = state;
  if (raw.lua_type(L, index) !== T_TABLE) {
    throw new LuaArgumentError("orcs.hook: expected a table with point and handler");
  }
  const fields: JsonObject = {};
  const reader = new LuaReader(state, maxBytes, { lenient: true });
  const top = raw.lua_gettop(L);
  let handler = { slot: 0, line: 0 };
  let tests: readonly LuaTestTable[] | undefined;
  raw.lua_checkstack(L, 8);
  raw.lua_pushnil(L);
  while (raw.lua_next(L, index) !== 0) {
    const key = raw.lua_type(L, -2) === T_STRING ? text.read(L, -2) : undefined;
    if (key === undefined)
      throw new LuaArgumentError("orcs.hook: the table has a key that is not a string");
    if (key === "handler") {
      if (raw.lua_type(L, -1) === T_FUNCTION) handler = keepHandler(state, L, raw.lua_gettop(L));
    } else if (key === "tests") {
      // Tests are not part of a running hook: an error in them must not keep a guard from loading.
      if (state.script.source.tests) tests = readTests(state, L, maxBytes);
    } else {
      const value = reader.read(L, -1, key);
      if (value !== undefined) setOwn(fields, key, value);
    }
    raw.lua_settop(L, -2);
  }
  raw.lua_settop(L, top);
  return { ...handler, fields, ...(tests && { tests }) };
}

/** Put the function at a stack index into a slot. */
export function keepHandler(
  state: LuaState,
  L: LuaThread,
  index: number,
): { slot: number; line: number } {
  const { raw, text, vm } = state;
  const slot = state.script.nextSlot();
  raw.lua_rawgetp(L, REGISTRY, KEY.handlers);
  raw.lua_pushvalue(L, index);
  raw.lua_rawsetp(L, -2, slot);
  raw.lua_settop(L, -2);
  raw.lua_pushvalue(L, index);
  text.withBytes(Buffer.from(">S"), (what) => raw.lua_getinfo(L, what, vm.out));
  return { slot, line: raw.HEAP32[(vm.out + LINE_DEFINED) >> 2] ?? 1 };
}

function expectMayHook(state: LuaState, what: string): void {
  if (state.current?.scope?.mayHook === false) {
    throw new LuaArgumentError(`orcs.${what} a hook here needs the capability SPAWN`);
  }
}

function shorthand(args: LuaArguments): { slot: number; fields: JsonObject; line: number } {
  if (args.type(2) !== T_FUNCTION) throw args.wrong(2, "a function");
  if (args.type(3) !== T_NONE) {
    throw new LuaArgumentError(
      "orcs.hook: it takes a text and a function; with more to say, write orcs.hook{ fql = …, point = …, handler = … }",
    );
  }
  const kept = keepHandler(args.state, args.L, 2);
  return { ...kept, fields: { shorthand: args.string(1) } };
}

/** The `tests` of a hook, on top of a stack: each is read on its own, so that an invalid one hides no other. */
function readTests(state: LuaState, L: LuaThread, maxBytes: number): LuaTestTable[] {
  const { raw } = state;
  if (raw.lua_type(L, -1) !== T_TABLE) return [{ mistake: "tests must be a list of tables" }];
  const table = raw.lua_gettop(L);
  const count = Number(raw.lua_rawlen(L, table));
  const tests: LuaTestTable[] = [];
  for (let i = 1; i <= count; i++) {
    raw.lua_rawgeti(L, table, BigInt(i));
    tests.push(readTest(state, L, i, maxBytes));
    raw.lua_settop(L, table);
  }
  raw.lua_pushnil(L);
  if (count === 0 && raw.lua_next(L, table) !== 0) {
    tests.push({ mistake: "tests must be a list of tables, got a single table with string keys" });
  }
  raw.lua_settop(L, table);
  return tests;
}

function readTest(state: LuaState, L: LuaThread, i: number, maxBytes: number): LuaTestTable {
  try {
    return { value: new LuaReader(state, maxBytes, { mixed: true }).read(L, -1, `tests[${i}]`) };
  } catch (thrown) {
    if (!(thrown instanceof NotConvertible)) throw thrown;
    const name = nameOf(state, L);
    return { mistake: messageOf(thrown), ...(name !== undefined && { name }) };
  }
}

/** The name of the unreadable test on top of a stack, from its first position. */
function nameOf({ raw, text }: LuaState, L: LuaThread): string | undefined {
  if (raw.lua_type(L, -1) !== T_TABLE) return undefined;
  raw.lua_rawgeti(L, -1, 1n);
  return raw.lua_type(L, -1) === T_STRING ? text.read(L, -1) : undefined;
}
