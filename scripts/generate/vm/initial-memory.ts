import { unsigned } from "../../../src/engine/lua/wasm-code.ts";

const MODULE_PREAMBLE = 8;
const MEMORY_SECTION = 5;
/** A section with one memory that has a maximum; its minimum and maximum follow. */
const ONE_WITH_MOST = [1, 1] as const;

/**
 * The VM's module with another initial size, in pages of 64 KiB; it grows on demand. The build's own 256 pages are
 * mostly unused, but the garbage collector counts all of it, and runs a full collection for every fourth VM.
 * @throws Error when the module has no memory of its own
 */
export function withInitialMemory(module: Uint8Array, pages: number): Uint8Array {
  for (let at = MODULE_PREAMBLE; at < module.length;) {
    const id = module[at];
    const [size, begin] = number(module, at + 1);
    const [, most] = number(module, begin + ONE_WITH_MOST.length);
    if (id === MEMORY_SECTION && ONE_WITH_MOST.every((byte, i) => module[begin + i] === byte)) {
      const content = [
        ...ONE_WITH_MOST,
        ...unsigned(pages),
        ...module.subarray(most, begin + size),
      ];
      return Buffer.concat([
        module.subarray(0, at),
        Uint8Array.of(id, ...unsigned(content.length), ...content),
        module.subarray(begin + size),
      ]);
    }
    at = begin + size;
  }
  throw new Error("unexpected Lua build: the Lua layer was made for another one");
}

/** A LEB128 number, and its end. */
function number(bytes: Uint8Array, at: number): [value: number, end: number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value >>> 0, at];
  }
}
