import type { DispatchLog } from "../../core/audit.ts";
import type { OrcsError } from "../../core/errors.ts";
import type { EventEmitter } from "../../registry/events.ts";
import type { AuditTrail } from "./audit-trail.ts";
import { openTrail } from "./open-trail.ts";
import { approvalRecord, noteEvents } from "./other-entries.ts";
import { bothLogs } from "./both-logs.ts";
import type { ApprovalRecord } from "../calls/approval.ts";
import type { OperationTap } from "../calls/operation-tap.ts";
import type { EngineOptions } from "../engine-options.ts";
import { Recording } from "./recording.ts";

/** All that is written down of an engine: its audit log and its recording, where it has them. */
export interface Records {
  readonly trail: AuditTrail | undefined;
  /** For the registry. */
  readonly log: DispatchLog | undefined;
  /** Stands at what the tools do. */
  readonly tap: OperationTap | undefined;
  readonly approvals: ApprovalRecord | undefined;
  /** Write down, too, what is told as an event. */
  follow(events: EventEmitter): void;
  close(): Promise<void>;
}

interface RecordsContext {
  /** What a relative path of a recording is relative to. */
  readonly cwd: string;
  /** Digest of the configuration at the start. */
  readonly config: string;
  /** Digest of the configuration in force. */
  readonly digest: () => string;
  /** Told when a recording ends early. */
  readonly stopped: (error: OrcsError) => void;
}

/** @throws OrcsError ORCS8007, ORCS8008 for a recording that cannot be begun */
export function openRecords(
  host: Parameters<typeof openTrail>[0],
  { auditDir, record, log, tap }: EngineOptions,
  { cwd, config, digest, stopped }: RecordsContext,
): Records {
  const trail = openTrail(host, auditDir, digest);
  const { redactor, logger } = host;
  const recording =
    record === undefined
      ? undefined
      : new Recording(record, { cwd, redactor, logger, config, stopped });
  return {
    trail,
    log: bothLogs(bothLogs(trail, recording), log),
    tap: tap ?? recording,
    approvals: approvalRecord(trail),
    follow: (events) => noteEvents(trail, events, digest),
    async close() {
      await trail?.close();
      recording?.close();
    },
  };
}
