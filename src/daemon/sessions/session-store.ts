import {
  makeFolder,
  namesIn,
  objectInFile,
  OPEN_MS,
  replaceFile,
  sha256,
  USER_FOLDERS,
  withFileLock,
} from "../../machine/index.ts";
import { statSync, utimesSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  HOST_NAMES,
  type HostName,
  isPlainObject,
  isShaped,
  isText,
  stated,
} from "../../core/index.ts";
import { PROJECT_VARIABLES, SESSION_VARIABLES, SETTINGS_VARIABLES } from "../../formats/index.ts";

/**
 * A session of an agent that sends its events over HTTP, as seen by the command that ran at its start: an HTTP request
 * does not state its project, nor which hooks its user has installed.
 */
export interface Session {
  readonly host: HostName;
  /** The agent's id of it. */
  readonly id: string;
  /** Where the agent was started, absolute. */
  readonly cwd: string;
  /** The variables that determine folders, and those that every event carries, if set. */
  readonly env: Readonly<Record<string, string>>;
  /** Its file mode mask. */
  readonly umask?: number | undefined;
  /** The words after `orcs hook`, without those for one event. */
  readonly args: readonly string[];
  /** Key of the service that answered then, from `serviceKey`. */
  readonly key: string;
  /** The folder of its socket. */
  readonly runtime: string;
  /** Whether its agent has reported its end. The owner stays recorded, so that nobody else can use the id. */
  readonly ended?: boolean | undefined;
}

/** The folder of sessions in a state folder. */
export function sessionsFolder(stateDir: string): string {
  return join(stateDir, "sessions");
}

/**
 * Store a session or its update. The first to store an id owns it as long as it is alive: otherwise an agent could
 * start another session with its own id, in a folder where other hooks are active.
 * @returns whether it is this session's; false when it belongs to another folder, or to an entry with other arguments
 * @throws the system's error
 */
export function saveSession(stateDir: string, session: Session): boolean {
  makeFolder(sessionsFolder(stateDir));
  return withFileLock(join(sessionsFolder(stateDir), "lock"), () => {
    const file = sessionFile(stateDir, session);
    const known = isYoung(file) ? readSession(stateDir, session) : undefined;
    if (known && !isDeepStrictEqual(identityOf(known), identityOf(session))) return false;
    replaceFile(file, `${JSON.stringify(session)}\n`);
    return true;
  });
}

/** The part that does not change during a session; trust may change, and with it the service. */
function identityOf({ cwd, env, args }: Session): unknown {
  const names = DECIDING_VARIABLES.filter((name) => env[name] !== undefined);
  return { cwd, args, env: Object.fromEntries(names.map((name) => [name, env[name]])) };
}

function isYoung(file: string, now = Date.now()): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && now - found.mtimeMs <= OPEN_MS;
}

/** A stored session; undefined when there is none, or it cannot be read. */
export function readSession(
  stateDir: string,
  known: Pick<Session, "host" | "id">,
): Session | undefined {
  const session = readSessionFile(sessionFile(stateDir, known));
  // Two ids with the same file name would be confused.
  return session?.host === known.host && session.id === known.id ? session : undefined;
}

/** Record that a session is alive. Never throws. */
export function touchSession(stateDir: string, known: Pick<Session, "host" | "id">): void {
  try {
    const now = new Date();
    utimesSync(sessionFile(stateDir, known), now, now);
  } catch {
    // It has just ended.
  }
}

/** Record the end of a session. Never throws. */
export function endSession(stateDir: string, known: Pick<Session, "host" | "id">): void {
  try {
    const session = readSession(stateDir, known);
    if (session) saveSession(stateDir, { ...session, ended: true });
  } catch {
    // It counts as open for a day.
  }
}

/**
 * Whether any session is open.
 * @param key only sessions of this service
 */
export function hasOpenSession(stateDir: string, key?: string, now = Date.now()): boolean {
  const folder = sessionsFolder(stateDir);
  return namesIn(folder).some((name) => {
    const file = join(folder, name);
    if (!name.endsWith(".json") || !isYoung(file, now)) return false;
    const session = readSessionFile(file);
    return (
      session !== undefined && session.ended !== true && [undefined, session.key].includes(key)
    );
  });
}

function sessionFile(stateDir: string, { host, id }: Pick<Session, "host" | "id">): string {
  const name = sha256(`${host}\n${id}`);
  return join(sessionsFolder(stateDir), `${name}.json`);
}

function readSessionFile(file: string): Session | undefined {
  const record = objectInFile(file);
  return isShaped(record, OF_SESSION) ? (record as unknown as Session) : undefined;
}

const isPath = (value: unknown): boolean => isText(value) && isAbsolute(value);
const OF_SESSION: Readonly<Record<keyof Session, (value: unknown) => boolean>> = {
  host: (value) => HOST_NAMES.some((name) => name === value),
  id: isText,
  cwd: isPath,
  env: (value) => isPlainObject(value) && Object.values(value).every(isText),
  umask: (value) => value === undefined || typeof value === "number",
  args: (value) => Array.isArray(value) && value.every(isText),
  key: isText,
  runtime: isPath,
  ended: (value) => value === undefined || typeof value === "boolean",
};

/** The variables that determine the hooks of a session. */
const DECIDING_VARIABLES: readonly string[] = [
  ...PROJECT_VARIABLES,
  ...SETTINGS_VARIABLES,
  ...Object.values(USER_FOLDERS),
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "HOME",
];

/** These, and the other variables with which its entries run, that are set in this process. */
export function ownSessionVariables(): Record<string, string> {
  const settings = Object.keys(process.env).filter((name) => name.startsWith("ORCS_"));
  const names = [...DECIDING_VARIABLES, "XDG_RUNTIME_DIR", ...settings, ...SESSION_VARIABLES];
  return stated(Object.fromEntries(names.map((name) => [name, process.env[name]])));
}

const PROXIES = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
const PROXY_EXCEPTIONS = ["no_proxy", "NO_PROXY"];

/**
 * The variable with which an agent would send its events to a proxy instead of this machine: the proxy could answer
 * them, and would receive the token. Undefined when there is none, or 127.0.0.1 is excluded by name.
 */
export function proxyInTheWay(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const lists = PROXY_EXCEPTIONS.flatMap((name) => (env[name] ? [env[name]] : []));
  // Clients differ in which of the two counts.
  const isExcepted =
    lists.length > 0 &&
    lists.every((list) =>
      list.split(/[\s,]+/).some((host) => host === "127.0.0.1" || host === "*"),
    );
  return isExcepted ? undefined : PROXIES.find((name) => (env[name] ?? "") !== "");
}

/** What to do about it. */
export function proxyText(variable: string, host: HostName): string {
  return (
    `${variable} sends the agent's HTTP requests to a proxy, which could respond instead of the hooks: put ` +
    `127.0.0.1 into NO_PROXY where ${variable} is set, or use commands: orcs install --host ${host} --transport command`
  );
}
