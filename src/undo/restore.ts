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
  /** The point with which it can be taken back. */
  readonly undo: string;
  readonly changes: readonly Change[];
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
  const changes: Change[] = [];
  const seen = new Set<string>();
  for (const [n, area] of point.areas.entries()) {
    const found = orFail(() => ended(store.now(area, keeps)), unknownState);
    now.push(found);
    const is = store.manifest(found.manifest);
    const left = area.after === undefined ? undefined : store.manifest(area.after);
    for (const change of changesOf(n, area.base, store.manifest(area.manifest), is, left)) {
      const path = join(area.base, change.path);
      if (isWanted(path) && !seen.has(path)) changes.push(change);
      seen.add(path);
    }
  }
  return { point, changes, now };
}

function ended<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

function unknownState(thrown: unknown): OrcsError {
  return new OrcsError("ORCS5021", `it is unknown what has changed: ${messageOf(thrown)}`);
}

function changesOf(
  area: number,
  base: string,
  before: Manifest,
  now: Manifest,
  after: Manifest | undefined,
): Change[] {
  const changes = new Map<string, Change>();
  for (const path of new Set([...before.keys(), ...now.keys()])) {
    const [was, is] = [before.get(path), now.get(path)];
    const left = after ? after.get(path) : is;
    // Or else the call has not touched it.
    if (!same(was, is) && !same(was, left))
      changes.set(path, { area, base, path, before: was, now: is, conflict: !same(left, is) });
  }
  // What is restored needs its folder, whoever put something else there.
  for (const path of changes.keys()) {
    const above = dirname(path);
    const [was, is] = [before.get(above), now.get(above)];
    if (was?.kind !== "folder" || is?.kind === "folder" || !before.has(path)) continue;
    const conflict = is !== undefined;
    if (!changes.has(above))
      changes.set(above, { area, base, path: above, before: was, now: is, conflict });
  }
  return [...changes.values()];
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
    const { before, undone, areas, session } = point;
    if (undone !== undefined || (before !== undefined) !== isRedo) continue;
    const isReported = areas.some(({ after }) => after !== undefined);
    if (isReported) reporting.add(session);
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
    const isRedo = point.before !== undefined;
    const undo: Point = {
      id,
      at: Date.now(),
      reason: isRedo ? "redo" : "undo",
      areas: now,
      bytes: 0,
      before: point.id,
      call: point.call,
      undone: isRedo ? Date.now() : undefined,
    };
    const paths = point.areas.map((_, n) =>
      changes.filter(({ area }) => area === n).map(({ path }) => path),
    );
    const journal: Journal = { point: point.id, undo: id, paths, isStaged: false };
    const file = journalOf(store);
    const work = new Work(store, point, journal);
    let beside: string[];
    try {
      store.save(undo);
      replaceFile(file, JSON.stringify(journal));
      work.stage();
      beside = keepBeside(store, changes, id);
      replaceFile(file, JSON.stringify({ ...journal, isStaged: true }));
    } catch (thrown) {
      work.discard();
      rmSync(file, { force: true });
      store.drop(id);
      throw new OrcsError("ORCS5021", `nothing was restored: ${messageOf(thrown)}`);
    }
    return { undo: id, changes, beside, failed: finish(store, point, journal, work) };
  });
}

/** Finish a restore that was interrupted, or take it back if not all of it had been written. @returns its point */
export function recover(store: PointStore): Point | undefined {
  if (!existsSync(journalOf(store))) return undefined;
  return store.locked(() => {
    const journal = objectInFile(journalOf(store)) as unknown as Journal | undefined;
    const point = Array.isArray(journal?.paths) ? store.point(journal.point) : undefined;
    if (!journal || !point) {
      rmSync(journalOf(store), { force: true });
      return undefined;
    }
    const work = new Work(store, point, journal);
    work.discard();
    const gone = point.areas.find(({ base }) => !existsSync(base));
    if (journal.isStaged && !gone) {
      work.stage();
      finish(store, point, journal, work);
    }
    rmSync(journalOf(store), { force: true });
    if (!gone) return point;
    const why = `an interrupted restore cannot be ended: ${gone.base} is gone; run it again`;
    throw new OrcsError("ORCS5021", why);
  });
}

