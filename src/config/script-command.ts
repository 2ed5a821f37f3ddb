import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { orUndefined } from "../core/index.ts";
import { isFileInside } from "../machine/index.ts";

/** The programs that run a script that does not run by itself. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  py: "python3",
  js: "node",
  mjs: "node",
  cjs: "node",
  sh: "sh",
};

/** The first word of a command if it is a plain relative path of a script, and the rest. */
const FIRST_WORD = /^\s*(?:\.\/)?(?<name>[\w@+-][\w.@+/-]*\.(?<extension>[a-z]+))(?<rest>\s[^]*)?$/;

/**
 * The command line for a command that begins with a script beside the configuration, written without its program:
 * `check.py --fast`. A script that is executable and begins with `#!` runs by itself, another one by the program for
 * its extension. A command that begins with anything else stays as it is, and so does one whose path has `..`: whether
 * it is allowed is decided elsewhere, and nothing is opened before.
 * @param locate resolves a path beside the configuration
 */
export function scriptCommand(command: string, locate: (path: string) => string): string {
  const { name, extension = "", rest = "" } = FIRST_WORD.exec(command)?.groups ?? {};
  const program = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
  if (name === undefined || program === undefined || name.split("/").includes("..")) return command;
  const file = locate(name);
  const mode = modeOf(file);
  if (mode === undefined) return command;
  // The bit that a sealed copy keeps.
  const runsItself = (mode & 0o100) !== 0 && isFileInside(locate("."), file) && hasProgram(file);
  return runsItself ? `./${name}${rest}` : `${program} "$ORCS_DIR/${name}"${rest}`;
}

/** The mode of a regular file. */
function modeOf(file: string): number | undefined {
  const found = orUndefined(() => statSync(file, { throwIfNoEntry: false }));
  return found?.isFile() ? found.mode : undefined;
}

/** Whether the first line of a script names its program; otherwise the shell would read it as its own. */
function hasProgram(file: string): boolean {
  const start = Buffer.alloc(2);
  const from = orUndefined(() => openSync(file, constants.O_RDONLY | constants.O_NONBLOCK));
  if (from === undefined) return false;
  const count = orUndefined(() => readSync(from, start));
  closeSync(from);
  return count === 2 && start.toString("latin1") === "#!";
}
