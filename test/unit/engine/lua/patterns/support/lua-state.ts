import type { Ptr, RawLua } from "../../../../../../src/engine/lua/raw.ts";
import { instantiateLua } from "../../../../../../src/engine/lua/wasm.ts";

/** More of the C API, for tests. */
export interface FullModule extends RawLua {
  luaL_newstate(): Ptr;
  luaL_openlibs(L: Ptr): void;
  luaL_loadbufferx(L: Ptr, buffer: Ptr, size: number, name: Ptr, mode: Ptr): number;
}

/** A module of its own. */
export async function newModule(): Promise<FullModule> {
  return instantiateLua() as FullModule;
}

/** A Lua state with all libraries and what tests do with it. */
export class TestState {
  readonly module: FullModule;
  readonly L: Ptr;

  /** @param limit bytes that the state may take; without it, what the module can give */
  constructor(module: FullModule, limit?: number) {
    this.module = module;
    if (limit === undefined) {
      this.L = module.luaL_newstate();
    } else {
      let used = 0;
      const allocate = (_ud: number, pointer: number, old: number, size: number): number => {
        const before = pointer === 0 ? 0 : old;
        if (used - before + size > limit && size > before) return 0;
        used += size - before;
        if (size > 0) return module.realloc(pointer, size);
        module.free(pointer);
        return 0;
      };
      const allocator = module.addFunctions([allocate], "iiiii");
      this.L = module.lua_newstate(allocator, 0);
    }
    module.luaL_openlibs(this.L);
  }

  /** Loads a chunk and leaves it on the stack. */
  load(source: string, name = "chunk"): void {
    const text = this.allocate(Buffer.from(source, "latin1"));
    const title = this.allocate(Buffer.from(`=${name}\0`, "latin1"));
    const status = this.module.luaL_loadbufferx(this.L, text, source.length, title, 0);
    this.module.free(text);
    this.module.free(title);
    if (status !== 0) throw new Error(this.pop());
  }

  push(bytes: Uint8Array | string | number | undefined): void {
    if (bytes === undefined) this.module.lua_pushnil(this.L);
    else if (typeof bytes === "number") this.module.lua_pushinteger(this.L, BigInt(bytes));
    else {
      const text = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
      const pointer = this.allocate(text);
      this.module.lua_pushlstring(this.L, pointer, text.length);
      this.module.free(pointer);
    }
  }

  /** Calls what is below the arguments; throws what Lua raises. */
  call(args: number, results: number): void {
    if (this.module.lua_pcallk(this.L, args, results, 0, 0, 0) !== 0) throw new Error(this.pop());
  }

  /** Runs a chunk with arguments, returns its first result as text. */
  run(source: string, ...args: (Uint8Array | string | number | undefined)[]): string {
    this.load(source);
    for (const arg of args) this.push(arg);
    this.call(args.length, 1);
    return this.pop();
  }

  pop(): string {
    const size = this.module.malloc(8);
    const pointer = this.module.lua_tolstring(this.L, -1, size);
    const length = this.module.HEAPU32[size >> 2]!;
    const text =
      pointer === 0
        ? ""
        : Buffer.from(this.module.HEAPU8.slice(pointer, pointer + length)).toString("latin1");
    this.module.free(size);
    this.module.lua_settop(this.L, -2);
    return text;
  }

  close(): void {
    this.module.lua_close(this.L);
  }

  allocate(bytes: Uint8Array): Ptr {
    const pointer = this.module.malloc(bytes.length + 1);
    this.module.HEAPU8.set(bytes, pointer);
    return pointer;
  }
}
