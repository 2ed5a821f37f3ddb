/** The part of the WebAssembly API that is used: TypeScript only declares it in the DOM library. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  interface Table {
    readonly length: number;
    grow(by: number): number;
    get(index: number): (...args: number[]) => unknown;
    set(index: number, fn: unknown): void;
  }
  type Imports = Record<string, Record<string, unknown>>;
  const RuntimeError: new (message?: string) => Error;
  const Module: new (bytes: Uint8Array) => Module;
  const Instance: new (module: Module, imports: Imports) => Instance;
  function compile(bytes: Uint8Array): Promise<Module>;
}
