import type { Assignment, Command, CommandArgument, Redirection, Word } from "unbash";

/**
 * The parser ends a value before `<(…)`: it takes `A=<(x) cmd` for a command `<(x)`, whose words are the others, and
 * `env A=<(x)` for two words. Each is put in its place.
 */
export function withWholeValues(command: Command): Pick<Command, "name" | "prefix" | "suffix"> {
  const { name, prefix } = command;
  const suffix = withJoinedWords(command.suffix);
  const last = prefix.at(-1);
  if (!isSubstitution(name) || last?.type !== "Assignment" || last.end !== name.pos)
    return { name, prefix, suffix };
  const before = [...prefix.slice(0, -1), assignmentOf(last, last.name, name)];
  for (const [at, part] of suffix.entries()) {
    if (part.type !== "Word") before.push(part);
    else {
      const [, variable, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(part.text) ?? [];
      if (variable === undefined || value === undefined)
        return { name: part, prefix: before, suffix: suffix.slice(at + 1) };
      const { pos, end } = part;
      const word: Word = part.parts ? part : { type: "Word", text: value, value, pos, end };
      before.push(assignmentOf(part, variable, word));
    }
  }
  return { name: undefined, prefix: before, suffix: [] };
}

function assignmentOf(
  { text, pos, end }: Assignment | Word,
  name: string,
  value: Word,
): Assignment {
  return { type: "Assignment", text, pos, end, name, value, append: undefined, index: undefined };
}

function isSubstitution(part: CommandArgument | Redirection | undefined): part is Word {
  return part?.type === "Word" && /^[<>]\(/.test(part.text);
}

/** The words, with `NAME=` joined to the substitution behind it. */
function withJoinedWords(suffix: Command["suffix"]): Command["suffix"] {
  if (!suffix.some(isSubstitution)) return suffix;
  const words: (CommandArgument | Redirection)[] = [];
  for (const part of suffix) {
    const before = words.at(-1);
    if (!isSubstitution(part) || before?.end !== part.pos) words.push(part);
    else if (before.type === "Assignment")
      words.splice(-1, 1, assignmentOf(before, before.name, part));
    else if (before.type === "Word") words.splice(-1, 1, joined(before, part));
    else words.push(part);
  }
  return words;
}

function joined(before: Word, after: Word): Word {
  const { text, value, pos, end } = before;
  const parts = [
    ...(before.parts ?? [{ type: "Literal" as const, text, value, pos, end }]),
    ...(after.parts ?? []),
  ];
  return {
    type: "Word",
    text: text + after.text,
    value: value + after.value,
    pos,
    end: after.end,
    parts,
  };
}
