const I32 = 0x7f;
/** Magic number and version 1. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/**
 * A JavaScript function as a WebAssembly function, so that it can stand in a function table: a module
 * of a few bytes that imports it and exports it again, with its type.
 *
 * @param signature result, then parameters: `v` (nothing) or `i` (32 bits)
 */
export function trampoline(fn: (...args: number[]) => number | void, signature: string): unknown {
  const results = signature.startsWith("v") ? [] : [I32];
  const parameters = Array.from(signature.slice(1), () => I32);
  const type = [0x60, parameters.length, ...parameters, results.length, ...results];
  const bytes = [
    ...HEADER,
    ...section(1, [1, ...type]),
    ...section(2, [1, 1, 0x65, 1, 0x66, 0x00, 0x00]), // import "e"."f": function of type 0
    ...section(7, [1, 1, 0x66, 0x00, 0x00]), // export "f": function 0
  ];
  const module = new WebAssembly.Module(Uint8Array.from(bytes));
  return new WebAssembly.Instance(module, { e: { f: fn } }).exports["f"];
}

function section(id: number, body: readonly number[]): number[] {
  return [id, body.length, ...body];
}
