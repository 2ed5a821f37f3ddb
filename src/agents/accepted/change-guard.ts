import { lstatSync, statSync, watch, type FSWatcher } from "node:fs";
import { dirname, join } from "node:path";
import { equalJson, messageOf } from "../../core/index.ts";
import type { HostName, Logger, Outcome } from "../../core/index.ts";
import { keepsConfiguration, takesAway, type TrustLine } from "../../engine/index.ts";
import { realpath, sha256, shownPath, upwards, userFolders } from "../../machine/index.ts";
import { HOSTS, type DecodedEvent } from "../../formats/index.ts";
import {
  AcceptedFiles,
  contentOf,
  isAsAccepted,
  looksOf,
  restore,
  TrustStore,
  trustStorePath,
  UserConfiguration,
} from "../../config/index.ts";
import type { AcceptedFile, FileContent, Notice, OpenChange } from "../../config/index.ts";
import { gatesToolCall } from "../install/fallback.ts";
import { readInstallations } from "../installation.ts";
import { ACCEPT, acceptNow, changeText } from "./accept.ts";
import { CallWindows } from "./call-windows.ts";
import { isWeakened, restoredSettings, type SettingsKind } from "./settings.ts";

/**
 * Compares what decides whether hooks run with what a person accepted. What a call of an agent changed so that less is
 * guarded is put back; a change by anybody else stays, and waits for a person.
 */
export class ChangeGuard {
  readonly #accepted: AcceptedFiles;
  readonly #windows: CallWindows;
  readonly #logger: Logger;
  readonly #record: string;
  readonly #open: string;
  readonly #stateDir: string;
  #files: Map<string, AcceptedFile> = new Map();
  #changes: Map<string, OpenChange> = new Map();
  /** Copies, for the time when those on the disk are gone. */
  readonly #copies = new Map<string, Buffer>();
  /** Metadata of the record that was read. */
  #seen = "";
  #lines: TrustLine[] = [];
  readonly #user = new UserConfiguration(userFolders().config, new TrustStore());
  /** Its files, and what they looked like when they were compared. */
  #userFiles: readonly string[] = [];
  #userLooks = "";
  #wasHeld = false;
  /** Whether what was accepted is gone, and this process never knew it. */
  #isLost = false;

  constructor(logger: Logger, stateDir = userFolders().state) {
    this.#accepted = new AcceptedFiles(stateDir);
    this.#windows = new CallWindows(stateDir);
    this.#logger = logger;
    this.#record = join(stateDir, "accepted", "files.json");
    this.#open = join(stateDir, "accepted", "changes.json");
    this.#stateDir = stateDir;
  }

