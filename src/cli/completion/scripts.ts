import { singleQuoted } from "../../core/index.ts";

/** What a shell can complete after a command. */
export interface CompletedCommand {
  /** The words that lead to it: `["audit", "report"]`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** The words that its first argument can be; undefined if it may be any, or a file. */
  readonly words: readonly string[] | undefined;
}

/** An option that a shell can complete. */
export interface CompletedOption {
  /** With their dashes: `["-f", "--follow"]`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** The values that it can have; undefined if it may be any, or a file. */
  readonly words: readonly string[] | undefined;
}

/** The shells that `orcs completion` writes scripts for. */
export const SHELLS = { bash, zsh, fish } satisfies Readonly<
  Record<string, (commands: readonly CompletedCommand[]) => string>
>;

/** A shell that `orcs completion` knows. */
export type ShellName = keyof typeof SHELLS;

/** @param commands the verbs and their subcommands, each before those below it */
function bash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ path, options, words = [] }) => {
    const flags = options.flatMap((option) => option.flags).join(" ");
    const valued = options.filter(({ takesValue }) => takesValue);
    // Empty if it takes any file.
    const values = valued.map(({ flags: names, words: chosen = [] }) => {
      return `        ${names.join("|")}) values=${singleQuoted(chosen.join(" "))} ;;`;
    });
    return `    ${singleQuoted(path.join(" "))})
      flags=${singleQuoted(flags)} words=${singleQuoted(words.join(" "))}
      case $previous in
${[...values, "        *) return 1 ;;"].join("\n")}
      esac ;;`;
  });
  const verbs = topLevel(commands).map(nameOf).join(" ");
  const paths = commands.map(({ path }) => singleQuoted(path.join(" "))).join("|");
  return `# bash completion of orcs

_orcs_at() {
  case $1 in
${cases.join("\n")}
    *) return 1 ;;
  esac
}

_orcs() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} at="" word IFS=$'\n'
  local flags="" words="" values=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${paths}) at="\${at:+$at }$word" ;;
    esac
  done
  if [ -z "$at" ]; then
    words=${singleQuoted(`${verbs} help`)} flags='--help --version'
  elif _orcs_at "$at"; then
    words=$values flags=""
  fi
  case $current in
    -*) COMPREPLY=($(IFS=' '; compgen -W "$flags" -- "$current")) ;;
    *)
      if [ -n "$words" ]; then
        COMPREPLY=($(IFS=' '; compgen -W "$words" -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi ;;
  esac
}

complete -o filenames -F _orcs orcs
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const functionOf = ({ path }: CompletedCommand): string => ["_orcs", ...path].join("_");
  const functions = commands.map((command) => {
    const below = belowOf(command, commands);
    const options = command.options.map(zshOption);
    if (below.length > 0) return `${functionOf(command)}() {\n${zshChoice(below, options)}\n}`;
    const words = command.words;
    const rest = words ? `'*:value:(${words.join(" ")})'` : "'*:file:_files'";
    return `${functionOf(command)}() {\n  _arguments -s ${[...options, rest].join(" \\\n    ")}\n}`;
  });
  function zshChoice(below: readonly CompletedCommand[], options: readonly string[]): string {
    const described = below.map((each) => singleQuoted(`${nameOf(each)}:${each.description}`));
    const calls = below.map((each) => `      ${nameOf(each)}) ${functionOf(each)} ;;`);
    return `  local context state state_descr line
  typeset -A opt_args
  _arguments -C ${[...options, "'1: :->verb'", "'*:: :->rest'"].join(" ")}
  case $state in
    verb)
      local -a verbs=(
        ${described.join("\n        ")}
      )
      _describe verb verbs ;;
    rest)
      case $words[1] in
${calls.join("\n")}
      esac ;;
  esac`;
  }
  return `#compdef orcs

${functions.join("\n\n")}

_orcs() {
${zshChoice(topLevel(commands), ["'(-v --version)'{-v,--version}'[output the version number]'", "'(-h --help)'{-h,--help}'[display help]'"])}
}

# Sourced or autoloaded.
if [ "$funcstack[1]" = _orcs ]; then
  _orcs "$@"
else
  compdef _orcs orcs
fi
`;
}

/** An option as `_arguments` of zsh reads it. */
function zshOption(option: CompletedOption): string {
  const { flags, description, takesValue } = option;
  const told = `[${description.replaceAll(/[[\]\\:]/g, "\\$&")}]`;
  const values = option.words ? `(${option.words.join(" ")})` : "_files";
  const value = takesValue ? `:value:${values}` : "";
  if (flags.length === 1) return singleQuoted(`${flags[0]}${told}${value}`);
  return `${singleQuoted(`(${flags.join(" ")})`)}{${flags.join(",")}}${singleQuoted(`${told}${value}`)}`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = ["# fish completion of orcs", "complete -c orcs -f"];
  const verbs = topLevel(commands);
  const line = (when: string, ...rest: string[]): number =>
    lines.push(`complete -c orcs -n ${singleQuoted(when)} ${rest.join(" ")}`);
  for (const each of verbs) {
    line("__fish_use_subcommand", `-a ${nameOf(each)} -d ${singleQuoted(each.description)}`);
  }
  line("__fish_use_subcommand", `-s v -l version -d ${singleQuoted("output the version number")}`);
  for (const command of commands) {
    const { path, options, words } = command;
    const below = belowOf(command, commands);
    const inside = path.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
    const notBelow = below.map((each) => nameOf(each)).join(" ");
    if (below.length > 0) {
      const when = `${inside}; and not __fish_seen_subcommand_from ${notBelow}`;
      for (const each of below)
        line(when, `-a ${nameOf(each)} -d ${singleQuoted(each.description)}`);
    } else if (words) line(inside, `-a ${singleQuoted(words.join(" "))}`);
    else line(inside, "-F");
    for (const option of options) {
      const names = option.flags.map((flag) =>
        flag.replace(/^--/, "-l ").replace(/^-(?=\w$)/, "-s "),
      );
      const value = !option.takesValue
        ? ""
        : option.words
          ? ` -x -a ${singleQuoted(option.words.join(" "))}`
          : " -r -F";
      line(inside, `${names.join(" ")}${value} -d ${singleQuoted(option.description)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function nameOf({ path }: CompletedCommand): string {
  return path.at(-1) ?? "";
}

function topLevel(commands: readonly CompletedCommand[]): CompletedCommand[] {
  return commands.filter(({ path }) => path.length === 1);
}

function belowOf(
  { path }: CompletedCommand,
  commands: readonly CompletedCommand[],
): CompletedCommand[] {
  const above = path.join(" ");
  return commands.filter(
    (each) => each.path.slice(0, -1).join(" ") === above && each.path.length > 1,
  );
}
