import type { Json } from "../core/json.ts";
import type { CommandMatcher } from "../shell/shell.ts";
import { commandLine, compileRuns, quoteWords } from "../shell/shell.ts";
import type { ApiFunction, LuaArguments } from "./api.ts";
import type { LuaPorts } from "./ports.ts";
import { T_STRING, T_TABLE } from "./raw.ts";
import { pushShellCommands } from "./shell-commands.ts";

/** Functions of `orcs` that tell a guard what a call would really do. What they cannot read is an error. */
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

/** Lists of patterns that are kept compiled. */
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
