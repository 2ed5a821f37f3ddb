import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { isPlainObject, OrcsError } from "../core/index.ts";
import type { JsonObject } from "../core/index.ts";
import {
  ANY_FILE,
  appendToFile,
  createFile,
  expectPrivateFolder,
  failedWith,
  fileBytes,
  makeFolder,
  moveFile,
  namesIn,
  objectInFile,
  realpath,
  replaceFile,
  sha256,
  textIfReadable,
  userStateDir,
  withFileLock,
} from "../machine/index.ts";
import type { Area, Entry, Found } from "./area.ts";
import { NotKept } from "./area.ts";
import { projectOf } from "./repository.ts";

/** The options of `orcs:undo`, and their defaults. */
export const LIMITS = { point_mb: 256, project_mb: 1024, days: 7 };
export type Limits = typeof LIMITS;

/** What a point adds. */
export interface Budget {
  bytes: number;
  readonly most: number;
}

export const MB = 2 ** 20;
/** The largest file that is kept, in bytes. */
const LARGEST_FILE = 2 ** 30;
const DAY_MS = 86_400_000;
/** Points that are younger are never removed, nor are those of a session with one. In milliseconds. */
const SAFE_MS = DAY_MS;
const HOUR_MS = 3_600_000;
/**
 * A file that was changed this shortly before it was read may be changed again without another time, in milliseconds.
 */
const RACY_MS = 50;

/** A part of a point. */
export interface KeptArea extends Area {
  /** The digest of its list of entries. */
  readonly manifest: string;
  /** The same of the state behind the call, whose contents are not kept. */
  readonly after?: string;
}

/** An undo point. */
export interface Point {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly reason: string;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  /** What was called, with its secrets masked. */
  readonly call?: string | undefined;
  /** The id of the call in its session. */
  readonly callId?: string | undefined;
  readonly areas: readonly KeptArea[];
  /** Bytes that it has added. */
  readonly bytes: number;
  /** Why not everything that the call may remove or overwrite is in it. */
  readonly missing?: string | undefined;
  /** Of a point that `orcs undo` took: the point whose restoring it can take back. */
  readonly before?: string | undefined;
  /** When it was restored. */
  readonly undone?: number | undefined;
}

export type Manifest = ReadonlyMap<string, Entry>;

/** What is known of a file since it was read. */
interface Known {
  readonly ctimeMs: number;
  readonly ino: number;
  readonly isStored: boolean;
  readonly entry: Entry;
}

interface KnownFiles {
  /** Which objects they rely on. */
  readonly stamp: string;
  readonly files: readonly (readonly [
    base: string,
    files: readonly (readonly [string, Known])[],
  ])[];
}

interface KeptList {
  readonly entries: Manifest;
  readonly digest: string;
  readonly size: number;
}

/**
 * The points of one project. Objects are files named by the digest of their content; a point is complete when it
 * exists.
 */
export class PointStore {
  readonly root: string;
  readonly folder: string;
  /** Base → path below it → what is known of it. */
  readonly #known = new Map<string, Map<string, Known>>();
  /** The last list of an area, and its digest: most are the same again. */
  readonly #lists = new Map<string, KeptList>();
  readonly #same = new Map<string, Entry>();
  #stamp: string | undefined;

  /** @param root of the project, without links */
  constructor(root: string) {
    this.root = root;
    this.folder = folderOf(root);
  }

  /** @throws OrcsError, or the system's error, if the folder is not private */
  open(): this {
    makeFolder(join(this.folder, "objects"));
    makeFolder(join(this.folder, "points"));
    if ((lstatSync(undoFolder()).mode & 0o077) !== 0) chmodSync(undoFolder(), 0o700);
    expectPrivateFolder(this.folder);
    const file = join(this.folder, "project.json");
    if (!objectInFile(file)) replaceFile(file, JSON.stringify({ root: this.root }));
    return this;
  }

  /** Whether it has been opened ever. */
  get exists(): boolean {
    return existsSync(this.folder);
  }

  /** Run something while no other process changes points or files of the project. */
  locked<T>(run: () => T): T {
    return withFileLock(join(this.folder, "lock"), run);
  }

  /** All points, the newest first. */
  points(): Point[] {
    return namesIn(join(this.folder, "points"))
      .flatMap((name) => (name.endsWith(".json") ? [this.point(name.slice(0, -5))] : []))
      .filter((point) => point !== undefined)
      .sort((a, b) => b.at - a.at);
  }

