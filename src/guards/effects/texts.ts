import type { Part } from "../programs/arguments.ts";
import { addLiterals } from "../languages/literals.ts";
import { readSed } from "../languages/sed.ts";
import type { EffectCall } from "./command-effects.ts";
import { guess } from "./guesses.ts";

/** sed: its files, and those of its script. In place, it shows nothing. */
export function sed({ described, found, byRole }: EffectCall): void {
  const { parts, meanings } = described.args;
  const script = codeOf(parts);
  // BSD's -i '' has the suffix for backup copies in a word of its own.
  const files = parts.filter(
    ({ role, text, option }) => option === undefined && role === "reads" && text !== "",
  );
  const isInPlace = meanings.has("inplace") && !script.includes("/dev/");
  const isWhole = meanings.has("silent") ? /^[\d,$]*p$/.test(script) : !script.includes("d");
  byRole(parts.filter(({ option, role }) => option !== undefined && role === "reads"));
  for (const file of files) {
    if (meanings.has("inplace")) found.file("write", file);
    found.file("read", file, {
      ...(isInPlace ? { shows: "nothing" } : !isWhole && { shows: "part" }),
    });
  }
  readSed(script, {
    reads: (text) => found.file("read", { text, at: -1, known: true }),
    writes: (text) => found.file("write", { text, at: -1, known: true }),
  });
}

function codeOf(parts: readonly Part[]): string {
  return parts
    .filter(({ role }) => role === "code")
    .map(({ text }) => text)
    .join("\n");
}

/** Programs of awk that show all lines. */
const SHOWS_ALL = /^\s*(?:[1-9]|\{\s*print[^}]*\})\s*$/;
/** Parts of such a program that read, write or run what a variable names. */
const USES_NAMES = /getline|ARGV|system|[|>@]/;

/** awk: its files, what its variables may name, and the files of its code. */
export function awk({ command, described, found, byRole }: EffectCall): void {
  const { parts, options } = described.args;
  const code = codeOf(parts);
  const unknown = new Set(command.unknown);
  const codeIsKnown = parts.every(({ role, known }) => role !== "code" || known);
  const isInFile = options.some(({ row }) => row?.meaning === "given" && row.role !== "code");
  const isPlain =
    code !== "" &&
    codeIsKnown &&
    !isInFile &&
    !USES_NAMES.test(code) &&
    !options.some(({ value }) => value && unknown.has(value.at));
  byRole(
    parts.filter(({ option, role }) => option !== undefined && role !== "code" && role !== "field"),
  );
  const given = parts.filter(
    ({ role, option }) => role === "field" || (option === undefined && role === "reads"),
  );
  for (const part of given) {
    const value = /^[A-Za-z_]\w*=(.*)$/s.exec(part.text)?.[1];
    if (value !== undefined) {
      if (!isPlain) guess({ ...part, text: value }, found);
    } else if (part.role === "reads")
      found.file("read", part, SHOWS_ALL.test(code) ? {} : { shows: "part" });
  }
  addLiterals(code, found);
}

/** jq and yq: the files behind the filter, and the environment if the filter returns it. */
export function jq({ command, described, found, byRole }: EffectCall): void {
  const { args, name } = described;
  const { options, meanings } = args;
  const taken = new Set<number>();
  for (const { row, value } of options) {
    if (!value || (row?.meaning !== "arg" && row?.meaning !== "file")) continue;
    taken.add(value.at + 1);
    const text = command.argv[value.at + 1];
    if (row.meaning === "file" && text !== undefined)
      found.file("read", {
        text,
        at: value.at + 1,
        known: !command.unknown.includes(value.at + 1),
      });
  }
  let operands = args.operands.filter(({ at }) => !taken.has(at));
  if (name === "yq" && /^(?:e|eval|ea|eval-all)$/.test(operands[0]?.text ?? ""))
    operands = operands.slice(1);
  const isFed = command.from.length > 0 || command.redirects.some(({ op }) => op.startsWith("<"));
  const hasFilter = !meanings.has("given") && !(name === "yq" && operands.length === 1 && !isFed);
  const filter = hasFilter ? operands[0] : undefined;
  if (filter && RETURNS_ENVIRONMENT.test(filter.text)) found.variable("*");
  const files = meanings.has("words") ? [] : operands.slice(hasFilter ? 1 : 0);
  byRole(args.parts.filter(({ option, role }) => option !== undefined && role === "reads"));
  for (const file of files) {
    if (meanings.has("inplace")) found.file("write", file);
    found.file("read", file);
  }
}

/** The environment as a value in a filter of jq: `env`, `$ENV`, but not `.env`, `env.PATH`, `{env: 1}`. */
const RETURNS_ENVIRONMENT = /(?:^|[^\w.$"'])env(?![\w.[:"'])|\$ENV(?![\w.[])/;

/** Programs that change files in place and show nothing. */
export function rewrite({ described, found, byRole }: EffectCall): void {
  const { parts } = described.args;
  byRole(parts.filter(({ role }) => role !== "edits"));
  for (const part of parts.filter(({ role }) => role === "edits")) {
    found.file("read", part);
    found.file("write", part);
  }
}
