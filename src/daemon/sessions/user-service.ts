import { existsSync } from "node:fs";
import {
  type HostName,
  isPlainObject,
  type Logger,
  messageOf,
  OrcsError,
} from "../../core/index.ts";
import { type HostAnswer, HOSTS } from "../../formats/index.ts";
import {
  emptyIfLarge,
  expectPrivateFolder,
  OWN_MAIN,
  OWN_PROGRAM,
  runProcess,
} from "../../machine/index.ts";
import {
  httpEndpointFile,
  httpServiceLog,
  readHttpEndpoint,
  tokenProof,
} from "../../agents/index.ts";
import type { HttpEndpoint } from "../../agents/index.ts";
import { Activity, fileIdentity } from "../service/daemon.ts";
import { HttpError } from "../service/http-requests.ts";
import { type EventAnswerer, hookRoute, type Route, routeOf } from "../service/http-routes.ts";
import { HttpServer } from "../service/http-server.ts";
import { addressIn } from "../address.ts";
import { eventFields } from "../hook/event-io.ts";
import { endBlockedService } from "../service-process.ts";
import { askService, DEFAULT_TIMEOUT_MS, HOST_SHARE, SERVICE_SHARE } from "../service-protocol.ts";
import {
  endSession,
  hasOpenSession,
  readSession,
  type Session,
  touchSession,
} from "./session-store.ts";

/** Options of a user's service. */
export interface UserServiceOptions {
  /** The user's state folder. */
  readonly stateDir: string;
  readonly logger: Logger;
  /**
   * Whether it runs in the background: it ends when no session is open, and when another version of orcs was installed.
   */
  readonly isBackground: boolean;
  /** Overrides for tests. */
  readonly times?: Partial<typeof TIMES>;
}

/** In milliseconds. */
const TIMES = {
  /** Interval of checking whether it is still needed. */
  tick: 5000,
  /** How long it stays without a request and without open sessions. */
  idle: 10 * 60_000,
  /** Time limit for an incomplete HTTP request. */
  stall: 30_000,
  /** Time limit for an HTTP connection to send the token. */
  unproven: 2000,
  /** Time limit for stopping. */
  stop: 10_000,
};
const MAX_LOG_BYTES = 8 * 2 ** 20;

/**
 * The HTTP side of one user: the events of all sessions of all agents installed with `--transport http`. It has no
 * hooks of its own.
 */
