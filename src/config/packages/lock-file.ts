import { fileText, isSha256, sha256 } from "../../machine/index.ts";
import { join } from "node:path";
import {
  isPlainObject,
  isText,
  mapChanges,
  messageOf,
  OrcsError,
  orFail,
} from "../../core/index.ts";
import type { MapChange } from "../../core/index.ts";
import { exists } from "../discover.ts";
import { isPackageName } from "./package-name.ts";
import type { HookPackage } from "./read-package.ts";

/** The file beside an `orcs.toml` that has the hashes of its packages. */
export const LOCK_NAME = "orcs.lock";

const LOCK_VERSION = 1;
const MAX_LOCK_BYTES = 4 * 2 ** 20;

/** What a lock has of a package. */
export interface LockedPackage {
  readonly version: string;
  /** For a linked package: it is worked on in place, so its files are not locked. */
  readonly link?: true;
  /** SHA-256 as hexadecimal digits, by path in the package. */
  readonly files: ReadonlyMap<string, string>;
  /** Scripts by the ids of their hooks, for the reader of a change; undefined for a link, and in an older lock. */
  readonly hooks?: ReadonlyMap<string, string> | undefined;
}

/** The packages of a lock, by name. */
export type Lock = ReadonlyMap<string, LockedPackage>;

/** Read the lock of a folder; empty if there is none. @throws OrcsError ORCS9306 */
export function readLock(directory: string): Lock {
  const file = join(directory, LOCK_NAME);
  if (!exists(file)) return new Map();
  return orFail(
    () => parsedLock(fileText(file, MAX_LOCK_BYTES)),
    (thrown) => {
      const why = `${file} cannot be used: ${messageOf(thrown)}`;
      return new OrcsError("ORCS9306", why, { path: file });
    },
  );
}

/** What a lock should have of a package. */
export function lockedPackage({ version, isLinked, files, hooks }: HookPackage): LockedPackage {
  if (isLinked) return { version, link: true, files: new Map() };
  const hashes = new Map([...files].map(([name, bytes]) => [name, sha256(bytes)]));
  return { version, files: hashes, hooks };
}

/** The text of a lock: sorted, so that two of the same content are the same. */
export function lockText(lock: Lock): string {
  const packages = inOrder(lock).map(([name, { version, link, files, hooks }]) => {
    const hashes = link ? { link } : { files: Object.fromEntries(inOrder(files)) };
    const scripts = hooks && { hooks: Object.fromEntries(inOrder(hooks)) };
    return [name, { version, ...scripts, ...hashes }] as const;
  });
  const content = { version: LOCK_VERSION, packages: Object.fromEntries(packages) };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** How a package differs from its lock: sorted by file. A package without an entry is new as a whole. */
export function differencesFromLock(
  found: HookPackage | undefined,
  locked: LockedPackage | undefined,
): MapChange<"file">[] {
  const now = found && lockedPackage({ ...found, isLinked: false }).files;
  return mapChanges(locked?.files ?? new Map(), now ?? new Map(), "file");
}

/**
 * Which hooks come, go and change: a hook is changed if its script is. Sorted by id.
 * @param now undefined for a package that is not used any more
 */
export function hookDifferences(
  now: LockedPackage | undefined,
  was: LockedPackage | undefined,
): MapChange<"id">[] {
  // A link is worked on in place, and an old lock does not say.
  if (now?.link === true || (was && !was.hooks)) return [];
  return mapChanges(scriptsOf(was), scriptsOf(now), "id");
}

/** The scripts of hooks, each with its hash. */
function scriptsOf(locked: LockedPackage | undefined): ReadonlyMap<string, string> {
  const hooks = [...(locked?.hooks ?? [])];
  return new Map(hooks.map(([id, script]) => [id, `${script} ${locked?.files.get(script)}`]));
}

/**
 * Expect that a package is as the lock has it.
 * @throws OrcsError ORCS9304 when it is not in the lock, ORCS9305 when a file differs
 */
export function expectLocked(found: HookPackage, lock: Lock): void {
  const { name, isLinked } = found;
  const locked = lock.get(name);
  if (!locked) {
    const why = `the package ${name} is not in ${LOCK_NAME}: look at it with orcs package update --dry-run, then run orcs package update`;
    throw new OrcsError("ORCS9304", why, { package: name });
  }
  if (locked.link === true && isLinked) return;
  if (locked.link === true) {
    const why = `the package ${name} was a link when ${LOCK_NAME} was written, and is installed now: run orcs package update`;
    throw new OrcsError("ORCS9305", why, { package: name, file: "package.json" });
  }
  const [first, ...others] = differencesFromLock(found, locked);
  if (!first) return;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const how = { changed: "differs from", new: "is not in", gone: "is missing, but is in" }[
    first.is
  ];
  const what = `the file ${first.file} of the package ${name} ${how} ${LOCK_NAME}${more}`;
  const todo = `look at the difference with orcs package update --dry-run and accept it with orcs package update, or install version ${locked.version} again`;
  throw new OrcsError("ORCS9305", `${what}: ${todo}`, { package: name, file: first.file });
}

function parsedLock(text: string): Lock {
  const read: unknown = JSON.parse(text);
  if (!isPlainObject(read) || !isPlainObject(read["packages"])) throw new Error("it is damaged");
  if (read["version"] !== LOCK_VERSION) {
    throw new Error(`it has version ${JSON.stringify(read["version"])}; expected ${LOCK_VERSION}`);
  }
  return new Map(
    Object.entries(read["packages"]).map(([name, entry]) => [name, lockedEntry(name, entry)]),
  );
}

function lockedEntry(name: string, entry: unknown): LockedPackage {
  const damaged = new Error(`it is damaged at ${JSON.stringify(name)}`);
  if (!isPackageName(name) || !isPlainObject(entry)) throw damaged;
  const { version, link, files = {}, hooks } = entry;
  if (typeof version !== "string") throw damaged;
  const texts = (table: unknown, isValid: typeof isText): ReadonlyMap<string, string> => {
    if (!isPlainObject(table)) throw damaged;
    return new Map(
      Object.entries(table).map(([key, value]) => {
        if (!isValid(value)) throw damaged;
        return [key, value] as const;
      }),
    );
  };
  const hashes = texts(files, isSha256);
  if (link === true) return { version, link, files: new Map() };
  // Without a file nothing would be compared.
  if (link !== undefined || !hashes.has("package.json")) throw damaged;
  return { version, files: hashes, hooks: hooks === undefined ? hooks : texts(hooks, isText) };
}

function inOrder<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
