import type { Part } from "../../matching/index.ts";
import { base } from "./copies.ts";
import type { EffectCall } from "./command-effects.ts";
import type { EffectDetails } from "./effect-list.ts";
import { wordAt } from "./effect-list.ts";
import { guess } from "./guesses.ts";

/** sed: its files; in place, it shows nothing. */
export function sed({ args, found, byRole, code }: EffectCall): void {
  const { parts, meanings, operands } = args;
  // BSD's -i '' has the suffix for backup copies in a word of its own.
  const isSplit = meanings.has("inplace") && operands[0]?.text === "" && !meanings.has("script");
  const script = isSplit ? (operands[1]?.text ?? "") : codeOf(parts);
  const isWhole = meanings.has("silent")
    ? /^[\d,$]*p$/.test(script)
    : !script.includes("d") && parts.every(({ role }) => role !== "script");
  byRole(parts.filter(({ option, role }) => option !== undefined && role !== "code"));
  const suffix = args.options.find(({ row }) => row?.meaning === "inplace")?.value?.text;
  if (isSplit) code("sed", script);
  const named = parts.filter(({ option, role }) => option === undefined && role !== "code");
  for (const file of isSplit ? operands.slice(2) : named) {
    if (meanings.has("inplace")) found.file("write", file);
    if (suffix) found.file("write", { ...file, text: backup(file.text, suffix) });
    const showsNothing = meanings.has("inplace") && !script.includes("/dev/");
    const shows: EffectDetails = isWhole ? {} : { shows: "part" };
    found.file("read", file, showsNothing ? { shows: "nothing" } : shows);
  }
}

/** The copy that `sed -i.bak` or `sed -i 'old/*'` keeps of a file. */
function backup(file: string, suffix: string): string {
  if (!suffix.includes("*")) return file + suffix;
  const name = suffix.replaceAll("*", base(file));
  return name.includes("/") ? name : file.slice(0, -base(file).length) + name;
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

/** perl and ruby: in place, code that only substitutes shows nothing. */
export function substitute({ args: { parts, options, meanings }, byRole }: EffectCall): void {
  const codes = options.filter(({ row }) => row?.meaning === "code");
  const isPlain =
    meanings.has("inplace") &&
    codes.every(({ value }) => {
      const text = value?.text ?? "";
      return (
        /^\s*s[^\w\s]/.test(text) &&
        !text.includes("STD") &&
        !/[^\w\s][a-z]*e[a-z]*\s*;?\s*$/.test(text)
      );
    });
  byRole(parts, isPlain ? { shows: "nothing" } : {});
}

/** awk: its files, and what its variables may name. */
export function awk({ args: { parts, options }, found, byRole }: EffectCall): void {
  const code = codeOf(parts);
  const loads = options.some(
    ({ name, row }) => row?.role === "script" || name === "-i" || name === "-l",
  );
  const isPlain =
    code !== "" &&
    !loads &&
    !USES_NAMES.test(code) &&
    !options.some(({ value }) => value && !value.known) &&
    parts.every(({ role, known }) => role !== "code" || known);
  const isInPlace = options.some(({ name, value }) => name === "-i" && value?.text === "inplace");
  byRole(parts.filter(({ option, text }) => option !== undefined && text !== "inplace"));
  const assigned = options.flatMap(({ row, value }) =>
    row?.meaning === "assign" && value ? [{ ...value, role: "text" as const }] : [],
  );
  for (const part of [...assigned, ...parts.filter(({ option }) => option === undefined)]) {
    const value = /^[A-Za-z_]\w*=(.*)$/s.exec(part.text)?.[1];
    if (value !== undefined && part.role !== "code") {
      if (!isPlain) guess({ ...part, text: value }, found);
    } else if (part.role === "reads") {
      found.file("read", part, SHOWS_ALL.test(code) ? {} : { shows: "part" });
      if (isInPlace) found.file("write", part);
    }
  }
}

/** jq and yq: the files behind the filter, and the environment if the filter returns it. */
export function jq({ command, described: { name }, args, found, byRole }: EffectCall): void {
  const { options, meanings } = args;
  const taken = new Set<number>();
  for (const { row, value } of options) {
    if (!value || (row?.meaning !== "arg" && row?.meaning !== "file")) continue;
    taken.add(value.at + 1);
    if (row.meaning === "file") found.file("read", wordAt(command, value.at + 1));
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
    found.file("read", file, { shows: "part" });
  }
}

/** The environment as a value in a filter of jq: `env`, `$ENV`, but not `.env`, `env.PATH`, `{env: 1}`. */
const RETURNS_ENVIRONMENT = /(?:^|[^\w.$"'])env(?![\w.[:"'])|\$ENV(?![\w.[])/;
