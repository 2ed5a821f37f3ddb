import { existsSync } from "node:fs";
import { type HostName, isPlainObject, messageOf } from "../../core/index.ts";
import { type HostAnswer, HOSTS } from "../../formats/index.ts";
import { expectPrivateFolder, OWN_PROGRAM, runProcess } from "../../machine/index.ts";
import { addressIn } from "../address.ts";
import { eventFields } from "../hook/event-io.ts";
import { endBlockedService } from "../service-process.ts";
import { askService, DEFAULT_TIMEOUT_MS, HOST_SHARE, SERVICE_SHARE } from "../service-protocol.ts";
import type { EventAnswerer } from "../service/http-routes.ts";
import { endSession, readSession, type Session, touchSession } from "./session-store.ts";

/** Interval of recording that a session is alive, in milliseconds. */
const TOUCH_MS = 60_000;
/** A service that has not responded for this long is blocked, and ended; a shorter wait proves nothing. */
const BLOCKED_MS = 5000;

/**
 * Answers the events of sessions, each in place of the entry that an agent would start: it asks the service that would
 * answer that entry, which checks whether it may, and otherwise runs the entry.
 */
export class SessionAnswers implements EventAnswerer {
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
