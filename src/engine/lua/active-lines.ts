/** Opcode of the first instruction of a vararg function, which has no line of its own. */
const OP_VARARGPREP = 81;
/** Size of what precedes the main function: signature, version, format, data, sizes, an integer, a number. */
const HEADER_BYTES = 4 + 1 + 1 + 6 + 1 + 1 + 1 + 8 + 8;
/** A line difference that does not fit into a byte: the line is in a separate table. */
const ABSOLUTE_LINE = -128;

const CONSTANT = { integer: 0x03, float: 0x13, shortString: 0x04, longString: 0x14 } as const;

/** The lines with code, sorted, from the bytecode of a chunk (Lua 5.4) with debug information. */
export function activeLines(bytecode: Uint8Array): number[] {
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