function finish(store: PointStore, point: Point, journal: Journal, work: Work): Restored["failed"] {
  const failed = work.apply();
  work.discard();
  store.untouch();
  const at = Date.now();
  // What is there now is what the next redo or undo finds untouched.
  const undo = store.point(journal.undo);
  const areas = undo?.areas.map((area, n) => ({
    ...area,
    after: point.areas[n]?.manifest ?? area.manifest,
  }));
  if (undo && areas && failed.length === 0 && isAll(store, point, journal))
    store.save({ ...undo, areas });
  store.save({ ...point, undone: at });
  // A later call that has reported no end was passed over: most likely it has not run. What it would undo is what was
  // restored just now.
  for (const later of store.points()) {
    const isReported = later.areas.some(({ after }) => after !== undefined);
    const isOpen = later.undone === undefined && later.before === undefined && !isReported;
    if (isOpen && later.at > point.at) store.save({ ...later, undone: at });
  }
  const first = point.before === undefined ? undefined : store.point(point.before);
  if (first?.undone !== undefined) store.save({ ...first, undone: undefined });
  rmSync(journalOf(store), { force: true });
  return failed;
}

/** Whether everything was restored, not only some paths, so that the state is that of the point. */
function isAll(store: PointStore, point: Point, { undo, paths }: Journal): boolean {
  const now = store.point(undo)?.areas ?? [];
  return point.areas.every((area, n) => {
    const wanted = new Set(paths[n]);
    const is = now[n];
    if (!is) return false;
    const [before, after] = [store.manifest(area.manifest), store.manifest(is.manifest)];
    return changesOf(n, area.base, before, after, undefined).every(({ path }) => wanted.has(path));
  });
}

function journalOf(store: PointStore): string {
  return join(store.folder, "journal.json");
}

/** Keep what others have changed: `NAME.orcs-ID` beside it. Not in a git folder, where it would be a reference. */
function keepBeside(store: PointStore, changes: readonly Change[], id: string): string[] {
  const beside: string[] = [];
  for (const { base, path, now, conflict } of changes) {
    const content = conflict && now?.kind === "file" ? now.content : undefined;
    if (content === undefined || basename(base) === ".git") continue;
    if (!existsSync(join(base, dirname(path)))) continue;
    const copy = join(base, `${path}.orcs-${id}`);
    const mode = now?.mode ?? 0o600;
    inFolder(base, dirname(path), (folder) =>
      createFile(`${folder}/${basename(copy)}`, store.content(content), { mode }),
    );
    beside.push(copy);
  }
  return beside;
}

