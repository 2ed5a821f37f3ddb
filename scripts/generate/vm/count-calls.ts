import { CALL_UNITS, type CallCount, HOOK_COUNT } from "../../../src/engine/lua/raw.ts";
import { type Code, flatten, I32, unsigned } from "../../../src/engine/lua/wasm-code.ts";
import { op } from "./wasm-code.ts";

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
const GLOBAL = 0x03;
const END = 0x0b;
/** The beginning of a loop without a result. */
const LOOP_START = Uint8Array.of(0x03, 0x40);

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
      content = withItem(content, flatten([I32, 1, op.i32(0), END]));
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
      const moved = op.shiftRight(op.subtract(op.load(op.get(0), TOP), op.get(1)), LOG2_SLOT);
      const call = op.i32(CALL_UNITS);
      const cost = counted.shifts === true ? op.add(call, moved) : call;
      const code = flatten([lowering(units, cost), looking(units, look, 0)]);
      changed = Buffer.concat([body.subarray(0, first), Buffer.from(code), body.subarray(first)]);
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
  const call = Uint8Array.from(flatten(op.call(TRACE)));
  const oneLess = op.subtract(op.load(op.get(0), HOOK_COUNT.left), op.i32(1));
  const inline = Uint8Array.from(
    flatten([
      // The arguments of the call are on the stack.
      op.drop(op.set(pc, [])),
      op.choose(
        op.greater(op.tee(left, oneLess), op.i32(0)),
        [op.store(op.get(0), op.get(left), HOOK_COUNT.left), op.i32(1)],
        op.call(TRACE, op.get(0), op.get(pc)),
      ),
    ]),
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
  const looks = state ? looking(units, look, L) : [];
  const counted = Uint8Array.from(flatten([lowering(units, op.i32(LOOP_UNITS)), looks]));
  let copied = first;
  for (const at of loops) {
    if (LOOP_START.some((byte, i) => body[at + i] !== byte)) throw otherBuild();
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

/** `units -= cost`. */
function lowering(units: number, cost: Code): Code {
  return op.setGlobal(units, op.subtract(op.global(units), cost));
}

/** `if (units < 0) look(L)`: L is a parameter or a local. */
function looking(units: number, look: number, L: number): Code {
  const isUsedUp = op.less(op.global(units), op.i32(0));
  return op.when(isUsedUp, op.callIndirect(LOOK_TYPE, op.get(L), op.i32(look)));
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
