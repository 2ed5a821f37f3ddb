import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { LuaVm } from "../../src/engine/lua/vm.ts";

/** What a script must never bring about in the thread that its VM is on. */
export interface Harm {
  /** How often a function was called that only code outside of the sandbox can reach. */
  readonly canary: number;
  readonly polluted: unknown;
  readonly exitCode: unknown;
}

export const NO_HARM: Harm = { canary: 0, polluted: undefined, exitCode: undefined };

/** What a VM takes. */
export interface Measure {
  readonly vmBytes: number;
  /** Slots of the table of functions that the VM can call. */
  readonly slots: number;
  /** Memory of JavaScript once its garbage is gone. */
  readonly heapBytes: number;
}

/** Looks into this thread, and into the VM that was made last on it. */
export class VmProbe {
  #vm: LuaVm | undefined;
  #canary = 0;
  #push: unknown;

  /** @param shared one VM serves all that want one, so that each shows what those before left of it */
  constructor(shared: boolean) {
    const create = LuaVm.create.bind(LuaVm);
    LuaVm.create = () => {
      if (shared && this.#vm) return this.#vm;
      this.#push = undefined;
      return (this.#vm = create());
    };
    Object.assign(globalThis, { canary: () => ++this.#canary });
  }

  harm(): Harm {
    const { polluted } = {} as Record<string, unknown>;
    return { canary: this.#canary, polluted, exitCode: process.exitCode };
  }

  vmBytes(): number {
    return this.#raw().HEAPU8.length;
  }

  async measure(): Promise<Measure> {
    const heapBytes = await this.heapBytes();
    const { HEAPU8, __indirect_function_table: table } = this.#raw();
    return { vmBytes: HEAPU8.length, slots: table.length, heapBytes };
  }

  async heapBytes(): Promise<number> {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
    return process.memoryUsage().heapUsed;
  }

  /** Have the VM trap when a hook reads a number that is no integer, or have it do so no longer. */
  trap(on: boolean): void {
    const raw = this.#raw();
    this.#push ??= raw.lua_pushnumber;
    raw.lua_pushnumber = on ? trapping() : this.#push;
  }

  #raw(): RawVm {
    if (!this.#vm) throw new Error("there is no VM to look into");
    return this.#vm.raw as unknown as RawVm;
  }
}

/** What tests use of a VM that nobody else does. */
interface RawVm {
  readonly HEAPU8: Uint8Array;
  readonly __indirect_function_table: { readonly length: number };
  lua_pushnumber: unknown;
}

/** A WebAssembly function that traps: one instruction, `unreachable`. */
function trapping(): () => void {
  const code = "0061736d0100000001040160000003020100070501016600000a05010300000b";
  const module = new WebAssembly.Module(Buffer.from(code, "hex"));
  return new WebAssembly.Instance(module, {}).exports["f"] as () => void;
}
