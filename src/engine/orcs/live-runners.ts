import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { fileBytes, ownVersion, sha256 } from "../../machine/index.ts";
import { isShadowEntry, liveFiles, sealedCommand } from "../../config/index.ts";
import type { HookEntry, LiveEndpoint, LiveHandler } from "../../config/index.ts";
import { FOLDER_VARIABLES, messageOf, OrcsError } from "../../core/index.ts";
import type { Environment, HookRunner } from "../../core/index.ts";
import {
  AddressGuard,
  anyValues,
  LiveClient,
  LiveRunner,
  openProcess,
  openSocket,
  openUrl,
  secretsOf,
  shellEnvironment,
  stderrLog,
  webhookHeaders,
  webhookUrl,
} from "../handlers/index.ts";
import type { EnvironmentClient, OpenLink } from "../handlers/index.ts";
import { LIVE_PROTOCOLS } from "../../formats/index.ts";
import type { OutsidePorts } from "./loading/outside-runners.ts";

/** Maximum number of calls that wait for one handler. */
const MAX_PENDING = 1_000;
/** Least limit of what a handler has not taken yet, in bytes. */
const MIN_BACKLOG = 16 * 2 ** 20;
/** Connections that are kept to one URL. */
const MAX_CONNECTIONS = 64;

/**
 * The runner of a handler that lives on. It is not started: that is done by the first call.
 * @throws OrcsError ORCS1004, ORCS1017 or ORCS1019 for an invalid URL or header, or a point without a request
 */
export function liveRunner(
  entry: HookEntry,
  handler: LiveHandler,
  ports: OutsidePorts,
): HookRunner {
  const { endpoint } = handler;
  const protocol = LIVE_PROTOCOLS[handler.protocol];
  if (entry.point && !protocol.knows(entry.point)) {
    const why = `protocol = "${handler.protocol}" has no event for ${entry.point.name}`;
    throw new OrcsError("ORCS1004", why, { point: entry.point.name });
  }
  const handlerKey = keyOf(entry, handler);
  const clientFor = (environment: Environment): EnvironmentClient => {
    const { name, open, given, secrets = [] } = opener(endpoint, entry, environment, ports);
    const key = JSON.stringify([handlerKey, given]);
    const create = (): LiveClient =>
      new LiveClient({
        name,
        protocol,
        handshake: handler.handshake,
        open,
        maxPending: MAX_PENDING,
        maxBacklogBytes: Math.max(MIN_BACKLOG, 2 * ports.maxAnswerBytes),
        logger: ports.logger,
        version: ownVersion(),
      });
    return { key, secrets, use: () => ports.live.use(handlerKey, key, create) };
  };
  const { environment, isPerCall } = ports;
  const allowed = endpoint.kind === "url" ? endpoint.allowEnv : [];
  // Checked now: URL and headers.
  clientFor(isPerCall ? anyValues(allowed) : environment);
  return new LiveRunner({
    clientFor,
    running: ports.live.useRunning(handlerKey),
    environment,
    protocol,
    isShared: endpoint.kind !== "process",
    redactor: endpoint.kind === "url" && endpoint.redact ? ports.redactor : undefined,
    refusal: sealedCommand(entry),
  });
}

/** Hooks in shadow have a handler of their own. */
function keyOf(entry: HookEntry, handler: LiveHandler): string {
  const contents = liveFiles(entry).map((file) => [file, digestOf(file)]);
  return JSON.stringify([handler, entry.baseDir, isShadowEntry(entry), contents]);
}

function digestOf(file: string): string {
  try {
    return sha256(fileBytes(file));
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** How a handler is reached, and what of the environment it was given. */
interface Opener {
  /** For messages and the log. Of a URL only its host, as the rest may contain a secret. */
  readonly name: string;
  readonly open: OpenLink;
  readonly given: unknown;
  readonly secrets?: readonly string[];
}

/** @throws OrcsError ORCS1004, ORCS1017, ORCS1019, ORCS7022 */
function opener(
  endpoint: LiveEndpoint,
  { baseDir }: HookEntry,
  environment: Environment,
  { maxAnswerBytes, processes, logger }: OutsidePorts,
): Opener {
  switch (endpoint.kind) {
    case "process": {
      const name = `the process ${endpoint.argv.join(" ").replaceAll(`${baseDir}/`, "./")}`;
      const stderr = stderrLog(name, logger);
      const folders = Object.fromEntries(FOLDER_VARIABLES.map((each) => [each, baseDir]));
      const env = { ...shellEnvironment(environment, {}, endpoint.env), ...folders };
      const { argv } = endpoint;
      const { umask } = environment;
      const of = { argv, cwd: baseDir, env, umask, maxLineBytes: maxAnswerBytes, processes };
      return {
        name,
        open: (events) => openProcess({ ...of, stderr: stderr() }, events),
        given: [env, umask],
      };
    }
    case "socket": {
      const { path } = endpoint;
      const open: OpenLink = (events) => openSocket(path, maxAnswerBytes, events);
      return { name: `the socket ${path}`, open, given: [] };
    }
    case "url": {
      const variables = { allowed: endpoint.allowEnv, environment };
      const url = webhookUrl(endpoint.url, variables);
      const headers = webhookHeaders(endpoint.headers, variables);
      const guard = new AddressGuard(endpoint.allowHosts);
      const KeptAgent = url.protocol === "https:" ? HttpsAgent : HttpAgent;
      return {
        name: `the handler at ${url.host}`,
        open: (events) => {
          const agent = new KeptAgent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
          return openUrl({ url, headers, guard, agent, maxAnswerBytes }, events);
        },
        given: [url.href, headers],
        secrets: secretsOf(variables),
      };
    }
  }
}
