import type { Settings } from "../../config/settings.ts";
import { LuaLayer } from "../../lua/layer.ts";
import type { LuaPorts, ScriptLoader } from "../../lua/ports.ts";

/** What loads an engine's scripts, on this thread or on another. */
export type LuaLoader = new (ports: LuaPorts) => ScriptLoader;

/** The other thread's part is loaded when it is asked for. */
export async function luaLoader({ isolation }: Settings["lua"]): Promise<LuaLoader> {
  if (isolation === "thread") return LuaLayer;
  return (await import("../../lua/worker/worker-layer.ts")).WorkerLayer;
}
