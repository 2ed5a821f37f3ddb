import { jsonOr, type HostName } from "../../core/index.ts";
import { lstatSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { HOSTS, type DecodedEvent } from "../../formats/index.ts";
import { looksOf } from "../../config/index.ts";
import {
  agentIsRunning,
  agentProcess,
  appendToFile,
  fileText,
  hasStarted,
  makeFolder,
  namesIn,
  OPEN_MS,
  replaceFile,
  sha256,
} from "../../machine/index.ts";

/** A session of an agent, and when its calls run. */
interface CallWindow {
  /** When its first event came, in milliseconds since 1970, as all times here. */
  readonly first: number;
  readonly last: number;
  /** When its first call came: what the agent started before that, such as its own servers, is not of a call. */
  readonly called?: number | undefined;
  /** The agent, where it is known: it identifies the process, not only its number. */
  readonly agent?: string | undefined;
  readonly ended?: true | undefined;
  /** Number of calls that run; meaningful only where the agent sends their ends. */
  readonly running: number;
  readonly sendsEnds?: true | undefined;
  /** Calls run from then on … */
  readonly since: number;
  /** … until then. */
  readonly until: number;
  /** Whether a person was asked about a call that runs, or has allowed it with a code. */
  readonly isApproved?: boolean | undefined;
}

/** Who changed something, as far as it matters. */
export type Author = "agent" | "approved" | "during-session" | "nobody-there";

/** What a call does after its end counts as the call's for this long, in milliseconds. */
const AFTER_MS = 5000;
/** A call whose end is never sent: no agent lets one run longer. */
const LONGEST_MS = 30 * 60_000;
/** More than `lengthen` is called after, in milliseconds. */
const ENDING_MS = 2500;
/** How far the clock of a file system can be behind. */
const CLOCK_MS = 20;
const MOST_FILES = 512;
/** A file is begun anew when it is longer. */
const MOST_BYTES = 16_384;

/**
 * Remembers when the calls of agents run, for all processes of a user: a file for each session, whose last line counts.
 * An event adds a line, which takes a fraction of the time in which a file is replaced.
 */
export class CallWindows {
  readonly #folder: string;
  /** By file: what its last line says, and its metadata at that time. */
  readonly #known = new Map<string, { readonly window: CallWindow; readonly looks: string }>();

  /** @param stateDir the user's state folder */
  constructor(stateDir: string) {
    this.#folder = join(stateDir, "calls");
  }

  /**
   * Note an event before its hooks run.
   * @param parent the process that started the hook's, if known
   */
  arrived(host: HostName, { point, payload }: DecodedEvent, parent: number | undefined): void {
    const now = Date.now();
    const file = this.#file(host, payload["session_id"]);
    const known = this.#read(file);
    const window = known ?? { first: now, last: now, running: 0, since: 0, until: 0 };
    const agent = known?.agent ?? (parent === undefined ? undefined : agentProcess(parent));
    const seen = { ...window, agent, last: now };
    if (point === "session.on_end") return this.#write(file, { ...ending(seen, now), ended: true });
    if (point.startsWith("tool.post_") || point === "tool.on_failure") {
      const running = Math.max(0, window.running - 1);
      const until = running > 0 ? window.until : now + AFTER_MS;
      return this.#write(file, { ...seen, sendsEnds: true, running, until });
    }
    if (isBegin(point)) {
      const isAlone = window.sendsEnds !== true || window.running === 0;
      const running = isAlone ? 1 : window.running + 1;
      const since = isAlone ? now : window.since;
      const isApproved = isAlone ? false : window.isApproved;
      const called = window.called ?? now;
      const until = now + LONGEST_MS;
      return this.#write(file, { ...seen, called, running, since, until, isApproved });
    }
    // Anything else comes from a session whose calls are over, or from a subagent beside them.
    const isOver = point.startsWith("prompt.") || point === "agent.pre_stop";
    this.#write(file, isOver ? ending(seen, now) : seen);
  }

  /** Note whether a call that has arrived runs, and whether a person agreed to it. */
  decided(
    host: HostName,
    { point, payload }: DecodedEvent,
    runs: boolean,
    isApproved: boolean,
  ): void {
    if (!isBegin(point) || (runs && !isApproved)) return;
    const file = this.#file(host, payload["session_id"]);
    const window = this.#read(file);
    if (window === undefined) return;
    if (runs) return this.#write(file, { ...window, isApproved: true });
    const running = Math.max(0, window.running - 1);
    this.#write(file, { ...window, running, ...(running === 0 && { until: Date.now() }) });
  }

  /** Who made a change. @param at when, in milliseconds since 1970 */
  authorAt(at: number): Author {
    const files = namesIn(this.#folder).map((name) => join(this.#folder, name));
    const windows = files.flatMap((file) => this.#read(file) ?? []);
    const during = windows.filter(
      ({ since, until }) => at >= since - CLOCK_MS && at <= until + CLOCK_MS,
    );
    if (during.length > 0)
      return during.every(({ isApproved }) => isApproved) ? "approved" : "agent";
    const open = windows.filter((window) => window.first - CLOCK_MS <= at && isOpenSince(window));
    const isLeft = open.some((window) => leavesProcess(window, at));
    return isLeft ? "agent" : open.length > 0 ? "during-session" : "nobody-there";
  }

  /**
   * Calls that end soon last as long as a process that one of them started: it may be gone by the time that a change of
   * it is noticed. For a process that stays, in intervals of a second at most.
   */
  lengthen(): void {
    const now = Date.now();
    for (const [file, { window }] of this.#known) {
      const { until, ended } = window;
      if (ended === true || until < now || until > now + ENDING_MS) continue;
      if (!leavesProcess(window, now) || this.#read(file) !== window) continue;
      this.#write(file, { ...window, until: now + AFTER_MS, isApproved: false });
    }
  }

  #file(host: HostName, session: unknown): string {
    const name = `${host}\n${typeof session === "string" ? session : ""}`;
    return join(this.#folder, sha256(Buffer.from(name)).slice(0, 32));
  }

  #read(file: string): CallWindow | undefined {
    const known = this.#known.get(file);
    return known !== undefined && known.looks === looksOf(file) ? known.window : readWindow(file);
  }

  #write(file: string, window: CallWindow): void {
    const text = `${JSON.stringify(window)}\n`;
    try {
      if (lstatSync(file).size > MOST_BYTES) replaceFile(file, text);
      else appendToFile(file, text);
    } catch {
      this.#begin(file, text);
    }
    if (this.#known.size > MOST_FILES) this.#known.clear();
    this.#known.set(file, { window, looks: looksOf(file) });
  }

  #begin(file: string, text: string): void {
    try {
      makeFolder(this.#folder);
      replaceFile(file, text);
      const names = namesIn(this.#folder);
      for (const name of names.length > MOST_FILES ? names : []) {
        const old = join(this.#folder, name);
        if (Date.now() - statSync(old).mtimeMs > OPEN_MS) rmSync(old, { force: true });
      }
    } catch {
      // Without a note, a change counts as a person's: it is not put back, and waits to be accepted.
    }
  }
}

/** Calls are over, but what they did a moment ago still is theirs. */
function ending(window: CallWindow, now: number): CallWindow {
  const until = Math.min(window.until, now + (window.running > 0 ? AFTER_MS : 0));
  return { ...window, running: 0, until: window.running > 0 ? until : window.until };
}

const VARIABLES = Object.values(HOSTS).flatMap(({ agentVariables }) => agentVariables);

/** Whether a process still runs that a call started before a time. */
function leavesProcess({ agent, called }: CallWindow, at: number): boolean {
  return agent !== undefined && called !== undefined && hasStarted(agent, VARIABLES, called, at);
}

function isBegin(point: string): boolean {
  return point.startsWith("tool.pre_");
}

/** Whether a session goes on. */
function isOpenSince({ last, ended, agent }: CallWindow): boolean {
  if (ended === true) return false;
  return agent === undefined ? Date.now() - last < OPEN_MS : agentIsRunning(agent);
}

/** What the last whole line says: a killed writer, or a full disk, leaves a part of one. */
function readWindow(file: string): CallWindow | undefined {
  try {
    for (const line of fileText(file).trimEnd().split("\n").toReversed()) {
      const window = jsonOr(line) as CallWindow | undefined;
      if (window) return window;
    }
    return undefined;
  } catch {
    return undefined;
  }
}
