import type { LuaModule, LuaSource } from "../../core/index.ts";
import type { LuaPorts } from "./ports.ts";

/** The module of a script's `require`: found by its source, if that has a lookup of its own. */
export function moduleFor(
  { findModule, roots }: Pick<LuaSource, "findModule" | "roots">,
  name: string,
  ports: Pick<LuaPorts, "findModule">,
): LuaModule | undefined {
  return findModule ? findModule(name) : ports.findModule(name, roots);
}
