import type { Json } from "../core/json.ts";
import { quoteWords } from "../matchers/shell/quote.ts";
import type { ApiFunction } from "./api-function.ts";
import type { LuaArguments } from "./arguments.ts";
import type { LuaPorts } from "./ports.ts";
import { T_STRING, T_TABLE } from "./raw.ts";
import { pushShellCommands } from "./shell-commands.ts";

/** Functions of `orcs` that tell a guard what a call would really do. What they cannot read is an error. */
export function guardFunctions(ports: LuaPorts): Record<string, ApiFunction> {
  return {
    shell(args, state, L) {
      const line = args.type(1) === T_STRING ? args.string(1) : quoteWords(wordsOf(args));
      pushShellCommands(state, L, ports.shell(line, directory(args)));
      return 1;
    },
    real_path(args, state, L) {
      state.text.push(L, ports.realPath(args.string(1), directory(args)));
      return 1;
    },
  };
}

/** The second argument of both. */
function directory(args: LuaArguments): string | undefined {
  return args.isMissing(2) ? undefined : args.string(2);
}

function wordsOf(args: LuaArguments): string[] {
  const value = args.type(1) === T_TABLE ? args.json(1) : undefined;
  if (isWords(value)) return value;
  throw args.wrong(1, "a string or a list of strings");
}

function isWords(value: Json | undefined): value is string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")
  );
}
