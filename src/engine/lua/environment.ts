import { RUNTIME_VERBS } from "../../core/index.ts";
import type {
  Json,
  JsonObject,
  RuntimeVerb,
  RuntimeVerbSpec,
  VerbArgument,
} from "../../core/index.ts";
import {
  type ApiFunction,
  apiFunctions,
  hostFunctions,
  type LuaArguments,
  setLineFields,
  wait,
} from "./orcs-functions.ts";
import { pushJson } from "./lua-writer.ts";
import { ownLua } from "./own-lua.ts";
import type { LuaPorts } from "./ports.ts";
import { KEY, REGISTRY } from "./raw.ts";
import { scriptFunctions } from "./script-functions.ts";
import type { LuaState } from "./state.ts";
import { VIEW_LIBRARY, VIEW_METAMETHODS } from "./context-view.ts";
import { type FunctionSetter, type HostFunction, LuaArgumentError, type LuaVm } from "./vm.ts";
import { firstRun } from "./wasm.ts";

/** Functions by name, as a VM has them. */
interface FunctionLists {
  readonly vm: LuaVm;
  readonly views: FunctionSetter;
  readonly reads: FunctionSetter;
  readonly host: FunctionSetter;
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
    lists.views(main);
    raw.lua_pushboolean(main, 0);
    raw.lua_setfield(main, -2, state.text.constant("__metatable"));
    raw.lua_rawgetp(main, REGISTRY, KEY.readsMeta);
    lists.reads(main);
    raw.lua_rawgetp(main, REGISTRY, KEY.wholeLineMeta);
    setLineFields(state, main, undefined);
    raw.lua_settop(main, 0);
    const { prelude, names } = ownLua();
    prelude.push(state, main);
    raw.lua_createtable(main, 0, 128);
    lists.host(main);
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
      views: vm.functionSetter({ __index: index, __newindex: newindex, ...VIEW_METAMETHODS }),
      reads: vm.functionSetter({ __index: index }),
      host: vm.functionSetter({ ...this.#functions, step }),
    }));
  }

  #setValues(state: LuaState, options: JsonObject | undefined): void {
    const { raw, main, text } = state;
    const set = (name: string): void => raw.lua_setfield(main, -2, text.constant(name));
    raw.lua_pushlightuserdata(main, 0);
    set("null");
    raw.lua_rawgetp(main, REGISTRY, KEY.arrayMeta);
    set("array_meta");
    raw.lua_rawgetp(main, REGISTRY, KEY.readOnly);
    set("read_only");
    pushJson(state, main, options ?? {}, "drop");
    set("options");
  }
}

/** The runtime functions of scripts, by name. */
const VERB_NAMES = Object.keys(RUNTIME_VERBS) as RuntimeVerb[];

/** The runtime functions of `orcs`, each derived from its row in the table. */
function runtimeFunctions(maxValueBytes: number): Record<string, HostFunction> {
  const table = VERB_NAMES.map((name): [string, ApiFunction] => [name, askRuntime(name)]);
  return hostFunctions(Object.fromEntries(table), maxValueBytes);
}

const READ: Record<VerbArgument, (args: LuaArguments, index: number) => Json | undefined> = {
  string: (args, index) => args.string(index),
  json: (args, index) => args.json(index),
  object: (args, index) => args.object(index),
  list: (args, index) => args.list(index),
};

function askRuntime(name: RuntimeVerb): ApiFunction {
  const { args: kinds, required }: RuntimeVerbSpec = RUNTIME_VERBS[name];
  return (args, state, L) => {
    const values = kinds.map((kind, i) =>
      i >= required && args.isMissing(i + 1) ? undefined : READ[kind](args, i + 1),
    );
    const scope = state.current?.scope;
    if (scope && !scope.verb) {
      throw new LuaArgumentError(
        `orcs.${name} is only available in the runtime: run the script with orcs run, or as a component`,
      );
    }
    return wait(state, L, name, async (signal) => scope?.verb?.(name, values, signal));
  };
}
