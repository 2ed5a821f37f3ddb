import type { LuaModule, LuaPorts, LuaSource } from "./ports.ts";

/** The module that a script's `require` names: what its source finds, if it looks for itself. */
export function moduleFor(
  { findModule, roots }: Pick<LuaSource, "findModule" | "roots">,
  name: string,
  ports: Pick<LuaPorts, "findModule">,
): LuaModule | undefined {
  return findModule ? findModule(name) : ports.findModule(name, roots);
}
