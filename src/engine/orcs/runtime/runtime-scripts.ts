import { SHIPPED_MODULES } from "../../../config/index.ts";
import { resolve } from "node:path";
import { OrcsError } from "../../../core/index.ts";
import type { CallScope, Child, ChildConfig, JsonObject, LuaChunk } from "../../../core/index.ts";
import type { ProgramResult } from "../../lua/index.ts";
import type { HookRegistry } from "../../registry/index.ts";
import type { ChildPlace } from "../../runtime/index.ts";
import { findScript, readNamedScript, type ScriptDeps } from "../loading/find-script.ts";
import { type LoadedScriptObject, luaChild } from "./lua-component.ts";
import { OwnedHooks } from "./owned-hooks.ts";

/** Loads the scripts of components and children, each into a state of its own. */
export class RuntimeScripts {
  readonly #host: ScriptDeps;
  readonly #registry: HookRegistry;
  /** Folders of scripts that the program named: scripts that these name are searched there as well. */
  readonly #dirs = new Set<string>();

  constructor(host: ScriptDeps, registry: HookRegistry) {
    this.#host = host;
    this.#registry = registry;
  }

  /**
   * Run a file that the program names.
   * @param scopeFor creates the scope of its calls, given the hooks it registers; without it the file must not wait
   * @param signal ends it
   * @throws OrcsError ORCS1009, ORCS3001, ORCS3002, ORCS3005, ORCS3006
   */
  async run(
    path: string,
    scopeFor?: (hooks: OwnedHooks) => CallScope,
    options?: JsonObject,
    signal?: AbortSignal,
  ): Promise<RanScript> {
    const { cwd } = this.#host;
    const { name, dir, code } = readNamedScript(resolve(cwd, path), cwd);
    this.#dirs.add(dir);
    return this.#load({ file: name, code, kind: "script" }, dir, scopeFor, options, signal);
  }

  /**
   * Load the script of a component.
   * @throws OrcsError as `run`, ORCS6010 when it returns no functions
   */
  async component(path: string, options?: JsonObject): Promise<LoadedScriptObject> {
    return { ...expectObject(await this.run(path, undefined, options)), options };
  }

  /**
   * Load the script of a child.
   * @throws OrcsError as `component`, ORCS6007 when it registers hooks without permission
   */
  async child(config: ChildConfig, { name, owner, mayHook, limit }: ChildPlace): Promise<Child> {
    const roots = [...new Set([...this.#host.roots, ...this.#dirs])];
    const { script, code, options } = config;
    const found =
      script === undefined
        ? { name: `${name} (code)`, dir: undefined, code: code ?? "" }
        : findScript(script, roots, this.#host.cwd);
    const chunk = { file: found.name, code: found.code, kind: "script" } as const;
    const loaded = expectObject(await this.#load(chunk, found.dir, undefined, options));
    try {
      if (loaded.hooks.hasWaiting && !mayHook) {
        const why = `${name} registers hooks, which requires the capability SPAWN`;
        throw new OrcsError("ORCS6007", why, { child: name });
      }
      const child = luaChild(loaded);
      loaded.hooks.adopt(owner, limit);
      return child;
    } catch (thrown) {
      loaded.object.close();
      throw thrown;
    }
  }

  async #load(
    chunk: LuaChunk,
    dir: string | undefined,
    scopeFor: ((hooks: OwnedHooks) => CallScope) | undefined,
    options: JsonObject | undefined,
    signal?: AbortSignal,
  ): Promise<RanScript> {
    const { lua, registering, roots: all } = this.#host;
    const name = chunk.file;
    const hooks = new OwnedHooks(registering, this.#registry, name);
    await lua.open();
    const roots = [...new Set([...all, ...(dir === undefined ? [] : [dir]), SHIPPED_MODULES])];
    const source = { name, roots, ...(options && { options }) };
    const result = await lua.run(chunk, source, scopeFor?.(hooks), hooks.registrar, signal);
    return { result, hooks, name };
  }
}

/** A script that has run to the end of its body, and the hooks that it registers. */
interface RanScript {
  readonly result: ProgramResult;
  readonly hooks: OwnedHooks;
  readonly name: string;
}

function expectObject({ result, hooks, name }: RanScript): LoadedScriptObject {
  if ("object" in result) return { name, object: result.object, hooks };
  result.close();
  const why = `${name} is not a component or child: it returns no functions`;
  throw new OrcsError("ORCS6010", why, { script: name });
}
