import { CALL_UNITS, type CallCount, HOOK_COUNT } from "../../../src/engine/lua/raw.ts";
import { type Code, flatten, unsigned } from "../../../src/engine/lua/wasm-code.ts";
import { op, signed } from "./wasm-code.ts";

interface CountedFunction {
  /** Function index in this build. */
  readonly index: number;
  /** Size of its body in this build, in bytes. */
  readonly size: number;
  /** Whether it moves all stack values above the called one (its second parameter). */
  readonly shifts?: true;
}

/**
 * The interpreter loop, and the function it calls before each instruction of a thread with a hook. That function mostly
 * decrements a count and returns, and calling it takes longer than an instruction.
 */
const LOOP = { index: 575, size: 22_025, locals: 26, calls: 78 } as const;
/** Function index of `luaG_traceexec(L, pc)` in this build. */
const TRACE = 280;
/**
 * Functions with which the VM's C code can run as long as a script likes without executing an instruction, which is all
 * that Lua's count hook sees: `t()` with `__call = t` tries for minutes; `table.sort` calls a slow C function as its
 * comparator; one `table.unpack` reads a million fields through a chain of 2,000 `__index`.
 */
const COUNTED: Readonly<Record<string, CountedFunction>> = {
  /** One step of a `__call` chain. */
  luaD_tryfuncTM: { index: 290, size: 269, shifts: true },
  /** Any call of a C function. */
  precallC: { index: 292, size: 198 },
  /** C code reads a field that is not in its table. */
  luaV_finishget: { index: 570, size: 219 },
  /** C code writes a field that is not in its table. */
  luaV_finishset: { index: 571, size: 463 },
};

interface LoopingFunction extends CountedFunction {
  /** Number of its parameters and locals. */
  readonly locals: number;
  /** Offsets of its loops. */
  readonly loops: readonly number[];
  /** Its `lua_State`: the first parameter, or a field of it; without one, a caller with loops looks. */
  readonly state?: Code;
}

/**
 * Library functions whose loops take as long as a script likes: a single call can take years, as
 * `("a"):rep(200):find(".-.-.-.-b$")` does. The compiler reuses the parameter of some for other values, so it is copied
 * first.
 */
const LOOPING: readonly LoopingFunction[] = [
  // rep, concat, insert, unpack, remove, move and auxsort: L is the first parameter.
  { index: 502, size: 292, locals: 8, state: op.get(0), loops: [177] },
  { index: 536, size: 294, locals: 6, state: op.get(0), loops: [91] },
  { index: 538, size: 155, locals: 4, state: op.get(0), loops: [92] },
  { index: 540, size: 141, locals: 5, state: op.get(0), loops: [92] },
  { index: 541, size: 145, locals: 4, state: op.get(0), loops: [72] },
  { index: 542, size: 406, locals: 8, state: op.get(0), loops: [308, 356] },
  { index: 544, size: 687, locals: 12, state: op.get(0), loops: [14, 287, 305, 429] },
  // str_find_aux, gmatch_aux, str_gsub: L is the first parameter.
  {
    index: 492,
    size: 1277,
    locals: 11,
    state: op.get(0),
    loops: [168, 267, 515, 786, 1079, 1115, 1202],
  },
  { index: 495, size: 831, locals: 9, state: op.get(0), loops: [58, 307, 649] },
  { index: 496, size: 1297, locals: 18, state: op.get(0), loops: [207, 338, 619] },
  // do_match: L is a field of the first parameter.
  {
    index: 497,
    size: 2611,
    locals: 19,
    state: op.load(op.get(0), 12),
    loops: [46, 62, 344, 629, 1006, 1225, 1458, 1593, 1833, 1938, 2097, 2161, 2334, 2468],
  },
  // memchr and memcmp, which a search for plain text calls at every place.
  { index: 615, size: 225, locals: 5, loops: [37, 120, 188] },
  { index: 616, size: 129, locals: 5, loops: [24, 73] },
];

/** Units that an iteration of one of these loops costs. */
const LOOP_UNITS = 2;

