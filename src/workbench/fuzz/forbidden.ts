import { basename } from "node:path";
import { exactWords, OrcsError, quoteWords } from "../../core/index.ts";
import { compileRuns, createShellReader } from "../../matching/index.ts";
import type { Ran } from "./sandbox.ts";
import { IMITATED } from "./sandbox-root.ts";

/**
 * Whether a program was started that must never be started.
 * @param argv the name of the program, without its directory, and its arguments
 * @param env its environment
 */
export type NeverPredicate = (
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
) => boolean;

/** What must never run. */
export interface Forbidden {
  readonly matches: NeverPredicate;
  /** Commands that match, as words: the beginning of each spelling. */
  readonly commands: readonly (readonly string[])[];
  /** Whether the environment matters. */
  readonly usesEnvironment: boolean;
}

const MOST_KNOWN = 10_000;

/** As in `match.runs`: words of a command. @throws OrcsError ORCS1012 for an invalid pattern */
export function forbiddenPatterns(patterns: readonly string[]): Forbidden {
  const matcher = compileRuns(patterns);
  const reader = createShellReader();
  // The same words come again and again.
  const known = new Map<string, boolean>();
  const matches: NeverPredicate = (argv) => {
    const line = quoteWords(argv);
    let is = known.get(line);
    if (is === undefined) {
      is = matcher(reader.read(line).commands);
      if (known.size < MOST_KNOWN) known.set(line, is);
    }
    return is;
  };
  const commands = patterns.map((pattern) => {
    // `rm -r*` is also `rm -r`, and `git push *` is `git push`.
    const words = exactWords(pattern.replace(/\s+\*\s*$/, ""))?.map((word) =>
      word.replace(/\*$/, ""),
    );
    if (words && matches(words, {})) return words;
    const why = `${JSON.stringify(pattern)} does not name a command; --never needs one, for example "git push --force"`;
    throw new OrcsError("ORCS1012", why, { key: "runs", pattern });
  });
  return { matches, commands, usesEnvironment: false };
}

/** @throws OrcsError ORCS1004 when no command is given, or one does not match */
export function forbiddenPredicate(matches: NeverPredicate, lines: readonly string[]): Forbidden {
  if (lines.length === 0) {
    const why =
      "never is a function, so commands must have at least one command for which it returns true";
    throw new OrcsError("ORCS1004", why);
  }
  const commands = lines.map((line) => {
    const words = exactWords(line);
    if (words && matches(words, {})) return words;
    const why = words ? "never does not return true for it" : "it is not one simple command";
    throw new OrcsError("ORCS1004", `commands: ${JSON.stringify(line)}: ${why}`);
  });
  return { matches, commands, usesEnvironment: matches.length > 1 };
}

/**
 * Git's own options, which stand before its subcommand, and those of them with a value in the next word. `orcs/shell`
 * has them as well, to read lines with; what it does not know may still be one there, and here it is an error.
 */
const OF_GIT =
  /^(?:-[CcPpvh]|--(?:no-pager|paginate|bare|no-replace-objects|no-optional-locks|no-lazy-fetch|(?:literal|glob|noglob|icase)-pathspecs|version|help)|--(?:git-dir|work-tree|namespace|super-prefix|config-env|exec-path|attr-source|list-cmds)(?:=.*)?)$/s;
const WITH_VALUE =
  /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/;

/** A beginning of several flags of `git push`, its `--dry-run`, and `-h`, which shows its usage. */
const PUSHES_NOTHING = /^(?:--f(?:o(?:rc?)?)?|--dry-run|-[A-Za-np-z]*[nh][A-Za-z]*)$/;

/** Whether the program itself ends with an error or changes nothing: a stub in its place takes whatever it is given. */
function isIdle([program, ...args]: readonly string[]): boolean {
  if (program !== "git") return false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (!word.startsWith("-")) {
      const end = args.indexOf("--");
      const flags = end < 0 ? args : args.slice(0, end);
      return word === "push" && flags.some((each) => PUSHES_NOTHING.test(each));
    }
    if (!OF_GIT.test(word)) return true;
    if (WITH_VALUE.test(word)) at++;
  }
  return false;
}

/** Whether a program only starts another one, and is not what is forbidden itself. */
function isStarter(program: string, commands: Forbidden["commands"]): boolean {
  return (
    Object.hasOwn(IMITATED, program) && !commands.some(([name = ""]) => basename(name) === program)
  );
}

/** The last program that must not be started, which is what others start; undefined if there is none. */
export function forbiddenAmong(
  ran: readonly Ran[],
  { matches, commands }: Forbidden,
): readonly string[] | undefined {
  for (const { argv, env } of ran.toReversed()) {
    const [program = "", ...args] = argv;
    const words = [basename(program), ...args];
    // What it starts is recorded as well, and is what counts.
    if (isStarter(words[0] ?? "", commands)) continue;
    if (!isIdle(words) && matches(words, env)) return words;
  }
  return undefined;
}
