import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf, OrcsError, orFail } from "../core/index.ts";
import { createFile, failedWith, moveFile, objectInFile, replaceFile } from "../machine/index.ts";
import type { Entry } from "./area.ts";
import { foundAt } from "./area.ts";
import type { KeptArea, Manifest, Point, PointStore } from "./store.ts";
import { isReported } from "./store.ts";

/** A path that restoring a point changes. */
export interface Change {
  /** The area of the point that it is in. */
  readonly area: number;
  readonly base: string;
  /** Relative to the base. */
  readonly path: string;
  /** What it will be; undefined: it will be removed. */
  readonly before: Entry | undefined;
  readonly now: Entry | undefined;
  /** Whether it was changed again after the call: what it is now is kept beside it. */
  readonly conflict: boolean;
}

/** What restoring a point would do. */
export interface RestorePlan {
  readonly point: Point;
  readonly changes: readonly Change[];
  /** The state now, of the same areas. */
  readonly now: readonly KeptArea[];
}

/** One line about a change, for people. */
export function changeText({ base, path, before, now, conflict }: Change): string {
  const deed = before === undefined ? "remove" : now === undefined ? "bring back" : "restore";
  const note = conflict ? "  (changed since by others: kept beside it)" : "";
  return `${deed.padEnd(11)} ${join(base, path)}${note}`;
}

/** A restore that has begun. */
interface Journal {
  readonly point: string;
  /** The point of the state before it. */
  readonly undo: string;
  /** For each area of the point. */
  readonly paths: readonly (readonly string[])[];
  /** Whether all new contents are written: from then on it is finished, before that it is taken back. */
  readonly isStaged: boolean;
}

/** What was done. */
export interface Restored {
  /** Copies of what was changed again after the call: absolute paths. */
  readonly beside: readonly string[];
  /** What could not be restored, and why. */
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}

function same(a: Entry | undefined, b: Entry | undefined): boolean {
  if (!a || !b) return a === b;
  return a.kind === b.kind && a.content === b.content && (a.kind === "link" || a.mode === b.mode);
}

/**
 * What restoring a point would change. What others have changed since, and the call has not, stays.
 * @param keeps whether the contents of now are kept
 * @param wanted only what is at or below one of these absolute paths
 * @throws OrcsError ORCS5021
 */
export function planOf(
  store: PointStore,
  point: Point,
  keeps: boolean,
  wanted: readonly string[] = [],
): RestorePlan {
  const isWanted = (path: string): boolean =>
    wanted.length === 0 || wanted.some((each) => path === each || path.startsWith(`${each}/`));
  const now: KeptArea[] = [];
  const changes = new Map<string, Change>();
  for (const [area, kept] of point.areas.entries()) {
    const { base, manifest, after } = kept;
    const found = orFail(() => ended(store.now(kept, keeps)), unknownState);
    now.push(found);
    const is = store.manifest(found.manifest);
    const left = after === undefined ? is : store.manifest(after);
    const isMeant = (path: string): boolean => isWanted(join(base, path));
    for (const change of changesOf(store.manifest(manifest), is, left, isMeant)) {
      const at = join(base, change.path);
      if (!changes.has(at)) changes.set(at, { area, base, ...change });
    }
  }
  return { point, changes: [...changes.values()], now };
}

function ended<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

const unknownState = (thrown: unknown): OrcsError =>
  new OrcsError("ORCS5021", `it is unknown what has changed: ${messageOf(thrown)}`);

function changesOf(
  before: Manifest,
  now: Manifest,
  left: Manifest,
  isMeant: (path: string) => boolean,
): Iterable<Omit<Change, "area" | "base">> {
  const changes = new Map<string, Omit<Change, "area" | "base">>();
  for (const path of new Set([...before.keys(), ...now.keys()])) {
    const [was, is, then] = [before, now, left].map((each) => each.get(path));
    // Or else the call has not touched it.
    if (isMeant(path) && !same(was, is) && !same(was, then))
      changes.set(path, { path, before: was, now: is, conflict: !same(then, is) });
  }
  // What is restored needs its folder, whoever put something else there.
  for (const path of changes.keys()) {
    const above = dirname(path);
    const [was, is] = [before.get(above), now.get(above)];
    if (was?.kind !== "folder" || is?.kind === "folder" || !before.has(path)) continue;
    if (!changes.has(above))
      changes.set(above, { path: above, before: was, now: is, conflict: is !== undefined });
  }
  return changes.values();
}

/**
 * What restoring the newest point of a call would do that was not undone; with `isRedo`, of the newest undo. A call
 * that was denied, or changed nothing, is passed over.
 */
export function newestUndone(
  store: PointStore,
  isRedo: boolean,
  wanted: readonly string[],
  keeps: boolean,
): RestorePlan | undefined {
  // Sessions whose calls report their end: without such a report, an older call has not run.
  const reporting = new Set<string | undefined>();
  for (const point of store.points()) {
    const { before, undone, session } = point;
    if (undone !== undefined || (before !== undefined) !== isRedo) continue;
    if (isReported(point)) reporting.add(session);
    else if (!isRedo && reporting.has(session)) continue;
    const plan = planOf(store, point, keeps, wanted);
    if (plan.changes.length > 0) return plan;
  }
  return undefined;
}

