import type { JsonObject } from "../core/json.ts";
import { SHORT_FORMS } from "../core/orcs-api.ts";
import { ALLOWED_GLOBALS } from "./allow-list.ts";
import { apiFunctions } from "./api.ts";
import { pushJson } from "./lua-writer.ts";
import { OwnLua } from "./own-lua.ts";
import type { LuaPorts } from "./ports.ts";
import { KEY } from "./registry-keys.ts";
import { REGISTRY } from "./raw.ts";
import { runtimeFunctions, VERB_NAMES } from "./runtime-functions.ts";
import { scriptFunctions } from "./script-functions.ts";
import { setFunctions } from "./set-functions.ts";
import { setLineFields } from "./shell-commands.ts";
import type { LuaState } from "./state.ts";
import { VIEW_LIBRARY, VIEW_METAMETHODS } from "./view-functions.ts";
import type { HostFunction } from "./vm.ts";

/**
 * What every state is furnished with before its script is loaded: the metatables of views and lists,
 * and the prelude (`lua/prelude.lua`), which builds `orcs` and takes away what is not on the allow-list.
 * Made once per VM, so that the host functions take their slots of the function table once.
 */
export class LuaEnvironment {
  readonly #functions: Readonly<Record<string, HostFunction>>;
  readonly #bounded = new OwnLua("bounded.lua");
  readonly #prelude = new OwnLua("prelude.lua");

  constructor(ports: LuaPorts) {
    this.#functions = {
      ...apiFunctions(ports),
      ...runtimeFunctions(ports.limits.maxValueBytes),
      ...scriptFunctions(ports),
      ...VIEW_LIBRARY,
    };
  }

  /** Furnish a new state. */
  furnish(state: LuaState, options: JsonObject | undefined): void {
    const { raw, main } = state;
    raw.lua_checkstack(main, 20);
    raw.lua_rawgetp(main, REGISTRY, KEY.viewMeta);
    const { index, newindex, step } = state.vm.calls;
    setFunctions(state, main, { __index: index, __newindex: newindex, ...VIEW_METAMETHODS });
    state.text.push(main, "__metatable");
    raw.lua_pushboolean(main, 0);
    raw.lua_rawset(main, -3);
    raw.lua_rawgetp(main, REGISTRY, KEY.readsMeta);
    setFunctions(state, main, { __index: index });
    raw.lua_rawgetp(main, REGISTRY, KEY.wholeLineMeta);
    setLineFields(state, main, undefined);
    raw.lua_settop(main, 0);
    state.vm.patterns.mount(main);
    this.#bounded.push(state, main);
    if (raw.lua_pcallk(main, 0, 0, 0, 0, 0) !== 0) throw state.errorOnTop(main);
    this.#prelude.push(state, main);
    raw.lua_createtable(main, 0, 32);
    setFunctions(state, main, { ...this.#functions, step });
    this.#setValues(state, options);
    pushJson(state, main, ALLOWED_GLOBALS as never, "keep");
    if (raw.lua_pcallk(main, 2, 2, 0, 0, 0) !== 0) throw state.errorOnTop(main);
    raw.lua_rawsetp(main, REGISTRY, KEY.drive);
    raw.lua_rawsetp(main, REGISTRY, KEY.environment);
    raw.lua_settop(main, 0);
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
    text.push(main, "tools");
    pushJson(state, main, Object.keys(SHORT_FORMS), "keep");
    raw.lua_rawset(main, -3);
    text.push(main, "verbs");
    pushJson(state, main, VERB_NAMES, "keep");
    raw.lua_rawset(main, -3);
    text.push(main, "options");
    pushJson(state, main, options ?? {}, "drop");
    raw.lua_rawset(main, -3);
  }
}
