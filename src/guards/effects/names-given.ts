import type { ShellReading } from "../../core/index.ts";
import type { Dictionary } from "../programs/dictionary.ts";

/** Programs that print the names of files, which xargs hands to another one. */
const LISTERS: ReadonlySet<string> = new Set("find fd fdfind ls echo printf".split(" "));

/**
 * The files that find, fd or ls gives the command at a position, as globs below the folders that they start in;
 * undefined if they are not known, or if it gets none.
 */
export function namesGiven(
  { commands }: ShellReading,
  position: number,
  dictionary: Dictionary,
): readonly string[] | undefined {
  const via = commands[position]?.via.at(-1);
  if (via === undefined) return undefined;
  let lister = commands.slice(0, position).findLast(({ program }) => program === via);
  if (via === "xargs" || via === "parallel")
    lister = commands.slice(0, position).findLast(({ program }) => LISTERS.has(program));
  if (!lister) return undefined;
  const { program, argv } = lister;
  if (program !== "find") return undefined;
  void dictionary;
  return sought(argv);
}

/** The globs that find looks for: each name in each of the folders that it starts in. */
function sought(argv: readonly string[]): readonly string[] | undefined {
  let at = 1;
  while (/^-(?:[HLP]|O\d)$/.test(argv[at] ?? "")) at++;
  const starts: string[] = [];
  for (; at < argv.length && !/^[-(!]/.test(argv[at] ?? ""); at++) starts.push(argv[at] ?? "");
  if (starts.length === 0) starts.push(".");
  const names: string[] = [];
  for (let i = at; i < argv.length; i++) {
    if (
      /^-(?:i?name|i?path|i?wholename)$/.test(argv[i] ?? "") &&
      !["-not", "!"].includes(argv[i - 1] ?? "")
    )
      names.push(argv[i + 1] ?? "");
  }
  if (names.length === 0) return undefined;
  return starts.flatMap((start) =>
    names.map((name) => (name.includes("/") ? name : `${start}/**/${name}`)),
  );
}
