import type { JsonObject } from "../../core/index.ts";
import { apiFunctions, setLineFields } from "./orcs-functions.ts";
import { pushJson } from "./lua-writer.ts";
import { ownLua } from "./own-lua.ts";
import type { LuaPorts } from "./ports.ts";
import { KEY, REGISTRY } from "./raw.ts";
import { runtimeFunctions } from "./runtime-calls.ts";
import { scriptFunctions } from "./script-functions.ts";
import { FunctionList } from "./set-functions.ts";
import type { LuaState } from "./state.ts";
import { VIEW_LIBRARY, VIEW_METAMETHODS } from "./context-view.ts";
import type { HostFunction, LuaVm } from "./vm.ts";
import { firstRun } from "./wasm.ts";

/** Functions by name, as a VM has them. */
interface FunctionLists {
  readonly vm: LuaVm;
  readonly views: FunctionList;
  readonly reads: FunctionList;
  readonly host: FunctionList;
}

/**
 * What every state gets before its script is loaded: the metatables of views and lists, and the prelude
 * (`lua/prelude.lua`), which builds `orcs` and removes everything that is not on the allow-list. Created once per VM,
 * so that host functions take their slots of the function table once.
 */
export class LuaEnvironment {
  readonly #functions: Readonly<Record<string, HostFunction>>;
  #lists: FunctionLists | undefined;

  constructor(ports: LuaPorts) {
    this.#functions = {
      ...apiFunctions(ports),
      ...runtimeFunctions(ports.limits.maxValueBytes),
      ...scriptFunctions(ports),
      ...VIEW_LIBRARY,
    };
  }

  /** Set up a new state. */
  furnish(state: LuaState, options: JsonObject | undefined): void {
    const { raw, main } = state;
    const isFirst = this.#lists?.vm !== state.vm;
    const lists = isFirst ? (this.#lists = this.#listed(state.vm)) : (this.#lists as FunctionLists);
    raw.lua_checkstack(main, 20);
    raw.lua_rawgetp(main, REGISTRY, KEY.viewMeta);
    lists.views.set(state, main);
    state.text.push(main, "__metatable");
    raw.lua_pushboolean(main, 0);
    raw.lua_rawset(main, -3);
    raw.lua_rawgetp(main, REGISTRY, KEY.readsMeta);
    lists.reads.set(state, main);
    raw.lua_rawgetp(main, REGISTRY, KEY.wholeLineMeta);
    setLineFields(state, main, undefined);
    raw.lua_settop(main, 0);
    const { prelude, names } = ownLua();
    prelude.push(state, main);
    raw.lua_createtable(main, 0, 128);
    lists.host.set(state, main);
    this.#setValues(state, options);
    names.push(state, main);
    raw.lua_pushvalue(main, -2);
    const run = (): number => raw.lua_pcallk(main, 1, 1, 0, 0, 0);
    if ((isFirst ? firstRun(run) : run()) !== 0) throw state.errorOnTop(main);
    if (raw.lua_pcallk(main, 2, 3, 0, 0, 0) !== 0) throw state.errorOnTop(main);
    raw.lua_rawsetp(main, REGISTRY, KEY.failed);
    raw.lua_rawsetp(main, REGISTRY, KEY.drive);
    raw.lua_rawsetp(main, REGISTRY, KEY.environment);
    raw.lua_settop(main, 0);
  }

  #listed(vm: LuaVm): FunctionLists {
    const { index, newindex, step } = vm.calls;
    return vm.raw.together(() => ({
      vm,
      views: new FunctionList(vm, { __index: index, __newindex: newindex, ...VIEW_METAMETHODS }),
      reads: new FunctionList(vm, { __index: index }),
      host: new FunctionList(vm, { ...this.#functions, step }),
    }));
  }

  #setValues(state: LuaState, options: JsonObject | undefined): void {
    const { raw, main, text } = state;
    text.push(main, "null");
    raw.lua_pushlightuserdata(main, 0);
    raw.lua_rawset(main, -3);
    text.push(main, "array_meta");
    raw.lua_rawgetp(main, REGISTRY, KEY.arrayMeta);
    raw.lua_rawset(main, -3);
    text.push(main, "read_only");
    raw.lua_rawgetp(main, REGISTRY, KEY.readOnly);
    raw.lua_rawset(main, -3);
    text.push(main, "options");
    pushJson(state, main, options ?? {}, "drop");
    raw.lua_rawset(main, -3);
  }
}
