import type { JsonObject } from "../core/json.ts";
import type { ToolAnswer } from "../core/ports.ts";
import type { Tool, ToolCall } from "../core/tool.ts";
import { checkArgs } from "./check-args.ts";
import { reasonOf } from "./refusal.ts";
import { BUILTIN_TOOLS } from "../core/tool-table.ts";
import type { ArgsOf, ArgSpec, ToolName } from "../core/tool-table.ts";

/** What a built-in tool needs to know of the call it serves. */
export type BuiltinCall = Pick<ToolCall, "signal">;

/** A tool whose mistakes are answers: it never throws. */
export interface BuiltinTool<N extends ToolName = ToolName> extends Tool {
  readonly name: N;
  run(args: JsonObject, call: BuiltinCall): Promise<ToolAnswer>;
}

/**
 * A tool of the table. Its arguments are checked before the body sees them; whatever the body throws
 * becomes the answer `{ ok: false, error: "<tool> <paths>: <reason>" }`.
 */
export function defineTool<N extends ToolName>(
  name: N,
  body: (args: ArgsOf<N>, call: BuiltinCall) => Promise<ToolAnswer>,
): BuiltinTool<N> {
  const { capability, args: specs, short } = BUILTIN_TOOLS[name];
  return {
    name,
    capability,
    mainArg: short[0],
    async run(args, call) {
      try {
        return await body(checkArgs(name, args), call);
      } catch (error) {
        return { ok: false, error: `${name}${pathsOf(args, specs)}: ${reasonOf(error)}` };
      }
    },
  };
}

/** The paths of a call, as they were given. */
function pathsOf(args: JsonObject, specs: Readonly<Record<string, ArgSpec>>): string {
  return Object.keys(specs)
    .filter((key) => specs[key]?.kind === "path" && Object.hasOwn(args, key))
    .map((key) => args[key])
    .filter((value) => typeof value === "string")
    .map((path) => ` ${JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)}`)
    .join("");
}
