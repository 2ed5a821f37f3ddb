/** The part of the built package's inside that is timed here: the Lua VM with and without our functions. */
export interface Raw {
  readonly HEAPU8: Uint8Array;
  malloc(size: number): number;
  free(pointer: number): void;
  luaL_newstate(): number;
  luaL_openlibs(L: number): void;
  luaL_loadbufferx(L: number, text: number, size: number, name: number, mode: number): number;
  lua_pushlstring(L: number, text: number, size: number): void;
  lua_pushvalue(L: number, index: number): void;
  lua_pcallk(
    L: number,
    args: number,
    results: number,
    handler: number,
    c: number,
    k: number,
  ): number;
}
interface Inside {
  readonly instantiateLua: () => Raw;
  readonly installPatterns: (raw: Raw, options: { check(): void }) => { mount(L: number): void };
}

/** A module of the built package that is not exported. */
export function inside(file: string): Promise<Inside> {
  return import(
    new URL(`../../build/engine/lua/${file}.js`, import.meta.url).href
  ) as Promise<Inside>;
}

/** The runtime's own queue, for a loop that is written by hand. */
export function insideRuntime(): Promise<{ readonly Mailbox: MailboxClass }> {
  const file = new URL("../../build/engine/runtime/channel-runner.js", import.meta.url);
  return import(file.href) as Promise<{ readonly Mailbox: MailboxClass }>;
}

type MailboxClass = new <T>(
  most: number,
  isWithdrawn: (item: T) => boolean,
) => { push(item: T): boolean; shift(): T | undefined };

/** A bare state with all libraries, nothing of ours. */
export function newState(raw: Raw): number {
  const L = raw.luaL_newstate();
  raw.luaL_openlibs(L);
  return L;
}

/** Lend bytes to the VM for the time of a call. */
export function withBytes(
  raw: Raw,
  text: string,
  use: (at: number, size: number) => unknown,
): void {
  const bytes = Buffer.from(`${text}\0`);
  const at = raw.malloc(bytes.length);
  raw.HEAPU8.set(bytes, at);
  use(at, bytes.length - 1);
  raw.free(at);
}
