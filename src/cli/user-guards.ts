import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  CONFIG_NAME,
  isToml,
  SHIPPED_HOOKS,
  TrustStore,
  UserConfiguration,
  withoutShipped,
  withShipped,
} from "../config/index.ts";
import { OrcsError } from "../core/index.ts";
import {
  defaultUserDir,
  makeFolder,
  objectInFile,
  realIfThere,
  replaceFile,
  sha256,
  shownPath,
  userStateDir,
} from "../machine/index.ts";
import { removeFolders, writePrivateJson } from "../agents/index.ts";
import { textOf } from "./atomic-writes.ts";

/** The guards that `orcs on` puts in force, beside self-guard, which always is: what each is about. */
const GUARDS: Readonly<Record<string, string>> = {
  "shell-guard": "commands that lose work or run unseen code",
  "path-guard": "writes outside of the project and to protected files",
  "secret-guard": "reading and sending keys, credentials and .env files",
  undo: "keeps what calls change, for orcs undo",
};

/** Those that ship with this orcs. */
export const ON_GUARDS: readonly (readonly [name: string, about: string])[] = Object.entries(
  GUARDS,
).filter(([name]) => existsSync(join(SHIPPED_HOOKS, `${name}.lua`)));

/** What `orcs on` did to the user's own configuration. */
export interface OnRecord {
  /** ISO 8601. */
  readonly at: string;
  /** Its text before; null when there was none. */
  readonly original: string | null;
  /** SHA-256 of what was written. */
  readonly written: string;
  /** The scripts that were added. */
  readonly added: readonly string[];
  /** The scripts that were asked for: another one is new since. */
  readonly asked: readonly string[];
  /** Whether its folder was created. */
  readonly madeFolder: boolean;
}

const recordFile = (): string => join(userStateDir(), "on.json");

/** The record of `orcs on`; undefined when it is off, or its record is gone. */
export function onRecord(): OnRecord | undefined {
  const read = objectInFile(recordFile()) as Partial<OnRecord> | undefined;
  return read?.added === undefined || read.written === undefined ? undefined : (read as OnRecord);
}

/** Guards that ship since `orcs on` was last run. */
export function newGuards({ asked }: OnRecord): string[] {
  return ON_GUARDS.flatMap(([name]) => (asked.includes(`orcs:${name}`) ? [] : name));
}

/** Put the guards into the user's own configuration. @returns undoes it @throws OrcsError ORCS5002 */
export function addGuards(): () => void {
  const file = join(defaultUserDir(), CONFIG_NAME);
  const before = textOf(CONFIG_NAME, file);
  const scripts = ON_GUARDS.map(([name]) => `orcs:${name}`);
  const done = withShipped(before, scripts);
  if (!done) {
    const what = isToml(before ?? "")
      ? `a hook cannot be added at its end; add it yourself: ${scripts.join(", ")}`
      : "it is no TOML: orcs check shows where";
    const why = `${shownPath(file)} is left as it is, because ${what}`;
    throw new OrcsError("ORCS5002", why, { path: file });
  }
  const known = onRecord();
  const isAsWritten = before !== undefined && known?.written === sha256(before);
  const madeFolder = !existsSync(dirname(file)) || (isAsWritten && known.madeFolder);
  const original = isAsWritten ? known.original : (before ?? null);
  const added = [...new Set([...(known?.added ?? []), ...done.added])];
  const at = known?.at ?? new Date().toISOString();
  const written = sha256(done.text);
  const record: OnRecord = { at, original, written, added, asked: scripts, madeFolder };
  writePrivateJson(recordFile(), record);
  if (done.text !== before) write(file, done.text);
  return () => {
    if (done.text !== before) write(file, before);
    if (known) writePrivateJson(recordFile(), known);
    else rmSync(recordFile(), { force: true });
  };
}

/**
 * Take the guards out of the user's own configuration: as it was before if nobody has changed it since, otherwise
 * without the tables that were added.
 * @returns whether anything was there
 */
export async function removeGuards(): Promise<boolean> {
  const known = onRecord();
  if (!known) return false;
  const file = join(defaultUserDir(), CONFIG_NAME);
  const text = textOf(CONFIG_NAME, file);
  if (text !== undefined) {
    const isAsWritten = sha256(text) === known.written;
    const left = isAsWritten ? known.original : await withoutShipped(text, known.added);
    const isEmpty = known.original === null && left?.trim() === "";
    write(file, isEmpty ? undefined : (left ?? undefined));
    if ((left === null || isEmpty) && known.madeFolder) removeFolders([dirname(file)]);
  }
  // A person has asked for it: no earlier version stays active.
  await new UserConfiguration(defaultUserDir(), new TrustStore()).accept();
  rmSync(recordFile(), { force: true });
  return true;
}

function write(file: string, text: string | undefined): void {
  makeFolder(dirname(file));
  if (text === undefined) rmSync(file, { force: true });
  else replaceFile(realIfThere(file), text, { keepsMode: true, isDurable: true });
}
