import type { Word } from "./arguments.ts";

/**
 * A program's name without its directory. Systems differ in whether its case counts, so it does not. Git's own programs
 * have another name: `git-push` is `git push`.
 */
export function programOf(path: string): {
  readonly name: string;
  /** The words that its name stands for besides. */
  readonly subcommand: readonly Word[];
} {
  const last = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const name = last.endsWith(".exe") ? last.slice(0, -".exe".length) : last;
  if (!name.startsWith("git-")) return { name, subcommand: [] };
  return { name: "git", subcommand: [{ text: name.slice("git-".length), open: false }] };
}
