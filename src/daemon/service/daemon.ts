import { statSync } from "node:fs";
import type { Polled } from "../../fleet/index.ts";
import { type Logger, messageOf, withTimeLimit } from "../../core/index.ts";
import type { CreateOrcsOptions, Orcs } from "../../engine/index.ts";
import { emptyIfLarge, OWN_MAIN, userStateDir } from "../../machine/index.ts";
import { CARRIED_VARIABLES } from "../../formats/index.ts";
import type { ConfigPlace } from "../../config/index.ts";
import { type ServiceAddress, serviceKey } from "../address.ts";
import { engineOptions } from "../engine-lease.ts";
import { ChangeGuard, newToken, writePrivateJson } from "../../agents/index.ts";
import { Gateway } from "../agent-gateway.ts";
import { watchModules } from "../module-watch.ts";
import type { EventReader, Watch } from "../feed/watch.ts";
import { CallerCalls } from "../wire/caller-calls.ts";
import { type WellKnown, WIRE_VERSIONS } from "../wire/operations.ts";
import type { WireDeps } from "../wire/wire-requests.ts";
import { carriedEnvironment } from "../service-protocol.ts";
import { Telemetry } from "../telemetry.ts";
import { hasOpenSession } from "../sessions/session-store.ts";
import { EntryServer } from "./entry-server.ts";
import { serviceRoutes } from "./http-routes.ts";
import { HttpServer } from "./http-server.ts";
import { answerLine, declineLine } from "./line-requests.ts";
import { Metrics } from "./metrics.ts";
import { ownSocket, ownsSocket, releaseSocket } from "./socket-ownership.ts";
import { SocketServer } from "./socket-server.ts";
import { noteOwner, sweep } from "./sweep.ts";

/** Options of a service. */
export interface DaemonOptions {
  readonly place: ConfigPlace;
  readonly address: ServiceAddress;
  readonly logger: Logger;
  /**
   * Whether it runs in the background: it ends after `serve.idle_minutes` without a request, and when another version
   * of orcs was installed in its place.
   */
  readonly isBackground: boolean;
  /** Port of the HTTP side, 0 for any; default `serve.port`, and no HTTP if that is not set. */
  readonly port?: number | undefined;
  /** Where its engines record. */
  readonly record?: CreateOrcsOptions["record"];
  /** Called with each engine before its first call. */
  readonly opened?: (orcs: Orcs) => void;
  /** Keeps the bundle of these settings up to date, if they name one; returns what ends that. */
  readonly pollBundle?: (
    settings: Orcs["settings"],
    polled: (result: Polled) => void,
  ) => (() => void) | undefined;
  /**
   * Sends the audit log of these settings to its receiver, if they name one; returns what sends the rest and ends that.
   */
  readonly shipLog?: (
    settings: Orcs["settings"],
    metrics: Pick<Metrics, "status" | "shipped">,
  ) => ((withinMs: number) => Promise<void>) | undefined;
  /** Overrides for tests. */
  readonly times?: Partial<typeof TIMES>;
}

/** In milliseconds. */
const TIMES = {
  /** Interval of checking whether it is still needed. */
  tick: 5000,
  /** Delay after the start before it removes what deleted configurations have left. */
  sweep: 10_000,
  /** Time limit for an incomplete line or HTTP request. */
  stall: 30_000,
  /** Time limit for an HTTP connection to send the token. */
  unproven: 2000,
  /** Time limit for stopping, whatever its hooks do. */
  stop: 10_000,
};

/** Part of the stop time that is reserved for denying unanswered requests, and for closing the engine. */
const REFUSING_MS = 500;
const CLOSING_MS = 1000;
/** Time for sending the end of the audit log to a receiver that has answered so far. */
const SHIPPING_MS = 2000;
const MIB = 2 ** 20;
/** An event is text within text: each of its quotes takes two bytes. */
const maxLineBytes = (payloadMb: number): number => Math.min(64, payloadMb * 2 + 1) * MIB;
const MAX_LOG_BYTES = 8 * MIB;

