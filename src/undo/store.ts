import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isShaped, isText, OrcsError, orUndefined } from "../core/index.ts";
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
import { NotKept, scan } from "./area.ts";
import { ignoredFolders, projectOf, repositoryOf } from "./repository.ts";

/** The options of `orcs:undo`, and their defaults. */
export const LIMITS = { point_mb: 256, project_mb: 1024, days: 7 };
export type Limits = typeof LIMITS;

/** What keeping a state may add. */
export interface Budget {
  bytes: number;
  readonly most: number;
  /** Whether contents are kept, or only their digests. */
  readonly keeps: boolean;
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
  readonly after?: string | undefined;
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
  /** When it was restored; 0 if it was passed over then. */
  readonly undone?: number | undefined;
  /** Set where the end of its call was reported. */
  readonly isReported?: boolean;
}

/** Whether the end of its call was reported. Points of an older orcs say it only by what they noted. */
export function isReported(point: Point): boolean {
  return point.isReported ?? point.areas.some(({ after }) => after !== undefined);
}

export type Manifest = ReadonlyMap<string, Entry>;

/** What is known of a file since it was read. */
interface Known {
  readonly ctimeMs: number;
  readonly ino: number;
  readonly isStored: boolean;
  readonly entry: Entry;
}

interface Counts {
  /** Bytes of all objects, but for what was added since by others. */
  readonly bytes: number;
  /** How often objects have been removed: who has begun before must not rely on what was there. */
  readonly sweeps: number;
  /** When that was considered. */
  readonly pruned: number;
  /** Whether there was no more room for a point when the last one was taken. */
  readonly full: boolean;
  /** Whether there are objects of a point that could not be taken. */
  readonly failed: boolean;
}

/**
 * The points of one project. Objects are files named by the digest of their content; a point is complete when it
 * exists.
 */
