import { join } from "node:path";
import type { HostName } from "../../core/hosts.ts";
import { HOSTS } from "../../protocols/hosts.ts";
import { quoteWord } from "../../core/shell-words.ts";

/** Where a command is looked for, there and here. */
export interface CommandContext {
  /** The directory that the host runs it in, absolute; undefined where that is the agent's own. */
  readonly runsIn: string | undefined;
  /** Whether the host changes into it although the agent works elsewhere. */
  readonly changes: boolean;
  /** The directory of the configuration, absolute. */
  readonly beside: string;
}

/** What a command needs of the environment besides what every hook has. */
export interface TranslatedCommand {
  readonly command: string;
  /** Names of variables. */
  readonly env: readonly string[];
}

/**
 * A command of a host's settings as one of a hook. Here `./check.sh` is beside the configuration, there it is in the
 * directory that the host runs it in; here only a few variables are handed on, and the shell is `sh`.
 * @param variables what the host's settings set for it
 */
export function translateCommand(
  written: string,
  host: HostName,
  variables: Readonly<Record<string, string>>,
  place: CommandContext,
): TranslatedCommand {
  const placed =
    place.changes && place.runsIn !== undefined
      ? `cd ${quoteWord(place.runsIn)} && ${written.trim()}`
      : relativeTo(written.trim(), place);
  const set = Object.entries(variables).map(
    ([name, value]) => `export ${name}=${quoteWord(value)}; `,
  );
  const line = set.join("") + placed;
  const command = BASH_ONLY.test(written) ? `exec bash -c ${quoteWord(line)}` : line;
  return {
    command,
    env: variablesOf(written, [...HOSTS[host].commandVariables, ...Object.keys(variables)]),
  };
}

/** What only bash understands, whose words hosts take. */
const BASH_ONLY =
  /\[\[|<<<|[<>]\(|&>|\$'|==|\bsource\s|\bpipefail\b|\bfunction\s|\{[\w-]+\.\.[\w-]+\}|\$\{!|\$\{\w+(?:[,^/@[]|:\d)|\bdeclare\s/;

/** Begins with a file beside, bare or in quotes. */
const RELATIVE_PATH = /^(["']?)(?=\.\.?\/)/;

function relativeTo(command: string, { runsIn, beside }: CommandContext): string {
  if (runsIn === beside) {
    // Further words are looked for in the directory of the call, which may be another.
    return /["'\\`]/.test(command)
      ? command
      : command.replaceAll(/(?<=[\s;&|(<>=])\.\/(?=\w)/g, '"$ORCS_CONFIG_DIR"/');
  }
  if (runsIn !== undefined) {
    const [word] = /^\.\.?\/[^\s;&|<>()$`"'\\]*/.exec(command) ?? [];
    if (word !== undefined) return quoteWord(join(runsIn, word)) + command.slice(word.length);
  }
  return command.replace(RELATIVE_PATH, (quote: string) =>
    quote === '"' ? '"$PWD/' : `"$PWD"/${quote}`,
  );
}

/** What a shell has by itself, or every hook is given. */
const USUAL_VARIABLES = new Set(
  "PATH HOME LANG PWD OLDPWD IFS PPID OPTARG OPTIND REPLY RANDOM SECONDS LINENO UID EUID SHLVL HOSTNAME".split(
    " ",
  ),
);

/** The variables that a command reads and does not set itself. */
function variablesOf(command: string, told: readonly string[]): string[] {
  const read = [...command.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = ""]) => name);
  const isSet = (name: string): boolean =>
    new RegExp(`(?:^|[\\s;&|(])(?:${name}=|(?:for|read|local)\\s+(?:-\\w+\\s+)*${name}\\b)`).test(
      command,
    );
  return [...new Set(read)].filter(
    (name) =>
      !USUAL_VARIABLES.has(name) &&
      !told.includes(name) &&
      !name.startsWith("BASH") &&
      !isSet(name),
  );
}
