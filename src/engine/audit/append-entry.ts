import type { Settings } from "../../config/settings.ts";
import { filledSettings } from "../../config/settings.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Clock, Logger } from "../../core/ports.ts";
import { systemClock } from "../clock.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { redactorOf } from "../redaction.ts";
import { AuditTrail } from "./audit-trail.ts";
import type { RefusedEvent } from "./entries.ts";
import { refusedEntry, stated } from "./entries.ts";
import { auditDirOf, openSink } from "./open-trail.ts";

/**
 * Write one entry into the audit log that a configuration has, if it has one, without an engine.
 * @returns why it could not be written, where that must keep what it is about from being done; never rejects
 */
async function appendEntry(
  entry: JsonObject,
  settings: Settings,
  auditDir: CreateOrcsOptions["auditDir"],
  logger: Logger,
  clock: Clock = systemClock(),
): Promise<string | undefined> {
  const dir = auditDirOf(settings, auditDir);
  if (dir === undefined || settings.audit.level === "off") return undefined;
  const trail = new AuditTrail({
    all: false,
    onError: settings.audit.on_error,
    redactor: redactorOf(settings),
    logger,
    clock,
    config: () => undefined,
    open: () => openSink(dir, settings),
    failed: () => undefined,
  });
  const refusal = await trail.note(entry);
  await trail.close();
  return refusal;
}

/**
 * Write down what was refused because there is no engine: its configuration has mistakes, say, so that nobody knows
 * what that says of the log. It goes where it would go by default. Never rejects.
 */
export async function appendRefusedEvent(
  refusal: RefusedEvent,
  { cwd = process.cwd(), auditDir }: Pick<CreateOrcsOptions, "cwd" | "auditDir">,
  logger: Logger,
): Promise<void> {
  await appendEntry(refusedEntry(refusal), filledSettings({}, [], cwd), auditDir, logger);
}

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
export async function appendTrustChange(
  { action, directory, digest, verb, agent }: TrustLine,
  settings: Settings,
  auditDir: CreateOrcsOptions["auditDir"],
  logger: Logger,
  clock?: Clock,
): Promise<string | undefined> {
  const entry = stated({ kind: "trust", action, verb, agent, directory, digest });
  return appendEntry(entry, settings, auditDir, logger, clock);
}
