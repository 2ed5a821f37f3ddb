import { statSync } from "node:fs";
import { join, posix } from "node:path";
import { quoteWord, type HostName } from "../../core/index.ts";
import { HOSTS } from "../../formats/index.ts";

/** The directories of a command, in the agent and here. */
export interface CommandContext {
  /** The directory in which the agent runs it, absolute; undefined for the agent's own working directory. */
  readonly runsIn: string | undefined;
  /** Whether the agent changes into it although it works elsewhere. */
  readonly changes: boolean;
  /** The directory of the configuration, absolute. */
  readonly beside: string;
  /** The plugin or extension whose hooks these are, absolute. */
  readonly plugin?: string | undefined;
}

/** A translated command and its environment. */
export interface TranslatedCommand {
  readonly command: string;
  /** As the agent runs it. */
  readonly original: string;
  /** Names of variables. */
  readonly env: readonly string[];
}

/**
 * Translate a command of an agent's settings into one of a hook. Here `./check.sh` is beside the configuration, there
 * it is in the directory in which the agent runs it. Here only a few variables are passed on, and the shell is `sh`.
 * @param variables set by the agent's settings
 */
export function translateCommand(
  given: string,
  host: HostName,
  variables: Readonly<Record<string, string>>,
  place: CommandContext,
): TranslatedCommand {
  const { plugin } = place;
  // Gemini CLI replaces `${/}` in the hooks of an extension.
  const plain = plugin === undefined ? given : given.replaceAll("${/}", "/");
  const { insertsProject: project = /(?!)/g } = HOSTS[host].importing;
  const written = /["'`]/.test(plain) ? plain : plain.replaceAll(project, '"$&"');
  const isMoved = place.changes && place.runsIn !== undefined;
  const there = isMoved ? `cd ${quoteWord(place.runsIn)} && ${written.trim()}` : written.trim();
  const roots = plugin === undefined ? [] : [...new Set(written.match(PLUGIN_ROOT))];
  const known = { ...Object.fromEntries(roots.map((name) => [name, plugin ?? ""])), ...variables };
  const set = Object.entries(known)
    .map(([name, value]) => `export ${name}=${quoteWord(value)}; `)
    .join("");
  const line = isMoved ? set + there : relativeTo(set, inFolder(there, set, host, place), place);
  const command = BASH_ONLY.test(written) ? `${IN_BASH}${quoteWord(line)}` : line;
  return {
    command,
    original:
      set + (isMoved ? there : plain.trim().replaceAll(project, () => quoteWord(place.beside))),
    env: variablesOf(written, [...HOSTS[host].commandVariables, ...Object.keys(known)]),
  };
}

/** Variables with the folder of a plugin, in agents that have plugins. */
const PLUGIN_ROOT = /(?<=\$\{?)(?:(?:[A-Z]+_)?PLUGIN_ROOT|extensionPath)\b/g;

/** How a command begins that bash runs. */
export const IN_BASH = "exec bash -c ";

/** Syntax of bash, which agents use as their shell. */
const BASH_ONLY =
  /\[\[|<<<|[<>]\(|&>|\$'|==|\bsource\s|\bpipefail\b|\bfunction\s|\{[\w-]+\.\.[\w-]+\}|\$\{!|\$\{\w+(?:[,^/@[]|:\d)|\bdeclare\s/;

const CODE = /\.(?:ba|z|fi)?sh$|\.(?:py|[cm]?[jt]s|rb|pl|php|lua)$/;
/** Characters of a path without anything that a shell reads. */
const PLAIN = "[\\w@%+=:,./-]+";

/**
 * The command with its own files where orcs finds, and seals, them: in the folder of the configuration. In the agent,
 * they are relative to the project, which may be another one than where a call works.
 */
function inFolder(
  command: string,
  set: string,
  host: HostName,
  { runsIn, beside, plugin }: CommandContext,
): string {
  if (runsIn !== beside) return command;
  const isOwn = (path: string): boolean => CODE.test(path) || isFile(join(beside, path));
  // Other words are resolved in the directory of the call, which may be another one.
  const isQuoted = /["'\\`]/.test(command);
  const moved = (whole: string, path: string): string => {
    const below = posix.normalize(path);
    if (!below.startsWith("..") && isOwn(below)) return `"$ORCS_DIR/${below}"`;
    return isQuoted || !/^\.\/\w/.test(whole) ? whole : `"$ORCS_CONFIG_DIR"/${below}`;
  };
  const names = HOSTS[host].commandVariables.filter((name) => name.endsWith("_PROJECT_DIR"));
  const projects = names.join("|");
  if (plugin === beside) names.push("\\w*PLUGIN_ROOT", "extensionPath");
  const variable = `\\$(?:\\{(?:${names.join("|")})\\}|(?:${names.join("|")}))`;
  const spelled = [
    `"${variable}/((?:${PLAIN}| )+)"`,
    `"${variable}"/(${PLAIN})`,
    `${variable}/(${PLAIN})`,
  ];
  const named = names.length === 0 ? [] : spelled;
  const relative = `(?<=[\\s;&|(])((?:\\.{1,2}/)*[\\w@.-]+/${PLAIN}|\\.{1,2}/${PLAIN})(?=$|[\\s;&|)<>])`;
  // Of the first word, the text says already that it is beside the configuration, unless variables precede it.
  const first = `(?<=^)(${set === "" ? "(?!\\.{1,2}/)" : ""}[\\w@.-]+/${PLAIN})(?=$|[\\s;&|)<>])`;
  // Elsewhere, a relative path is another one.
  const toProject = new RegExp(`\\bcd "?\\$\\{?(?:${projects})\\}?"? (?:&&|;)`, "g");
  const stays = /\b(?:cd|pushd)\s/.test(projects === "" ? command : command.replace(toProject, ""));
  return [...named, ...(stays ? [] : [relative, first])].reduce(
    (line, pattern) => line.replaceAll(new RegExp(pattern, "g"), moved),
    command,
  );
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Begins with a relative path, bare or quoted. */
const RELATIVE_PATH = /^(["']?)(?=\.\.?\/)/;

function relativeTo(set: string, command: string, { runsIn, beside }: CommandContext): string {
  if (runsIn === beside) return set + command;
  if (runsIn !== undefined) {
    const [word] = /^\.\.?\/[^\s;&|<>()$`"'\\]*/.exec(command) ?? [];
    if (word !== undefined) return set + quoteWord(join(runsIn, word)) + command.slice(word.length);
  }
  return (
    set +
    command.replace(RELATIVE_PATH, (quote: string) =>
      quote === '"' ? '"$PWD/' : `"$PWD"/${quote}`,
    )
  );
}

/** Variables that every shell or every hook has. */
const USUAL_VARIABLES = new Set(
  "PATH HOME LANG PWD OLDPWD IFS PPID OPTARG OPTIND REPLY RANDOM SECONDS LINENO UID EUID SHLVL HOSTNAME PIPESTATUS".split(
    " ",
  ),
);

/** The variables that a command reads and does not set itself. */
function variablesOf(command: string, known: readonly string[]): string[] {
  const read = [...command.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = ""]) => name);
  const isSet = (name: string): boolean =>
    new RegExp(`(?:^|[\\s;&|('"])(?:${name}=|(?:for|read|local)\\s+(?:-\\w+\\s+)*${name}\\b)`).test(
      command,
    );
  return [...new Set(read)].filter(
    (name) =>
      !USUAL_VARIABLES.has(name) &&
      !known.includes(name) &&
      !name.startsWith("BASH") &&
      !isSet(name),
  );
}
