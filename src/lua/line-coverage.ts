import { activeLines } from "./active-lines.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import { RunningLine } from "./running-line.ts";

/** Lines of one file: those with code, and which of them ran. */
export interface FileLines {
  /** In order. */
  readonly active: readonly number[];
  readonly ran: ReadonlySet<number>;
}

/** `event` of a hook that is called for a line. */
const LINE_EVENT = 2;

/** Which lines of the scripts of a VM run. The lines with code are those of their bytecode. */
export class LineCoverage {
  readonly #files = new Map<string, { active: readonly number[]; ran: Set<number> }>();
  #running: RunningLine | undefined;

  /** By name of the chunk, which for scripts is that of their file. */
  get files(): ReadonlyMap<string, FileLines> {
    return this.#files;
  }

  /**
   * A chunk was compiled.
   * @param name as Lua has it: `@file`; others are not followed
   */
  compiled(name: string, dump: () => Uint8Array): void {
    if (!name.startsWith("@") || this.#files.has(name.slice(1))) return;
    this.#files.set(name.slice(1), { active: activeLines(dump()), ran: new Set() });
  }

  /** Take the event of a hook that is one of a line; whether it was. */
  took(raw: RawLua, L: LuaThread, event: Ptr): boolean {
    if (raw.HEAP32[event >> 2] !== LINE_EVENT) return false;
    const { name, line } = (this.#running ??= new RunningLine(raw)).at(L, event);
    this.#files.get(name.slice(1))?.ran.add(line);
    return true;
  }
}
