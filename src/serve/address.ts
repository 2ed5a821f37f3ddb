import { lstatSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { OrcsError } from "../core/errors.ts";
import type { HostName } from "../core/hosts.ts";
import { userStateDir } from "../files/user-folders.ts";
import { HOSTS, SETTINGS_VARIABLES } from "../protocols/hosts.ts";
import type { ConfigPlace } from "../trust/config-place.ts";

// Loaded by the process of every hook: it must stay as light as it is.

/** Where the service of one configuration is found. All files are the user's alone. */
export interface ServiceAddress {
  /** Mode 0700. */
  readonly folder: string;
  readonly socket: string;
  /** The socket that bin/orcs-hook asks. */
  readonly entry: string;
  /** The number of the process that serves. */
  readonly pid: string;
  /** Held while a service starts. */
  readonly lock: string;
  /** Port and bearer token of its HTTP side. */
  readonly http: string;
  /** What a service in the background has to say. */
  readonly log: string;
}

/** The longest path that a Unix socket may have. */
const MAX_SOCKET = 103;

/**
 * What a service is known by, and those who ask it: the configuration, the folder in which it is kept what the user
 * trusts, and where the agents' settings are that it guards.
 */
export function serviceKey({ key }: Pick<ConfigPlace, "key">): string {
  const settings = SETTINGS_VARIABLES.flatMap((variable) =>
    process.env[variable] ? `${variable}=${process.env[variable]}` : [],
  );
  return [key, userStateDir(), ...settings].join("\n");
}

/** @throws OrcsError ORCS7006 when the folder for sockets is somebody else's */
export function serviceAddress(place: ConfigPlace): ServiceAddress {
  const folder = runtimeFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  expectPrivateFolder(folder);
  return addressIn(folder, serviceKey(place));
}

/**
 * The same where nothing is to be made, and nobody has looked whose the folder is.
 * @param key as `serviceKey` gives it
 */
export function addressIn(folder: string, key: string): ServiceAddress {
  const name = socketNameOf(`${import.meta.url}\n${key}`);
  const at = (end: string): string => join(folder, `${name}.${end}`);
  return {
    folder,
    socket: at("sock"),
    entry: at("hook"),
    pid: at("pid"),
    lock: at("lock"),
    http: at("http.json"),
    log: at("log"),
  };
}

/** The folder for sockets; it need not be there. */
export function runtimeFolder(): string {
  const uid = process.getuid?.() ?? 0;
  const given = process.env["XDG_RUNTIME_DIR"];
  const candidates = [
    given !== undefined && isAbsolute(given) ? join(given, "orcs") : undefined,
    join(tmpdir(), `orcs-${uid}`),
    `/tmp/orcs-${uid}`,
  ];
  const fits = (path: string): boolean => `${path}/0123456789abcdef.sock`.length <= MAX_SOCKET;
  return candidates.find((path) => path !== undefined && fits(path)) ?? `/tmp/orcs-${uid}`;
}

/**
 * Whoever owns the folder could put a socket of his own there, and answer in our place.
 * @throws OrcsError ORCS7006
 */
export function expectPrivateFolder(folder: string): void {
  const uid = process.getuid?.() ?? 0;
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    const why = `${folder} must be a folder that belongs to you and that nobody else can access`;
    throw new OrcsError("ORCS7006", why, { path: folder });
  }
}

/**
 * FNV-1a, twice over. Loading a cryptographic one would take a tenth of the time that a hook's process has;
 * a service answers for its own configuration alone, so that two of the same name do no harm.
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

// Loaded by the process of every hook: it must stay as light as it is.

/** The longest name of a file that bin/orcs-hook looks for. */
const MAX_ROUTE_NAME = 200;

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
export function saveRoute(stateDir: string, host: HostName, socket: string): void {
  const text = `${basename(socket, ".hook")}\n`;
  try {
    const file = routeFile(stateDir, projectDirectory(host));
    if (file.length - routesFolder(stateDir).length - 1 > MAX_ROUTE_NAME) return;
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

/**
 * Where to look for the configuration: an agent that changes its directory changes nobody's.
 * @throws Error when the host does not say and the working directory is gone
 */
export function projectDirectory(
  host: HostName,
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd?: string,
): string {
  const variable = HOSTS[host].projectVariable;
  const said = variable === undefined ? undefined : env[variable];
  return said !== undefined && isAbsolute(said) ? said : (cwd ?? process.cwd());
}
