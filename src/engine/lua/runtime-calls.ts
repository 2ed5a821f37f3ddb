import { RUNTIME_VERBS } from "../../core/index.ts";
import type { Json, RuntimeVerb, RuntimeVerbSpec, VerbArgument } from "../../core/index.ts";
import { type ApiFunction, hostFunctions, type LuaArguments, wait } from "./orcs-functions.ts";
import { type HostFunction, LuaArgumentError } from "./vm.ts";

/** The runtime functions of scripts, by name. */
const VERB_NAMES = Object.keys(RUNTIME_VERBS) as RuntimeVerb[];

/** The runtime functions of `orcs`, each derived from its row in the table. */
export function runtimeFunctions(maxValueBytes: number): Record<string, HostFunction> {
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
