import type { ShellCommand } from "../../core/index.ts";
import type { Arguments, Part } from "../programs/arguments.ts";
import type { DescribedCommand } from "../programs/dictionary.ts";
import type { Role } from "../programs/notation.ts";
import type { EffectCall } from "../effects/command-effects.ts";
import { isDevice, posixPath, unknownWord } from "./paths.ts";
import type { WindowsCommand } from "./reader.ts";

/** Roles of files, which may be names in other stores as well: `HKLM:\Software`. */
const OF_FILES: ReadonlySet<Role> = new Set(
  "reads writes edits removes moves into below makes attributes names list sends".split(" "),
) as ReadonlySet<Role>;
/** Those that change nothing. */
const LOOKS: ReadonlySet<Role> = new Set<Role>(["reads", "names", "list", "sends"]);
const REGISTRY = /^(?:hk[a-z]+:|registry::|microsoft\.powershell\.core\\registry::)/i;

const ALL_BELOW = /\/\*\*\/\*$/;

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
 * A command of PowerShell or cmd with the files that it names written as POSIX systems do, and with those that a pipe hands
 * over; without any if it only says what it would do.
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
  const parts = [...piped, ...args.parts].flatMap((part): Part | Part[] => {
    if (!OF_FILES.has(part.role)) return part;
    if (isDevice(part.text)) return [];
    // Words that a variable holds: `@parameters`.
    if (!part.known || /^@\w+$/.test(part.text))
      return { ...part, known: false, text: unknownWord(part.text) };
    const text = posixPath(part.text, home);
    if (text === undefined) {
      const isKey = REGISTRY.test(part.text) && !LOOKS.has(part.role);
      return isKey ? { ...part, role: "system" } : [];
    }
    if (patterns.length === 0 || part.option !== first?.option) return { ...part, text };
    return patterns.map((name) => ({ ...part, text: below(text, name, isRecursive) }));
  });
  // Everything below a folder is as good as the folder.
  if (!parts.some(({ text }) => ALL_BELOW.test(text)))
    return { ...described, args: { ...args, parts } };
  const whole = parts.map((part) => ({ ...part, text: part.text.replace(ALL_BELOW, "") }));
  const meanings = new Set([...args.meanings, "recursive"]);
  return { ...described, args: { ...args, meanings, parts: whole } };
}

/** Rename-Item: the new name is in the folder of the old one. */
export function renameItem({ described, found, byRole }: EffectCall): void {
  const { parts } = described.args;
  const names = parts.filter(({ option }) => option === "-newname");
  byRole(parts);
  for (const name of names) {
    for (const { role, text, known } of parts) {
      if (role !== "moves" || !name.known) continue;
      const folder = text.slice(0, text.lastIndexOf("/") + 1);
      found.file("write", { ...name, text: `${folder}${name.text}`, known });
    }
  }
}

/** New-Item: a path, and perhaps a name in it. */
export function newItem({ described, found, byRole }: EffectCall): void {
  const { parts } = described.args;
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
