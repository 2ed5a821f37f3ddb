import type { Settings } from "../../config/settings.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Clock, Logger } from "../../core/ports.ts";
import { systemClock } from "../clock.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { redactorOf } from "../redaction.ts";
import { AuditTrail } from "./audit-trail.ts";
import { auditDirOf, openSink } from "./open-trail.ts";

/**
 * Write one entry into the audit log that a configuration has, if it has one, without an engine.
 * @returns why it could not be written, where that must keep what it is about from being done; never rejects
 */
export async function writeAlone(
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
