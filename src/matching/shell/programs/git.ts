import { quoteWords, wordSet, xargsWords } from "../../../core/index.ts";
import { programs } from "../../programs/dictionary.ts";
import { byName } from "../../programs/notation.ts";
import type { Frame, NestedShell } from "../frame.ts";
import { markOpaque, through } from "../frame.ts";
import type { Field } from "../words/expand-word.ts";
import { behind, known, scriptText, splitWords } from "../words/expand-word.ts";
import { knownText, UNKNOWN } from "../value.ts";
import type { Parted, PartedOption } from "./options.ts";
import { partOptions, partWords, valuesWithRole } from "./options.ts";

/** Settings whose value is a command. */
const COMMAND_SETTINGS =
  /^(?:core\.(?:editor|pager|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\..+|diff\.external|(?:diff|merge)tool\..+\.cmd|diff\..+\.(?:textconv|command)|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|interactive\.difffilter|gpg(?:\..+)?\.program|uploadpack\.packobjectshook|sendemail\..+cmd)$/i;

/** `git`: list what its settings, aliases and subcommands run. */
export function launchGit(entered: NestedShell): void {
  const { fields, frame, reading } = entered;
  const before = partWords("git", fields.slice(1));
  const inner = through(frame, "git", frame.scope.child());
  const aliases = new Map<string, Field>();
  const given = before.options.flatMap(({ name, value }) =>
    name === "-c" && value ? (settingOf(value) ?? []) : [],
  );
  for (const setting of [...settingsOfVariables(frame.scope), ...given]) {
    const alias = /^alias\.(.+)$/i.exec(setting.name)?.[1];
    if (alias !== undefined) aliases.set(alias.toLowerCase(), setting.value);
    else if (COMMAND_SETTINGS.test(setting.name)) reading.script(shellText(setting.value), inner);
  }
  const [subcommand, ...rest] = before.rest;
  for (const field of before.rest) {
    // The address of a repository whose transport is a command.
    if (/^ext::/i.test(field.text)) {
      // `% ` is a space within a word.
      const words = scriptText(field).replace(/^ext::/i, "");
      reading.script(words.replaceAll("% ", "\\ "), inner);
    }
  }
  // An unknown subcommand may be any of the aliases.
  if (subcommand && !subcommand.known) {
    for (const alias of aliases.values()) runAlias(alias, rest, entered, inner);
  }
  if (!subcommand?.known) return;
  const alias = aliases.get(subcommand.text.toLowerCase());
  if (alias) return runAlias(alias, rest, entered, inner);
  if (!COMMANDS.has(subcommand.text) && before.options.some(mayBeAlias)) markOpaque(entered.draft);
  for (const { script, words } of runsOf(subcommand.text, rest)) {
    if (words) entered.run(words, inner);
    else if (script) reading.script(shellText(script), inner);
  }
}

/** Whether an option is a setting whose name is unknown, and may be that of an alias. */
function mayBeAlias({ name, value }: PartedOption): boolean {
  if (name !== "-c" || value?.known !== false) return false;
  const [begin = ""] = scriptText(value).toLowerCase().split(UNKNOWN, 1);
  return "alias.".startsWith(begin) || /^alias\.[^=]*$/.test(begin);
}

/** Commands of Git, which are never aliases. */
const COMMANDS = wordSet(`
  add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout checkout-index
  cherry cherry-pick clean clone commit commit-tree config count-objects describe diff diff-files diff-index diff-tree
  difftool fast-export fast-import fetch fetch-pack filter-branch for-each-ref format-patch fsck gc grep hash-object
  help index-pack init interpret-trailers lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-file
  merge-tree mergetool mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase
  reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email shortlog show
  show-branch show-ref sparse-checkout stash status stripspace submodule svn switch symbolic-ref tag unpack-objects
  update-index update-ref var verify-commit verify-pack verify-tag version whatchanged worktree write-tree
`);

/** A setting of Git: its name and its value. */
interface Setting {
  readonly name: string;
  readonly value: Field;
}

/** Most settings that are read from variables. */
const MOST_SETTINGS = 64;

/** Settings in `GIT_CONFIG_COUNT`, with `GIT_CONFIG_KEY_0` and so on, and in `GIT_CONFIG_PARAMETERS`. */
function settingsOfVariables(scope: Frame["scope"]): readonly Setting[] {
  const valueOf = (name: string): string | undefined => knownText(scope.get(name));
  const found: Setting[] = [];
  for (let at = 0; at < MOST_SETTINGS; at++) {
    const name = valueOf(`GIT_CONFIG_KEY_${at}`);
    if (name === undefined) break;
    const value = valueOf(`GIT_CONFIG_VALUE_${at}`);
    found.push({ name, value: { text: value ?? "", known: value !== undefined } });
  }
  const words = xargsWords(valueOf("GIT_CONFIG_PARAMETERS") ?? "") ?? [];
  return [...found, ...words.flatMap((word) => settingOf(known(word)) ?? [])];
}

/** `name=value` */
function settingOf(field: Field): Setting | undefined {
  const equals = field.text.indexOf("=");
  return equals > 0
    ? { name: field.text.slice(0, equals), value: behind(field, equals + 1) }
    : undefined;
}

/** An alias is a shell script after `!`, otherwise words of Git. */
function runAlias(
  alias: Field,
  rest: readonly Field[],
  { reading, run }: NestedShell,
  frame: Frame,
): void {
  const after = rest.map(
    ({ text, known: isKnown }) => (isKnown ? "" : UNKNOWN) + quoteWords([text]),
  );
  const isScript = alias.text.startsWith("!");
  if (isScript || !alias.known) {
    if (!isScript) reading.script([scriptText(ofGit(alias)), ...after].join(" "), frame);
    // What is unknown at its beginning may be the `!`.
    if (!isScript && alias.marked?.startsWith(UNKNOWN) === false) return;
    return reading.script([shellText(alias), ...after].join(" "), frame);
  }
  const words = (xargsWords(alias.text) ?? splitWords(alias.text)).map(known);
  return run([known("git"), ...words, ...rest], frame);
}

/** The words of an alias, of which a part is unknown, as a script. */
function ofGit(alias: Field): Field {
  return { text: `git ${alias.text}`, known: false, marked: `git ${scriptText(alias)}` };
}

/** A helper may be a script after `!`. */
function shellText(field: Field): string {
  return scriptText(field).replace(/^!/, "");
}

/** What a subcommand runs: a script, or the words of a command. */
interface Run {
  readonly script?: Field;
  readonly words?: readonly Field[];
}

/** What a subcommand runs: what its row says of its options, which may also follow operands, and more. */
function runsOf(subcommand: string, rest: readonly Field[]): readonly Run[] {
  const row = programs().row(`git/${subcommand}`);
  const options = row?.runsOthers === true ? partOptions(rest, row, false) : undefined;
  const scripts = options ? valuesWithRole(options, "line").map((script) => ({ script })) : [];
  return [...scripts, ...(SUBCOMMANDS.get(subcommand)?.(rest, options) ?? [])];
}

type Subcommand = (rest: readonly Field[], options: Parted | undefined) => readonly Run[];

/** Subcommands that take commands in other ways. */
const SUBCOMMANDS = byName<Subcommand>({
  bisect: (rest) => (rest[0]?.text === "run" ? [{ words: rest.slice(1) }] : []),
  clone: (_, options) => cloned(options?.options ?? []),
  config: configured,
  "filter-branch": (rest) =>
    rest
      .filter((_, at) => /^--(?:.*-filter|setup)$/.test(rest[at - 1]?.text ?? ""))
      .map((script) => ({ script })),
  submodule: foreach,
});

/** `git clone -c core.sshCommand=…` */
function cloned(options: Parted["options"]): readonly Run[] {
  return options.flatMap(({ name, value }) => {
    const setting = name === "-c" && value ? settingOf(value) : undefined;
    return setting && COMMAND_SETTINGS.test(setting.name) ? [{ script: setting.value }] : [];
  });
}

/** `git submodule foreach`: a script, or a command by its words. */
function foreach(rest: readonly Field[]): readonly Run[] {
  const [name, ...words] = rest.filter(({ text }) => !/^--?(?:recursive|quiet|q)$/.test(text));
  if (name?.text !== "foreach" || !words[0]) return [];
  return words.length > 1 ? [{ words }] : [{ script: words[0] }];
}

/** `git config alias.x '!…'`: it runs with a later `git x`. */
function configured(rest: readonly Field[]): readonly Run[] {
  const words = rest.filter(({ text }) => !text.startsWith("-") && text !== "set");
  const [name, value] = words;
  if (!name || !value) return [];
  if (/^alias\./i.test(name.text)) {
    if (value.text.startsWith("!")) return [{ script: value }];
    if (!value.known) return [{ script: value }, { script: ofGit(value) }];
    return [{ words: [known("git"), ...splitWords(value.text).map(known)] }];
  }
  return COMMAND_SETTINGS.test(name.text) ? [{ script: value }] : [];
}
