import { statSync, utimesSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  objectInFile,
  OWN_MAIN,
  runtimeFolder,
  startDetached,
  userStateDir,
} from "../../machine/index.ts";
import {
  type HostName,
  isPlainObject,
  isText,
  messageOf,
  objectIn,
  textAt,
} from "../../core/index.ts";
import { HOSTS, withoutAgents } from "../../formats/index.ts";
import type { ConfigPlace } from "../../config/index.ts";
import { projectDirectory, serviceKey } from "../address.ts";
import {
  httpEndpointFile,
  httpServiceLog,
  readHttpEndpoint,
  whoListens,
} from "../../agents/index.ts";
import type { HttpEndpoint } from "../../agents/index.ts";
import {
  ownSessionVariables,
  proxyInTheWay,
  proxyText,
  readSession,
  saveSession,
} from "./session-store.ts";

/** What an entry knows of its session. */
export interface KnownSession {
  readonly host: HostName;
  /** The agent's id; undefined when the event does not have it. */
  readonly id: string | undefined;
  /** The agent's name for the event. */
  readonly name: string | undefined;
  /** The event as sent by the agent. */
  readonly event: string;
  /** The words after `orcs hook`. */
  readonly args: readonly string[];
  readonly place: ConfigPlace;
}

/** Whether the events of a session will be answered over HTTP, by the right process. */
export type SessionReachability =
  | { readonly kind: "open" }
  /** Nobody listens: the agent denies by itself. */
  | { readonly kind: "closed"; readonly why: string }
  /** Another process might answer in our place. */
  | {
      readonly kind: "unsafe";
      readonly code: "ORCS7009" | "ORCS7010" | "ORCS7011";
      readonly why: string;
    };

/** How long a started service may take until it listens, in milliseconds. */
const START_MS = 5000;
const AGAIN_MS = 25;
/** While a started one comes up, no other is started. */
const COMING_UP_MS = 2000;

/**
 * Ensure that the events of a session are answered over HTTP by the user's service: store the session, and start the
 * service if nobody listens. Never rejects.
 */
export async function openSession(known: KnownSession): Promise<SessionReachability> {
  const { host, name, event } = known;
  const proxy = proxyInTheWay(process.env) ?? proxyInChangedSettings(host, name, event);
  if (proxy !== undefined) return { kind: "unsafe", code: "ORCS7011", why: proxyText(proxy, host) };
  const stateDir = userStateDir();
  const at = readHttpEndpoint(httpEndpointFile(stateDir));
  if (at === undefined) {
    const why = `${httpEndpointFile(stateDir)} is gone`;
    return { kind: "closed", why: `${why}: run orcs install --host ${host} --transport http` };
  }
  try {
    if (!noteSession(known, stateDir)) {
      const why =
        "this session began in another folder, or with other entries: begin a new one, without its id";
      return { kind: "unsafe", code: "ORCS7009", why };
    }
  } catch (thrown) {
    return { kind: "closed", why: `the session cannot be noted: ${messageOf(thrown)}` };
  }
  return ensureListening(at, stateDir, host);
}

/** Start the service if nobody listens. */
async function ensureListening(
  at: HttpEndpoint,
  stateDir: string,
  host: HostName,
): Promise<SessionReachability> {
  const until = performance.now() + START_MS;
  let seen = await whoListens(at);
  while ((seen === "nobody" || seen === "silent") && performance.now() < until) {
    if (seen === "nobody") startUserService(stateDir);
    await sleep(AGAIN_MS);
    seen = await whoListens(at);
  }
  if (seen === "ours") return { kind: "open" };
  const where = `port ${at.port} of 127.0.0.1`;
  if (seen === "nobody") {
    const log = `${httpServiceLog(stateDir)} may have the reason`;
    return { kind: "closed", why: `nothing listens on ${where}; ${log}` };
  }
  const other = `have another port: orcs install --host ${host} --transport http --port NUMBER`;
  const why =
    seen === "silent"
      ? `the program on ${where} does not respond: end it if it is a stopped orcs serve --user, or ${other}`
      : `${where} is used by another program, which could respond instead of the hooks: end it, or ${other}`;
  return { kind: "unsafe", code: "ORCS7010", why };
}

/** False when the id belongs to another session. */
function noteSession({ host, id, name, args, place }: KnownSession, stateDir: string): boolean {
  if (id === undefined) return true;
  const session = {
    host,
    id,
    cwd: projectDirectory(host),
    env: ownSessionVariables(),
    umask: process.umask(),
    args: withoutPerEventOptions(args),
    key: serviceKey(place),
    runtime: runtimeFolder(),
  };
  const isBegun = HOSTS[host].http?.begins.includes(name ?? "") === true;
  // For another event, it only updates the place of the service.
  const seen = isBegun ? undefined : readSession(stateDir, session);
  if (!isBegun && (seen === undefined || seen.ended === true)) return true;
  return saveSession(stateDir, session);
}

/** The variable that a change of settings is about to set and that would send events elsewhere. */
function proxyInChangedSettings(
  host: HostName,
  name: string | undefined,
  event: string,
): string | undefined {
  const way = HOSTS[host].http;
  if (way === undefined || name !== way.changes) return undefined;
  const file = textAt(objectIn(event) ?? {}, "file_path");
  // Unreadable settings have no effect.
  const variables = file === undefined ? undefined : objectInFile(file)?.[way.variables];
  if (!isPlainObject(variables)) return undefined;
  const texts = Object.entries(variables).filter(([, value]) => isText(value));
  return proxyInTheWay({ ...process.env, ...(Object.fromEntries(texts) as NodeJS.ProcessEnv) });
}

/** Options that apply to one event only, with or without a value. */
const PER_EVENT_OPTIONS: Readonly<Record<string, "value" | "alone">> = {
  "--http": "alone",
  "--carried": "alone",
  "--timeout": "value",
  "--spent": "value",
};

function withoutPerEventOptions(args: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    const own = PER_EVENT_OPTIONS[word.split("=", 1)[0] ?? ""];
    if (own === undefined) kept.push(word);
    else if (own === "value" && !word.includes("=")) i++;
  }
  return kept;
}

/** Several sessions may begin at once: one of them starts it. A later one finds the port taken, and ends. */
function startUserService(stateDir: string): void {
  const log = httpServiceLog(stateDir);
  const found = statSync(log, { throwIfNoEntry: false });
  if (found && Math.abs(Date.now() - found.mtimeMs) < COMING_UP_MS) return;
  if (found) utimesSync(log, new Date(), new Date());
  const args = [OWN_MAIN, "serve", "--user", "--background"];
  startDetached(process.execPath, args, "/", log, withoutAgents(process.env));
}
