/** What makes a line a header; the file's name is all that follows. */
const HEADER = /^[\s\u0085]*\*\*\*\s*(?:add file|delete file|update file|move to)\s*:/i;

/**
 * Every file that a patch adds, deletes, changes or moves to, in the order of the patch, each once, as the
 * patch writes it. Read more leniently than Codex does: a line that only looks like a header counts as well,
 * for a guard had better see one file too many.
 */
export function patchPaths(patch: string): string[] {
  const paths = patch.split("\n").map(pathOf);
  return [...new Set(paths.filter((path) => path !== undefined))];
}

function pathOf(line: string): string | undefined {
  const header = HEADER.exec(line)?.[0];
  return header === undefined ? undefined : trimmed(line.slice(header.length));
}

/** Without white space around as Codex trims it: U+0085 counts. No pattern, for names may be long. */
function trimmed(text: string): string {
  let name = text.trim();
  while (name.startsWith("\u0085") || name.endsWith("\u0085")) {
    name = name.slice(name.startsWith("\u0085") ? 1 : 0, name.endsWith("\u0085") ? -1 : undefined);
    name = name.trim();
  }
  return name;
}
