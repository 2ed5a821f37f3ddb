import type { HostName } from "../../core/hosts.ts";
import { firstShellWord, shellWord } from "./shell-words.ts";

/** The command of an orcs entry, taken apart. */
export interface OrcsCommand {
  /** What starts orcs, as a shell reads it. */
  readonly program: string;
  /** File of the configuration; undefined when it is to be found. */
  readonly config: string | undefined;
}

/** The command of an entry. @param seconds after which the host goes on without an answer */
export function hookCommand(
  { program, config }: OrcsCommand,
  host: HostName,
  seconds: number,
): string {
  const named = config === undefined ? "" : ` --config ${shellWord(config)}`;
  return `${program} hook --host ${host} --timeout ${seconds}${named}`;
}

/**
 * Read the command of an entry; undefined when it is not one of orcs for this host.
 * @param programs what else starts orcs here, besides what is called so
 */
export function readOrcsCommand(
  command: string,
  host: HostName,
  programs: readonly string[],
): OrcsCommand | undefined {
  const [, program = "", rest = ""] = CALL.exec(command.trim()) ?? [];
  const [, asked] = /(?:^|\s)--host[\s=]+([\w-]+)(?:\s|$)/.exec(rest) ?? [];
  if (asked !== host || !isOrcs(program, programs)) return undefined;
  const [, config] = /(?:^|\s)--config[\s=]+(\S.*)/s.exec(rest) ?? [];
  return { program, config: config === undefined ? undefined : firstShellWord(config) };
}

const CALL = /^(\S.*?)\s+hook\s+(--.*)$/s;

/** `orcs`, a path that ends with it, and the scripts of a package of that name, quoted or not. */
const NAMED = /(?:^|[\s/\\'"])orcs(?:\.cmd|\.exe|\.cjs|[/\\]dist[/\\]cli[/\\]main\.js)?['"]?$/;

function isOrcs(program: string, programs: readonly string[]): boolean {
  return (
    NAMED.test(program) ||
    programs.some((known) => program === known || program.endsWith(` ${known}`))
  );
}
