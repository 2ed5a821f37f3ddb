import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import { CallStack } from "./traceback.ts";

/** The lines of a file that have code, and those that ran. */
interface FileLines {
  /** Sorted. */
  readonly active: readonly number[];
  readonly ran: ReadonlySet<number>;
}

/** The `event` of a line hook. */
const LINE_EVENT = 2;

/** Records which lines of a VM's scripts run. The lines with code come from their bytecode. */
export class LineCoverage {
  readonly #files = new Map<string, { active: readonly number[]; ran: Set<number> }>();
  #calls: CallStack | undefined;

  /** By the name of the chunk; for scripts that is the file. */
  get files(): ReadonlyMap<string, FileLines> {
    return this.#files;
  }

  /** Forget which lines ran. */
  restart(): void {
    for (const { ran } of this.#files.values()) ran.clear();
  }

  /**
   * A chunk was compiled.
   * @param name in Lua's form: `@file`; others are not recorded
   */
  compiled(name: string, dump: () => Uint8Array): void {
    if (!name.startsWith("@") || this.#files.has(name.slice(1))) return;
    this.#files.set(name.slice(1), { active: activeLines(dump()), ran: new Set() });
  }

  /** Handle a hook event; returns whether it was a line event. */
  took(raw: RawLua, L: LuaThread, event: Ptr): boolean {
    if (raw.HEAP32[event >> 2] !== LINE_EVENT) return false;
    const { name, line } = (this.#calls ??= new CallStack(raw)).at(L, event);
    this.#files.get(name.slice(1))?.ran.add(line);
    return true;
  }
}

/** Opcode of the first instruction of a vararg function, which has no line of its own. */
const OP_VARARGPREP = 81;
/** Size of what precedes the main function: signature, version, format, data, sizes, an integer, a number. */
const HEADER_BYTES = 4 + 1 + 1 + 6 + 1 + 1 + 1 + 8 + 8;
/** A line difference that does not fit into a byte: the line is in a separate table. */
const ABSOLUTE_LINE = -128;

const CONSTANT = { integer: 0x03, float: 0x13, shortString: 0x04, longString: 0x14 } as const;

/** The lines with code, sorted, from the bytecode of a chunk (Lua 5.4) with debug information. */
function activeLines(bytecode: Uint8Array): number[] {
  const reader = new ChunkReader(bytecode);
  // The number of upvalues of the closure is between the header and the function.
  reader.skip(HEADER_BYTES + 1);
  const lines = new Set<number>();
  readFunction(reader, lines);
  return [...lines].sort((a, b) => a - b);
}

class ChunkReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  skip(count: number): void {
    this.#at += count;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  /** Seven bits per byte, the highest first; the last byte has its top bit set. */
  size(): number {
    for (let size = 0; ;) {
      const byte = this.byte();
      size = size * 128 + (byte & 0x7f);
      if (byte & 0x80 || this.#at >= this.#bytes.length) return size;
    }
  }

  /** The size of a string is its length plus one; zero means no string. */
  skipString(): void {
    const size = this.size();
    if (size > 0) this.skip(size - 1);
  }
}

function readFunction(reader: ChunkReader, lines: Set<number>): void {
  reader.skipString();
  const first = reader.size();
  // The last line; parameters, vararg flag, stack size.
  reader.size();
  reader.skip(3);
  const instructions = reader.size();
  let isVararg = false;
  for (let i = 0; i < instructions; i++) {
    const low = reader.byte();
    if (i === 0) isVararg = (low & 0x7f) === OP_VARARGPREP;
    reader.skip(3);
  }
  for (let left = reader.size(); left > 0; left--) skipConstant(reader);
  // Upvalues: in stack, index, kind.
  reader.skip(3 * reader.size());
  for (let left = reader.size(); left > 0; left--) readFunction(reader, lines);
  readLines(reader, first, isVararg, lines);
  for (let left = reader.size(); left > 0; left--) {
    // A local: name, start, end.
    reader.skipString();
    reader.size();
    reader.size();
  }
  for (let left = reader.size(); left > 0; left--) reader.skipString();
}

function skipConstant(reader: ChunkReader): void {
  const type = reader.byte();
  if (type === CONSTANT.integer || type === CONSTANT.float) reader.skip(8);
  else if (type === CONSTANT.shortString || type === CONSTANT.longString) reader.skipString();
}

function readLines(
  reader: ChunkReader,
  first: number,
  isVararg: boolean,
  lines: Set<number>,
): void {
  const steps = Array.from({ length: reader.size() }, () => (reader.byte() << 24) >> 24);
  const absolute = new Map<number, number>();
  for (let left = reader.size(); left > 0; left--) absolute.set(reader.size(), reader.size());
  let line = first;
  for (const [pc, step] of steps.entries()) {
    line = step === ABSOLUTE_LINE ? (absolute.get(pc) ?? line) : line + step;
    if (!(pc === 0 && isVararg)) lines.add(line);
  }
}
