import { resolve } from "node:path";
import { OrcsError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { CallScope } from "../../core/ports.ts";
import type { ScriptLoader } from "../../lua/ports.ts";
import { readNamedScript } from "./find-script.ts";
import { RuntimeRegistrar } from "../runtime/runtime-registrar.ts";
import type { RegisterContext } from "../runtime/runtime-registrar.ts";
import { SHIPPED_MODULES } from "./script-sources.ts";

/** What running a program needs of its engine. */
interface ProgramHost {
  readonly lua: ScriptLoader;
  readonly cwd: string;
  /** Where its `require` looks besides its own folder. */
  readonly roots: readonly string[];
  registering(): RegisterContext;
  /** @throws OrcsError ORCS2006 */
  expectOpen(): void;
}

/**
 * Run a Lua file as a program.
 * @throws OrcsError ORCS6010 when it is a component, and as `ScriptLoader.run`
 */
export async function runProgram(
  file: string,
  scope: CallScope,
  host: ProgramHost,
): Promise<Json | undefined> {
  const { lua, cwd } = host;
  const { name, dir, code } = readNamedScript(resolve(cwd, file), cwd);
  const roots = [...new Set([...host.roots, dir, SHIPPED_MODULES])];
  await lua.open();
  // Closed while the VM started: the program must not start in an engine that nobody closes again.
  host.expectOpen();
  const runtime = new RuntimeRegistrar(host.registering(), { name, origin: "script", rank: 0 });
  const chunk = { file: name, code, kind: "script" } as const;
  const result = await lua.run(chunk, { name, roots }, scope, runtime);
  if ("value" in result) return result.value;
  result.object.close();
  const why = `${name} returns functions: it is a component, for orcs.runtime().run`;
  throw new OrcsError("ORCS6010", why, { script: name });
}