const EXPORT_NAME: keyof CallCount = "units_left";
/** Number of imported functions; they come first in the numbering. */
const IMPORTED = 27;
/** Index of the type of a function that takes an address and returns nothing. */
const LOOK_TYPE = 6;
/** Offset in a `lua_State` of the stack top, and the size of a stack value as a power of two. */
const TOP = 12;
const LOG2_SLOT = 4;

const HEADER = 8;
const SECTION = { global: 6, exports: 7, code: 10 } as const;
const I32 = 0x7f;
const GLOBAL = 0x03;
const NO_RESULT = 0x40;
const OP = {
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  call: 0x10,
  callIndirect: 0x11,
  drop: 0x1a,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  load: 0x28,
  store: 0x36,
  const: 0x41,
  less: 0x48,
  greater: 0x4a,
  add: 0x6a,
  subtract: 0x6b,
  shiftRight: 0x76,
} as const;

/**
 * Add a count of C work on behalf of scripts to the VM's module. Each call of the functions above, and each iteration
 * of their loops, lowers the count and, while it is below zero, calls the function at `look` in the function table with
 * its `lua_State`. An exception there ends the state, as from the count hook.
 * This costs a few instructions per call. Lua's own call hook would call the host each time, and would miss the steps
 * between two calls.
 * @param lines whether line hooks are used as well, which must be called before the count is used up
 * @throws Error when it is not the build that the table above was made for
 */
export function countCalls(module: Uint8Array, look: number, lines: boolean): Uint8Array {
  const parts: Uint8Array[] = [module.subarray(0, HEADER)];
  const reader = new Reader(module, HEADER);
  let units = 0;
  while (reader.at < module.length) {
    const id = reader.byte();
    let content = reader.bytes(reader.number());
    if (id === SECTION.global) {
      units = new Reader(content, 0).number();
      content = withItem(content, [I32, 1, OP.const, 0, OP.end]);
    } else if (id === SECTION.exports) {
      const name = Buffer.from(EXPORT_NAME);
      content = withItem(content, [name.length, ...name, GLOBAL, ...unsigned(units)]);
    } else if (id === SECTION.code) content = withCounts(content, units, look, lines);
    parts.push(Uint8Array.of(id, ...unsigned(content.length)), content);
  }
  return Buffer.concat(parts);
}

/** A section with one more item. */
function withItem(content: Uint8Array, item: readonly number[]): Uint8Array {
  const reader = new Reader(content, 0);
  const count = unsigned(reader.number() + 1);
  return Buffer.concat([
    Uint8Array.from(count),
    content.subarray(reader.at),
    Uint8Array.from(item),
  ]);
}

/** The code section with the counting added at the start of the counted functions. */
function withCounts(content: Uint8Array, units: number, look: number, lines: boolean): Uint8Array {
  const all = [...Object.values(COUNTED), ...LOOPING];
  const wanted = new Map<number, CountedFunction | LoopingFunction>(
    all.map((counted) => [counted.index, counted]),
  );
  const parts: Uint8Array[] = [];
  const reader = new Reader(content, 0);
  const bodies = reader.number();
  let copied = 0;
  for (let i = 0; i < bodies; i++) {
    const begin = reader.at;
    const body = reader.bytes(reader.number());
    const counted = wanted.get(i + IMPORTED);
    const isLoop = i + IMPORTED === LOOP.index;
    if (!counted && !isLoop) continue;
    if (body.length !== (counted ?? LOOP).size) break;
    let changed: Uint8Array;
    if (counted && "loops" in counted) {
      changed = withCountedLoops(body, counted, units, look);
      wanted.delete(counted.index);
    } else if (counted) {
      const first = firstInstruction(body);
      const code = Uint8Array.from(counting(units, look, counted.shifts === true));
      changed = Buffer.concat([body.subarray(0, first), code, body.subarray(first)]);
      wanted.delete(counted.index);
    } else changed = lines ? body : withInlineCount(body);
    const size = Uint8Array.from(unsigned(changed.length));
    parts.push(content.subarray(copied, begin), size, changed);
    copied = reader.at;
  }
  if (wanted.size > 0) throw otherBuild();
  return Buffer.concat([...parts, content.subarray(copied)]);
}

