import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

interface Vm {
  open: (this: Vm, state: unknown) => { id: number };
  forget: (this: Vm, id: number) => void;
}

/** Counts the Lua states of this thread that are there: the VM is told of each that opens and closes. */
export class LuaStates {
  readonly #open = new Set<string>();

  static async watch(): Promise<LuaStates> {
    const { resolve } = createRequire(import.meta.url);
    const file = new URL("lua/vm.js", pathToFileURL(resolve("orcs")));
    const { LuaVm } = (await import(file.href)) as { LuaVm: { prototype: Vm } };
    return new LuaStates(LuaVm.prototype);
  }

  private constructor(vm: Vm) {
    const open = this.#open;
    const { open: opened, forget } = vm;
    const numbers = new WeakMap<Vm, number>();
    let vms = 0;
    const keyOf = (of: Vm, id: number): string => {
      if (!numbers.has(of)) numbers.set(of, ++vms);
      return `${numbers.get(of)} ${id}`;
    };
    vm.open = function (state) {
      const made = opened.call(this, state);
      open.add(keyOf(this, made.id));
      return made;
    };
    vm.forget = function (id) {
      open.delete(keyOf(this, id));
      forget.call(this, id);
    };
  }

  get size(): number {
    return this.#open.size;
  }
}
