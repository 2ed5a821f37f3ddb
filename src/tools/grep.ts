import { stat } from "node:fs/promises";
import { join } from "node:path";
import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import type { Place } from "./sandbox.ts";
import type { ToolSurroundings } from "./surroundings.ts";
import { NotText, readTextFile } from "./text-file.ts";
import { mayGoOn, searchBudget, turnIsOver, walk } from "./walk.ts";
import type { SearchBudget } from "./walk.ts";

/** Characters of a line that are searched, and that are shown of one that matches. */
const MAX_LINE = 16_384;
const MAX_SHOWN = 1_000;
/** Lines between two looks at the clock. */
const LINES_PER_LOOK = 16;

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
}

/** `grep`: the matching lines of a file, or of the text files below a directory. */
export function grepTool({ sandbox, limits, compileRegex }: ToolSurroundings): BuiltinTool {
  return defineTool("grep", async ({ pattern, path }, call) => {
    const search: Search = {
      regex: compileRegex(pattern),
      budget: searchBudget(limits.searchMs, call.signal),
      limit: limits.matches,
      found: [],
    };
    const place = await sandbox.resolve(path);
    if ((await stat(place.path)).isDirectory()) {
      await searchBelow(search, place, limits.searchBytes);
    } else {
      const { content } = await readTextFile(place.path, limits.searchBytes);
      await searchText(search, content, place.shown);
    }
    const { found, budget } = search;
    return { ok: true, matches: found, ...(budget.truncated && { truncated: true }) };
  });
}

async function searchBelow(search: Search, place: Place, maxBytes: number): Promise<void> {
  for await (const name of walk(place.path, search.budget)) {
    if (!(await mayGoOn(search.budget))) return;
    const content = await textBelow(join(place.path, name), maxBytes, search.budget);
    if (content === undefined) continue;
    if (!(await searchText(search, content, join(place.shown, name)))) return;
  }
}

/** The text of a file that was come across; undefined for one that is binary or cannot be read. */
async function textBelow(
  path: string,
  maxBytes: number,
  budget: SearchBudget,
): Promise<string | undefined> {
  try {
    return (await readTextFile(path, maxBytes)).content;
  } catch (error) {
    if (!(error instanceof NotText)) budget.truncated = true;
    return undefined;
  }
}

/** Returns whether the search may go on. */
async function searchText(search: Search, content: string, path: string): Promise<boolean> {
  const { regex, budget, limit, found } = search;
  const lines = content.split(/\r?\n/);
  // What comes after the last line break is a line only if there is something.
  if (lines.at(-1) === "") lines.pop();
  for (const [index, text] of lines.entries()) {
    const over = index % LINES_PER_LOOK === 0 && turnIsOver(budget);
    if (over && !(await mayGoOn(budget))) return false;
    if (text.length > MAX_LINE) budget.truncated = true;
    if (!regex.test(text.slice(0, MAX_LINE))) continue;
    if (found.length >= limit) {
      budget.truncated = true;
      return false;
    }
    const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
    found.push({ path, line: index + 1, text: shown });
  }
  return true;
}