  /** Compare all files. Never throws. */
  check(): void {
    try {
      if (!this.#read()) return;
      const isSame = [...this.#files].every(
        ([path, { looks }]) => looksOf(path) === looks && !this.#isWaiting(path),
      );
      if (!isSame) this.#accepted.locked(() => this.#compare());
      if (this.#isUserMoved()) this.#accepted.locked(() => this.#compareUser());
    } catch (thrown) {
      this.#logger.error(`what a person accepted cannot be compared: ${messageOf(thrown)}`);
    }
  }

  /** Note an event before its hooks run, and compare. */
  arrived(host: HostName, decoded: DecodedEvent, parent: number | undefined): void {
    this.check();
    if (this.#files.size > 0) this.#windows.arrived(host, decoded, parent);
  }

  /**
   * Note what was decided about it.
   * @param isAnswered whether a person has agreed to it
   * @returns the outcome: a change of settings may have to be kept from a session
   */
  decided(host: HostName, decoded: DecodedEvent, outcome: Outcome, isAnswered = false): Outcome {
    if (this.#files.size === 0 && !this.#isLost) return outcome;
    const { ctx, inject } = outcome;
    const hook = "orcs:accepted";
    const reason = this.#refusedChange(host, decoded);
    if (reason !== undefined) return { ctx, inject, action: "abort", hook, reason };
    const own =
      outcome.action === "continue" && gatesToolCall(decoded) ? this.#decision() : undefined;
    const runs = outcome.action === "continue";
    const isAsked = runs && (outcome.decision === "ask" || isAnswered);
    const asks = isAsked && outcome.hook === "orcs:self-guard";
    const isApproved = asks || outcome.ctx.metadata["allowed_once"] !== undefined;
    this.#windows.decided(host, decoded, runs, isApproved);
    if (own?.isAsked === false) return { ctx, inject, action: "abort", hook, reason: own.reason };
    return own
      ? { ...outcome, action: "continue", decision: "ask", hook, reason: own.reason }
      : outcome;
  }

  /** What its user and the model are told. */
  get notices(): readonly Notice[] {
    if (this.#isLost) return [{ text: LOST, key: "accepted lost" }];
    return [...this.#changes].map(([path, change]) => {
      return {
        text: changeText(path, change),
        key: `accepted ${path} ${change.digest} ${change.at}`,
      };
    });
  }

  /** Lines for the audit log since the last call. */
  takeLines(): readonly TrustLine[] {
    const lines = this.#lines;
    if (lines.length > 0) this.#lines = [];
    return lines;
  }

  /** Whether the user's own configuration began or ceased to be held since the last call. */
  takeUserMoved(): boolean {
    const { holdsUser } = this.#accepted;
    const isMoved = holdsUser !== this.#wasHeld;
    this.#wasHeld = holdsUser;
    return isMoved;
  }

  /** Why a change of settings that an agent has noticed does not apply to its session; undefined if it may. */
  #refusedChange(host: HostName, { event, payload }: DecodedEvent): string | undefined {
    if (HOSTS[host].settingsReload.event !== event) return undefined;
    for (const [file, change] of this.#changes) {
      if (change.state !== "back" || Date.now() - (change.put ?? 0) < SETTLING_MS)
        return changeText(file, change);
    }
    const path = (payload["host"] as { file_path?: unknown } | undefined)?.file_path;
    if (typeof path !== "string" || this.#files.has(path)) return undefined;
    const bytes = contentOf(path);
    const kind = { host, programs: [], isToml: false };
    // A file of a project is never written; the session goes on without it.
    const isOff = Buffer.isBuffer(bytes) && isWeakened(kind, Buffer.from("{}"), bytes);
    return isOff
      ? `ORCS7027: ${shownPath(path)} switches hooks off, which this session does not apply`
      : undefined;
  }

  /** Compare whenever one of the files may have changed. @returns what ends that */
  watch(changed: () => void): () => void {
    const watchers = new Map<string, FSWatcher>();
    let due: ReturnType<typeof setTimeout> | undefined;
    const isWatched = (path: string): boolean =>
      this.#files.has(path) || path === this.#record || path === this.#open;
    let postponed = 0;
    const look = (): void => {
      clearTimeout(due);
      due = undefined;
      // What is put back while somebody saves in place would lose the rest of it.
      if (this.#isBeingSaved() && postponed++ < MOST_POSTPONED) {
        due = setTimeout(look, QUIET_MS).unref();
        return;
      }
      postponed = 0;
      this.check();
      if (this.#lines.length > 0 || this.#wasHeld !== this.#accepted.holdsUser) changed();
      const folders = new Set([...this.#files.keys(), this.#record].map((path) => dirname(path)));
      for (const folder of folders) {
        const known = watchers.get(folder);
        if (known || !statSync(folder, { throwIfNoEntry: false })) continue;
        try {
          // Later, and not for files such as the lock: comparing writes there as well, and would go on for ever.
          const watcher = watch(folder, { persistent: false }, (_, name) => {
            if (name !== null && !isWatched(join(folder, name))) return;
            due ??= setTimeout(look, SOON_MS).unref();
          });
          // Removed: watched again when it is back.
          watcher.on("error", () => (watcher.close(), watchers.delete(folder)));
          watchers.set(folder, watcher);
        } catch {
          // Looked at in intervals.
        }
      }
    };
    look();
    const timer = setInterval(() => {
      this.#windows.lengthen();
      look();
    }, LOOK_MS).unref();
    return () => {
      clearInterval(timer);
      clearTimeout(due);
      for (const watcher of watchers.values()) watcher.close();
    };
  }

  /** Whether a file differs from what is known, and was written to just now. */
  #isBeingSaved(): boolean {
    const known = [...this.#files].map(([path, { looks }]) => [path, looks] as const);
    const user = this.#userFiles.length > 0 ? this.#user.file : undefined;
    return [...known, ...(user === undefined ? [] : [[user, ""] as const])].some(
      ([path, looks]) => Date.now() - changedAt(path) < QUIET_MS && looksOf(path) !== looks,
    );
  }

  /** What a call is decided by while a change cannot be put back, or waits for a person. */
  #decision(): { readonly isAsked: boolean; readonly reason: string } | undefined {
    if (this.#isLost) return { isAsked: false, reason: LOST };
    const open = [...this.#changes].filter(([, { state }]) => state !== "back");
    const [path, change] = open.find(([, { state }]) => state === "stuck") ?? open[0] ?? [];
    if (path === undefined || change === undefined) return undefined;
    const isAsked = change.state === "waits";
    this.#note(isAsked ? "held" : "not_put_back", path, change.digest);
    return { isAsked, reason: changeText(path, change) };
  }

  #isWaiting(path: string): boolean {
    const state = this.#changes.get(path)?.state;
    return state === "waits" || state === "stuck";
  }

  /** Read the record, or begin one. @returns whether there is one */
  #read(): boolean {
    const looks = `${looksOf(this.#record)} ${looksOf(this.#open)}`;
    if (looks === this.#seen) return this.#files.size > 0;
    if (!this.#accepted.isBegun) {
      if (this.#files.size > 0) {
        // Gone, as only a program can do that: what this process knows is written again.
        for (const bytes of this.#copies.values()) this.#accepted.keep(bytes);
        this.#accepted.locked(() => this.#accepted.write(this.#files, this.#changes));
      } else {
        const known = readInstallations(this.#stateDir);
        this.#isLost = known?.accepted === true;
        if (!known || this.#isLost) return false;
        acceptNow(this.#accepted);
      }
    }
    this.#isLost = false;
    this.#files = this.#accepted.files();
    this.#changes = this.#accepted.changes();
    for (const { digest } of this.#files.values()) {
      if (digest === null || this.#copies.has(digest)) continue;
      const bytes = this.#accepted.content(digest);
      if (bytes) this.#copies.set(digest, bytes);
    }
    this.#seen = `${looksOf(this.#record)} ${looksOf(this.#open)}`;
    return this.#files.size > 0;
  }

  #compare(): void {
    this.#files = this.#accepted.files();
    this.#changes = this.#accepted.changes();
    const was = JSON.stringify([...this.#files, ...this.#changes]);
    for (const [path, known] of this.#files) {
      const looks = looksOf(path);
      if (looks === known.looks && !this.#isWaiting(path)) continue;
      if (isAsAccepted(path, known)) {
        this.#files.set(path, { ...known, looks });
        if (this.#isWaiting(path)) this.#changes.delete(path);
      } else this.#judge(path, known, contentOf(path));
    }
    for (const [path, { at, state }] of this.#changes) {
      if (state === "back" && Date.now() - at > KEPT_MS) this.#changes.delete(path);
    }
    const now = JSON.stringify([...this.#files, ...this.#changes]);
    if (now === was) return;
    this.#accepted.write(this.#files, this.#changes);
    this.#seen = "";
    this.#read();
  }

  /** Whether the user's own configuration has to be compared. */
  #isUserMoved(): boolean {
    const looks = [trustStorePath(), ...this.#userFiles].map(looksOf).join("\n");
    const isOpen = [...this.#changes.values()].some(
      ({ isOfUser, state }) => isOfUser && state !== "back",
    );
    if (looks === this.#userLooks && !isOpen) return false;
    this.#userLooks = looks;
    this.#userFiles = this.#user.files;
    return this.#user.isChanged || isOpen;
  }

  /** Its accepted content is what was last active: its own hooks are kept whatever this does. */
  #compareUser(): void {
    if (this.#accepted.isBeingWritten) return;
    const was = JSON.stringify([...this.#changes]);
    const before = this.#user.differences() ?? new Map<string, Buffer>();
    const author = this.#windows.authorAt(Math.max(0, ...[...before.keys()].map(changedAt)));
    for (const [path, { isOfUser, state }] of this.#changes) {
      if (isOfUser && state !== "back") this.#changes.delete(path);
    }
    for (const [path, bytes] of before) {
      const now = contentOf(path);
      const isLess = isUserLess(path === this.#user.file, bytes, now, author === "agent");
      if (!isLess) continue;
      const digest = now !== null && "odd" in now ? null : this.#accepted.keep(now);
      const at = changedAt(path);
      const change = { digest, at, isOfUser: true } as const;
      if (author === "agent") {
        const run = (): void => restore(path, realpath(path), bytes);
        this.#restored(path, change, was.includes('"stuck"'), run);
      } else if (author === "during-session") {
        this.#changes.set(path, { ...change, state: "waits" });
        if (!was.includes(String(digest))) this.#note("held", path, digest);
      }
    }
    if (JSON.stringify([...this.#changes]) === was) return;
    this.#accepted.write(this.#files, this.#changes);
    this.#seen = "";
    this.#read();
  }

  #judge(path: string, known: AcceptedFile, now: FileContent): void {
    const kind = kindOf(path, known);
    const before =
      known.digest === null
        ? null
        : (this.#copies.get(known.digest) ?? this.#accepted.content(known.digest));
    const isMoved = realpath(path) !== known.real;
    const isOdd = now !== null && "odd" in now;
    const isLess =
      isOdd || isMoved
        ? true
        : kind === "state"
          ? !isSameJson(before, now)
          : isWeakened(kind, before, now);
    if (!isLess) {
      this.#files.set(path, { ...known, ...this.#accepted.present(path) });
      this.#changes.delete(path);
      return;
    }
    const digest = isOdd ? null : this.#accepted.keep(now);
    const open = this.#changes.get(path);
    const at = open?.digest === digest && this.#isWaiting(path) ? open.at : changedAt(path);
    const author = this.#windows.authorAt(at);
    if (author === "agent" || open?.state === "stuck") {
      this.#restored(path, { digest, at }, open?.state === "stuck", () => {
        const bytes =
          kind === "state" || isOdd || realpath(path) !== known.real
            ? before
            : restoredSettings(kind, before, now);
        restore(path, known.real, bytes);
        this.#files.set(path, { ...known, ...this.#accepted.present(path) });
      });
    } else if (author === "during-session") {
      if (open?.state !== "waits" || open.digest !== digest) this.#note("held", path, digest);
      this.#changes.set(path, { digest, at, state: "waits" });
    } else if (!isOdd) {
      // A person agreed to it, or no session was open: it is not compared with what was before.
      this.#files.set(path, { ...known, ...this.#accepted.present(path) });
      this.#changes.delete(path);
    }
  }

  /** Note that a file was put back, or cannot be. */
  #restored(
    path: string,
    change: Omit<OpenChange, "state">,
    wasStuck: boolean,
    run: () => void,
  ): void {
    try {
      run();
      this.#changes.set(path, { ...change, state: "back", put: Date.now() });
      this.#note("put_back", path, change.digest);
    } catch (thrown) {
      if (!wasStuck) this.#note("not_put_back", path, change.digest);
      this.#changes.set(path, { ...change, state: "stuck", why: messageOf(thrown) });
    }
  }

  #note(action: "put_back" | "held" | "not_put_back", path: string, digest: string | null): void {
    const line = { action, directory: dirname(path), file: path, digest: digest ?? undefined };
    this.#lines.push(line);
  }
}

const LOST = `ORCS7026: what you accepted of the settings of agents is gone from the state folder; calls are denied until you run in a terminal: ${ACCEPT}`;

/** An agent notices a change as late as this, when the file may have been put back already; in milliseconds. */
const SETTLING_MS = 30_000;
/** How often files are compared in a service, besides when the system reports a change; in milliseconds. */
const LOOK_MS = 1000;
/** How long a file that somebody saves stays as it is, at least, in milliseconds. */
const QUIET_MS = 150;
/** How often in a row a comparison waits for that. */
const MOST_POSTPONED = 6;
/** How long after the system reported a change, in milliseconds. */
const SOON_MS = 20;
/** How long what was put back can be accepted, in milliseconds. */
const KEPT_MS = 7 * 86_400_000;

/**
 * Whether the user's own hooks guard less after a change. Of what a person does, only what is certain counts.
 * @param isStrict whether any change of meaning counts, of scripts as well
 */
function isUserLess(
  isConfig: boolean,
  before: Buffer,
  now: FileContent,
  isStrict: boolean,
): boolean {
  if (!isConfig || !Buffer.isBuffer(now)) return isStrict;
  try {
    const [was, is] = [before.toString("utf8"), now.toString("utf8")];
    return isStrict ? !keepsConfiguration(was, is) : takesAway(was, is);
  } catch {
    // It does not load: what was last active stays, without anybody's consent.
    return isStrict;
  }
}

function kindOf(path: string, { settings }: AcceptedFile): SettingsKind | "state" {
  if (settings === undefined) return "state";
  return { host: settings.host, programs: [settings.program], isToml: path.endsWith(".toml") };
}

/** When a file was changed, in milliseconds since 1970: a time that no program can set. */
function changedAt(path: string): number {
  for (const at of upwards(path)) {
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found) return found.ctimeMs;
  }
  return Date.now();
}

function isSameJson(before: Buffer | null, after: Buffer | null): boolean {
  if (before === null || after === null) return before === after;
  try {
    return equalJson(JSON.parse(before.toString("utf8")), JSON.parse(after.toString("utf8")));
  } catch {
    return sha256(before) === sha256(after);
  }
}
