import type { Code } from "../../../src/engine/lua/wasm-code.ts";
import {
  flatten,
  I32,
  KIND,
  MODULE_HEADER,
  named,
  section,
  SECTION,
  unsigned,
} from "../../../src/engine/lua/wasm-code.ts";

/** Value types by their letter in a signature. */
const TYPES: Readonly<Record<string, number>> = { i: 0x7f, l: 0x7e, d: 0x7c };
const NO_RESULT = 0x40;

/** A signed 32-bit LEB128 number. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value | 0; ; rest >>= 7) {
    const byte = rest & 0x7f;
    const isLast = rest >> 6 === 0 || rest >> 6 === -1;
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return bytes;
  }
}

/** The instructions that are used. Operands come first, as in the code. */
export const op = {
  i32: (value: number): Code => [0x41, signed(value)],
  get: (local: number): Code => [0x20, local],
  set: (local: number, value: Code): Code => [value, 0x21, local],
  tee: (local: number, value: Code): Code => [value, 0x22, local],
  global: (index: number): Code => [0x23, unsigned(index)],
  setGlobal: (index: number, value: Code): Code => [value, 0x24, unsigned(index)],
  load: (at: Code, offset = 0): Code => [at, 0x28, 2, unsigned(offset)],
  store: (at: Code, value: Code, offset = 0): Code => [at, value, 0x36, 2, unsigned(offset)],
  loadDouble: (at: Code, offset = 0): Code => [at, 0x2b, 3, unsigned(offset)],
  storeDouble: (at: Code, value: Code, offset = 0): Code => [at, value, 0x39, 3, unsigned(offset)],
  storeLong: (at: Code, value: Code, offset = 0): Code => [at, value, 0x37, 3, unsigned(offset)],
  /** For a double that is whole. */
  truncate: (value: Code): Code => [value, 0xb0],
  toLong: (value: Code): Code => [value, 0xac],
  isZero: (value: Code): Code => [value, 0x45],
  equal: (a: Code, b: Code): Code => [a, b, 0x46],
  less: (a: Code, b: Code): Code => [a, b, 0x48],
  greater: (a: Code, b: Code): Code => [a, b, 0x4a],
  above: (a: Code, b: Code): Code => [a, b, 0x4b],
  atLeast: (a: Code, b: Code): Code => [a, b, 0x4f],
  add: (a: Code, b: Code): Code => [a, b, 0x6a],
  subtract: (a: Code, b: Code): Code => [a, b, 0x6b],
  and: (a: Code, b: Code): Code => [a, b, 0x71],
  or: (a: Code, b: Code): Code => [a, b, 0x72],
  xor: (a: Code, b: Code): Code => [a, b, 0x73],
  shiftLeft: (a: Code, bits: number): Code => [a, 0x41, bits, 0x74],
  shiftRight: (a: Code, bits: number): Code => [a, 0x41, bits, 0x76],
  call: (index: number, ...operands: Code[]): Code => [operands, 0x10, unsigned(index)],
  /** The last operand is the place in the function table. */
  callIndirect: (type: number, ...operands: Code[]): Code => [operands, 0x11, type, 0],
  drop: (value: Code): Code => [value, 0x1a],
  return: (value: Code = []): Code => [value, 0x0f],
  when: (condition: Code, then: Code): Code => [condition, 0x04, NO_RESULT, then, 0x0b],
  choose: (condition: Code, then: Code, otherwise: Code): Code => [
    [condition, 0x04, I32, then],
    [0x05, otherwise, 0x0b],
  ],
  /** Repeats while the condition holds, which is tested before each iteration. */
  loop: (condition: Code, body: Code): Code => [
    [0x02, NO_RESULT, 0x03, NO_RESULT, condition, 0x45, 0x0d, 1],
    [body, 0x0c, 0, 0x0b, 0x0b],
  ],
} as const;

interface Signature {
  readonly result: string;
  readonly parameters: string;
}

/**
 * A module of a few functions. A signature is the result, then parameters: `v` (nothing), `i` (32 bits), `l` (64), `d`
 * (a double).
 */
export class WasmModule {
  readonly #types: string[] = [];
  readonly #imports: { module: string; name: string; type: number }[] = [];
  readonly #functions: { name: string; type: number; locals: number; code: Code }[] = [];
  readonly #indices = new Map<string, number>();

  /** Import a function. Call it before the first `define`: imports come first in the numbering. */
  takes(module: string, name: string, signature: string): void {
    this.#indices.set(name, this.#imports.length);
    this.#imports.push({ module, name, type: this.#type(signature) });
  }

  /** Define an exported function; `locals` are 32-bit. Its parameters are the first locals. */
  define(name: string, signature: string, locals: number, code: Code): void {
    this.#indices.set(name, this.#imports.length + this.#functions.length);
    this.#functions.push({ name, type: this.#type(signature), locals, code });
  }

  call(name: string, ...operands: Code[]): Code {
    const index = this.#indices.get(name);
    if (index === undefined) throw new Error(`there is no function ${name}`);
    return op.call(index, ...operands);
  }

  /** The module as bytes. It imports `env.memory`, and `env.block` as its global number 0. */
  bytes(): Uint8Array<ArrayBuffer> {
    const types = this.#types.map((signature) => {
      const { result, parameters } = parsed(signature);
      const of = (letters: string): number[] => Array.from(letters, (at) => TYPES[at] as number);
      return [0x60, unsigned(parameters.length), of(parameters), result.length, of(result)];
    });
    const imports: Code[] = this.#imports.map(({ module, name, type }) => [
      [named(module), named(name), KIND.function, unsigned(type)],
    ]);
    imports.push([[named("env"), named("memory"), KIND.memory, 0, 1]]);
    imports.push([[named("env"), named("block"), KIND.global, I32, 0]]);
    const code = this.#functions.map(({ locals, code: body }) => {
      const flat = flatten([[1, unsigned(locals), I32], body, 0x0b]);
      return [unsigned(flat.length), flat];
    });
    return Uint8Array.from([
      ...MODULE_HEADER,
      ...section(SECTION.types, types),
      ...section(SECTION.imports, imports),
      ...section(
        SECTION.functions,
        this.#functions.map(({ type }) => unsigned(type)),
      ),
      ...section(
        SECTION.exports,
        this.#functions.map(({ name }) => [
          named(name),
          KIND.function,
          unsigned(this.#indices.get(name) as number),
        ]),
      ),
      ...section(SECTION.code, code),
    ]);
  }

  #type(signature: string): number {
    const known = this.#types.indexOf(signature);
    return known < 0 ? this.#types.push(signature) - 1 : known;
  }
}

function parsed(signature: string): Signature {
  const result = signature.startsWith("v") ? "" : signature.slice(0, 1);
  return { result, parameters: signature.slice(1) };
}
