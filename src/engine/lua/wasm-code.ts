// How a WebAssembly module is written, as bytes.
/** Bytes of a module; parts can be nested for readability. */
export type Code = readonly (number | Code)[];

/** Magic number and version 1. */
export const MODULE_HEADER: readonly number[] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

export const I32 = 0x7f;

/** Sections of a module, in order. */
export const SECTION = { types: 1, imports: 2, functions: 3, exports: 7, code: 10 } as const;
export const KIND = { function: 0, memory: 2, global: 3 } as const;

/** An unsigned LEB128 number. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return [...bytes, rest];
}

/** A name in a module. */
export function named(name: string): Code {
  const bytes = [...Buffer.from(name)];
  return [unsigned(bytes.length), bytes];
}

/** A section of a module. */
export function section(id: number, items: readonly Code[]): number[] {
  const content = flatten([unsigned(items.length), items]);
  return [id, ...unsigned(content.length), ...content];
}

/** Nested parts as bytes. */
export function flatten(code: Code): number[] {
  return (code as number[]).flat(Infinity as 1);
}
