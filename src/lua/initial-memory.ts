const HEADER = 8;
const MEMORY_SECTION = 5;
/** A section of one memory that has a most; then follow its least and its most. */
const ONE_WITH_MOST = [1, 1] as const;

/**
 * The VM's module, of which an instance begins with so many pages of 64 KiB, and grows when it needs more. The build
 * says 256: that is memory nobody touches, but the garbage collector counts all of it, and collects everything for
 * each fourth VM.
 * @throws Error when the module has no memory of its own
 */
export function withInitialMemory(module: Uint8Array, pages: number): Uint8Array {
  for (let at = HEADER; at < module.length;) {
    const id = module[at];
    const [size, begin] = number(module, at + 1);
    const [, most] = number(module, begin + ONE_WITH_MOST.length);
    if (id === MEMORY_SECTION && ONE_WITH_MOST.every((byte, i) => module[begin + i] === byte)) {
      const content = [...ONE_WITH_MOST, ...encoded(pages), ...module.subarray(most, begin + size)];
      return Buffer.concat([
        module.subarray(0, at),
        Uint8Array.of(id, ...encoded(content.length), ...content),
        module.subarray(begin + size),
      ]);
    }
    at = begin + size;
  }
  throw new Error("this build of Lua is not the one that the Lua layer is made for");
}

/** A number in seven bits a byte, and where it ends. */
function number(bytes: Uint8Array, at: number): [value: number, end: number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value >>> 0, at];
  }
}

function encoded(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encoded(value >>> 7)];
}