/**
 * Restore what a plan says. The state before is a point of its own.
 * @throws OrcsError ORCS5021; nothing has changed then
 */
export function restore(
  store: PointStore,
  { point, changes, now }: RestorePlan,
  id: string,
): Restored {
  return store.locked(() => {
    for (const { base, kind } of point.areas) {
      const lock = join(base, "index.lock");
      if (kind !== "git" || !existsSync(lock)) continue;
      const why = `git is running in ${dirname(base)}: ${lock} exists; wait for its end, or remove it if there is none`;
      throw new OrcsError("ORCS5021", why);
    }
    const paths = point.areas.map((_, n) =>
      changes.filter(({ area }) => area === n).map(({ path }) => path),
    );
    const journal: Journal = { point: point.id, undo: id, paths, isStaged: false };
    const parts = partsOf(store, point, journal);
    const isRedo = point.before !== undefined;
    const file = journalOf(store);
    let beside: string[];
    try {
      store.save({
        id,
        at: Date.now(),
        reason: isRedo ? "redo" : "undo",
        areas: now.map((area, n) => ({ ...area, after: stateBehind(store, area, parts[n]) })),
        bytes: 0,
        before: point.id,
        call: point.call,
        undone: isRedo ? Date.now() : undefined,
      });
      replaceFile(file, JSON.stringify(journal));
      stage(store, parts);
      beside = keepBeside(store, changes, id);
      replaceFile(file, JSON.stringify({ ...journal, isStaged: true }));
    } catch (thrown) {
      discard(parts);
      rmSync(file, { force: true });
      store.drop(id);
      throw new OrcsError("ORCS5021", `nothing was restored: ${messageOf(thrown)}`);
    }
    return { beside, failed: finish(store, point, parts) };
  });
}

/** What is there behind a restore is what the next redo or undo finds untouched. @returns the digest of its list */
function stateBehind(store: PointStore, area: KeptArea, part: Part | undefined): string {
  const entries = new Map(store.manifest(area.manifest));
  for (const [path, entry] of part?.changes ?? [])
    if (entry) entries.set(path, entry);
    else entries.delete(path);
  return store.keepList(area, entries);
}

/** Finish a restore that was interrupted, or take it back if not all of it had been written. @returns its point */
export function recover(store: PointStore): Point | undefined {
  const file = journalOf(store);
  if (!existsSync(file)) return undefined;
  return store.locked(() => {
    const journal = objectInFile(file) as unknown as Journal | undefined;
    const point = Array.isArray(journal?.paths) ? store.point(journal.point) : undefined;
    const gone = point?.areas.find(({ base }) => !existsSync(base));
    if (journal && point) {
      const parts = partsOf(store, point, journal);
      discard(parts);
      if (!journal.isStaged) store.drop(journal.undo);
      else if (!gone) {
        stage(store, parts);
        finish(store, point, parts);
      }
    }
    rmSync(file, { force: true });
    if (!gone) return point;
    const why = `an interrupted restore cannot be ended: ${gone.base} is gone; run it again`;
    throw new OrcsError("ORCS5021", why);
  });
}

function finish(store: PointStore, point: Point, parts: readonly Part[]): Restored["failed"] {
  const failed = apply(parts);
  discard(parts);
  store.untouch();
  // What could not be restored is left for the next undo.
  if (failed.length === 0) store.save({ ...point, undone: Date.now() });
  // A later call that has reported no end was passed over: most likely it has not run. What it would undo is what was
  // restored just now.
  for (const later of store.points()) {
    const isOpen = later.undone === undefined && later.before === undefined && !isReported(later);
    if (isOpen && later.at > point.at) store.save({ ...later, undone: 0 });
  }
  const first = point.before === undefined ? undefined : store.point(point.before);
  if (first?.undone !== undefined) store.save({ ...first, undone: undefined });
  rmSync(journalOf(store), { force: true });
  return failed;
}

const journalOf = (store: PointStore): string => join(store.folder, "journal.json");

/** Keep what others have changed: `NAME.orcs-ID` beside it. Not in a git folder, where it would be a reference. */
function keepBeside(store: PointStore, changes: readonly Change[], id: string): string[] {
  const beside: string[] = [];
  for (const { base, path, now, conflict } of changes) {
    const content = conflict && now?.kind === "file" ? now.content : undefined;
    if (content === undefined || basename(base) === ".git") continue;
    if (!existsSync(join(base, dirname(path)))) continue;
    const copy = `${path}.orcs-${id}`;
    const mode = now?.mode ?? 0o600;
    inFolder(base, copy, (at) => createFile(at, store.content(content), { mode }));
    beside.push(join(base, copy));
  }
  return beside;
}

