import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isPlainObject, isShaped, isText, OrcsError } from "../core/index.ts";
import type { Json, LocalStateStore, Logger } from "../core/index.ts";
import { fileState, type FileState } from "../engine/index.ts";
import { userStateDir } from "../machine/index.ts";
import { MACHINE_STATE, PROJECT_STATE } from "../config/index.ts";

// lua/policy/allow_once.lua reads and writes the same keys.

/** Number of refusals that a guard keeps. */
const REFUSALS = 64;
/** Refusals by a project's hooks are among the project's keys, and those by enforced ones among the machine's. */
const SPACES = ["", PROJECT_STATE, MACHINE_STATE];
const STATE_FILE = "state.jsonl";

/** A command line that a guard refused, and that a person may allow once. */
export interface RefusedLine {
  readonly code: string;
  /** Of the line, its folder and its session; its beginning is the code. */
  readonly digest: string;
  /** Whether it is allowed, and was not run yet. */
  readonly isAllowed: boolean;
  /** The line, with secrets masked; only its beginning if it is long. */
  readonly line: string;
  /** The folder in which it starts: an absolute path. */
  readonly cwd: string;
  /** The session of the coding agent. */
  readonly session: string;
  /** Why the guard refused it. */
  readonly reason: string;
  /** When it was refused, in seconds since 1970. */
  readonly at: number;
  /**
   * Allow it once, within this many milliseconds.
   * @throws OrcsError ORCS5002 when that cannot be stored, ORCS9322 when an enforced hook refused it
   */
  allow(this: void, forMs: number): void;
}

interface StoredLine extends RefusedLine {
  /** Counts the refusals of a store. */
  readonly number: number;
}

/** The refused lines that state files hold. */
export class RefusedLines {
  readonly #files: readonly FileState[];

  /** @param dirs directories of `orcs.state` */
  constructor(dirs: Iterable<string>, logger: Logger) {
    this.#files = [...new Set(dirs)].map((dir) => fileState(join(dir, STATE_FILE), logger));
  }

  /** The refused lines, the newest first; the same line in the same session once. */
  all(): RefusedLine[] {
    const found = new Map<string, RefusedLine>();
    const lines = this.#files.flatMap((file) =>
      SPACES.flatMap((space) =>
        refusalKeys(space).flatMap((key) => lineOf(file.get(key), file, space) ?? []),
      ),
    );
    const newest = (a: StoredLine, b: StoredLine): number => b.at - a.at || b.number - a.number;
    for (const { number: _, ...line } of lines.toSorted(newest)) {
      if (!found.has(line.digest)) found.set(line.digest, line);
    }
    return [...found.values()];
  }

  /** Nobody can allow a line any more, until it is refused again. @throws OrcsError ORCS5002 */
  forget({ digest }: RefusedLine): void {
    for (const file of this.#files) {
      for (const key of SPACES.flatMap(refusalKeys)) {
        const slot = file.get(key);
        if (isPlainObject(slot) && slot["digest"] === digest) file.delete(key);
      }
    }
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}

/** The directories of `orcs.state` of all configurations of this user. */
export function defaultStateDirs(): string[] {
  const dir = userStateDir();
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^[0-9a-f]{16}$/.test(entry.name))
      .map(({ name }) => join(dir, name));
  } catch {
    return [];
  }
}

function refusalKeys(space: string): string[] {
  return Array.from({ length: REFUSALS }, (_, at) => `${space}allow:refused:${at}`);
}

const isNumber = (value: unknown): boolean => typeof value === "number";
const texts = { code: isText, digest: isText, line: isText, cwd: isText, session: isText };
const OF_LINE = { ...texts, reason: isText, at: isNumber, number: isNumber };

/** Undefined for a value of another form: any hook can write the key. */
function lineOf(
  slot: Json | undefined,
  state: LocalStateStore,
  space: string,
): StoredLine | undefined {
  if (!isShaped(slot, OF_LINE)) return undefined;
  const { code, digest, line, cwd, session, reason, at, number } = slot as unknown as StoredLine;
  if (!digest.startsWith(code)) return undefined;
  const key = `${space}allow:given:${digest}`;
  const isAllowed = state.get(key) !== undefined;
  const allow = (forMs: number): void => {
    if (space === MACHINE_STATE) {
      const why = `the line ${code} was refused by a hook that this machine enforces: only its administrator can allow it`;
      throw new OrcsError("ORCS9322", why, { code });
    }
    // An older allowance must not make this one end earlier.
    state.delete(key);
    state.incr(key, 1, forMs);
  };
  return { digest, number, code, isAllowed, line, cwd, session, reason, at, allow };
}