export class UserService {
  readonly #options: UserServiceOptions;
  readonly #times: typeof TIMES;
  readonly #activity = new Activity();
  readonly #http: HttpServer;
  readonly #version = fileIdentity(OWN_MAIN);
  readonly #file: string;
  #place: HttpEndpoint;
  #seen: string;
  #ticking: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;
  #resolveEnded: () => void = () => undefined;
  /** Resolves when it has stopped, by itself or by `stop`. */
  readonly ended = new Promise<void>((resolve) => (this.#resolveEnded = resolve));

  /** @throws OrcsError ORCS5002 when nothing was installed with `--transport http` */
  constructor(options: UserServiceOptions) {
    const { stateDir, logger } = options;
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#file = httpEndpointFile(stateDir);
    this.#seen = fileIdentity(this.#file);
    this.#place = expectEndpoint(this.#file);
    const answers = new SessionAnswers(stateDir);
    this.#http = new HttpServer({
      routes: [this.#healthRoute(), hookRoute(answers)],
      token: () => this.#current().token,
      logger,
      requestMs: this.#times.stall,
      tokenMs: this.#times.unproven,
      begin: () => this.#activity.begin(),
    });
  }

  /** Its port. */
  get port(): number {
    return this.#place.port;
  }

  /** Serve. @throws OrcsError ORCS7003 when another process listens on its port */
  async start(): Promise<void> {
    const { port } = this.#place;
    try {
      await this.#http.listen(port);
    } catch (thrown) {
      const why = `port ${port} of 127.0.0.1 is already in use: ${messageOf(thrown)}`;
      throw new OrcsError("ORCS7003", why, { port }, { cause: thrown });
    }
    this.#ticking = setInterval(() => this.#tick(), this.#times.tick);
  }

  /** Answer received requests, then end, within 10 seconds. Never rejects. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop().finally(() => this.#resolveEnded());
    return this.#stopping;
  }

  /** A client must know that it is this service, and not a program that has taken its port; that needs no token. */
  #healthRoute(): Route {
    return {
      ...routeOf("health"),
      isOpen: true,
      answer: async ({ query }) => {
        const nonce = query.get("nonce") ?? "";
        if (nonce.length > 200) throw new HttpError("bad_request");
        const proof = tokenProof(this.#current().token, nonce);
        return { body: JSON.stringify({ ok: true, ...(nonce !== "" && { proof }) }) };
      },
    };
  }

  /** A new token counts as soon as it is written. */
  #current(): HttpEndpoint {
    const seen = fileIdentity(this.#file);
    if (seen !== this.#seen) {
      this.#seen = seen;
      const place = readHttpEndpoint(this.#file);
      if (place?.port === this.#place.port) this.#place = place;
    }
    return this.#place;
  }

  #tick(): void {
    const { logger, isBackground } = this.#options;
    const why = this.#whyNotWanted() ?? (isBackground ? this.#whyNotNeeded() : undefined);
    if (why === undefined || this.#stopping) return;
    logger.info(`${why}: the HTTP side ends`);
    void this.stop();
  }

  /** Clients use the address that is recorded now. */
  #whyNotWanted(): string | undefined {
    const place = readHttpEndpoint(this.#file);
    if (place === undefined) return `${this.#file} is gone`;
    return place.port === this.#place.port ? undefined : `its port is ${place.port} now`;
  }

  #whyNotNeeded(): string | undefined {
    const { stateDir } = this.#options;
    emptyIfLarge(httpServiceLog(stateDir), MAX_LOG_BYTES);
    if (fileIdentity(OWN_MAIN) !== this.#version) return "orcs was installed again";
    const isIdle = this.#activity.idleMs >= this.#times.idle && !hasOpenSession(stateDir);
    return isIdle ? "no session is open" : undefined;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#ticking);
    const late = setTimeout(() => this.#http.destroy(), this.#times.stop);
    await this.#http.stop();
    clearTimeout(late);
  }
}

function expectEndpoint(file: string): HttpEndpoint {
  const place = readHttpEndpoint(file);
  if (place !== undefined) return place;
  const why = `${file} does not exist or is invalid: nothing was installed with --transport http`;
  throw new OrcsError("ORCS5002", why, { path: file });
}

/** Interval of recording that a session is alive, in milliseconds. */
const TOUCH_MS = 60_000;
/** A service that has not responded for this long is blocked, and ended; a shorter wait proves nothing. */
const BLOCKED_MS = 5000;

/**
 * Answers the events of sessions, each in place of the entry that an agent would start: it asks the service that would
 * answer that entry, which checks whether it may, and otherwise runs the entry.
 */
class SessionAnswers implements EventAnswerer {
  readonly #stateDir: string;
  /** When it was last recorded that a session is alive. */
  readonly #touched = new Map<string, number>();

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  async answer(host: HostName, event: string, withinMs = DEFAULT_TIMEOUT_MS): Promise<HostAnswer> {
    const until = performance.now() + withinMs * HOST_SHARE;
    const { name, session: id } = eventFields(event);
    const way = HOSTS[host].http;
    if (name === undefined || way?.events.includes(name) !== true) {
      const why = `${name ?? "what cannot be read"} is no event that ${host} is to send over HTTP`;
      return this.refuse(host, `ORCS7009: ${why}`, name);
    }
    const session = id === undefined ? undefined : readSession(this.#stateDir, { host, id });
    if (session === undefined || session.ended === true) {
      const why =
        "ORCS7009: orcs does not know this session, so this is denied. Send any prompt; if that does not help: " +
        `orcs install --host ${host} --transport http`;
      return this.refuse(host, why, name);
    }
    this.#touch(session);
    try {
      return await this.#answerIn(session, { name, event, until });
    } catch (thrown) {
      return this.refuse(host, `ORCS7002: ${messageOf(thrown)}`, name);
    } finally {
      if (name === way.ends) {
        endSession(this.#stateDir, session);
        this.#touched.delete(session.id);
      }
    }
  }

  async refuse(host: HostName, why: string, name?: string): Promise<HostAnswer> {
    return (await HOSTS[host].load()).refuse(name, why);
  }

  async #answerIn(session: Session, asked: SessionEvent): Promise<HostAnswer> {
    const { host, cwd, env, umask, args, key, runtime } = session;
    const { event, name, until } = asked;
    if (!existsSync(runtime)) return this.#run(session, asked);
    expectPrivateFolder(runtime);
    const address = addressIn(runtime, key);
    const withinMs = Math.max(1, (until - performance.now()) * SERVICE_SHARE);
    const request = { key, entry: { cwd, env, umask, args }, event, within_ms: withinMs };
    const answered = await askService(address.socket, request, withinMs);
    if (answered.kind === "answered") return answered.answer;
    if (answered.kind === "lost") {
      // The service denies late requests in time, unless something blocks it; ended, it is not found by the next event.
      const isBlocked = answered.isLate === true && withinMs >= BLOCKED_MS;
      const ended = isBlocked && endBlockedService(address) ? " and was ended" : "";
      const why = `ORCS7002: the connection to the service was lost: ${answered.why}${ended}; try again`;
      return this.refuse(host, why, name);
    }
    return this.#run(session, asked);
  }

  /** The entry of the agent: it answers by itself, and starts a service for the next event. */
  async #run(
    { host, cwd, env, umask, args }: Session,
    { event, name, until }: SessionEvent,
  ): Promise<HostAnswer> {
    const leftMs = Math.max(1, until - performance.now());
    const words = ["hook", ...args, "--http", "--carried", "--timeout", String(leftMs / 1000)];
    const ended = await runProcess({
      file: process.execPath,
      args: [OWN_PROGRAM, ...words],
      cwd,
      env: { ...processVariables(), ...env },
      umask,
      stdin: event,
      timeoutMs: leftMs,
      maxOutputBytes: MAX_ANSWER_BYTES,
    });
    if (ended.kind !== "exited") {
      return this.refuse(host, `ORCS7002: orcs hook gave no response: ${ended.kind}`, name);
    }
    const stderr = Buffer.from(ended.stderr).toString("utf8").trim();
    if (ended.code !== 0) {
      return this.refuse(host, stderr || `ORCS7002: orcs hook ended with ${ended.code}`, name);
    }
    const text = Buffer.from(ended.stdout).toString("utf8").trim();
    const output: unknown = text === "" ? undefined : JSON.parse(text);
    if (output !== undefined && !isPlainObject(output))
      throw new Error("its response is not an object");
    return { output: output as HostAnswer["output"], code: 0, downgrades: [] };
  }

  #touch({ host, id }: Session): void {
    const now = performance.now();
    if (now - (this.#touched.get(id) ?? -Infinity) < TOUCH_MS) return;
    this.#touched.set(id, now);
    touchSession(this.#stateDir, { host, id });
  }
}

/** An event of a session. */
interface SessionEvent {
  readonly event: string;
  readonly name: string | undefined;
  /** Deadline of the response, by `performance.now()`. */
  readonly until: number;
}

const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** What the process itself needs, not its hooks: for Node, and for exporting. */
function processVariables(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => /^(?:NODE|OTEL|SSL)_/.test(name));
  return Object.fromEntries(own) as Record<string, string>;
}
