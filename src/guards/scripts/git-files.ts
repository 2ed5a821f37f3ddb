import { type FileReader, getOwn } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";
import type { FileRun, Piece } from "./piece.ts";
import { above } from "./piece.ts";

/** The hooks that a subcommand runs. */
const HOOKS: Readonly<Record<string, string>> = {
  commit: "pre-commit prepare-commit-msg commit-msg post-commit",
  merge: "pre-merge-commit commit-msg post-merge",
  pull: "post-merge post-checkout",
  push: "pre-push",
  checkout: "post-checkout",
  switch: "post-checkout",
  clone: "",
  rebase: "pre-rebase post-checkout post-rewrite",
  am: "applypatch-msg pre-applypatch post-applypatch",
  "cherry-pick": "prepare-commit-msg commit-msg post-commit",
  revert: "prepare-commit-msg commit-msg post-commit",
  worktree: "post-checkout",
  stash: "",
};
/** The folders above that are searched for a repository. */
const MOST_FOLDERS = 31;

/** A setting in a file. */
interface Setting {
  readonly line: number;
  readonly value: string;
}

/** What a command of git runs: the hooks of its subcommand. */
export function gitHooks(
  subcommand: string,
  argv: readonly string[],
  cwd: string,
  files: FileReader,
): readonly FileRun[] {
  const hooks = getOwn(HOOKS, subcommand);
  if (hooks === undefined || hooks === "") return [];
  const skips = subcommand === "commit" ? /^(?:--no-verify$|-[a-z]*n)/ : /^--no-verify$/;
  if (argv.some((word) => skips.test(word))) return [];
  const repository = repositoryOf(cwd, files);
  if (repository === undefined) return [];
  const own = settingIn(`${repository}/.git/config`, "core", "hookspath", files);
  const folder = own ? resolvePath(repository, own.value) : `${repository}/.git/hooks`;
  return hooks.split(" ").flatMap((name) => {
    const path = `${folder}/${name}`;
    return typeof files.read(path) === "object"
      ? [{ path, format: "any" as const, program: "git", cwd: repository }]
      : [];
  });
}

/** The alias that a subcommand is, as a piece of the file that defines it. */
export function gitAlias(
  subcommand: string,
  rest: readonly string[],
  cwd: string,
  home: string | undefined,
  files: FileReader,
): { readonly file: string; readonly piece: Piece } | undefined {
  if (Object.hasOwn(HOOKS, subcommand) || !/^[\w-]+$/.test(subcommand)) return undefined;
  const repository = repositoryOf(cwd, files);
  const places = [
    ...(repository === undefined ? [] : [`${repository}/.git/config`]),
    ...(home === undefined ? [] : [`${home}/.gitconfig`, `${home}/.config/git/config`]),
  ];
  for (const place of places) {
    const found = settingIn(place, "alias", subcommand.toLowerCase(), files);
    if (!found) continue;
    const { line, value } = found;
    const text = value.startsWith("!") ? value.slice(1) : `git ${value} ${rest.join(" ")}`;
    return { file: place, piece: { line, text } };
  }
  return undefined;
}

function repositoryOf(cwd: string, files: FileReader): string | undefined {
  return above(cwd, MOST_FOLDERS).find((folder) => files.read(`${folder}/.git/HEAD`) !== undefined);
}

function settingIn(
  file: string,
  section: string,
  name: string,
  files: FileReader,
): Setting | undefined {
  const content = files.read(file);
  if (typeof content !== "object") return undefined;
  let current = "";
  let found: Setting | undefined;
  for (const [at, line] of content.text.split(/\r?\n/).entries()) {
    const head = /^\s*\[\s*([\w.-]+)\s*(?:"[^"]*")?\s*\]/.exec(line);
    if (head) current = (head[1] ?? "").toLowerCase();
    const set = current === section ? /^\s*([\w-]+)\s*=\s*(.*)$/.exec(line) : null;
    if (set?.[1]?.toLowerCase() !== name) continue;
    const value = (set[2] ?? "")
      .trim()
      .replace(/^"([^]*)"$/, "$1")
      .replaceAll(/\\(["\\])/g, "$1");
    found = { line: at + 1, value };
  }
  return found;
}
