import { createHash, randomBytes } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { HOST_NAMES } from "../../core/hosts.ts";
import type { HostName } from "../../core/hosts.ts";
import { isPlainObject } from "../../core/json.ts";

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
}

/** A session of which nothing was heard for so long has ended, whether it said so or not; in milliseconds. */
export const OPEN_MS = 86_400_000;

/** The folder of a state folder in which sessions are kept. */
export function sessionsFolder(stateDir: string): string {
  return join(stateDir, "sessions");
}

/** Keep a session, or what has become of it. @throws what the system says */
export function keepSession(stateDir: string, session: Session): void {
  mkdirSync(sessionsFolder(stateDir), { recursive: true, mode: 0o700 });
  const file = sessionFile(stateDir, session);
  const aside = `${file}.${randomBytes(4).toString("hex")}`;
  writeFileSync(aside, `${JSON.stringify(session)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(aside, file);
}

/** A session that was kept; undefined where none was, or nobody can read what was kept. */
export function readSession(
  stateDir: string,
  known: Pick<Session, "host" | "id">,
): Session | undefined {
  const session = read(sessionFile(stateDir, known));
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
    rmSync(sessionFile(stateDir, known), { force: true });
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
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile() || !name.endsWith(".json") || now - found.mtimeMs > OPEN_MS) return false;
    return key === undefined || read(file)?.key === key;
  });
}

function sessionFile(stateDir: string, { host, id }: Pick<Session, "host" | "id">): string {
  const name = createHash("sha256").update(`${host}\n${id}`).digest("hex");
  return join(sessionsFolder(stateDir), `${name}.json`);
}

function read(file: string): Session | undefined {
  try {
    const said: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isPlainObject(said)) return undefined;
    const { id, cwd, env, args, key, runtime } = said;
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
      isPath(runtime);
    if (!isWhole) return undefined;
    return { host, id, cwd, env: env as Session["env"], args, key, runtime };
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
