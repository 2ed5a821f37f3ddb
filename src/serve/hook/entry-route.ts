import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { HostName } from "../../core/hosts.ts";

// Loaded by the process of every hook: it must stay as light as it is.

/** The longest name of a file that bin/orcs-hook looks for. */
const MAX_NAME = 200;

/** The folder of a state folder in which it is kept which service answers for which working directory. */
export function routesFolder(stateDir: string): string {
  return join(stateDir, "routes");
}

/**
 * The file in which bin/orcs-hook finds the name of a service: each part of the directory's path, and `%` after it.
 * The folder of its socket is found as by Node, so that nothing written here leads out of the user's own.
 * Two directories may have the same, for the service looks by itself whether it is the one that is meant.
 */
export function routeFile(stateDir: string, directory: string): string {
  const name = `${directory}/`.replaceAll("/", "%");
  return join(routesFolder(stateDir), name);
}

/**
 * Have the host's next event from here ask this service without Node. Whatever fails, it asks with Node.
 * @param socket that bin/orcs-hook is to ask, in the folder for sockets
 */
export function keepRoute(stateDir: string, host: HostName, socket: string): void {
  const text = `${basename(socket, ".hook")}\n`;
  try {
    const file = routeFile(stateDir, projectDirectory(host));
    if (file.length - routesFolder(stateDir).length - 1 > MAX_NAME) return;
    if (!statSync(socket, { throwIfNoEntry: false })?.isSocket() || textOf(file) === text) return;
    // The state folder itself is made by who has something to keep.
    if (!statSync(routesFolder(stateDir), { throwIfNoEntry: false })) {
      mkdirSync(routesFolder(stateDir), { mode: 0o700 });
    }
    const aside = `${file}.${process.pid}`;
    writeFileSync(aside, text, { mode: 0o600 });
    renameSync(aside, file);
  } catch {
    // A full disk, or another process was quicker.
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Where a host says which project it works in. Codex starts its hooks there and says nothing. */
const VARIABLES: Readonly<Record<HostName, string | undefined>> = {
  "claude-code": "CLAUDE_PROJECT_DIR",
  codex: undefined,
  gemini: "GEMINI_PROJECT_DIR",
  cursor: "CURSOR_PROJECT_DIR",
};

/**
 * Where to look for the configuration: an agent that changes its directory changes nobody's.
 * @throws Error when the host does not say and the working directory is gone
 */
export function projectDirectory(
  host: HostName,
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd?: string,
): string {
  const variable = VARIABLES[host];
  const said = variable === undefined ? undefined : env[variable];
  return said !== undefined && isAbsolute(said) ? said : (cwd ?? process.cwd());
}
