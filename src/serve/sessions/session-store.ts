import { createHash, randomBytes } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { HostName } from "../../core/hosts.ts";
import { HOST_NAMES } from "../../core/hosts.ts";
import { isPlainObject } from "../../core/json.ts";
import { withFileLock } from "../../files/file-lock.ts";
import { SETTINGS_VARIABLES } from "../../protocols/hosts.ts";
import { SENT_VARIABLES } from "../service/entry-request.ts";

/**
 * A session of an agent that sends its events over HTTP, as the command that was run at its start has seen it: an HTTP
 * request says neither which project it is of, nor which hooks its user has installed.
 */
export interface Session {
  readonly host: HostName;
  /** The host's id of it. */
  readonly id: string;
  /** Where the agent was started, absolute. */
  readonly cwd: string;
  /** Variables that say where things are, as far as they are set. */
  readonly env: Readonly<Record<string, string>>;
  /** The words after `orcs hook`, but for those of one event. */
  readonly args: readonly string[];
  /** Of the service that answered then, as `serviceKey` gives it. */
  readonly key: string;
  /** The folder of its socket. */
  readonly runtime: string;
  /** Whether its host has said that it has ended. Whose it was stays known: nobody else is to have its id. */
  readonly ended?: boolean | undefined;
}

/** A session of which nothing was heard for so long has ended, whether it said so or not; in milliseconds. */
export const OPEN_MS = 86_400_000;

/** The folder of a state folder in which sessions are kept. */
export function sessionsFolder(stateDir: string): string {
  return join(stateDir, "sessions");
}

/**
 * Keep a session, or what has become of it. The first who notes an id has it, for as long as anything is heard of it: an
 * agent could start another one with the id of its own, in a folder where other hooks are active.
 * @returns whether it is this session's; false where it is of another folder, or of an entry with other words
 * @throws what the system says
 */
export function saveSession(stateDir: string, session: Session): boolean {
  mkdirSync(sessionsFolder(stateDir), { recursive: true, mode: 0o700 });
  return withFileLock(join(sessionsFolder(stateDir), "lock"), () => saveLocked(stateDir, session));
}

function saveLocked(stateDir: string, session: Session): boolean {
  const known = isYoung(sessionFile(stateDir, session))
    ? readSession(stateDir, session)
    : undefined;
  if (known && !isDeepStrictEqual(identityOf(known), identityOf(session))) return false;
  const file = sessionFile(stateDir, session);
  const aside = `${file}.${randomBytes(4).toString("hex")}`;
  writeFileSync(aside, `${JSON.stringify(session)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(aside, file);
  return true;
}

/** What does not change while a session lasts: trust may, and with it the service. */
function identityOf({ cwd, env, args }: Session): unknown {
  const names = decidingVariables().filter((name) => env[name] !== undefined);
  return { cwd, args, env: Object.fromEntries(names.map((name) => [name, env[name]])) };
}

function isYoung(file: string, now = Date.now()): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && now - found.mtimeMs <= OPEN_MS;
}

/** A session that was kept; undefined where none was, or nobody can read what was kept. */
export function readSession(
  stateDir: string,
  known: Pick<Session, "host" | "id">,
): Session | undefined {
  const session = readSessionFile(sessionFile(stateDir, known));
  // Two ids of one name would answer for each other.
  return session?.host === known.host && session.id === known.id ? session : undefined;
}

/** A session goes on. Never throws. */
export function touchSession(stateDir: string, known: Pick<Session, "host" | "id">): void {
  try {
    const now = new Date();
    utimesSync(sessionFile(stateDir, known), now, now);
  } catch {
    // It has just ended.
  }
}

/** A session has ended. Never throws. */
export function endSession(stateDir: string, known: Pick<Session, "host" | "id">): void {
  try {
    const session = readSession(stateDir, known);
    if (session) saveSession(stateDir, { ...session, ended: true });
  } catch {
    // It counts as open for a day.
  }
}

/**
 * Whether a session has begun that has not ended yet.
 * @param key of a service, to ask for its sessions alone
 */
export function hasOpenSession(stateDir: string, key?: string, now = Date.now()): boolean {
  const folder = sessionsFolder(stateDir);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return false;
  }
  return names.some((name) => {
    const file = join(folder, name);
    if (!name.endsWith(".json") || !isYoung(file, now)) return false;
    const session = readSessionFile(file);
    return (
      session !== undefined && session.ended !== true && [undefined, session.key].includes(key)
    );
  });
}

function sessionFile(stateDir: string, { host, id }: Pick<Session, "host" | "id">): string {
  const name = createHash("sha256").update(`${host}\n${id}`).digest("hex");
  return join(sessionsFolder(stateDir), `${name}.json`);
}

function readSessionFile(file: string): Session | undefined {
  try {
    const said: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isPlainObject(said)) return undefined;
    const { id, cwd, env, args, key, runtime, ended } = said;
    const host = HOST_NAMES.find((name) => name === said["host"]);
    const isWhole =
      host !== undefined &&
      typeof id === "string" &&
      isPath(cwd) &&
      isPlainObject(env) &&
      Object.values(env).every(isText) &&
      Array.isArray(args) &&
      args.every(isText) &&
      typeof key === "string" &&
      isPath(runtime) &&
      (ended === undefined || typeof ended === "boolean");
    if (!isWhole) return undefined;
    return { host, id, cwd, env: env as Session["env"], args, key, runtime, ended };
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isPath(value: unknown): value is string {
  return isText(value) && isAbsolute(value);
}

/** Variables that say where the folders are in which services have their sockets, and where programs are. */
const RUNTIME_VARIABLES = ["XDG_RUNTIME_DIR", "TMPDIR", "PATH"];

/** The variables that decide which hooks a session has. */
function decidingVariables(): string[] {
  return [...SENT_VARIABLES, ...SETTINGS_VARIABLES];
}

/** Those, and what else its entries are run with. */
export function sessionVariables(): string[] {
  return [...decidingVariables(), ...RUNTIME_VARIABLES];
}

/** Those that are set in this process. */
export function ownSessionVariables(): Record<string, string> {
  const own = sessionVariables().flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(own);
}

const PROXIES = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
const PROXY_EXCEPTIONS = ["no_proxy", "NO_PROXY"];

/**
 * The variable by which a host would send its events to a proxy in the place of this machine: that could answer them, and
 * would be told the token. Undefined where there is none, or 127.0.0.1 is excepted by name.
 */
export function proxyInTheWay(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const said = PROXY_EXCEPTIONS.flatMap((name) => (env[name] ? [env[name]] : []));
  // Which of the two counts, each client decides for itself.
  const isExcepted =
    said.length > 0 &&
    said.every((list) => list.split(/[\s,]+/).some((host) => host === "127.0.0.1" || host === "*"));
  return isExcepted ? undefined : PROXIES.find((name) => (env[name] ?? "") !== "");
}

/** What to do about it. */
export function proxyText(variable: string, host: HostName): string {
  return (
    `${variable} sends what the agent asks over HTTP to a proxy, which could answer in the place of the hooks: put ` +
    `127.0.0.1 into NO_PROXY where ${variable} is set, or use commands: orcs install --host ${host} --transport command`
  );
}
