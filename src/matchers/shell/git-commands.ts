import type { Entered } from "./entered.ts";
import type { Field } from "./field.ts";
import { known } from "./field.ts";
import { through } from "./frame.ts";
import type { Frame } from "./frame.ts";
import { optionValue, partOptions } from "./options.ts";
import type { OptionSpec } from "./options.ts";
import { splitWords } from "./split-fields.ts";

/** Options of Git itself, which stand before its subcommand and take a value. */
export const GIT_OPTIONS: OptionSpec = {
  short: "cC",
  long: ["git-dir", "work-tree", "namespace", "super-prefix", "config-env", "attr-source"],
};

/** Settings whose value is a command. */
const COMMAND_SETTINGS =
  /^(?:core\.(?:editor|pager|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\..+|diff\.external|(?:diff|merge)tool\..+\.cmd|diff\..+\.(?:textconv|command)|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|interactive\.difffilter|gpg(?:\..+)?\.program|uploadpack\.packobjectshook|sendemail\..+cmd)$/i;

/** `git`: what its settings, aliases and those subcommands run that run a command. */
export function launchGit(entered: Entered): void {
  const { fields, frame, reading } = entered;
  const before = partOptions(fields.slice(1), GIT_OPTIONS);
  const inner = through(frame, "git", frame.scope.layer());
  const aliases = new Map<string, Field>();
  for (const [option, value] of before.options) {
    const setting = option === "c" && value ? /^([^=]+)=([^]*)$/.exec(value.text) : null;
    if (!setting) continue;
    const [, name = "", text = ""] = setting;
    const alias = /^alias\.(.+)$/i.exec(name)?.[1];
    if (alias !== undefined) aliases.set(alias, { text, known: value?.known === true });
    else if (COMMAND_SETTINGS.test(name)) reading.script(shellText(text), inner);
  }
  const [subcommand, ...rest] = before.rest;
  if (!subcommand?.known) return;
  const alias = aliases.get(subcommand.text);
  if (alias) return runAlias(alias, rest, entered, inner);
  for (const script of SUBCOMMANDS.get(subcommand.text)?.(rest) ?? [])
    reading.script(script, inner);
}

/** An alias is a shell script behind `!`, else words of Git. */
function runAlias(
  alias: Field,
  rest: readonly Field[],
  { reading, run }: Entered,
  frame: Frame,
): void {
  const after = rest.map(({ text }) => text).join(" ");
  if (alias.text.startsWith("!")) return reading.script(`${alias.text.slice(1)} ${after}`, frame);
  const words = splitWords(alias.text).map((text) => ({ text, known: alias.known }));
  return run([known("git"), ...words, ...rest], frame);
}

/** A helper may be a script behind `!`. */
function shellText(text: string): string {
  return text.startsWith("!") ? text.slice(1) : text;
}

/** Scripts that a subcommand is given. */
const SUBCOMMANDS: ReadonlyMap<string, (rest: readonly Field[]) => readonly string[]> = new Map([
  ["rebase", (rest) => values(rest, ["x", "exec"])],
  ["bisect", (rest) => (rest[0]?.text === "run" ? [joined(rest.slice(1))] : [])],
  ["submodule", (rest) => foreach(rest)],
  [
    "filter-branch",
    (rest) =>
      rest
        .filter((_, at) => /^--.*-filter$/.test(rest[at - 1]?.text ?? ""))
        .map(({ text }) => text),
  ],
  ["difftool", (rest) => values(rest, ["x", "extcmd"])],
  ["config", (rest) => configured(rest)],
]);

function values(rest: readonly Field[], names: readonly string[]): readonly string[] {
  const spec = { short: names[0] ?? "", long: names.slice(1) };
  const scripts: string[] = [];
  let left = rest;
  // Options may stand behind operands.
  while (left.length > 0) {
    const parted = partOptions(left, spec);
    const script = optionValue(parted, ...names);
    if (script) scripts.push(script.text);
    left = parted.rest.slice(1);
  }
  return scripts;
}

function foreach(rest: readonly Field[]): readonly string[] {
  const words = rest.filter(({ text }) => !/^--?(?:recursive|quiet|q)$/.test(text));
  return words[0]?.text === "foreach" && words.length > 1 ? [joined(words.slice(1))] : [];
}

/** `git config alias.x '!…'`: it runs when somebody says `git x`. */
function configured(rest: readonly Field[]): readonly string[] {
  const words = rest.filter(({ text }) => !text.startsWith("-") && text !== "set");
  const [name, value] = words;
  if (!name || !value) return [];
  if (/^alias\./i.test(name.text))
    return [value.text.startsWith("!") ? value.text.slice(1) : `git ${value.text}`];
  return COMMAND_SETTINGS.test(name.text) ? [shellText(value.text)] : [];
}

function joined(words: readonly Field[]): string {
  return words.map(({ text }) => text).join(" ");
}
