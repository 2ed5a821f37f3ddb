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
  written: string,
  host: HostName,
  variables: Readonly<Record<string, string>>,
  place: CommandContext,
): TranslatedCommand {
  const isMoved = place.changes && place.runsIn !== undefined;
  const there = isMoved ? `cd ${quoteWord(place.runsIn)} && ${written.trim()}` : written.trim();
  const placed = isMoved ? there : relativeTo(inFolder(there, host, place), place);
  const set = Object.entries(variables).map(
    ([name, value]) => `export ${name}=${quoteWord(value)}; `,
  );
  const line = set.join("") + placed;
  const command = BASH_ONLY.test(written) ? `exec bash -c ${quoteWord(line)}` : line;
  return {
    command,
    original: set.join("") + there,
    env: variablesOf(written, [...HOSTS[host].commandVariables, ...Object.keys(variables)]),
  };
}

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
function inFolder(command: string, host: HostName, { runsIn, beside }: CommandContext): string {
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
  const variable = `\\$(?:\\{(?:${names.join("|")})\\}|(?:${names.join("|")}))`;
  const spelled = [
    `"${variable}/(${PLAIN})"`,
    `"${variable}"/(${PLAIN})`,
    `${variable}/(${PLAIN})`,
  ];
  const named = names.length === 0 ? [] : spelled;
  // Of the first word, the text says already that it is beside the configuration.
  const relative = `(?<=[\\s;&|(])((?:\\.{1,2}/)*[\\w@.-]+/${PLAIN}|\\.{1,2}/${PLAIN})(?=$|[\\s;&|)<>])`;
  const first = `(?<=^)((?!\\.{1,2}/)[\\w@.-]+/${PLAIN})(?=$|[\\s;&|)<>])`;
  return [...named, relative, first].reduce(
    (line, pattern) => line.replaceAll(new RegExp(pattern, "g"), moved),
    command,
  );
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Begins with a relative path, bare or quoted. */
const RELATIVE_PATH = /^(["']?)(?=\.\.?\/)/;

function relativeTo(command: string, { runsIn, beside }: CommandContext): string {
  if (runsIn === beside) return command;
  if (runsIn !== undefined) {
    const [word] = /^\.\.?\/[^\s;&|<>()$`"'\\]*/.exec(command) ?? [];
    if (word !== undefined) return quoteWord(join(runsIn, word)) + command.slice(word.length);
  }
  return command.replace(RELATIVE_PATH, (quote: string) =>
    quote === '"' ? '"$PWD/' : `"$PWD"/${quote}`,
  );
}

/** Variables that every shell or every hook has. */
const USUAL_VARIABLES = new Set(
  "PATH HOME LANG PWD OLDPWD IFS PPID OPTARG OPTIND REPLY RANDOM SECONDS LINENO UID EUID SHLVL HOSTNAME".split(
    " ",
  ),
);

/** The variables that a command reads and does not set itself. */
function variablesOf(command: string, known: readonly string[]): string[] {
  const read = [...command.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = ""]) => name);
  const isSet = (name: string): boolean =>
    new RegExp(`(?:^|[\\s;&|(])(?:${name}=|(?:for|read|local)\\s+(?:-\\w+\\s+)*${name}\\b)`).test(
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
