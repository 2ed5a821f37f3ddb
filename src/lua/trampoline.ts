const I32 = 0x7f;
/** Magic number and version 1. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Makes JavaScript functions into WebAssembly functions, so that they can stand in a function table. */
export class Trampolines {
  /** To compile one takes longer than the rest, and most functions have the same type. */
  readonly #modules = new Map<string, WebAssembly.Module>();

  /** @param signature result, then parameters: `v` (nothing) or `i` (32 bits) */
  to(fn: (...args: number[]) => number | void, signature: string): unknown {
    let module = this.#modules.get(signature);
    if (!module) {
      module = trampolineOf(signature);
      this.#modules.set(signature, module);
    }
    return new WebAssembly.Instance(module, { e: { f: fn } }).exports["f"];
  }
}

/** A module of a few bytes that imports a function and exports it again, with its type. */
function trampolineOf(signature: string): WebAssembly.Module {
  const results = signature.startsWith("v") ? [] : [I32];
  const parameters = Array.from(signature.slice(1), () => I32);
  const type = [0x60, parameters.length, ...parameters, results.length, ...results];
  const bytes = [
    ...HEADER,
    ...section(1, [1, ...type]),
    ...section(2, [1, 1, 0x65, 1, 0x66, 0x00, 0x00]), // import "e"."f": function of type 0
    ...section(7, [1, 1, 0x66, 0x00, 0x00]), // export "f": function 0
  ];
  return new WebAssembly.Module(Uint8Array.from(bytes));
}

function section(id: number, body: readonly number[]): number[] {
  return [id, body.length, ...body];
}
