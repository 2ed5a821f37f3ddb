import { type JsonObject, type Logger, stated } from "../../../core/index.ts";
import { filledSettings, type Settings } from "../../../config/index.ts";
import { systemClock } from "../engine.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { createRedactor } from "../../../guards/index.ts";
import { refusedEntry, type RefusedEvent } from "./log-entries.ts";
import { openTrail } from "./open-trail.ts";

/** Whose audit log it is, and what says that it cannot be written. */
type AuditedBy = readonly [
  settings: Settings,
  auditDir: CreateOrcsOptions["auditDir"],
  logger: Logger,
];

/**
 * Append one entry to the audit log of a configuration, if it has one, without an engine.
 * @returns the reason why it was not written, if the action that it records must not happen unrecorded; never rejects
 */
async function appendEntry(
  entry: JsonObject,
  ...[settings, auditDir, logger]: AuditedBy
): Promise<string | undefined> {
  const host = {
    settings,
    redactor: createRedactor(settings.redact),
    logger,
    clock: systemClock(),
  };
  const trail = openTrail(host, auditDir, () => undefined);
  const refusal = await trail?.note(entry);
  await trail?.close();
  return refusal;
}

/**
 * Record a denied event when there is no engine, for example because the configuration has errors. Since the
 * configuration cannot be read, the entry goes to the default audit log. Never rejects.
 */
export async function appendRefusedEvent(
  refusal: RefusedEvent,
  { cwd = process.cwd(), auditDir }: Pick<CreateOrcsOptions, "cwd" | "auditDir">,
  logger: Logger,
): Promise<void> {
  await appendEntry(refusedEntry(refusal), filledSettings({}, [], cwd), auditDir, logger);
}

/** What became of a bundle. */
export interface BundleLine {
  readonly action: "activated" | "refused";
  readonly url: string;
  readonly name?: string | undefined;
  readonly revision?: number | undefined;
  readonly reason?: string | undefined;
}

/** Append a line about a bundle to the audit log of a configuration, if it has one; never rejects. */
export async function appendBundleLine(line: BundleLine, ...by: AuditedBy): Promise<void> {
  await appendEntry(stated({ kind: "bundle", ...line }), ...by);
}

/** A change of trust in a directory. */
export interface TrustLine {
  readonly action:
    | "granted"
    | "revoked"
    | "refused"
    | "dev"
    | "loosened"
    | "allowed_once"
    | "undone"
    /** A change of a file that decides whether hooks run. */
    | "put_back"
    | "not_put_back"
    | "held"
    | "accepted";
  /** Real path. */
  readonly directory: string;
  /** The file, when the change is of one. */
  readonly file?: string | undefined;
  /** Digest of the trusted set, or of the changed file, when there is one. */
  readonly digest?: string | undefined;
  /** The verb, when it is not `trust` or was denied before it began. */
  readonly verb?: string | undefined;
  /** The coding agent whose request was denied. */
  readonly agent?: string | undefined;
  /** The command line that was allowed, with secrets masked, and the session that may run it. */
  readonly line?: string | undefined;
  readonly session?: string | undefined;
}

export function trustEntry({ action, directory, ...more }: TrustLine): JsonObject {
  return stated({ kind: "trust", action, directory, ...more });
}

/**
 * Append a line about trust to the audit log of a configuration, if it has one.
 * @param settings the user's settings: a project must not choose where its own trust is recorded
 * @returns the reason why it was not written, if the change must not happen unrecorded; never rejects
 */
export async function appendTrustChange(
  line: TrustLine,
  ...by: AuditedBy
): Promise<string | undefined> {
  return appendEntry(trustEntry(line), ...by);
}
