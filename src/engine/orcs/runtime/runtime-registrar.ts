import type { ScriptHookReader } from "../../../config/index.ts";
import type { Hook } from "../../../core/index.ts";
import type { LuaHookSpec, RuntimeHooks, ScriptRunner } from "../../lua/index.ts";
import { compileHook, type DefineContext, type HookOrigin } from "../../registry/index.ts";

/** What registering needs from its engine. */
export interface RegisterContext extends DefineContext {
  /** Register a hook that a script adds while it runs. */
  register(hook: Hook): string;
  unregister(id: string): boolean;
  /** The hook with that id, whoever owns it. */
  registered(id: string): Hook | undefined;
  readonly readStated: ScriptHookReader;
}

const NOT_IN_SHADOW =
  'a hook with mode = "audit" needs a state of its own: it must be stated while its script is loaded';

/** The origin of hooks that are registered while a script runs. */
interface RegisterOrigin extends Pick<
  HookOrigin,
  "origin" | "rank" | "limit" | "agents" | "modeLimit"
> {
  /** Name of the script. */
  readonly name: string;
}

/** Registers hooks that a script adds with `orcs.hook` after it was loaded, and removes its own. */
export class RuntimeRegistrar implements RuntimeHooks {
  readonly #context: RegisterContext;
  readonly #from: RegisterOrigin;
  readonly #ids = new Set<string>();

  constructor(context: RegisterContext, from: RegisterOrigin) {
    this.#context = context;
    this.#from = from;
  }

  add(spec: LuaHookSpec, runner: ScriptRunner): string {
    const { stated, diagnostics } = this.#context.readStated(spec.fields, spec.place);
    if (!stated) {
      const lines = diagnostics.map(({ message, hint }) =>
        hint ? `${message} (${hint})` : message,
      );
      throw new Error(lines.join("; "));
    }
    const { point } = stated;
    if (spec.slot === 0) throw new Error("the hook has no handler function");
    if (!point) throw new Error("the hook has no point");
    const { name, ...given } = this.#from;
    const id = stated.id ?? `${name}:${point.name}:${spec.slot}`;
    const from = { ...given, source: spec.place };
    const hook = compileHook(id, point, stated, runner, from, this.#context);
    if (hook.mode === "audit" && given.modeLimit !== "audit") throw new Error(NOT_IN_SHADOW);
    this.#context.register(hook);
    runner.bind(id, spec.slot);
    this.#ids.add(id);
    return id;
  }

  /** Ids of the hooks that the script registered while it ran. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }

  remove(id: string, runner: ScriptRunner): boolean {
    const own = this.#ids.delete(id) || runner.owns(id);
    // The hook may be gone, and its id used by another one.
    const there = this.#context.registered(id);
    return own && (!there || there.runner === runner) && this.#context.unregister(id);
  }
}
