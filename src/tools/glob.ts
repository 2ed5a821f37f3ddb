import { stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import { codeOf, Refusal } from "./refusal.ts";
import type { Place } from "./sandbox.ts";
import type { ToolSurroundings } from "./surroundings.ts";
import { searchBudget, walk } from "./walk.ts";
import type { SearchBudget } from "./walk.ts";

/** `glob`: the files below a directory whose path, as seen from there, matches. */
export function globTool({ sandbox, limits, compileGlob }: ToolSurroundings): BuiltinTool<"glob"> {
  return defineTool("glob", async ({ pattern, path = "." }, call) => {
    const matches = compileGlob(pattern);
    const base = (await sandbox.resolve(path)).path;
    if (!(await stat(base)).isDirectory()) throw new Refusal("it is not a directory");
    // Only below the plain directories that a pattern begins with can anything match.
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
    // The plain directories that the pattern begins with are not there: nothing matches.
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
  }
  return files.sort();
}
