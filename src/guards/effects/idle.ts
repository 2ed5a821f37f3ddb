import { wordSet } from "../../core/index.ts";
import type { ShellCommand } from "../../core/index.ts";

/** Functions that shells call themselves. */
const CALLED_BY_SHELLS = wordSet(`
  command_not_found_handle command_not_found_handler precmd preexec chpwd periodic zshexit zshaddhistory fish_prompt
  fish_greeting fish_command_not_found
`);
/** The name of each function that a text defines. */
const DEFINED =
  /(?<![^\s;&|(){}<>"'$`\\])([^\s;&|(){}<>"'$`\\]+)\s*\(\s*\)|(?<![A-Za-z\d])function\s+([^\s;&|(){}<>"'$`\\]+)/g;
/** What stands before the name of a command, and how much of it is looked at. */
const BEGINS = /(?:^|[;&|({\n!]\s*|(?<![A-Za-z\d])(?:time|then|do|else)\s+)$/;
const LOOKED_AT = 40;
/** A shell of its own has only the functions that are exported. */
const OWN_SHELL = /(?<![A-Za-z\d])[A-Za-z]*sh\s+-c\s+["']?$/;
const MOST = 40;

/**
 * Commands without what nothing runs: those in functions that the line defines and does not call have `idle`, if nothing
 * else may call them: no other mention of their names, no file that is sourced, no command that is unknown, and no
 * shell that calls functions of such a name itself.
 */
export function withIdle(commands: readonly ShellCommand[], line: string): readonly ShellCommand[] {
  const isUncalled = ({ via }: ShellCommand): boolean => via.includes("uncalled");
  if (!commands.some(isUncalled)) return commands;
  const mayCall = ({ program, opaque }: ShellCommand): boolean =>
    opaque || program === "source" || program === ".";
  const names = [...line.matchAll(DEFINED)].map(([, plain, named]) => plain ?? named ?? "");
  if (names.length > MOST || commands.some(mayCall)) return commands;
  const mayBeExported = mayExport(line);
  const stay = names.every(
    (name) =>
      !CALLED_BY_SHELLS.has(name) &&
      !/^TRAP[A-Z]/.test(name) &&
      isOnlyCalled(line, name, mayBeExported),
  );
  if (!stay) return commands;
  return commands.map((command) => (isUncalled(command) ? { ...command, idle: true } : command));
}

/** Whether each mention of a name is its definition, or a command: those the reader has followed. */
function isOnlyCalled(line: string, name: string, mayBeExported: boolean): boolean {
  let end = 0;
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, end)) {
    end = at + name.length;
    const before = line.slice(Math.max(0, at - LOOKED_AT), at);
    const behind = line.slice(end, end + LOOKED_AT);
    if (/\w$/.test(before) || /^\w/.test(behind)) continue;
    if (/^\s*\(\s*\)/.test(behind) || /(?<![A-Za-z\d])function\s+$/.test(before)) continue;
    if (!BEGINS.test(before) && (!OWN_SHELL.test(before) || mayBeExported)) return false;
  }
  return true;
}

function mayExport(line: string): boolean {
  const exports = /export|declare|typeset|(?<![A-Za-z\d])set\s/.test(line);
  return (
    (exports && /-[A-Za-z]*[fax]/.test(line)) ||
    /(?<![A-Za-z\d])[A-Za-z]*sh\s+-[A-Za-z]*a/.test(line)
  );
}
