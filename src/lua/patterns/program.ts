import type { ByteSets } from "./byte-sets.ts";
import { parsePattern, type CaptureKind } from "./parse.ts";
import { ProgramWriter } from "./program-writer.ts";

/** A compiled pattern. */
export interface Program {
  /** The pattern's bytes, to recognise it by. */
  readonly source: Uint8Array;
  readonly anchored: boolean;
  /** Whether the pattern is plain text (Lua's `nospecials`). */
  readonly plain: boolean;
  readonly code: Int32Array;
  readonly sets: Uint8Array;
  readonly literals: Uint8Array;
  /** Offset in sets of the bytes a match can start with. */
  readonly first: number;
  readonly captures: readonly CaptureKind[];
  readonly mistake: string;
}

/** Bytes that make a pattern more than plain text. */
const SPECIALS: ReadonlySet<number> = new Set(Buffer.from("^$*+?.([%-"));

/**
 * Compiles a pattern.
 * @param source the bytes; kept, so they must be a copy
 * @param anchors whether a leading `^` is an anchor (everywhere but in gmatch)
 * @param sets where sets are made
 * @param tick called often, may throw
 */
export function compilePattern(
  source: Uint8Array,
  anchors: boolean,
  sets: ByteSets,
  tick: () => void,
): Program {
  const anchored = anchors && source[0] === 94;
  const { items, captures } = parsePattern(source, anchored ? 1 : 0, sets, tick);
  const writer = new ProgramWriter(items, sets);
  for (let index = items.length - 1; index >= 0; index--) {
    tick();
    writer.prepend(items[index]!, index);
  }
  return {
    source,
    anchored,
    plain: isPlain(source, 0, source.length, tick),
    captures,
    ...writer.finish(),
  };
}

/** Whether a pattern is plain text (Lua's `nospecials`). */
export function isPlain(memory: Uint8Array, from: number, to: number, tick: () => void): boolean {
  for (let at = from; at < to; at++) {
    if (SPECIALS.has(memory[at]!)) return false;
    if ((at & 15) === 0) tick();
  }
  return true;
}
