import type { Settings } from "../../config/settings.ts";
import type { Clock, Logger } from "../../core/ports.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { stated } from "./dispatch-entry.ts";
import { writeAlone } from "./write-alone.ts";

/** What was done about trust in a directory. */
export interface TrustLine {
  readonly action: "granted" | "revoked" | "refused" | "dev" | "loosened";
  /** Real path. */
  readonly directory: string;
  /** Of the whole set, where it is about one. */
  readonly digest?: string | undefined;
  /** The verb, where it is another one than `trust`, or was refused before it began. */
  readonly verb?: string | undefined;
  /** The coding agent that it was refused to. */
  readonly agent?: string | undefined;
}

/**
 * Write a line about trust into the audit log that a configuration has, if it has one.
 * @param settings of the user: a project has no say in where it is written that it is trusted
 * @returns why it could not be written, where that must keep it from being done; never rejects
 */
export async function noteTrust(
  { action, directory, digest, verb, agent }: TrustLine,
  settings: Settings,
  auditDir: CreateOrcsOptions["auditDir"],
  logger: Logger,
  clock?: Clock,
): Promise<string | undefined> {
  const entry = stated({ kind: "trust", action, verb, agent, directory, digest });
  return writeAlone(entry, settings, auditDir, logger, clock);
}
