import type { Draft, Rule, Word } from "./draft.ts";
import type { Random } from "./random.ts";

/** A rule for the words of the command, as the program gets them. */
function vary(
  name: string,
  change: (argv: readonly string[], random: Random) => readonly string[] | undefined,
): Rule {
  return {
    name,
    kind: "vary",
    apply: (draft: Draft, random) => {
      if (draft.kind !== "words" || draft.before !== "") return undefined;
      if (draft.words.some(({ shown }) => shown !== undefined)) return undefined;
      const argv = change(
        draft.words.map(({ text }) => text),
        random,
      );
      return argv && { ...draft, words: argv.map((text): Word => ({ text })) };
    },
  };
}

/** A rule for another way to name the program. */
function program(name: string, path: (program: string) => string): Rule {
  return vary(name, ([first = "", ...rest]) =>
    first.includes("/") ? undefined : [path(first), ...rest],
  );
}

const PATHS: readonly Rule[] = [
  program("/usr/bin/", (name) => `/usr/bin/${name}`),
  program("/bin/", (name) => `/bin/${name}`),
  program("/usr/local/bin/", (name) => `/usr/local/bin/${name}`),
  program("//", (name) => `//usr//bin//${name}`),
  program("/./", (name) => `/usr/./bin/./${name}`),
  program("/../", (name) => `/usr/lib/../bin/${name}`),
];

/** Words that are added to those of the command. Most commands take them. */
const ADDED: readonly Rule[] = [
  vary("another operand", (argv) => [...argv, "other"]),
  vary("two operands", (argv) => [...argv, "origin", "main"]),
  vary("an operand in front of the flags", (argv) => beforeFlags(argv, ["origin"])),
  vary("a short flag behind", (argv) => [...argv, "-v"]),
  vary("a short flag in front of the flags", (argv) => beforeFlags(argv, ["-v"])),
  vary("a long flag behind", (argv) => [...argv, "--verbose"]),
  vary("a long flag with a value", (argv) => [...argv, "--option=value"]),
  vary("-- behind", (argv) => [...argv, "--", "x"]),
  vary("an empty operand", (argv) => [...argv, ""]),
  vary("an operand with quotes", (argv) => [...argv, `it's "x" $y`]),
  vary("an operand with a line break", (argv) => [...argv, "a\nb"]),
  vary("an operand that is not ASCII", (argv) => [...argv, "zweig-ä-枝"]),
];

function beforeFlags(
  argv: readonly string[],
  added: readonly string[],
): readonly string[] | undefined {
  const at = argv.findIndex((word) => word.startsWith("-"));
  return at < 0 ? undefined : [...argv.slice(0, at), ...added, ...argv.slice(at)];
}

/** Other ways to write flags. */
const FLAGS: readonly Rule[] = [
  vary("a flag twice", (argv, random) => {
    const flags = argv.filter((word) => /^-\w|^--\w/.test(word));
    return flags.length === 0 ? undefined : [...argv, random.pick(flags)];
  }),
  vary("flags behind the operands", (argv) => {
    const [first = "", ...rest] = argv;
    const isFlag = (word: string): boolean => /^--?\w/.test(word);
    if (!rest.some(isFlag)) return undefined;
    return [first, ...rest.filter((word) => !isFlag(word)), "x", ...rest.filter(isFlag)];
  }),
  vary("letters apart", (argv) =>
    changed(argv, (word) =>
      /^-\w\w+$/.test(word) ? Array.from(word.slice(1), (letter) => `-${letter}`) : [word],
    ),
  ),
  vary("letters in another order", (argv) =>
    changed(argv, (word) =>
      /^-\w\w+$/.test(word) ? [`-${Array.from(word.slice(1)).toReversed().join("")}`] : [word],
    ),
  ),
  vary("a letter more", (argv) =>
    changed(argv, (word) => [/^-\w+$/.test(word) ? `-v${word.slice(1)}` : word]),
  ),
  vary("an abbreviated flag", (argv) =>
    // For Git, `--forc` is ambiguous: an error.
    changed(argv, (word) => [
      /^--\w[\w-]{3,}$/.test(word) && word !== "--force" ? word.slice(0, -1) : word,
    ]),
  ),
  vary("the letter of a long flag", (argv) =>
    changed(argv, (word) => [/^--\w[\w-]+$/.test(word) ? `-${word.charAt(2)}` : word]),
  ),
  vary("the capital of a long flag", (argv) =>
    changed(argv, (word) => [
      /^--\w[\w-]+$/.test(word) ? `-${word.charAt(2).toUpperCase()}` : word,
    ]),
  ),
  vary("a letter of a long flag among others", (argv) =>
    changed(argv, (word) => [/^--\w[\w-]+$/.test(word) ? `-v${word.charAt(2)}` : word]),
  ),
  vary("a long flag for a letter", (argv) => changed(argv, (word) => [LONG_OF[word] ?? word])),
];

