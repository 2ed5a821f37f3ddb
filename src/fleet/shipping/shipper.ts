import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { fileText } from "../../machine/index.ts";
import { exchange, shownUrl, statusText, type TransportTimes } from "../bundles/transport.ts";
import { messageOf, OrcsError } from "../../core/index.ts";
import type { ErrorCode, JsonObject, Logger } from "../../core/index.ts";
import { batchLine, type LogName, statusLine } from "./batch.ts";
import { machineId, nextLines, readCursor, writeCursor } from "./next-lines.ts";
import type { Cursor, NextLines } from "./next-lines.ts";

/** What one request has brought, for metrics. */
export interface Shipped {
  readonly result: "ok" | "failed";
  /** Confirmed lines. */
  readonly lines: number;
  /** Lines that were removed before they were sent. */
  readonly lost: number;
}

export interface ShipperOptions {
  readonly url: string;
  readonly tokenFile?: string | undefined;
  /** Between two requests, in milliseconds. */
  readonly intervalMs: number;
  /** Between two statuses, in milliseconds. */
  readonly statusMs: number;
  /** The folder of the audit log. It is the buffer: what is not confirmed is read from there again. */
  readonly dir: string;
  /** Names the log on this machine. */
  readonly log: string;
  /** The user's state folder. */
  readonly stateDir: string;
  /** Records what was confirmed. */
  readonly cursorFile: string;
  readonly status: () => JsonObject;
  readonly told: (shipped: Shipped) => void;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  readonly random?: (() => number) | undefined;
  /** Overrides for tests. */
  readonly times?: TransportTimes | undefined;
  readonly mostWaitMs?: number | undefined;
}

/** Of one batch. */
const LIMITS = { lines: 1000, bytes: 1 << 19 };
const TIMES: TransportTimes = { answer: 30_000, body: 5000 };
/** Between two attempts, at most; a server may ask for twice as much. */
const MOST_WAIT_MS = 300_000;
const compressed = promisify(gzip);

/**
 * Sends an audit log to a receiver, at least once: a batch that was not confirmed is sent again, with the same id if
 * its end could be noted before. Nothing waits for it.
 */
export class Shipper {
  readonly #options: ShipperOptions;
  readonly #stop = new AbortController();
  readonly #random: () => number;
  readonly #now: () => number;
  #lines = LIMITS.lines;
  /** When the last status was confirmed. */
  #statusAt = -Infinity;
  /** What could not be stored of what was confirmed. */
  #unstored: Cursor | undefined;
  /** Problems that were logged, so that each is logged once while it lasts. */
  readonly #reported = new Set<string>();
  #failures = 0;
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>;

  constructor(options: ShipperOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#now = options.now ?? Date.now;
    this.ended = this.#run();
  }