/** A service: one engine behind a Unix socket and, if configured, HTTP. */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #times: typeof TIMES;
  readonly #activity = new Activity();
  readonly #metrics = new Metrics();
  readonly #telemetry: Telemetry;
  readonly #gateway: Gateway;
  readonly #sockets: SocketServer;
  readonly #entries: EntryServer;
  readonly #version = fileIdentity(OWN_MAIN);
  #http: HttpServer | undefined;
  readonly #started = Date.now();
  #isPublished = false;
  #endpoint: Pick<WellKnown, "port" | "token"> = {};
  readonly #calls = new CallerCalls();
  readonly #wire: WireDeps;
  /** For those who read events, once there is one. */
  #watch: Watch | undefined;
  /** The serving engine, once there is one. */
  #current: Orcs | undefined;
  /** Errors that were logged, so that each is logged once. */
  readonly #reported = new Set<string>();
  #endPolling: (() => void) | undefined;
  #endShipping: ((withinMs: number) => Promise<void>) | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #sweeping: NodeJS.Timeout | undefined;
  readonly #changes: ChangeGuard;
  #endWatching: (() => void) | undefined;
  #stopping: Promise<void> | undefined;
  #resolveEnded: () => void = () => undefined;
  /** Resolves when it has stopped, by itself or by `stop`. */
  readonly ended = new Promise<void>((resolve) => (this.#resolveEnded = resolve));

  constructor(options: DaemonOptions) {
    const { place, logger } = options;
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#telemetry = new Telemetry(logger);
    this.#changes = new ChangeGuard(logger);
    this.#gateway = new Gateway(
      {
        ...engineOptions(place),
        watch: true,
        environment: carriedEnvironment(),
        projectLoads: "behind",
        record: options.record,
      },
      logger,
      {
        opened: (orcs) => {
          this.#current = orcs;
          orcs.events.on("reloaded", () => this.#publish());
          if (this.#isPublished) this.#publish();
          this.#watch?.opened(orcs);
          this.#metrics.attach(orcs);
          void this.#telemetry.attach(orcs);
          watchModules(orcs);
          this.#reported.clear();
          this.#endPolling?.();
          this.#endPolling = options.pollBundle?.(orcs.settings, (result) =>
            this.#metrics.polled(result),
          );
          void this.#endShipping?.(0);
          this.#endShipping = options.shipLog?.(orcs.settings, this.#metrics);
          options.opened?.(orcs);
        },
        answered: (host, answer, ms) => this.#metrics.answered(host, answer, ms),
        changes: this.#changes,
      },
    );
    const served = { key: serviceKey(place), gateway: this.#gateway };
    this.#entries = new EntryServer({
      ...served,
      address: options.address,
      logger,
      requestMs: this.#times.stall,
      begin: () => this.#activity.begin(),
    });
    const maxBytes = (): number =>
      maxLineBytes(this.#current?.settings.engine.max_payload_mb ?? 16);
    this.#wire = {
      ...served,
      directory: place.directory,
      calls: this.#calls,
      maxBytes,
      follow: (brief) => this.#follow(brief),
      dispatchOf: (id) => this.#watch?.dispatch(id),
    };
    this.#sockets = new SocketServer({
      maxLineBytes: maxBytes,
      stallMs: this.#times.stall,
      begin: () => this.#activity.begin(),
      answer: (line, connection) => answerLine(line, this.#wire, connection),
      decline: declineLine,
      gone: (connection) => this.#calls.abandon(connection),
    });
  }

  /** The port of the HTTP side, if there is one. */
  get port(): number | undefined {
    return this.#http?.port;
  }

  /**
   * Serve. Errors of the configuration are logged and it is served anyway: what it would guard is denied until they are
   * fixed.
   * @throws OrcsError ORCS7003 when another process serves this configuration, ORCS5002
   */
  async start(): Promise<void> {
    await ownSocket(this.#options.address, this.#sockets.server);
    await this.#entries.listen();
    this.#ticking = setInterval(() => void this.#tick(), this.#times.tick);
    await this.#listen();
    this.#endWatching = this.#changes.watch(() => void this.#noteChanges());
    noteOwner(this.#options.place);
    // Not while the processes that started it wait for their first responses.
    this.#sweeping = setTimeout(() => void sweep(), this.#times.sweep).unref();
  }

  /** Answer received requests, then end, within 10 seconds. Never rejects. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop(this.#times.stop).finally(() => this.#resolveEnded());
    return this.#stopping;
  }

  /** End at once, with a denial for every unanswered request. Never rejects. */
  abort(why: string): Promise<void> {
    this.#gateway.giveUp(why);
    this.#stopping ??= this.#stop(REFUSING_MS + CLOSING_MS).finally(() => this.#resolveEnded());
    return this.#stopping;
  }

  /** Open the engine and, if the settings or the caller want it, the HTTP side. */
  async #listen(): Promise<void> {
    const { logger } = this.#options;
    await this.#gateway.engine().catch((thrown: unknown) => {
      this.#reportOnce(`all calls are denied: ${messageOf(thrown)}`);
    });
    const port = this.#options.port ?? this.#current?.settings.serve.port;
    if (this.#stopping || this.#http) return;
    if (port === undefined) return this.#publish();
    const token = newToken();
    const http = new HttpServer({
      routes: serviceRoutes(this.#wire, this.#metrics),
      token: () => token,
      logger,
      requestMs: this.#times.stall,
      tokenMs: this.#times.unproven,
      begin: () => this.#activity.begin(),
    });
    try {
      await http.listen(port);
      this.#endpoint = { port: http.port, token };
      this.#publish();
      this.#http = http;
    } catch (thrown) {
      // A previous service may still be ending: tried again.
      this.#reportOnce(`cannot listen on port ${port}: ${messageOf(thrown)}`);
      if (!this.#isPublished) this.#publish();
    }
  }

  /** Write the well-known file, again whenever hooks may read other variables. */
  #publish(): void {
    // The file of a service that ends is gone, and stays so.
    if (this.#stopping) return;
    const { place, address, logger } = this.#options;
    const content: WellKnown = {
      scope:
        typeof place.config === "string" ? "file" : place.found === undefined ? "user" : "project",
      directory: place.directory,
      versions: [...WIRE_VERSIONS],
      socket: address.socket,
      key: serviceKey(place),
      pid: process.pid,
      started: this.#started,
      env: [...new Set([...CARRIED_VARIABLES, ...(this.#current?.variables ?? [])])],
      ...this.#endpoint,
    };
    this.#isPublished = true;
    try {
      writePrivateJson(address.wellKnown, content);
    } catch (thrown) {
      logger.error(`other programs cannot find the service: ${messageOf(thrown)}`);
    }
  }

  async #tick(): Promise<void> {
    const { address, logger, isBackground } = this.#options;
    if (this.#stopping) return;
    const why = ownsSocket(address)
      ? isBackground && this.#whyNotNeeded()
      : `${address.socket} now belongs to another process`;
    if (typeof why === "string") {
      logger.info(`${why}: this service exits`);
      await this.stop();
      return;
    }
    const port = this.#options.port ?? this.#current?.settings.serve.port;
    if (!this.#http && port !== undefined) await this.#listen();
  }

  #whyNotNeeded(): string | undefined {
    emptyIfLarge(this.#options.address.log, MAX_LOG_BYTES);
    if (fileIdentity(OWN_MAIN) !== this.#version) return "orcs was installed again";
    const minutes = this.#current?.settings.serve.idle_minutes ?? 30;
    if (this.#activity.idleMs < minutes * 60_000) return undefined;
    // An agent that sends events over HTTP may still be running: no command would start another service.
    const hasSession = hasOpenSession(userStateDir(), serviceKey(this.#options.place));
    return hasSession ? undefined : `there was no request for ${minutes} minutes`;
  }

  async #follow(brief?: boolean): Promise<EventReader> {
    // Loaded for the first reader: most services have none.
    const { Watch } = await import("../feed/watch.ts");
    this.#watch ??= new Watch(this.#current);
    return this.#watch.follow(brief);
  }

  /** What was put back, or waits for a person, is said at once; agents show it with their next event. */
  async #noteChanges(): Promise<void> {
    for (const { text } of this.#changes.notices) this.#reportOnce(text);
    const lines = this.#changes.takeLines();
    await this.#gateway
      .use(async (orcs) => {
        for (const line of lines) await orcs.noted(line);
        // What was held may have been accepted.
        if (this.#changes.takeUserMoved()) await orcs.reload();
      })
      .catch(() => undefined);
  }

  #reportOnce(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    // Line by line, as for a failed reload.
    for (const line of problem.split("\n")) this.#options.logger.error(line);
  }

  async #stop(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    const left = (): number => Math.max(0, until - performance.now());
    clearInterval(this.#ticking);
    clearTimeout(this.#sweeping);
    this.#watch?.close();
    this.#endWatching?.();
    this.#endPolling?.();
    try {
      // First of all: processes that find no service run the hooks by themselves.
      releaseSocket(this.#options.address);
    } catch (thrown) {
      this.#options.logger.error(messageOf(thrown));
    }
    const all = Promise.all([this.#sockets.stop(), this.#entries.stop(), this.#http?.stop()]);
    const answered = all.catch(() => undefined);
    await withTimeLimit(left() - REFUSING_MS - CLOSING_MS, answered);
    this.#gateway.giveUp("the service exits before its hooks have returned");
    await withTimeLimit(REFUSING_MS, answered);
    this.#sockets.destroy();
    this.#entries.destroy();
    this.#http?.destroy();
    await withTimeLimit(
      Math.max(left(), CLOSING_MS),
      this.#gateway.close().catch(() => undefined),
    );
    // What the last requests have written. Whatever is not sent now, the next service sends.
    await this.#endShipping?.(Math.min(SHIPPING_MS, left()));
    await this.#telemetry.shutdown(Math.max(left(), CLOSING_MS));
  }
}

/** Counts running requests, and measures idle time. */
export class Activity {
  #serving = 0;
  #last = performance.now();

  /** Call at the start of a request; call the returned function at its end. */
  begin(): () => void {
    this.#serving++;
    return () => {
      this.#serving--;
      this.#last = performance.now();
    };
  }

  /** Milliseconds since the last request ended; 0 while one is running. */
  get idleMs(): number {
    return this.#serving > 0 ? 0 : performance.now() - this.#last;
  }
}

/** Identifies the content of a file, to detect changes. */
export function fileIdentity(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return `${found?.ino} ${found?.mtimeMs}`;
}
