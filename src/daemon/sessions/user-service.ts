import { type Logger, messageOf, OrcsError } from "../../core/index.ts";
import { emptyIfLarge, OWN_MAIN } from "../../machine/index.ts";
import {
  httpEndpointFile,
  httpServiceLog,
  readHttpEndpoint,
  tokenProof,
} from "../../agents/index.ts";
import type { HttpEndpoint } from "../../agents/index.ts";
import { Activity, fileIdentity } from "../service/daemon.ts";
import { HttpError } from "../service/http-requests.ts";
import { hookRoute, type Route, routeOf } from "../service/http-routes.ts";
import { HttpServer } from "../service/http-server.ts";
import { SessionAnswers } from "./session-answers.ts";
import { hasOpenSession } from "./session-store.ts";

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
