import {
  expectPrivateFolder,
  makeFolder,
  OWN_MAIN,
  replaceFile,
  runtimeFolder,
  textIfReadable,
  USER_FOLDERS,
  userStateDir,
} from "../machine/index.ts";
import { mkdirSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { HostName } from "../core/index.ts";
import { HOSTS, SETTINGS_VARIABLES } from "../formats/index.ts";
import type { ConfigPlace } from "../config/index.ts";

// Loaded by the process of every hook: it must stay light.

/** The files of a configuration's service, all private to the user. */
export interface ServiceAddress {
  /** Mode 0700. */
  readonly folder: string;
  readonly socket: string;
  /** The socket for bin/orcs-hook. */
  readonly entry: string;
  /** The pid of the service. */
  readonly pid: string;
  /** Held while a service starts. */
  readonly lock: string;
  /** Tells other programs how to reach the service; see `WELL_KNOWN`. */
  readonly wellKnown: string;
  /** The log of a service in the background. */
  readonly log: string;
}

/** Variables of orcs that are no settings of a configuration. */
const NO_SETTINGS: readonly string[] = [
  ...Object.values(USER_FOLDERS),
  "ORCS_DIR",
  "ORCS_HTTP_TOKEN",
  "ORCS_SHADOW",
  "ORCS_TRIAL_DIR",
];
/** Besides settings: `~` of a guard, and the time zone of `os.date`. */
const OF_PROCESS: readonly string[] = [...SETTINGS_VARIABLES, "HOME", "TZ"];

/**
 * The key of a service for its clients: the configuration, the folder of the trust store, and the variables that are
 * the same for all that a process does: the places of the agents' settings that it guards, settings of orcs, the home
 * directory and the time zone. With another value, another service answers.
 */
export function serviceKey(
  { key }: Pick<ConfigPlace, "key">,
  env: Readonly<Record<string, string | null | undefined>> = process.env,
): string {
  const settings = Object.keys(env).filter(
    (name) => name.startsWith("ORCS_") && !NO_SETTINGS.includes(name),
  );
  const variables = [...OF_PROCESS, ...settings.sort()].flatMap((name) =>
    env[name] ? `${name}=${env[name]}` : [],
  );
  return [key, userStateDir(), ...variables].join("\n");
}

/** @throws OrcsError ORCS7006 when the folder for sockets belongs to somebody else */
export function serviceAddress(place: ConfigPlace): ServiceAddress {
  const folder = runtimeFolder();
  makeFolder(folder);
  expectPrivateFolder(folder);
  return addressIn(folder, serviceKey(place));
}

/**
 * As `serviceAddress`, without creating or checking anything.
 * @param key from `serviceKey`
 */
export function addressIn(folder: string, key: string): ServiceAddress {
  const name = socketNameOf(`${OWN_MAIN}\n${key}`);
  const at = (end: string): string => join(folder, `${name}.${end}`);
  return {
    folder,
    socket: at("sock"),
    entry: at("hook"),
    pid: at("pid"),
    lock: at("lock"),
    wellKnown: at("json"),
    log: at("log"),
  };
}

/**
 * FNV-1a, twice. Loading a cryptographic hash would take a tenth of a hook process's time. A service only answers for
 * its own configuration, so a collision does no harm.
 */
function socketNameOf(text: string): string {
  const round = (seed: number): string => {
    let hash = seed;
    for (let i = 0; i < text.length; i++) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
    }
    return hash.toString(16).padStart(8, "0");
  };
  return round(0x811c9dc5) + round(0x2166136f);
}

/** Longest file name that bin/orcs-hook looks for. */
const MAX_ROUTE_NAME = 200;

/** The folder below a state folder that maps working directories to services. */
export function routesFolder(stateDir: string): string {
  return join(stateDir, "routes");
}

/**
 * The file in which bin/orcs-hook finds the name of a service: each part of the directory's path, followed by `%`. The
 * folder of the socket is determined as by Node, so that no content of this file leads out of the user's own folder.
 * Two directories can share a file: the service checks whether it is meant.
 */
export function routeFile(stateDir: string, directory: string): string {
  const name = `${directory}/`.replaceAll("/", "%");
  return join(routesFolder(stateDir), name);
}

/**
 * Make the agent's next event from here ask this service without Node. If this fails, it asks with Node.
 * @param socket for bin/orcs-hook, in the folder for sockets
 */
export function saveRoute(stateDir: string, host: HostName, socket: string): void {
  const text = `${basename(socket, ".hook")}\n`;
  try {
    const file = routeFile(stateDir, projectDirectory(host));
    if (file.length - routesFolder(stateDir).length - 1 > MAX_ROUTE_NAME) return;
    if (!statSync(socket, { throwIfNoEntry: false })?.isSocket() || textIfReadable(file) === text)
      return;
    // The state folder itself is created by whoever first stores something.
    if (!statSync(routesFolder(stateDir), { throwIfNoEntry: false })) {
      mkdirSync(routesFolder(stateDir), { mode: 0o700 });
    }
    replaceFile(file, text);
  } catch {
    // A full disk, or another process was faster.
  }
}

/**
 * Where to discover the configuration: independent of directory changes of the agent.
 * @throws Error when the agent does not state it and the working directory is gone
 */
export function projectDirectory(
  host: HostName,
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd?: string,
): string {
  const variable = HOSTS[host].projectVariable;
  const folder = variable === undefined ? undefined : env[variable];
  return folder !== undefined && isAbsolute(folder) ? folder : (cwd ?? process.cwd());
}
