import { globMatcher } from "../../matching/index.ts";
import { codeOf } from "../../core/index.ts";
import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ToolDeps } from "./builtin-tools.ts";
import { type BuiltinTool, defineTool, Refusal } from "./define-tool.ts";
import type { Place } from "./sandbox.ts";
import { decodeText, NotText, readBytes, readSmallFileNow } from "./text-file.ts";

/** `glob`: the files below a directory whose relative path matches. */
export function globTool({ sandbox, limits }: ToolDeps): BuiltinTool<"glob"> {
  return defineTool("glob", async ({ pattern, path = "." }, call) => {
    const matches = globMatcher(pattern);
    const base = (await sandbox.resolve(path)).path;
    if (!(await stat(base)).isDirectory()) throw new Refusal("it is not a directory");
    // Only files below the plain directories that a pattern begins with can match.
    const lead = isAbsolute(pattern) ? plainLead(pattern) : join(base, plainLead(pattern));
    const start = await sandbox.resolve(lead);
    const budget = searchBudget(limits.searchMs, call.signal);
    const seen = (name: string): string =>
      isAbsolute(pattern) ? resolve(lead, name) : relative(base, resolve(lead, name));
    const files = await collect(start, budget, limits.files, (name) => matches(seen(name)));
    return { ok: true, files, ...(budget.truncated && { truncated: true }) };
  });
}

/** The segments of a pattern before its first wildcard and before its last segment. */
function plainLead(pattern: string): string {
  const segments = pattern.split("/").slice(0, -1);
  const wild = segments.findIndex((segment) => /[*?[\]{}()!+@\\]/.test(segment));
  const plain = (wild === -1 ? segments : segments.slice(0, wild)).join("/");
  return isAbsolute(pattern) ? plain || "/" : plain;
}

async function collect(
  start: Place,
  budget: SearchBudget,
  limit: number,
  matches: (name: string) => boolean,
): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const name of walk(start.path, budget)) {
      if (!matches(name)) continue;
      if (files.length >= limit) {
        budget.truncated = true;
        break;
      }
      files.push(join(start.shown, name));
    }
  } catch (error) {
    // The plain directories that the pattern begins with do not exist: nothing matches.
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
  }
  return files.sort();
}

/** Maximum characters of a line that are searched, and of a matching line that are shown. */
const MAX_LINE = 16_384;
const MAX_SHOWN = 1_000;
/** Number of lines, and of their characters, between two checks of the clock. */
const LINES_PER_LOOK = 16;
const CHARS_PER_LOOK = 4_096;
/** Maximum time to read a file synchronously, in milliseconds, averaged over a search. */
const READ_MS = 0.5;
const LINE_FEED = 10;

/** One matching line. */
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
  /** Files seen so far, and the time that reading some of them has blocked the thread. */
  files: number;
  readMs: number;
}

/** `grep`: the matching lines of a file, or of the text files below a directory. */
export function grepTool({ sandbox, limits, compileRegex }: ToolDeps): BuiltinTool<"grep"> {
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

/** The text of a file in a search; undefined if it is binary or cannot be read. */
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

/** The bytes of a small file, read synchronously unless that has been slow: a slow disk must not block the thread. */
function smallFile(search: Search, path: string, maxBytes: number): Buffer | undefined {
  search.files++;
  if (search.readMs > search.files * READ_MS) return undefined;
  const started = performance.now();
  const small = readSmallFileNow(path, maxBytes);
  search.readMs += performance.now() - started;
  return small;
}

/**
 * A text in pieces of whole lines, each produced within one turn.
 * @throws NotText when any of it is not text
 */
async function textOf(chunks: readonly Buffer[], budget: SearchBudget): Promise<string[]> {
  const text: string[] = [];
  for (const piece of wholeLines(chunks)) {
    if (turnIsOver(budget)) await nextTurn(budget);
    text.push(decodeText(piece));
  }
  return text;
}

/** The same bytes, cut after line breaks, so that no character is cut. */
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
    // After the last line break, only a non-empty text is a line.
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

/** Directories with generated content. */
const PASSED_OVER: readonly string[] = [".git", "node_modules"];

/** Maximum time that a search blocks the thread before it yields, in milliseconds. */
const TURN_MS = 4;

/** The limits of a search, shared by all steps of one call. Times are on the clock of `performance.now()`. */
interface SearchBudget {
  readonly signal: AbortSignal | undefined;
  readonly deadline: number;
  turnEnds: number;
  /** Set when results are missing. */
  truncated: boolean;
}

/** A budget that starts now. */
function searchBudget(ms: number, signal: AbortSignal | undefined): SearchBudget {
  const now = performance.now();
  return { signal, deadline: now + ms, turnEnds: now + TURN_MS, truncated: false };
}

/** Whether it is time to call `mayGoOn`, for loops too tight to await at each step. */
function turnIsOver(budget: SearchBudget): boolean {
  return performance.now() >= budget.turnEnds;
}

/**
 * Whether the search may go on; yields the thread when its turn is over.
 * @throws Refusal when the call was cancelled
 */
async function mayGoOn(budget: SearchBudget): Promise<boolean> {
  if (turnIsOver(budget)) await nextTurn(budget);
  if (budget.signal?.aborted) throw new Refusal("the search was cancelled");
  if (performance.now() < budget.deadline) return true;
  budget.truncated = true;
  return false;
}

/** Yield the thread. */
async function nextTurn(budget: SearchBudget): Promise<void> {
  await setImmediate();
  budget.turnEnds = performance.now() + TURN_MS;
}

/**
 * The regular files below a directory, as relative paths sorted by name. Links are not followed. `.git`, `node_modules`
 * and unreadable entries are skipped.
 */
async function* walk(directory: string, budget: SearchBudget): AsyncGenerator<string> {
  const pending: string[] = [""];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (!(await mayGoOn(budget))) return;
    const entries = await entriesOf(join(directory, at), budget, at === "");
    for (const entry of entries) if (entry.isFile()) yield join(at, entry.name);
    const below = entries.filter((entry) => entry.isDirectory());
    // A stack: the last one pushed is read first.
    for (const entry of below.reverse()) {
      if (!PASSED_OVER.includes(entry.name)) pending.push(join(at, entry.name));
    }
  }
}

async function entriesOf(
  directory: string,
  budget: SearchBudget,
  required: boolean,
): Promise<Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (required) throw error;
    budget.truncated = true;
    return [];
  }
}