  /** Send what is left, once and within the time limit, and end. Never rejects. */
  async stop(withinMs: number): Promise<void> {
    this.#stop.abort();
    await this.ended;
    if (this.#failures > 0 || withinMs <= 0) return;
    const signal = AbortSignal.timeout(withinMs);
    try {
      while (await this.#round(signal));
    } catch {
      // The next service sends it.
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { intervalMs } = this.#options;
    while (!signal.aborted) {
      let waitMs = intervalMs * (0.8 + 0.4 * this.#random());
      try {
        if (await this.#round(signal)) waitMs = 0;
        if (this.#failures > 0) this.#options.logger.info("the audit log is sent again");
        this.#failures = 0;
        this.#reported.delete("ORCS9330");
      } catch (thrown) {
        if (signal.aborted) return;
        waitMs = this.#failed(thrown);
      }
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Send the next lines and the status, if there are any. @returns whether there is more to send */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { dir, log, cursorFile, stateDir } = this.#options;
    const machine = machineId(stateDir);
    const cursor = this.#cursor(cursorFile);
    const next = await nextLines(dir, cursor, { ...LIMITS, lines: this.#lines });
    const isStatusDue = this.#now() - this.#statusAt >= this.#options.statusMs;
    if (!next && !isStatusDue) return false;
    const lost = next ? this.#lostBefore(next) : 0;
    const header = next && headerOf({ machine, log }, next);
    // Sent again after a restart, the batch has the same lines.
    if (next && cursor.sent !== next.last.seq) this.#store({ ...next.after, sent: next.last.seq });
    const time = new Date(this.#now()).toISOString();
    const status = isStatusDue ? [statusLine({ machine, log }, time, this.#options.status())] : [];
    const lines = [...(header ? [header.text] : []), ...(next?.lines ?? []), ...status];
    await this.#post(lines, header?.id, signal);
    if (isStatusDue) this.#statusAt = this.#now();
    if (next) this.#store({ ...next.last, place: next.place, sent: null });
    this.#lines = Math.min(LIMITS.lines, 2 * this.#lines);
    this.#options.told({ result: "ok", lines: next?.lines.length ?? 0, lost });
    return next?.isFull === true;
  }

  /** What is in the file, or further on if that could not be written. */
  #cursor(file: string): Cursor {
    const stored = readCursor(file);
    const unstored = this.#unstored;
    if (!unstored || unstored.seq < stored.seq) return stored;
    this.#store(unstored);
    return unstored;
  }

  #store(cursor: Cursor): void {
    try {
      writeCursor(this.#options.cursorFile, cursor);
      this.#unstored = undefined;
      this.#reported.delete("ORCS9332");
    } catch (thrown) {
      this.#unstored = cursor;
      this.#report("ORCS9332", messageOf(thrown));
    }
  }

  #lostBefore({ first, after }: NextLines): number {
    const lost = first - after.seq - 1;
    // What was removed before anything was sent was not lost on the way.
    if (lost === 0 || after.seq === 0) return 0;
    const why = `lines ${after.seq + 1} to ${first - 1} of the audit log in ${this.#options.dir} were removed before they were sent`;
    this.#report(`${first}`, new OrcsError("ORCS9331", why).message);
    return lost;
  }

  async #post(
    lines: readonly string[],
    id: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { url, times = TIMES } = this.#options;
    const body = await compressed(`${lines.join("\n")}\n`);
    const headers = {
      "content-type": "application/x-ndjson",
      "content-encoding": "gzip",
      ...(id !== undefined && { "idempotency-key": id }),
      ...this.#authorization(),
    };
    await exchange(url, { method: "POST", body, headers }, times, signal, async (response) => {
      // Whatever it says, nobody reads it.
      await response.body?.cancel();
      if (response.ok) return;
      if (response.status === 413) this.#lines = Math.max(1, Math.floor(lines.length / 2));
      throw new Refused(statusText(response), retryAfter(response));
    });
  }

  #authorization(): { authorization?: string } {
    const { tokenFile } = this.#options;
    if (tokenFile === undefined) return {};
    return { authorization: `Bearer ${fileText(tokenFile).trim()}` };
  }

  /** @returns how long to wait */
  #failed(thrown: unknown): number {
    const { url, intervalMs, mostWaitMs = MOST_WAIT_MS } = this.#options;
    const why = `${shownUrl(url)}: ${messageOf(thrown)}`;
    this.#report("ORCS9330", new OrcsError("ORCS9330", why).message);
    this.#options.told({ result: "failed", lines: 0, lost: 0 });
    const doubled = Math.min(intervalMs * 2 ** this.#failures++, mostWaitMs);
    const spread = doubled * (0.5 + this.#random());
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    const asked = [thrown, cause].find((each) => each instanceof Refused)?.retryAfterMs ?? 0;
    return Math.max(spread, Math.min(asked, 2 * mostWaitMs));
  }

  /** Once, until what has this key has ended. */
  #report(key: ErrorCode | `${number}`, message: string): void {
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#options.logger.warn(message);
  }
}

function headerOf(name: LogName, { first, prev, last, after }: NextLines) {
  return batchLine({ ...name, after: after.seq, first, last: last.seq, prev, head: last.hash });
}

/** A server that has answered with another status. */
class Refused extends Error {
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** In seconds: dates would need clocks that agree. */
function retryAfter(response: Response): number {
  const text = response.headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : 0;
}
