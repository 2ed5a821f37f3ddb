import { fileText, sha256, userStateDir } from "../../machine/index.ts";
import { dirname, join } from "node:path";
import { isPlainObject, type AgentName } from "../../core/index.ts";
import { AcceptedFiles } from "../../config/index.ts";
import { writePrivateJson } from "../http-endpoint.ts";
import { discard, withSettings } from "./settings-file.ts";
import type { OrcsCommand } from "./entry-command.ts";
import type { NeededEvent } from "./wanted-events.ts";
import { machineOf, type SettingsPlace } from "./settings-places.ts";

/** The events that the hooks of one configuration need. */
export interface ConfigurationUse {
  /** The file of the configuration; empty when there was none, `*` when unknown. */
  readonly config: string;
  readonly events: readonly NeededEvent[];
}

/** What is needed to undo an installation, and to keep it in sync. */
export interface InstallRecord {
  readonly host: AgentName;
  /** The settings file, as requested. */
  readonly path: string;
  /** Its previous content; null when there was no file. */
  readonly original: Buffer | null;
  /** Folders that were created, the outermost first. */
  readonly folders: readonly string[];
  /** SHA-256 of what was written. */
  readonly written: string;
  /** The program that starts orcs in the entries, or the file that a plugin loads. */
  readonly program: string;
  /** The parts of their command; missing in records of older versions. */
  readonly command?: OrcsCommand | undefined;
  readonly uses: readonly ConfigurationUse[];
}

/** The folder of the records. */
export function recordsFolder(place: Pick<SettingsPlace, "env" | "home">): string {
  return join(userStateDir(place), "installs");
}

/** The folder of the records of a machine, which only its administrator can read. */
export function machineRecordsFolder(place: Pick<SettingsPlace, "machine">): string {
  const { root, platform } = machineOf(place);
  return join(root, platform === "darwin" ? "var/db/orcs" : "var/lib/orcs", "installs");
}

/** The record of settings; undefined when it does not exist or cannot be read. */
export function readRecord(folder: string, path: string): InstallRecord | undefined {
  try {
    const read: unknown = JSON.parse(fileText(recordFile(folder, path)));
    return isPlainObject(read) && read["path"] === path ? recordOf(read) : undefined;
  } catch {
    // Without a record, the entries are removed one by one.
    return undefined;
  }
}

/** Write a record, readable by its user only: settings contain secrets. @throws OrcsError ORCS7004 */
export function writeRecord(folder: string, record: InstallRecord): void {
  const file = recordFile(folder, record.path);
  const original = record.original?.toString("base64") ?? null;
  withSettings(file, "cannot store the original settings in", () =>
    new AcceptedFiles(dirname(folder)).moving([file], () =>
      writePrivateJson(file, { ...record, original }),
    ),
  );
}

export function removeRecord(folder: string, path: string): void {
  const file = recordFile(folder, path);
  new AcceptedFiles(dirname(folder)).moving([file], () => discard(file));
}

/** The file of the record of settings. */
export function recordFile(folder: string, path: string): string {
  return join(folder, `${sha256(path).slice(0, 32)}.json`);
}

/** @throws TypeError for an invalid record, caught by `readRecord` */
function recordOf(read: unknown): InstallRecord {
  const record = read as Omit<InstallRecord, "original"> & { readonly original: string | null };
  const { original, folders, uses, written, program } = record;
  const isRecord =
    (original === null || typeof original === "string") &&
    [written, program, ...folders].every((text) => typeof text === "string") &&
    uses.every(
      ({ config, events }) =>
        typeof config === "string" &&
        events.every(({ event, seconds }) => typeof event === "string" && seconds > 0),
    );
  if (!isRecord) throw new TypeError("this is not a record");
  return { ...record, original: original === null ? null : Buffer.from(original, "base64") };
}
