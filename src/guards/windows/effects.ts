import type { ShellCommand } from "../../core/index.ts";
import type { Arguments, DescribedCommand, Part, Role } from "../../matching/index.ts";
import type { EffectCall } from "../effects/command-effects.ts";
import { posixPath, unknownWord } from "./names.ts";
import type { WindowsCommand } from "./reader.ts";

/** Roles of files, which may be names in other stores as well: `HKLM:\Software`. */
const OF_FILES: ReadonlySet<Role> = new Set(
  "reads packs writes edits removes moves into below makes attributes names list sends".split(" "),
) as ReadonlySet<Role>;
/** Those that change nothing. */
const LOOKS: ReadonlySet<Role> = new Set<Role>(["reads", "packs", "names", "list", "sends"]);
const REGISTRY = /^(?:hk[a-z]+:|registry::|microsoft\.powershell\.core\\registry::)/i;

/** With more patterns, all files of a folder are meant. */
const MAX_PATTERNS = 32;

/** The patterns that select among the files of a command. */
export function narrowing({ options }: Arguments): readonly string[] {
  return options.flatMap(({ row, value }) =>
    row?.meaning === "narrow" && value ? (value.known ? value.text : "*") : [],
  );
}

/** The glob of what has a name in a folder, or below it. */
export function below(folder: string, name: string, isRecursive: boolean): string {
  return `${folder.replace(/[\\/]+$/, "")}/${isRecursive ? "**/" : ""}${name}`;
}

/** The glob of what a listing of a path finds: a recursive one looks for a pattern in all folders. */
export function spread(path: string, isRecursive: boolean): string {
  const [, folder = "", name = ""] = /^(.*[\\/])?([^\\/]*)$/s.exec(path) ?? [];
  return /[*?[]/.test(name)
    ? below(folder === "" ? "." : folder, name, isRecursive)
    : below(path, "*", isRecursive);
}

/**
 * A command of PowerShell or cmd with the files that it names written as POSIX systems do, and with those that a pipe
 * hands over; without any if it only says what it would do.
 */
export function windowsDescribed(
  described: DescribedCommand,
  command: ShellCommand,
): DescribedCommand {
  const { args, row } = described;
  const { given = [], home }: Partial<WindowsCommand> = command;
  if (args.meanings.has("dry")) return { ...described, args: { ...args, parts: [] } };
  const [first] = row.shapes[0]?.operands ?? [];
  const isGiven = args.options.some(({ name }) => name === first?.option);
  const isRecursive = args.meanings.has("recursive");
  const piped: Part[] = [];
  if (first?.option !== undefined && !isGiven && args.operands.length === 0)
    for (const name of given) {
      const text = isRecursive ? name.replace(/\/\*$/, "") : name;
      piped.push({ text, at: -1, known: true, role: first.role, option: first.option });
    }
  const patterns = narrowing(args);
  const parts: Part[] = [];
  let isWhole = false;
  for (const part of [...piped, ...args.parts]) {
    const { role, text, known, option } = part;
    const path = posixPath(text, home);
    if (path === "/dev/null") continue;
    if (!OF_FILES.has(role)) parts.push(part);
    else if (!known || /^@\w+$/.test(text))
      // Words that a variable holds: `@parameters`.
      parts.push({ ...part, known: false, text: unknownWord(text) });
    else if (path === undefined) {
      if (REGISTRY.test(text) && !LOOKS.has(role)) parts.push({ ...part, role: "system" });
    } else {
      const isNarrow =
        patterns.length > 0 && patterns.length < MAX_PATTERNS && option === first?.option;
      for (const name of isNarrow ? patterns : [undefined]) {
        const all = name === undefined ? path : below(path, name, isRecursive);
        // Everything below a folder is as good as the folder.
        const whole = all.replace(/\/\*\*\/\*$/, "");
        isWhole ||= whole !== all;
        parts.push({ ...part, text: whole });
      }
    }
  }
  const meanings = isWhole ? new Set([...args.meanings, "recursive"]) : args.meanings;
  return { ...described, args: { ...args, meanings, parts } };
}

/** Rename-Item: the new name is in the folder of the old one. */
export function renameItem({ args: { parts }, found, byRole }: EffectCall): void {
  const names = parts.filter(({ option }) => option === "-newname");
  byRole(parts);
  for (const name of names) {
    for (const part of parts) {
      const { role, text, known } = part;
      if (role !== "moves" || !name.known) continue;
      const folder = text.slice(0, text.lastIndexOf("/") + 1);
      const from = found.pathOf(part);
      const written = { ...name, text: `${folder}${name.text}`, known };
      found.file("write", written, from === undefined ? {} : { from });
    }
  }
}

/** New-Item: a path, and perhaps a name in it. */
export function newItem({ args: { parts }, found, byRole }: EffectCall): void {
  const names = parts.filter(({ option }) => option === "-name");
  if (names.length === 0) return byRole(parts);
  const folders = parts.filter(({ role }) => role === "writes");
  for (const name of names) {
    const path = posixPath(name.text, undefined) ?? name.text;
    if (folders.length === 0) found.file("write", { ...name, text: path });
    for (const folder of folders)
      found.file("write", {
        ...folder,
        text: `${folder.text}/${path}`,
        known: folder.known && name.known,
      });
  }
}