/** What is restored in an area: new contents are written to a folder of their own in its base, and then put in place. */
interface Part {
  readonly base: string;
  /** Of the folder with new contents, each with its number. */
  readonly name: string;
  readonly changes: readonly (readonly [path: string, entry: Entry | undefined])[];
}

function partsOf(store: PointStore, { areas }: Point, { paths, undo }: Journal): Part[] {
  return areas.map(({ base, manifest }, n) => {
    const before = store.manifest(manifest);
    const changes = (paths[n] ?? []).map((path) => [path, before.get(path)] as const);
    return { base, name: `.orcs-undo-${undo}-${n}`, changes };
  });
}

/** @throws the system's error, for a full disk */
function stage(store: PointStore, parts: readonly Part[]): void {
  for (const { base, name, changes } of parts) {
    if (changes.length === 0) continue;
    if (realpathSync(base) !== base) throw new Error(`${base} is behind a link now`);
    inFolder(base, name, (at) => mkdirSync(at, { mode: 0o700 }));
    for (const [n, [, entry]] of changes.entries()) {
      if (!entry || entry.kind === "folder") continue;
      const { content = "", mtimeMs = Date.now() } = entry;
      inFolder(base, `${name}/${n}`, (at) => {
        if (entry.kind === "link") return symlinkSync(content, at);
        createFile(at, store.content(content), { mode: entry.mode });
        utimesSync(at, mtimeMs / 1000, mtimeMs / 1000);
      });
    }
  }
}

/** Remove what was written and not put in its place. */
function discard(parts: readonly Part[]): void {
  for (const { base, name } of parts) {
    const made = join(base, name);
    if (existsSync(made)) writable(base, () => rmSync(made, { recursive: true, force: true }));
  }
}

function apply(parts: readonly Part[]): Restored["failed"] {
  const failed = new Map<string, string>();
  for (const { base, name, changes } of parts) {
    const places = changes.map(([path, entry], n) => ({
      path,
      entry,
      made: join(base, name, `${n}`),
    }));
    const down = places.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const each = (order: typeof places, run: (place: (typeof places)[number]) => void): void => {
      for (const place of order)
        try {
          run(place);
        } catch (thrown) {
          const path = join(base, place.path);
          if (!failed.has(path)) failed.set(path, messageOf(thrown));
        }
    };
    each(down.toReversed(), ({ path, entry }) => removeOther(base, path, entry));
    each(down, ({ path, entry, made }) => {
      if (entry) inFolder(base, path, (at) => put(at, entry, made));
    });
    each(down.toReversed(), ({ path, entry }) => {
      if (entry?.kind === "folder")
        inFolder(base, `${path}/.`, (at) => chmodSync(dirname(at), entry.mode));
    });
  }
  return [...failed].map(([path, why]) => ({ path, why }));
}

/** Remove what must not be there, or cannot be replaced. A folder that has something else in it stays. */
function removeOther(base: string, path: string, entry: Entry | undefined): void {
  const found = foundAt(join(base, path));
  if (!found || (entry && (entry.kind === "folder") === (found.kind === "folder"))) return;
  inFolder(base, path, (at) => {
    if (found.kind !== "folder") return unlinkSync(at);
    try {
      rmdirSync(at);
    } catch (thrown) {
      if (entry || !failedWith(thrown, "ENOTEMPTY", "EEXIST")) throw thrown;
    }
  });
}

function put(at: string, { kind, mode }: Entry, made: string): void {
  if (kind === "folder") {
    if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return;
    mkdirSync(at, { mode: 0o700 });
    return giveToOwner(dirname(at), at);
  }
  giveToOwner(dirname(at), made);
  if (kind === "file") chmodSync(made, mode);
  moveFile(made, at);
}

/** What the superuser makes belongs to the owner of the folder that it is in. */
function giveToOwner(folder: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  lchownSync(path, uid, gid);
}

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Do something at a path below a base, whose folder is reached without following a link: on Linux by its descriptor, so
 * that it cannot become a link meanwhile.
 */
function inFolder(base: string, path: string, run: (at: string) => void): void {
  const opened: number[] = [];
  const byDescriptor = existsSync("/proc/self/fd");
  const enter = (folder: string): string => {
    const open = openSync(folder, OPEN_FOLDER);
    opened.push(open);
    return byDescriptor ? `/proc/self/fd/${open}` : folder;
  };
  try {
    const names = path.split("/");
    const last = names.pop();
    let folder = enter(base);
    for (const name of names) folder = enter(`${folder}/${name}`);
    const at = folder;
    writable(at, () => run(`${at}/${last}`));
  } finally {
    for (const each of opened) closeSync(each);
  }
}

/** Do something in a folder, also in one that its owner has made read-only. */
function writable(folder: string, run: () => void): void {
  try {
    run();
  } catch (thrown) {
    const { mode } = statSync(folder);
    if (!failedWith(thrown, "EACCES") || (mode & 0o300) === 0o300) throw thrown;
    chmodSync(folder, mode | 0o300);
    try {
      run();
    } finally {
      chmodSync(folder, mode & 0o7777);
    }
  }
}
