import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type CallScope, type Json, messageOf, OrcsError } from "../../../core/index.ts";
import { isFileInside } from "../../../machine/index.ts";
import type { ScriptLoader } from "../../lua/index.ts";
import { readScript, SHIPPED_MODULES } from "../../../config/index.ts";
import { type RegisterContext, RuntimeRegistrar } from "../runtime/runtime-registrar.ts";

/** The content of a Lua file. */
interface FoundScript {
  /** For messages: relative to the working directory if it is inside. */
  readonly name: string;
  /** The folder of the file. */
  readonly dir: string;
  readonly code: Uint8Array;
}

/**
 * Read a file that the program itself names, or that was discovered.
 * @throws OrcsError ORCS1009
 */
export function readNamedScript(path: string, cwd: string): FoundScript {
  try {
    return { name: shown(path, cwd), dir: dirname(path), code: readScript(path) };
  } catch (thrown) {
    const why = `the script cannot be read: ${messageOf(thrown)}`;
    throw new OrcsError("ORCS1009", why, { file: path });
  }
}

/**
 * Read a file that a script names: from the first root that has it. A path or link that leads out of its root is
 * skipped.
 * @throws OrcsError ORCS1009
 */
export function findScript(path: string, roots: readonly string[], cwd: string): FoundScript {
  if (!isAbsolute(path) && !path.includes("\0")) {
    for (const root of roots) {
      const file = join(root, path);
      if (isFileInside(root, file)) return readNamedScript(file, cwd);
    }
  }
  const where = roots.map((root) => shown(root, cwd)).join(", ") || "any folder";
  const why = `the script ${JSON.stringify(path)} was not found in ${where}`;
  throw new OrcsError("ORCS1009", why, { file: path });
}

function shown(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === "" || path.startsWith("..") ? file : path;
}

/** What running scripts needs from their engine. */
export interface ScriptDeps {
  readonly lua: ScriptLoader;
  readonly registering: RegisterContext;
  readonly cwd: string;
  /** Folders of scripts, and of `require` besides the script's own. */
  readonly roots: readonly string[];
}

/**
 * Run a Lua file as a program.
 * @param expectOpen throws when the engine was closed
 * @throws OrcsError ORCS6010 when it is a component, and as `ScriptLoader.run`
 */
export async function runProgram(
  file: string,
  scope: CallScope,
  { lua, cwd, roots, registering }: ScriptDeps,
  expectOpen: () => void,
): Promise<Json | undefined> {
  const { name, dir, code } = readNamedScript(resolve(cwd, file), cwd);
  await lua.open();
  // The program must not start in an engine that was closed while the VM started.
  expectOpen();
  const runtime = new RuntimeRegistrar(registering, { name, origin: "script", rank: 0 });
  const source = { name, roots: [...new Set([...roots, dir, SHIPPED_MODULES])] };
  const chunk = { file: name, code, kind: "script" } as const;
  const result = await lua.run(chunk, source, scope, runtime);
  if ("value" in result) return result.value;
  result.object.close();
  const why = `${name} returns functions, so it is a component: run it with orcs.runtime().run`;
  throw new OrcsError("ORCS6010", why, { script: name });
}
