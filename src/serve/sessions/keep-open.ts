import { statSync, utimesSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../core/errors.ts";
import type { HostName } from "../../core/hosts.ts";
import { userStateDir } from "../../host/config-directory.ts";
import type { ConfigPlace } from "../../host/config-place.ts";
import { startDetached } from "../../spawn/start-detached.ts";
import { runtimeFolder, serviceKey } from "../address.ts";
import { readHttpPlace, userHttpFile, userHttpLog } from "../http-place.ts";
import { keepSession } from "./session-store.ts";
import { ownSessionVariables } from "./session-variables.ts";
import { whoListens } from "./who-listens.ts";

/** What an entry knows of its session. */
export interface KnownSession {
  readonly host: HostName;
  /** The host's id; undefined where the event does not say. */
  readonly id: string | undefined;
  /** The words after `orcs hook`. */
  readonly args: readonly string[];
  readonly place: ConfigPlace;
}

/** Whether the events of a session will be answered over HTTP. */
export type Kept =
  | { readonly kind: "open" }
  /** Nobody listens: the host refuses by itself. */
  | { readonly kind: "closed"; readonly why: string }
  /** Another program listens, and might answer in our place. */
  | { readonly kind: "taken"; readonly code: "ORCS7010"; readonly why: string };

/** How long one that was started may take until it listens, in milliseconds. */
const START_MS = 5000;
const AGAIN_MS = 25;

const MAIN = fileURLToPath(new URL("../../cli/main.js", import.meta.url));

/**
 * See to it that the events of a session are answered over HTTP: note what is known of it, and start the service of its
 * user where none listens. Never rejects.
 */
export async function keepOpen(known: KnownSession): Promise<Kept> {
  const stateDir = userStateDir();
  const at = readHttpPlace(userHttpFile(stateDir));
  if (at === undefined) {
    const why = `${userHttpFile(stateDir)} is gone`;
    return {
      kind: "closed",
      why: `${why}: run orcs install --host ${known.host} --transport http`,
    };
  }
  try {
    note(known, stateDir);
  } catch (thrown) {
    return { kind: "closed", why: `the session cannot be noted: ${messageOf(thrown)}` };
  }
  const until = performance.now() + START_MS;
  let seen = await whoListens(at);
  if (seen === "nobody") start(stateDir);
  while (seen === "nobody" && performance.now() < until) {
    await sleep(AGAIN_MS);
    seen = await whoListens(at);
  }
  if (seen === "ours") return { kind: "open" };
  const { port } = at;
  if (seen === "nobody") {
    const why = `nothing listens on port ${port} of 127.0.0.1; ${userHttpLog(stateDir)} may say why`;
    return { kind: "closed", why };
  }
  const why =
    `port ${port} of 127.0.0.1 is another program's, which could answer in the place of the hooks: end it, or have ` +
    `another port: orcs install --host ${known.host} --transport http --port NUMBER`;
  return { kind: "taken", code: "ORCS7010", why };
}

function note({ host, id, args, place }: KnownSession, stateDir: string): void {
  if (id === undefined) return;
  keepSession(stateDir, {
    host,
    id,
    cwd: process.cwd(),
    env: ownSessionVariables(),
    args: withoutOwn(args),
    key: serviceKey(place),
    runtime: runtimeFolder(),
  });
}

/** Words that say something of one event alone, each with a value or without. */
const OWN: Readonly<Record<string, "value" | "alone">> = {
  "--http": "alone",
  "--timeout": "value",
  "--spent": "value",
};

function withoutOwn(args: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    const own = OWN[word.split("=", 1)[0] ?? ""];
    if (own === undefined) kept.push(word);
    else if (own === "value" && !word.includes("=")) i++;
  }
  return kept;
}

/** Several sessions may begin at once: one of them starts it. Whichever comes late finds the port taken, and ends. */
function start(stateDir: string): void {
  const log = userHttpLog(stateDir);
  const found = statSync(log, { throwIfNoEntry: false });
  if (found && Math.abs(Date.now() - found.mtimeMs) < START_MS / 2) return;
  if (found) utimesSync(log, new Date(), new Date());
  startDetached(process.execPath, [MAIN, "serve", "--user", "--background"], "/", log);
}
