import { built } from "./built.ts";

interface Vm {
  open: (this: Vm, state: object) => unknown;
  forget: (this: Vm, state: object) => void;
}

/** Counts the Lua states of this thread that are there: the VM is told of each that opens and closes. */
export class LuaStates {
  readonly #open = new Set<object>();

  static async watch(): Promise<LuaStates> {
    const { LuaVm } = (await built("engine/lua/vm.js")) as { LuaVm: { prototype: Vm } };
    return new LuaStates(LuaVm.prototype);
  }

  private constructor(vm: Vm) {
    const open = this.#open;
    const { open: opened, forget } = vm;
    vm.open = function (state) {
      const made = opened.call(this, state);
      open.add(state);
      return made;
    };
    vm.forget = function (state) {
      open.delete(state);
      forget.call(this, state);
    };
  }

  get size(): number {
    return this.#open.size;
  }
}
