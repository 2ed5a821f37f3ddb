import { stat } from "node:fs/promises";
import { join } from "node:path";
import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import type { Place } from "./sandbox.ts";
import type { ToolSurroundings } from "./surroundings.ts";
import { decodeText, NotText, readBytes, readSmallFileNow } from "./text-file.ts";
import { mayGoOn, nextTurn, searchBudget, turnIsOver, walk } from "./walk.ts";
import type { SearchBudget } from "./walk.ts";

/** Characters of a line that are searched, and that are shown of one that matches. */
const MAX_LINE = 16_384;
const MAX_SHOWN = 1_000;
/** Lines, and characters of these, between two looks at the clock. */
const LINES_PER_LOOK = 16;
const CHARS_PER_LOOK = 4_096;
/** How long to read a file at once may take, in milliseconds; on the average of a search. */
const READ_MS = 0.5;
const LINE_FEED = 10;

/** One line that matches. */
type Match = {
  path: string;
  /** From 1. */
  line: number;
  text: string;
};

/** A search under way. */
interface Search {
  readonly regex: { test(text: string): boolean };
  readonly budget: SearchBudget;
  readonly limit: number;
  readonly found: Match[];
  /** Files that were come across, and the time that reading some of them has held the thread. */
  files: number;
  readMs: number;
}

/** `grep`: the matching lines of a file, or of the text files below a directory. */
export function grepTool({ sandbox, limits, compileRegex }: ToolSurroundings): BuiltinTool<"grep"> {
  return defineTool("grep", async ({ pattern, path }, call) => {
    const search: Search = {
      regex: compileRegex(pattern),
      budget: searchBudget(limits.searchMs, call.signal),
      limit: limits.matches,
      found: [],
      files: 0,
      readMs: 0,
    };
    const place = await sandbox.resolve(path);
    if ((await stat(place.path)).isDirectory()) {
      await searchBelow(search, place, limits.searchBytes);
    } else {
      const text = await textOf(await readBytes(place.path, limits.searchBytes), search.budget);
      await searchText(search, text, place.shown);
    }
    const { found, budget } = search;
    return { ok: true, matches: found, ...(budget.truncated && { truncated: true }) };
  });
}

async function searchBelow(search: Search, place: Place, maxBytes: number): Promise<void> {
  for await (const name of walk(place.path, search.budget)) {
    if (!(await mayGoOn(search.budget))) return;
    const text = await textBelow(search, join(place.path, name), maxBytes);
    if (text === undefined) continue;
    if (!(await searchText(search, text, join(place.shown, name)))) return;
  }
}

/** The text of a file that was come across; undefined for one that is binary or cannot be read. */
async function textBelow(
  search: Search,
  path: string,
  maxBytes: number,
): Promise<readonly string[] | undefined> {
  const { budget } = search;
  try {
    const small = smallFile(search, path, maxBytes);
    if (small) return [decodeText(small)];
    return await textOf(await readBytes(path, maxBytes), budget);
  } catch (error) {
    if (!(error instanceof NotText)) budget.truncated = true;
    return undefined;
  }
}

/** The bytes of a small file, read at once, unless that has taken long: then the disk is not to hold the thread. */
function smallFile(search: Search, path: string, maxBytes: number): Buffer | undefined {
  search.files++;
  if (search.readMs > search.files * READ_MS) return undefined;
  const started = performance.now();
  const small = readSmallFileNow(path, maxBytes);
  search.readMs += performance.now() - started;
  return small;
}

/**
 * A text in pieces of whole lines, each made in no more than a turn.
 * @throws NotText when any of it is none
 */
async function textOf(chunks: readonly Buffer[], budget: SearchBudget): Promise<string[]> {
  const text: string[] = [];
  for (const piece of wholeLines(chunks)) {
    if (turnIsOver(budget)) await nextTurn(budget);
    text.push(decodeText(piece));
  }
  return text;
}

/** The same bytes, cut after line breaks: no character is cut there. */
function* wholeLines(chunks: readonly Buffer[]): Generator<Buffer> {
  let begun: Buffer[] = [];
  for (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    begun.push(chunk.subarray(0, end || chunk.length));
    if (end === 0) continue;
    yield Buffer.concat(begun);
    begun = [chunk.subarray(end)];
  }
  yield Buffer.concat(begun);
}

/** Returns whether the search may go on. */
async function searchText(
  search: Search,
  pieces: readonly string[],
  path: string,
): Promise<boolean> {
  const { regex, budget, limit, found } = search;
  let line = 0;
  let chars = 0;
  for (const piece of pieces) {
    // What comes after the last line break is a line only if there is something.
    for (let start = 0, next = 0; start < piece.length; start = next) {
      const feed = piece.indexOf("\n", start);
      next = feed === -1 ? piece.length : feed + 1;
      const end = feed === -1 ? next : feed - Number(feed > start && piece[feed - 1] === "\r");
      const isDue = line % LINES_PER_LOOK === 0 || chars > CHARS_PER_LOOK;
      if (isDue) {
        chars = 0;
        if (turnIsOver(budget) && !(await mayGoOn(budget))) return false;
      }
      line++;
      const length = end - start;
      chars += Math.min(length, MAX_LINE);
      if (length > MAX_LINE) budget.truncated = true;
      if (!regex.test(piece.slice(start, start + Math.min(length, MAX_LINE)))) continue;
      if (found.length >= limit) {
        budget.truncated = true;
        return false;
      }
      const shown = piece.slice(start, start + Math.min(length, MAX_SHOWN));
      found.push({ path, line, text: length > MAX_SHOWN ? `${shown}…` : shown });
    }
  }
  return true;
}