export class PointStore {
  readonly root: string;
  readonly folder: string;
  /** By their paths. */
  #known = new Map<string, Known>();
  /** The last whole list of an area: most are the same again. */
  readonly #lists = new Map<string, { entries: Manifest; digest: string; size: number }>();
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
      .map((name) => this.point(name.slice(0, -".json".length)))
      .filter((point) => point !== undefined)
      .sort((a, b) => b.at - a.at);
  }

  /** Undefined for none, and for a file that is none. */
  point(id: string): Point | undefined {
    const found = /^[\da-f]{8}$/.test(id) ? objectInFile(this.#pointFile(id)) : undefined;
    const isPoint = isShaped(found, { ...OF_POINT, id: (given) => given === id });
    return isPoint ? (found as unknown as Point) : undefined;
  }

  save(point: Point): void {
    replaceFile(this.#pointFile(point.id), JSON.stringify(point), { isSweptLater: true });
  }

  drop(id: string): void {
    if (this.point(id)) rmSync(this.#pointFile(id), { force: true });
  }

  #pointFile(id: string): string {
    return join(this.folder, "points", `${id}.json`);
  }

  /**
   * Keep the state of an area, or only find out what it is. It pauses (`yield`) after each file that is read.
   * @param known its lists before: what others have made since both is not looked at
   * @throws NotKept, or the system's error
   */
  *state(area: Area, budget: Budget, known: Manifest[] = []): Generator<undefined, KeptArea> {
    this.#recall();
    const isSkipped = skippedIn(area);
    const skipped: string[] = [];
    const isKnown = (path: string): boolean => known.some((list) => list.has(path));
    const skips = (path: string): boolean =>
      (known.length > 1 && !isKnown(path)) || (isSkipped(path) && skipped.push(path) > 0);
    // Only before a call it counts that everything can be restored.
    const found = yield* scan(area, budget.most < Infinity, skips, isKnown);
    const entries = yield* this.#entries(area.base, found, budget);
    const manifest = this.keepList(area, entries);
    return { skipped, ...area, manifest, after: undefined };
  }

  /** The state now of what a point has. Folders that were left out stay so, whatever git ignores by now. */
  *now(area: KeptArea, keeps: boolean): Generator<undefined, KeptArea> {
    const known = [area.manifest, area.after ?? []].flat().map((list) => this.manifest(list));
    return yield* this.state(area, { bytes: 0, most: Infinity, keeps }, known);
  }

  /** Turn what was found into entries, and keep the contents. */
  *#entries(
    base: string,
    found: ReadonlyMap<string, Found>,
    budget: Budget,
  ): Generator<undefined, Manifest> {
    const begun = Date.now();
    const entries = new Map<string, Entry>();
    const unread: string[] = [];
    let unknown = 0;
    for (const [path, { kind, mode, content, size, mtimeMs, ctimeMs, ino }] of found) {
      const known = kind === "file" ? this.#known.get(`${base}/${path}`) : undefined;
      entries.set(path, known?.entry ?? { kind, mode, ...(content !== undefined && { content }) });
      if (kind !== "file") continue;
      const isSame =
        known?.ctimeMs === ctimeMs &&
        known.ino === ino &&
        known.entry.mtimeMs === mtimeMs &&
        known.entry.size === size &&
        known.entry.mode === mode;
      if (!isSame || (budget.keeps && !known.isStored)) unread.push(path);
      if (!known?.isStored) unknown += size;
    }
    // Before anything is copied in vain.
    if (budget.keeps && unknown > budget.most) throw tooMuch(budget);
    for (const path of unread) {
      const file = `${base}/${path}`;
      const known = this.#read(file, budget);
      yield;
      const isSettled = Math.max(known.ctimeMs, known.entry.mtimeMs ?? 0) < begun - RACY_MS;
      if (isSettled) this.#known.set(file, known);
      else this.#known.delete(file);
      entries.set(path, known.entry);
    }
    return entries;
  }

  #read(file: string, budget: Budget): Known {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    for (let tries = 3; tries > 0; tries--) {
      const open = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const { size, mtimeMs, ctimeMs, ino, mode } = fstatSync(open);
        if (size > Math.min(budget.most, LARGEST_FILE)) throw new NotKept(`${file} is too large`);
        const bytes = readFileSync(open);
        const now = fstatSync(open);
        if (bytes.length !== size || now.size !== size || now.mtimeMs !== mtimeMs) continue;
        const content = budget.keeps ? this.#keep(bytes, budget) : sha256(bytes);
        const entry = { kind: "file", mode: mode & 0o7777, content, size, mtimeMs } as const;
        return { ctimeMs, ino, isStored: budget.keeps, entry };
      } finally {
        closeSync(open);
      }
    }
    throw new NotKept(`${file} changes while it is read`);
  }

  /** Keep a content. @returns its digest */
  #keep(bytes: Buffer, budget?: Budget): string {
    const digest = sha256(bytes);
    if (this.#has(digest, bytes.length)) return digest;
    if (budget && (budget.bytes += bytes.length) > budget.most) throw tooMuch(budget);
    const path = this.#object(digest);
    const aside = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
    // Its folder is private: a mode of its own would cost another call.
    const write = (): void => createFile(aside, bytes, { mode: ANY_FILE });
    try {
      write();
    } catch (thrown) {
      if (!failedWith(thrown, "ENOENT")) throw thrown;
      makeFolder(dirname(path));
      write();
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

  /** Keep a list of entries: as a whole, or as what differs from another one. @returns its digest */
  keepList({ kind, base }: Area, entries: Manifest): string {
    const key = `${kind} ${base}`;
    const known = this.#lists.get(key);
    const last = known && this.#has(known.digest, known.size) ? known : undefined;
    const changed = last ? changesFrom(last.entries, entries) : [];
    if (last && changed.length === 0) return last.digest;
    const isShort = last !== undefined && changed.length * 8 < entries.size;
    const written = isShort ? { from: last.digest, changed } : { changed: [...entries] };
    const bytes = Buffer.from(JSON.stringify(written));
    const digest = this.#keep(bytes);
    if (!isShort) this.#lists.set(key, { entries, digest, size: bytes.length });
    return digest;
  }

  /** @param used of the objects that it consists of, their digests are added */
  manifest(digest: string, used?: Set<string>): Manifest {
    const { from, changed } = JSON.parse(this.content(digest).toString()) as WrittenList;
    used?.add(digest);
    const entries = new Map(from === undefined ? [] : this.manifest(from, used));
    for (const [path, entry] of changed)
      if (entry === null) entries.delete(path);
      else entries.set(path, entry);
    return entries;
  }

  /** Read what is known of files, unless it is known; after a sweep, nothing is. */
  #recall(): void {
    const objects = lstatSync(join(this.folder, "objects"), { throwIfNoEntry: false });
    // Changes when objects have been removed: by a sweep, or all of them by somebody.
    const stamp = `${this.counts.sweeps} ${objects?.ino} ${objects?.birthtimeMs}`;
    if (this.#stamp === stamp) return;
    this.#stamp = stamp;
    this.#lists.clear();
    const written = objectInFile(join(this.folder, "known.json"));
    const files = (written?.["stamp"] === stamp ? written["known"] : []) as [string, Known][];
    // If it is damaged, all is read again.
    this.#known = orUndefined(() => new Map(files)) ?? new Map();
  }

  /** Write it, for other processes. */
  remember(): void {
    const known = [...this.#known].filter(([, { isStored }]) => isStored);
    const text = JSON.stringify({ stamp: this.#stamp, known });
    replaceFile(join(this.folder, "known.json"), text);
  }

  get counts(): Counts {
    const read = objectInFile(join(this.folder, "counts.json")) ?? {};
    const [bytes = 0, sweeps = 0, pruned = 0] = ["bytes", "sweeps", "pruned"].map(
      (key) => Number(read[key]) || 0,
    );
    return { bytes, sweeps, pruned, full: read["full"] === true, failed: read["failed"] === true };
  }

  /** @param added bytes of objects */
  count(added: number, changed: Partial<Counts> = {}): void {
    const before = this.counts;
    const counts = { ...before, bytes: before.bytes + added, ...changed };
    // Most points add nothing.
    if (!isDeepStrictEqual(counts, before))
      replaceFile(join(this.folder, "counts.json"), JSON.stringify(counts));
  }

  /** Paths that points of a session have, so that it may have written there since. */
  touched(session: string): ReadonlySet<string> {
    return new Set((textIfReadable(this.#sessionFile(session)) ?? "").split("\0"));
  }

  touch(session: string, paths: readonly string[]): void {
    if (paths.length > 0) appendToFile(this.#sessionFile(session), `${paths.join("\0")}\0`);
  }

  /** No session counts as having written anything: what is there now was restored. */
  untouch(): void {
    removeOld(join(this.folder, "points"), Infinity, (name) => !name.endsWith(".paths"));
  }

  #sessionFile(session: string): string {
    return join(this.folder, "points", `${sha256(session).slice(0, 16)}.paths`);
  }

  /** Remove points by their age, and what only they had: of those older than a day one an hour stays, for some days. */
  prune(days: number, isForced = false, now = Date.now()): void {
    if (!isForced && now - this.counts.pruned < HOUR_MS) return;
    this.locked(() => {
      const points = this.points();
      const isYoung = ({ at }: Point): boolean => now - at < SAFE_MS;
      const active = new Set(points.filter(isYoung).map(({ session }) => session));
      const hours = new Set<string>();
      const kept = points.filter((point) => {
        const { at, session } = point;
        if (isYoung(point) || (session !== undefined && active.has(session))) return true;
        const hour = `${session} ${Math.floor(at / HOUR_MS)}`;
        if (now - at > days * DAY_MS || hours.has(hour)) return false;
        hours.add(hour);
        return true;
      });
      const gone = points.filter((point) => !kept.includes(point));
      for (const { id } of gone) rmSync(this.#pointFile(id), { force: true });
      removeOld(join(this.folder, "points"), now - SAFE_MS, (name) => name.endsWith(".json"));
      this.#sweep(kept, now, gone.length > 0 || this.counts.failed);
    });
  }

  #sweep(kept: readonly Point[], now: number, isNeeded: boolean): void {
    const needed = new Set<string>();
    // What was read at the start of a session belongs to no point yet.
    for (const { entry } of isNeeded ? this.#known.values() : []) needed.add(entry.content ?? "");
    const areas = isNeeded ? kept.flatMap((point) => point.areas) : [];
    const lists = areas.flatMap(({ manifest, after = manifest }) => [manifest, after]);
    for (const list of new Set(lists))
      for (const { content } of this.manifest(list, needed).values()) needed.add(content ?? "");
    let bytes = 0;
    const objects = join(this.folder, "objects");
    for (const name of namesIn(objects))
      // What is younger may belong to a point that is being taken.
      bytes += removeOld(join(objects, name), now - HOUR_MS, (digest) =>
        isNeeded ? needed.has(digest) : !digest.includes("."),
      );
    const sweeps = this.counts.sweeps + (isNeeded ? 1 : 0);
    this.count(0, { bytes, sweeps, pruned: now, failed: false });
  }
}

/** Remove what is older in a folder and not needed, so what killed writers left. @returns the bytes of the rest */
function removeOld(folder: string, than: number, isNeeded: (name: string) => boolean): number {
  let bytes = 0;
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && found.mtimeMs < than && !isNeeded(name)) rmSync(path, { force: true });
    else bytes += found?.size ?? 0;
  }
  return bytes;
}

const isNumber = (value: unknown): boolean => typeof value === "number";
const isArea = (value: unknown): boolean =>
  isShaped(value, { base: isText, kind: isText, manifest: isText });
/** What every point has. */
const OF_POINT = {
  reason: isText,
  at: isNumber,
  bytes: isNumber,
  areas: (value: unknown): boolean => Array.isArray(value) && value.every(isArea),
};

/** Which folders of an area are left out: those that git ignores, but for a command that removes them. */
function skippedIn({ kind, base, whole, skipped }: Area): (path: string) => boolean {
  const all = new Set(skipped);
  const repository = kind === "tree" && !whole && !skipped ? repositoryOf(base) : undefined;
  return typeof repository === "object" && repository.top === base
    ? ignoredFolders(repository)
    : (path) => all.has(path);
}

/** A list of entries as it is kept. */
interface WrittenList {
  /** The whole list that it differs from. */
  readonly from?: string;
  /** With null for what is not in it. */
  readonly changed: readonly (readonly [path: string, entry: Entry | null])[];
}

/** What differs: most entries are the same objects. */
function changesFrom(last: Manifest, entries: Manifest): WrittenList["changed"] {
  const changed = [...entries].filter(([path, entry]) => {
    const known = last.get(path);
    return known !== entry && !isDeepStrictEqual(known, entry);
  });
  const gone = [...last.keys()].filter((path) => !entries.has(path));
  return [...changed, ...gone.map((path) => [path, null] as const)];
}

const tooMuch = ({ most }: Budget): NotKept => new NotKept(`it is more than ${most / MB} MB`);

/** Where the undo points of all projects are. */
const undoFolder = (): string => join(userStateDir(), "undo");
const folderOf = (root: string): string => join(undoFolder(), sha256(root).slice(0, 32));

/** The points of the project that a folder is in. */
export function storeAt(folder: string): PointStore {
  return new PointStore(projectOf(realpath(folder), (at) => existsSync(folderOf(at))));
}