/**
 * The interpreter loop, changed to decrement the hook count itself and to call `luaG_traceexec` only for the
 * instruction before the hook. The instruction at which the hook is called stays the same.
 */
function withInlineCount(body: Uint8Array): Uint8Array {
  const pc = LOOP.locals;
  const left = LOOP.locals + 1;
  const call = Uint8Array.from([OP.call, ...unsigned(TRACE)]);
  const inline = Uint8Array.from(
    [
      [OP.localSet, pc, OP.drop],
      [OP.localGet, 0, OP.load, 2, HOOK_COUNT.left, OP.const, 1, OP.subtract, OP.localTee, left],
      [OP.const, 0, OP.greater, OP.if, I32],
      [OP.localGet, 0, OP.localGet, left, OP.store, 2, HOOK_COUNT.left, OP.const, 1],
      [OP.else, OP.localGet, 0, OP.localGet, pc, ...call],
      [OP.end],
    ].flat(),
  );
  const groups = body[0] as number;
  const first = firstInstruction(body);
  const parts = [Uint8Array.of(groups + 1), body.subarray(1, first), Uint8Array.of(2, I32)];
  let copied = first;
  let found = 0;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  for (let at = bytes.indexOf(call, first); at >= 0; at = bytes.indexOf(call, at + 1)) {
    parts.push(body.subarray(copied, at), inline);
    copied = at + call.length;
    found++;
  }
  if (found !== LOOP.calls) throw otherBuild();
  return Buffer.concat([...parts, body.subarray(copied)]);
}

/** A function that counts the iterations of its loops. */
function withCountedLoops(
  body: Uint8Array,
  { locals: L, loops, state }: LoopingFunction,
  units: number,
  look: number,
): Uint8Array {
  const first = firstInstruction(body);
  const parts = [
    Uint8Array.of((body[0] as number) + 1),
    body.subarray(1, first),
    Uint8Array.of(1, I32, ...(state ? flatten(op.set(L, state)) : [])),
  ];
  const lowered = lowering(units, LOOP_UNITS);
  const counted = Uint8Array.from(state ? [...lowered, ...looking(units, look, L)] : lowered);
  let copied = first;
  for (const at of loops) {
    if (body[at] !== OP.loop || body[at + 1] !== NO_RESULT) throw otherBuild();
    parts.push(body.subarray(copied, at + 2), counted);
    copied = at + 2;
  }
  return Buffer.concat([...parts, body.subarray(copied)]);
}

function otherBuild(): Error {
  return new Error("unexpected Lua build: the Lua layer was made for another one");
}

/** The offset of a body's code after its local variables. */
function firstInstruction(body: Uint8Array): number {
  const reader = new Reader(body, 0);
  for (let left = reader.number(); left > 0; left--) {
    reader.number();
    reader.byte();
  }
  return reader.at;
}

/** Lowers the units by a cost and, for a function that moves values, by their number; then looks. */
function counting(units: number, look: number, shifts: boolean): number[] {
  const width = [
    [OP.localGet, 0, OP.load, 2, TOP, OP.localGet, 1, OP.subtract],
    [OP.const, LOG2_SLOT, OP.shiftRight, OP.add],
  ].flat();
  return [...lowering(units, CALL_UNITS, shifts ? width : []), ...looking(units, look, 0)];
}

/** `units -= cost`. */
function lowering(units: number, cost: number, more: readonly number[] = []): number[] {
  const count = unsigned(units);
  const lower = [OP.const, ...signed(cost), ...more, OP.subtract];
  return [OP.globalGet, ...count, ...lower, OP.globalSet, ...count];
}

/** `if (units < 0) look(L)`: L is a parameter or a local. */
function looking(units: number, look: number, L: number): number[] {
  return [
    [OP.globalGet, ...unsigned(units), OP.const, 0, OP.less, OP.if, NO_RESULT],
    [OP.localGet, L, OP.const, ...signed(look), OP.callIndirect, LOOK_TYPE, 0],
    [OP.end],
  ].flat();
}

class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.#bytes[this.at++] ?? 0;
  }

  bytes(count: number): Uint8Array {
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
}
