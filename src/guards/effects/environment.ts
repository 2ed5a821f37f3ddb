import type { ShellReading } from "../../core/index.ts";
import type { EffectCall } from "./command-effects.ts";
import { isAnyLine } from "./searches.ts";

const FLAGS_OF_ALL: ReadonlySet<string> = new Set(["-p", "-x", "-px", "-xp", "-pv"]);
/** Options of ps whose value is the next word. */
const PS_VALUED = /^(?:-[A-Za-z]*[oOCpuUgGtqs]|--[a-z]+)$/;
const SHOWS: ReadonlySet<string> = new Set(["echo", "printf", "print"]);

/** The variables that a command shows, and its words as the row says. */
export function environment(call: EffectCall): void {
  const { command, args, reading, position, found, byRole } = call;
  byRole(args.parts);
  const { program, unknown } = command;
  // All words: without the program that env runs, it would print its variables.
  const { argv } = reading.commands[position] ?? command;
  if (args.meanings.has("prints"))
    for (const part of args.parts) if (part.role === "uses") found.file("read", part);
  if (SHOWS.has(program)) {
    for (const at of unknown)
      for (const [, name = ""] of (argv[at] ?? "").matchAll(/\$[{!]*(\w+)/g)) found.variable(name);
    return;
  }
  if (program === "printenv") {
    const names = argv.slice(1).filter((word) => !word.startsWith("-"));
    for (const name of names) found.variable(name);
    if (names.length > 0) return;
  }
  if (!showsAll(program, argv)) return;
  const shown = shownOf(reading, position);
  for (const name of shown) found.variable(name);
}

function showsAll(program: string, argv: readonly string[]): boolean {
  const [, first = ""] = argv;
  switch (program) {
    case "printenv":
      return true;
    case "set":
      return argv.length === 1;
    case "export":
    case "declare":
    case "typeset":
      return argv.length === 1 || (argv.length === 2 && FLAGS_OF_ALL.has(first));
    case "ps":
      return argv.some(
        (word, at) =>
          at > 0 &&
          !PS_VALUED.test(argv[at - 1] ?? "") &&
          /^[a-zA-Z]*e[a-zA-Z]*$|^-[A-Za-z]*E/.test(word),
      );
    case "env": {
      // With only assignments and options, env runs no command and prints the environment.
      if (argv.some((word) => word === "-" || word === "-i" || word === "--ignore-environment"))
        return false;
      let at = 1;
      while (at < argv.length && /^(?:-|\w+=)/.test(argv[at] ?? ""))
        at += argv[at] === "-u" || argv[at] === "-C" ? 2 : 1;
      return at >= argv.length;
    }
    case "dotenv":
    case "dotenv-cli":
    case "dotenvx":
    case "env-cmd":
    case "honcho":
    case "foreman":
      return /^(?:print)?env$/.test(argv.at(-1) ?? "");
    default:
      return false;
  }
}

/** What filters behind a command in its pipe leave of all variables: globs of their names. */
export function shownOf({ commands }: ShellReading, position: number): readonly string[] {
  const { program = "" } = commands[position] ?? {};
  for (const { program: filter, argv, from } of commands.slice(position + 1)) {
    const names = from.includes(program) ? filtered(filter, argv) : undefined;
    if (names) return names;
  }
  return ["*"];
}

/** The names that a filter of lines `NAME=VALUE` leaves; undefined if it is none. */
function filtered(program: string, argv: readonly string[]): readonly string[] | undefined {
  const text = argv.slice(1).join(" ");
  if (program === "wc") return [];
  if (program === "xargs") {
    const runs = argv
      .slice(1)
      .find((word, at) => !word.startsWith("-") && !/^-[nIPLdsaE]$/.test(argv[at] ?? ""));
    return runs !== undefined && runs !== "echo" && runs !== "printf" ? [] : undefined;
  }
  if (program === "cut") return /-f\s*1(?!\d)/.test(text) && text.includes("=") ? [] : undefined;
  if (program === "sed") return text.includes("=.*//") ? [] : undefined;
  if (program.endsWith("awk"))
    return text.includes("$1") && text.includes("=") && !/\$[02]/.test(text) ? [] : undefined;
  if (!/^(?:[efz]?grep|rg|ag|ack)$/.test(program)) return undefined;
  const patterns: string[] = [];
  let first: string | undefined;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (/^-[A-Za-z]*[qlLco]|^--(?:quiet|silent|count|only-matching|files-with)/.test(word))
      return [];
    if (/^-[A-Za-z]*v|^--invert-match$/.test(word)) return undefined;
    if (/^-[A-Za-z]*e$|^--regexp$/.test(word)) patterns.push(argv[++at] ?? "");
    else if (word.startsWith("--regexp=")) patterns.push(word.slice(9));
    else if (/^-[ABCmf]$/.test(word)) at++;
    else if (!word.startsWith("-")) first ??= word;
  }
  if (patterns.length === 0 && first !== undefined) patterns.push(first);
  if (patterns.length === 0 || patterns.some((pattern) => isAnyLine(pattern))) return undefined;
  return patterns.map((pattern) => `*${pattern}*`);
}
