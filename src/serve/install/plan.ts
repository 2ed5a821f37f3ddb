import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HostName } from "../../core/hosts.ts";
import type { HostEvent } from "../../protocols/host-protocol.ts";
import type { HttpPlace } from "../http-place.ts";
import type { InstallRecord } from "./install-record.ts";
import { readRecord, removeRecord, writeRecord } from "./install-record.ts";
import type { SettingsFile } from "./settings-file.ts";
import { removeFolders, removeSettingsFile, writeSettingsFile } from "./settings-file.ts";
import type { Scope, SettingsPlace } from "./settings-places.ts";
import type { UsedPoint } from "./wanted-events.ts";

/** The settings that orcs is to be put into, or taken out of. */
export interface InstallTarget {
  readonly host: HostName;
  readonly scope: Scope;
  /** Absolute. */
  readonly path: string;
}

/** What is known besides. */
export interface InstallAround {
  readonly place: SettingsPlace;
  /** Where records are kept. */
  readonly records: string;
  /** What starts orcs here, besides what is called so: entries are known by it. */
  readonly programs: readonly string[];
  /** Where the HTTP side of the user listens, where it was installed. */
  readonly http?: HttpPlace | undefined;
}

/** Which hook points a configuration uses. */
export interface UsedPoints {
  /** Its file; empty when there is none. */
  readonly config: string;
  readonly points: readonly UsedPoint[];
  /** Why those of a project are not among them: it is not trusted. What is installed for it stays. */
  readonly note?: string | undefined;
}

/** The events of a host, and what a configuration needs of them. */
export interface InstallNeeds {
  readonly events: Readonly<Record<string, HostEvent>>;
  /**
   * @param config as an entry names it; undefined for what is found from the project
   * @throws OrcsError ORCS1015 and others when it does not load
   */
  used(config: string | undefined): Promise<UsedPoints>;
}

/** What becomes of settings. Nothing is changed before `carryOut`. */
export interface InstallPlan extends InstallTarget {
  readonly before: SettingsFile;
  /** Undefined when the file goes. */
  readonly after: Buffer | undefined;
  /** What is kept of it then; undefined when nothing. */
  readonly record: InstallRecord | undefined;
  /** Events that have an entry then. */
  readonly events: readonly string[];
  /** Folders that go with the file when they are empty. */
  readonly folders: readonly string[];
  /** What is worth knowing, one line each. */
  readonly notes: readonly string[];
}

/** What a plan does to the file. */
export type PlanStatus = "created" | "changed" | "removed" | "unchanged";

export function planStatus({ before, after }: InstallPlan): PlanStatus {
  if (before.bytes === undefined) return after === undefined ? "unchanged" : "created";
  if (after === undefined) return "removed";
  return before.bytes.equals(after) ? "unchanged" : "changed";
}

/** Do what a plan says. @throws OrcsError ORCS7004; nothing was changed then */
export function carryOut(plan: InstallPlan, records: string): void {
  const { before, after, record, folders, path } = plan;
  const old = readRecord(records, path);
  // First what undoes it: a file that was changed without is one that nobody can put back.
  if (record) writeRecord(records, record);
  try {
    const status = planStatus(plan);
    if (status === "removed") removeSettingsFile(before);
    else if (status !== "unchanged" && after) {
      const made = writeSettingsFile(before, after);
      if (record && made.length > 0) writeRecord(records, { ...record, folders: made });
    }
  } catch (thrown) {
    if (old) writeRecord(records, old);
    else removeRecord(records, path);
    throw thrown;
  }
  if (after === undefined) removeFolders(folders);
  if (!record) removeRecord(records, path);
}

const KINDS = [".git", ".hg", ".jj", ".svn"];

/** The folder under version control that a file is in, or would be; undefined where there is none. */
export function versioned(file: string): string | undefined {
  for (let at = dirname(file); ; at = dirname(at)) {
    if (KINDS.some((name) => existsSync(join(at, name)))) return at;
    if (at === dirname(at)) return undefined;
  }
}