/** Long flags of many programs. */
const LONG_OF: Readonly<Record<string, string>> = {
  "-f": "--force",
  "-r": "--recursive",
  "-R": "--recursive",
  "-a": "--all",
  "-d": "--delete",
  "-q": "--quiet",
};

function changed(
  argv: readonly string[],
  change: (word: string) => readonly string[],
): readonly string[] | undefined {
  // What stands before the first operand may be the program's own flags, which are others.
  const begin = 1 + argv.slice(1).findIndex((word) => !word.startsWith("-"));
  const to = [...argv.slice(0, begin), ...argv.slice(begin).flatMap(change)];
  return to.length === argv.length && to.every((word, at) => word === argv[at]) ? undefined : to;
}

function git(name: string, ...words: readonly string[]): Rule {
  return vary(name, ([first = "", ...rest]) =>
    first === "git" ? [first, ...words, ...rest] : undefined,
  );
}

/** Whether words can be an alias: it begins with the subcommand, and is split at blanks. */
function isPlainGit(program: string, words: readonly string[]): boolean {
  return (
    program === "git" &&
    words.every((word, at) => /^[\w./=+-]+$/.test(word) && (at > 0 || !word.startsWith("-")))
  );
}

/** Options of Git before its subcommand. */
const GIT: readonly Rule[] = [
  git("git -C", "-C", "."),
  git("git -c", "-c", "color.ui=never"),
  git("git --git-dir=", "--git-dir=.git"),
  git("git --git-dir", "--git-dir", ".git"),
  git("git --work-tree", "--work-tree", "."),
  git("git --no-pager", "--no-pager"),
  git("git -P", "-P"),
  git("git -p", "-p"),
  git("git --namespace", "--namespace", "x"),
  git("git --config-env", "--config-env", "a.b=HOME"),
  git("git --exec-path", "--exec-path=/usr/lib/git-core"),
  git("git --literal-pathspecs", "--literal-pathspecs", "--no-replace-objects"),
  git("git -C twice", "-C", ".", "-C", "."),
  vary("git +branch", (argv) =>
    argv[0] === "git" && argv.includes("push") && argv.some((word) => /^(?:-f|--force)$/.test(word))
      ? [...argv.filter((word) => !/^(?:-f|--force)$/.test(word)), "origin", "+main"]
      : undefined,
  ),
  vary("git alias", ([first = "", ...rest]) =>
    isPlainGit(first, rest) ? [first, "-c", `alias.zz=${rest.join(" ")}`, "zz"] : undefined,
  ),
  vary("git alias of the shell", ([first = "", ...rest]) =>
    isPlainGit(first, rest) ? [first, "-c", `alias.zz=!git ${rest.join(" ")}`, "zz"] : undefined,
  ),
];

/** Other words for the same command. A result that is not forbidden is not used. */
export const VARY_RULES: readonly Rule[] = [...PATHS, ...ADDED, ...FLAGS, ...GIT];
