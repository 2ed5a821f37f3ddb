import type { ShellCommand } from "orcs";
import { compileRuns, createShellReader } from "orcs/shell";

/**
 * Guards against `git push --force` with one weakness each: they stop what the reader of orcs finds, and everything
 * that it cannot read, except what they forget. The first kind forgets a program that starts others, the second a
 * spelling or a construct of the grammar, the third arguments; the fourth looks only at text.
 */
export interface PlantedGuard {
  readonly name: string;
  readonly stops: (line: string) => boolean;
}

const reader = createShellReader();
const isPush = compileRuns(["git push --force", "?"]);

const SCRIPT_FILE = /\.sh\b/;

function stopsExcept(forgets: (command: ShellCommand, line: string) => boolean) {
  return (line: string): boolean => {
    // What a script in a file does is not read.
    if (SCRIPT_FILE.test(line)) return true;
    const { commands, unread } = reader.read(line);
    const left = commands.filter((command) => !forgets(command, line));
    return isPush(left, left.length < commands.length ? undefined : unread);
  };
}

/** Forgets what these programs start. */
function starter(...names: readonly string[]): PlantedGuard {
  return {
    name: `forgets ${names.join(" and ")}`,
    stops: stopsExcept(({ via }) => names.every((name) => via.includes(name))),
  };
}

/** Forgets lines that a regular expression matches. */
function text(name: string, pattern: RegExp): PlantedGuard {
  return { name: `forgets ${name}`, stops: stopsExcept((_command, line) => pattern.test(line)) };
}

/** Forgets commands with these arguments. */
function words(name: string, forgets: (argv: readonly string[]) => boolean): PlantedGuard {
  return { name: `forgets ${name}`, stops: stopsExcept(({ argv }) => forgets(argv)) };
}

/** Stops only lines that match. */
function only(pattern: RegExp): PlantedGuard {
  return { name: `looks for ${pattern.source}`, stops: (line) => pattern.test(line) };
}

export const PLANTED: readonly PlantedGuard[] = [
  ...(
    "env nice nohup timeout setsid stdbuf flock ionice chrt taskset setarch time sudo doas fakeroot chronic unbuffer " +
    "xargs find eval sh bash dash command exec su script busybox function alias trap"
  )
    .split(" ")
    .map((name) => starter(name)),
  starter("$()"),
  starter("<()"),
  starter("sudo", "env"),
  starter("bash", "nice"),
  starter("eval", "bash"),
  starter("find", "sh"),
  text("single quotes inside a word", /\w'\w+'/),
  text("double quotes inside a word", /"\w+"\w/),
  text("empty quotes", /\w(?:''|"")\w/),
  text("backslashes", /\\p/),
  text("line continuations", /\\\n/),
  text("$'…'", /\$'/),
  text("$'…' with octal", /\$'\\1/),
  text("$'…' with \\u", /\\u00/),
  text('$"…"', /\$"\w/),
  text("variables", /\$[A-Za-z]/),
  text("${…}", /\$\{\w+\}/),
  text("${x:-…}", /:-/),
  text("${x:=…}", /:=/),
  text("${x:+…}", /:\+/),
  text("${x:n}", /\{\w:\d/),
  text("${x#…}", /\{H#/),
  text("${x%…}", /\{Q%/),
  text("${x/…}", /\{U\//),
  text("${x,,}", /,,\}/),
  text("${x@E}", /@E\}/),
  text("${!x}", /\{!/),
  text("arrays", /\[@\]/),
  text("associative arrays", /declare -A/),
  text("declare", /\bdeclare D/),
  text("export", /\bexport E/),
  text("read", /\bread -r /),
  text("printf -v", /printf -v/),
  text("mapfile", /\bmapfile/),
  text("IFS", /\bIFS=/),
  text("$IFS", /\$\{IFS\}/),
  text("set --", /\bset --/),
  text("$_", /\$_"/),
  text("$(echo)", /\$\(echo/),
  text("backquotes", /`/),
  text("$(rev)", /\$\(rev/),
  text("base64", /base64/),
  text("braces", /\{\w+,/),
  text("here-documents", /<<-?'?E/),
  text("here-strings", /<<</),
  text("pipes to bash", /\| bash$/),
  text("source", /\bsource /),
  text("loops", /\bfor i in/),
  text("case", /\bcase /),
  text("if", /\bif /),
  text("subshells", /^\(/),
  text("background", /& wait/),
  text("comments", /#/),
  text("redirections", />/),
  text("PS4", /PS4/),
  text("assignments in front", /^\w+=\S+ git/),
  words("git -C", (argv) => argv.includes("-C")),
  words("git -c", (argv) => argv.includes("-c")),
  words("--git-dir", (argv) => argv.some((word) => word.startsWith("--git-dir"))),
  words("paths", ([program = ""]) => program.includes("/")),
  words("-f", (argv) => argv.includes("-f")),
  words("letters together", (argv) => argv.includes("-vf")),
  words("abbreviations", (argv) => argv.includes("--forc")),
  words("+branch", (argv) => argv.includes("+main")),
  words("operands in front", (argv) => argv[2] === "origin"),
  words("many words", (argv) => argv.length > 6),
  only(/git push --force/),
  only(/git\s+push\b.*(?:--force|-f)\b/),
  only(/\bgit\b.*\bpush\b.*--force/s),
];