  /** Undefined for none, and for a file that is none. */
  point(id: string): Point | undefined {
    if (!/^[\da-f]{8}$/.test(id)) return undefined;
    const found = objectInFile(this.#pointFile(id));
    return found && isPoint(found, id) ? found : undefined;
  }

  save(point: Point): void {
    replaceFile(this.#pointFile(point.id), JSON.stringify(point));
  }

  drop(id: string): void {
    if (this.point(id)) rmSync(this.#pointFile(id), { force: true });
  }

  #pointFile(id: string): string {
    return join(this.folder, "points", `${id}.json`);
  }

  /**
   * Turn what was found into entries, and keep the contents. It pauses (`yield`) after each file that is read.
   * @param keeps whether contents are kept, or only their digests
   * @returns the entries, and how many bytes were added
   * @throws NotKept, or the system's error
   */
  *entries(
    base: string,
    found: ReadonlyMap<string, Found>,
    keeps: boolean,
    budget: Budget,
  ): Generator<undefined, Manifest> {
    const begun = Date.now();
    const entries = new Map<string, Entry>();
    const ofBase = this.#known.get(base) ?? new Map<string, Known>();
    this.#known.set(base, ofBase);
    // Before anything is copied in vain.
    let unknown = 0;
    for (const [path, { size, kind }] of found)
      if (kind === "file" && !ofBase.get(path)?.isStored) unknown += size;
    if (keeps && unknown > budget.most) throw tooMuch(budget);
    for (const [path, { kind, mode, size, mtimeMs, ctimeMs, ino, target }] of found) {
      if (kind !== "file") entries.set(path, this.#plain(kind, mode, target));
      else {
        let known = ofBase.get(path);
        const isSame =
          known?.ctimeMs === ctimeMs &&
          known.ino === ino &&
          known.entry.mtimeMs === mtimeMs &&
          known.entry.size === size &&
          known.entry.mode === mode;
        if (!known || !isSame || (keeps && !known.isStored)) {
          known = this.#read(join(base, path), keeps, budget);
          yield;
          const isSettled = Math.max(known.ctimeMs, known.entry.mtimeMs ?? 0) < begun - RACY_MS;
          if (isSettled) ofBase.set(path, known);
          else ofBase.delete(path);
        }
        entries.set(path, known.entry);
      }
    }
    return entries;
  }

  /** The same object for the same folder or link, so that lists are compared fast. */
  #plain(kind: Entry["kind"], mode: number, content: string | undefined): Entry {
    const key = `${kind} ${mode} ${content}`;
    const known = this.#same.get(key) ?? { kind, mode, ...(content !== undefined && { content }) };
    this.#same.set(key, known);
    return known;
  }

  #read(file: string, keeps: boolean, budget: Budget): Known {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    for (let tries = 3; tries > 0; tries--) {
      const open = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const { size, mtimeMs, ctimeMs, ino, mode } = fstatSync(open);
        if (size > Math.min(budget.most, LARGEST_FILE)) throw new NotKept(`${file} is too large`);
        const bytes = Buffer.allocUnsafe(size);
        let length = 0;
        for (let n = 1; length < size && n > 0; length += n)
          n = readSync(open, bytes, length, size - length, null);
        const now = fstatSync(open);
        if (length < size || now.size !== size || now.mtimeMs !== mtimeMs) continue;
        const content = keeps ? this.keep(bytes, budget) : sha256(bytes);
        const entry = { kind: "file", mode: mode & 0o7777, content, size, mtimeMs } as const;
        return { ctimeMs, ino, isStored: keeps, entry };
      } finally {
        closeSync(open);
      }
    }
    throw new NotKept(`${file} changes while it is read`);
  }

  /** Keep a content. @returns its digest */
  keep(bytes: Buffer, budget?: Budget): string {
    const digest = sha256(bytes);
    const path = this.#object(digest);
    if (this.#has(digest, bytes.length)) return digest;
    if (budget) {
      budget.bytes += bytes.length;
      if (budget.bytes > budget.most) throw tooMuch(budget);
    }
    // Its folder is private: a mode of its own would cost another call.
    const aside = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
    try {
      createFile(aside, bytes, { mode: ANY_FILE });
    } catch (thrown) {
      if (!failedWith(thrown, "ENOENT")) throw thrown;
      makeFolder(join(this.folder, "objects", digest.slice(0, 2)));
      createFile(aside, bytes, { mode: ANY_FILE });
    }
    moveFile(aside, path);
    return digest;
  }

  #has(digest: string, size: number): boolean {
    return lstatSync(this.#object(digest), { throwIfNoEntry: false })?.size === size;
  }

  #object(digest: string): string {
    return join(this.folder, "objects", digest.slice(0, 2), digest);
  }

  /** @throws OrcsError ORCS5021 if it is gone or damaged */
  content(digest: string): Buffer {
    try {
      const bytes = fileBytes(this.#object(digest), LARGEST_FILE);
      if (sha256(bytes) === digest) return bytes;
    } catch {
      // Said below.
    }
    const why = `a kept content is missing or damaged: ${this.#object(digest)}`;
    throw new OrcsError("ORCS5021", why);
  }

  /**
   * Keep a list of entries: as a whole, or as what differs from another one.
   * @param key of its area
   */
  keepManifest(key: string, entries: Manifest): string {
    const known = this.#lists.get(key);
    const last = known && this.#has(known.digest, known.size) ? known : undefined;
    const changed = last ? changesFrom(last.entries, entries) : [];
    if (last && changed.length === 0) return last.digest;
    const isShort = last !== undefined && changed.length * 8 < entries.size;
    const written = isShort ? { from: last.digest, changed } : { changed: [...entries] };
    const bytes = Buffer.from(JSON.stringify(written));
    const digest = this.keep(bytes);
    if (!isShort) this.#lists.set(key, { entries, digest, size: bytes.length });
    return digest;
  }

  manifest(digest: string): Manifest {
    const { from, changed } = this.#written(digest);
    const entries = new Map(from === undefined ? [] : this.manifest(from));
    for (const [path, entry] of changed)
      if (entry === null) entries.delete(path);
      else entries.set(path, entry);
    return entries;
  }

  #written(digest: string): WrittenList {
    return JSON.parse(this.content(digest).toString()) as WrittenList;
  }

  /** Read what is known of files, before many are looked at; after a sweep, nothing is known. */
  recall(): void {
    const stamp = this.#objectsStamp();
    if (this.#stamp === stamp) return;
    this.#known.clear();
    this.#lists.clear();
    this.#stamp = stamp;
    try {
      const kept = objectInFile(join(this.folder, "known.json")) as KnownFiles | undefined;
      if (kept?.stamp !== stamp) return;
      for (const [base, files] of kept.files) this.#known.set(base, new Map(files));
    } catch {
      // It is damaged. All is read again.
      this.#known.clear();
    }
  }

  /** Changes when objects have been removed: by a sweep, or all of them by somebody. */
  #objectsStamp(): string {
    const found = lstatSync(join(this.folder, "objects"), { throwIfNoEntry: false });
    return `${this.sweeps} ${found?.ino} ${found?.birthtimeMs}`;
  }

  /** Write it, for other processes. */
  remember(): void {
    const files = [...this.#known].map(
      ([base, known]) => [base, [...known].filter(([, { isStored }]) => isStored)] as const,
    );
    const kept: KnownFiles = { stamp: this.#stamp ?? "", files };
    replaceFile(join(this.folder, "known.json"), JSON.stringify(kept));
  }

  /** Whether there was no more room for a point when the last one was taken. */
  get isFull(): boolean {
    return this.#counts["full"] === true;
  }

  /** How often objects have been removed: who has begun before must not rely on what was there. */
  get sweeps(): number {
    return Number(this.#counts["sweeps"]) || 0;
  }

  /** Bytes of all objects, but for what was added since by others. */
  get bytes(): number {
    return Number(this.#counts["bytes"]) || 0;
  }

  get #counts(): JsonObject {
    return objectInFile(join(this.folder, "counts.json")) ?? {};
  }

  /** Set the bytes of all objects, and what else is counted. */
  count(bytes: number, more: JsonObject = {}): void {
    const before = this.#counts;
    const counts = JSON.stringify({ ...before, bytes, ...more });
    // Most points add nothing.
    if (counts !== JSON.stringify(before)) replaceFile(join(this.folder, "counts.json"), counts);
  }

  /** Paths that points of a session have, so that it may have written there since. */
  touched(session: string): ReadonlySet<string> {
    return new Set((textIfReadable(this.#sessionFile(session)) ?? "").split("\0"));
  }

  touch(session: string, paths: readonly string[]): void {
    const known = this.touched(session);
    const added = paths.filter((path) => !known.has(path));
    if (added.length > 0) appendToFile(this.#sessionFile(session), `${added.join("\0")}\0`);
  }

  /** No session counts as having written anything: what is there now was restored. */
  untouch(): void {
    const folder = join(this.folder, "points");
    for (const name of namesIn(folder))
      if (name.endsWith(".paths")) rmSync(join(folder, name), { force: true });
  }

  #sessionFile(session: string): string {
    return join(this.folder, "points", `${sha256(session).slice(0, 16)}.paths`);
  }

  /** Remove points by their age, and what only they had: of those older than a day one an hour stays, for some days. */
  prune(days: number, isForced = false, now = Date.now()): void {
    if (!isForced && now - Number(this.#counts["pruned"] ?? 0) < HOUR_MS) return;
    this.locked(() => {
      const points = this.points();
      const active = new Set(
        points.filter(({ at }) => now - at < SAFE_MS).map(({ session }) => session),
      );
      const hours = new Set<string>();
      const kept = points.filter(({ at, session }) => {
        if (now - at < SAFE_MS || (session !== undefined && active.has(session))) return true;
        const hour = `${session} ${Math.floor(at / HOUR_MS)}`;
        if (now - at > days * DAY_MS || hours.has(hour)) return false;
        hours.add(hour);
        return true;
      });
      const gone = points.filter((point) => !kept.includes(point));
      for (const { id } of gone) rmSync(this.#pointFile(id), { force: true });
      for (const name of namesIn(join(this.folder, "points"))) {
        const file = join(this.folder, "points", name);
        const isOld = now - (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > SAFE_MS;
        if (name.endsWith(".paths") && isOld) rmSync(file, { force: true });
      }
      this.#sweep(kept, now, gone.length > 0 || this.#counts["failed"] === true);
    });
  }

  #sweep(kept: readonly Point[], now: number, isNeeded: boolean): void {
    const needed = new Set<string>();
    // One that others only differ from is needed, but what it names may not be.
    const lists = new Set<string>();
    // What was read at the start of a session belongs to no point yet.
    for (const known of isNeeded ? this.#known.values() : [])
      for (const { entry } of known.values()) needed.add(entry.content ?? "");
    for (const { areas } of isNeeded ? kept : []) {
      for (const digest of areas.flatMap(({ manifest, after }) => [manifest, after ?? manifest])) {
        if (lists.has(digest)) continue;
        lists.add(digest);
        const { from } = this.#written(digest);
        for (const each of [digest, from ?? digest]) needed.add(each);
        for (const { kind, content } of this.manifest(digest).values())
          if (kind === "file" && content !== undefined) needed.add(content);
      }
    }
    let bytes = 0;
    const objects = join(this.folder, "objects");
    for (const folder of namesIn(objects)) {
      for (const name of namesIn(join(objects, folder))) {
        const path = join(objects, folder, name);
        const found = lstatSync(path, { throwIfNoEntry: false });
        // What is younger may belong to a point that is being taken.
        const isOld = now - (found?.mtimeMs ?? now) > HOUR_MS;
        const isAside = name.includes(".");
        if (isOld && (isAside || (isNeeded && !needed.has(name)))) rmSync(path, { force: true });
        else bytes += found?.size ?? 0;
      }
    }
    this.count(bytes, { sweeps: this.sweeps + (isNeeded ? 1 : 0), pruned: now, failed: false });
  }
}

function isPoint(found: JsonObject, id: string): found is JsonObject & Point {
  const { at, bytes, areas, reason } = found;
  const isArea = ({ base, kind, manifest }: JsonObject): boolean =>
    [base, kind, manifest].every((each) => typeof each === "string");
  return (
    found["id"] === id &&
    typeof reason === "string" &&
    [at, bytes].every((each) => typeof each === "number") &&
    Array.isArray(areas) &&
    areas.every((area) => isPlainObject(area) && isArea(area))
  );
}

/** A list of entries as it is kept. */
interface WrittenList {
  /** The whole list that it differs from. */
  readonly from?: string;
  /** With null for what is not in it. */
  readonly changed: readonly (readonly [path: string, entry: Entry | null])[];
}

/** What differs; an entry that has not changed is the same object. */
function changesFrom(last: Manifest, entries: Manifest): [string, Entry | null][] {
  const changed: [string, Entry | null][] = [];
  for (const [path, entry] of entries) if (last.get(path) !== entry) changed.push([path, entry]);
  if (last.size !== entries.size || changed.length > 0)
    for (const path of last.keys()) if (!entries.has(path)) changed.push([path, null]);
  return changed;
}

function tooMuch({ most }: Budget): NotKept {
  return new NotKept(`it is more than ${most / MB} MB`);
}

/** Where the undo points of all projects are. */
const undoFolder = (): string => join(userStateDir(), "undo");

function folderOf(root: string): string {
  return join(undoFolder(), sha256(root).slice(0, 32));
}

/** The points of the project that a folder is in. */
export function storeAt(folder: string): PointStore {
  return new PointStore(projectOf(realpath(folder), (at) => existsSync(folderOf(at))));
}
