import { type Hook, type HookLimit, OrcsError } from "../../../core/index.ts";
import type { RuntimeHooks } from "../../lua/index.ts";
import type { HookRegistry } from "../../registry/index.ts";
import { type RegisterContext, RuntimeRegistrar } from "./runtime-registrar.ts";

/**
 * The hooks that the script of a component or child registers. They wait until the script has an owner, so a script
 * that is not started leaves none. From then on they belong to the owner, and are removed with it.
 */
export class OwnedHooks {
  /** What the script registers with. */
  readonly registrar: RuntimeHooks;
  readonly #registry: HookRegistry;
  #waiting: Hook[] = [];
  /** Hooks that waited when the script was adopted: it registers them only once. */
  #stated: readonly Hook[] = [];
  #owner: { readonly name: string; readonly limit: HookLimit } | undefined;

  /** @param name of the script, for ids */
  constructor(context: RegisterContext, registry: HookRegistry, name: string) {
    this.#registry = registry;
    const owned = {
      ...context,
      register: (hook: Hook) => this.#register(hook),
      unregister: (id: string) => this.#unregister(id),
    };
    this.registrar = new RuntimeRegistrar(owned, { name, origin: "script", rank: 0 });
  }

  /** Whether hooks wait for an owner. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Register the waiting hooks, and those that follow, for an owner.
   * @param bound limits of the owner, which also apply to its hooks
   * @throws OrcsError ORCS2007 when an id is taken; none of them is registered then
   */
  adopt(owner: string, bound: HookLimit): void {
    const waiting = this.#waiting;
    const { capabilities, elevated } = bound;
    const limit = { capabilities, elevated };
    this.#waiting = [];
    const done: string[] = [];
    try {
      for (const hook of waiting) {
        done.push(this.#registry.register({ ...hook, limit }, owner));
      }
    } catch (thrown) {
      for (const id of done) this.#registry.unregister(id);
      throw thrown;
    }
    this.#owner = { name: owner, limit };
    if (waiting.length > 0) this.#stated = waiting;
  }

  /** The script is reloaded: its hooks wait until it is adopted again. */
  release(): void {
    this.#owner = undefined;
    this.#waiting = [];
    this.#stated = [];
  }

  /** The script is not reloaded but starts again: the hooks it registered when it was loaded wait again. */
  restore(): void {
    this.#owner = undefined;
    this.#waiting = [...this.#stated];
  }

  #register(hook: Hook): string {
    if (this.#owner) {
      const { name, limit } = this.#owner;
      return this.#registry.register({ ...hook, limit }, name);
    }
    if (this.#waiting.some(({ id }) => id === hook.id)) {
      const why = `the script registers two hooks with the id ${hook.id}`;
      throw new OrcsError("ORCS2007", why, { hook: hook.id });
    }
    this.#waiting.push(hook);
    return hook.id;
  }

  #unregister(id: string): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((hook) => hook.id !== id);
    if (this.#waiting.length < before) return true;
    return this.#registry.unregister(id);
  }
}