/** One restore: new contents are written to a folder of their own in each base, and then put in their places. */
class Work {
  readonly #store: PointStore;
  readonly #areas: readonly {
    readonly base: string;
    /** Of the folder with new contents. */
    readonly name: string;
    readonly before: Manifest;
    readonly paths: readonly string[];
  }[];

  constructor(store: PointStore, point: Point, { paths, undo }: Journal) {
    this.#store = store;
    this.#areas = point.areas.map(({ base, manifest }, n) => ({
      base,
      name: `.orcs-undo-${undo}-${n}`,
      before: store.manifest(manifest),
      paths: paths[n] ?? [],
    }));
  }

  /** @throws the system's error, for a full disk */
  stage(): void {
    for (const { base, name, before, paths } of this.#areas) {
      if (paths.length === 0) continue;
      if (realpathSync(base) !== base) throw new Error(`${base} is behind a link now`);
      inFolder(base, ".", (folder) => mkdirSync(`${folder}/${name}`, { mode: 0o700 }));
      inFolder(base, name, (folder) => {
        for (const [n, path] of paths.entries()) {
          const entry = before.get(path);
          if (entry?.kind === "link") symlinkSync(entry.content ?? "", `${folder}/${n}`);
          if (entry?.kind !== "file" || entry.content === undefined) continue;
          createFile(`${folder}/${n}`, this.#store.content(entry.content), { mode: entry.mode });
          const seconds = (entry.mtimeMs ?? Date.now()) / 1000;
          utimesSync(`${folder}/${n}`, seconds, seconds);
        }
      });
    }
  }

  /** Remove what was written and not put in its place. */
  discard(): void {
    for (const { base, name } of this.#areas)
      rmSync(join(base, name), { recursive: true, force: true });
  }

  apply(): { path: string; why: string }[] {
    const failed: { path: string; why: string }[] = [];
    for (const { base, name, before, paths } of this.#areas) {
      const attempt = (path: string, run: () => void): void => {
        try {
          run();
        } catch (thrown) {
          if (!failed.some((each) => each.path === join(base, path)))
            failed.push({ path: join(base, path), why: messageOf(thrown) });
        }
      };
      const places = paths.map((path, n) => ({ path, n, entry: before.get(path) }));
      const sorted = places.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      for (const { path, entry } of sorted.toReversed())
        attempt(path, () => removeOther(base, path, entry));
      for (const { path, entry } of sorted)
        if (entry?.kind === "folder") attempt(path, () => makeFolderAt(base, path));
      for (const { path, n, entry } of sorted)
        if (entry && entry.kind !== "folder")
          attempt(path, () => {
            const made = join(base, name, String(n));
            if (!lstatSync(made, { throwIfNoEntry: false })) return;
            inFolder(base, dirname(path), (folder) => {
              giveToOwner(folder, made);
              if (entry.kind === "file") chmodSync(made, entry.mode);
              moveFile(made, `${folder}/${basename(path)}`);
            });
          });
      for (const { path, entry } of sorted.toReversed())
        if (entry?.kind === "folder")
          attempt(path, () => inFolder(base, path, (folder) => chmodSync(folder, entry.mode)));
    }
    return failed;
  }
}

/** Remove what must not be there, or is of another kind. A folder that has something else in it stays. */
function removeOther(base: string, path: string, entry: Entry | undefined): void {
  const found = foundAt(join(base, path));
  if (!found || found.kind === entry?.kind) return;
  if (entry && found.kind !== "folder" && entry.kind !== "folder") return;
  inFolder(base, dirname(path), (folder) => {
    const at = `${folder}/${basename(path)}`;
    if (found.kind !== "folder") return unlinkSync(at);
    try {
      rmdirSync(at);
    } catch (thrown) {
      if (entry || !failedWith(thrown, "ENOTEMPTY", "EEXIST")) throw thrown;
    }
  });
}

function makeFolderAt(base: string, path: string): void {
  inFolder(base, dirname(path), (folder) => {
    const at = `${folder}/${basename(path)}`;
    if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return;
    mkdirSync(at, { mode: 0o700 });
    giveToOwner(folder, at);
  });
}

/** What the superuser makes belongs to the owner of the folder that it is in. */
function giveToOwner(folder: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  lchownSync(path, uid, gid);
}

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Do something in a folder of a base, which is reached without following a link: on Linux by its descriptor, so that it
 * cannot become a link meanwhile.
 */
function inFolder<T>(base: string, path: string, run: (folder: string) => T): T {
  const opened = [openSync(base, OPEN_FOLDER)];
  let at = base;
  const byDescriptor = existsSync("/proc/self/fd");
  const here = (): string => (byDescriptor ? `/proc/self/fd/${opened.at(-1)}` : at);
  try {
    for (const name of path === "." ? [] : path.split("/")) {
      const next = openSync(`${here()}/${name}`, OPEN_FOLDER);
      at = join(at, name);
      opened.push(next);
    }
    return run(here());
  } finally {
    for (const each of opened) closeSync(each);
  }
}
