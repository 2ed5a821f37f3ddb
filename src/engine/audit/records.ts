import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { MAX_RECORD_LINE } from "../../audit/record/format.ts";
import type { Mask } from "../../audit/record/recorded-event.ts";
import { callLine, eventLine } from "../../audit/record/recorded-event.ts";
import { openRecord, RecordWriter } from "../../audit/record/write-record.ts";
import type { DispatchLog, SettledDispatch } from "../../core/audit.ts";
import type { OrcsError } from "../../core/errors.ts";
import { messageOf } from "../../core/errors.ts";
import type { Logger, Redactor } from "../../core/ports.ts";
import type { EventEmitter } from "../../registry/events.ts";
import type { ApprovalRecord } from "../calls/approval.ts";
import type { OperationEnd, RecordableCall, ToolRecorder } from "../calls/tool-calls.ts";
import type { CreateOrcsOptions, EngineOptions } from "../options.ts";
import type { AuditTrail } from "./audit-trail.ts";
import { openTrail } from "./open-trail.ts";
import { approvalRecord, noteEvents } from "./entries.ts";
import { teeLog } from "./audit-trail.ts";

/** All that is written down of an engine: its audit log and its recording, where it has them. */
export interface Records {
  readonly trail: AuditTrail | undefined;
  /** For the registry. */
  readonly log: DispatchLog | undefined;
  /** Stands at what the tools do. */
  readonly tap: ToolRecorder | undefined;
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
    log: teeLog(teeLog(trail, recording), log),
    tap: tap ?? recording,
    approvals: approvalRecord(trail),
    follow: (events) => noteEvents(trail, events, digest),
    async close() {
      await trail?.close();
      recording?.close();
    },
  };
}

type RecordOption = NonNullable<CreateOrcsOptions["record"]>;

/** What a recording needs of its engine. */
interface RecordingDeps {
  /** What the file is relative to. */
  readonly cwd: string;
  readonly redactor: Redactor;
  readonly logger: Logger;
  /** Digest of the configuration. */
  readonly config?: string | undefined;
  /** Told once, when nothing more can be recorded. */
  readonly stopped: (error: OrcsError) => void;
}

/**
 * Look whether a file can be recorded into, before there is an engine that does.
 * @returns the same with its path from the root: relative ones are relative to the working directory
 * @throws OrcsError ORCS8007, ORCS8008
 */
export function expectRecord(record: RecordOption): RecordOption {
  const { file, whole } = readOption(record);
  const named = { file: resolve(file), whole };
  closeSync(openRecord(named));
  return named;
}

/**
 * Writes down what an engine does, so that it can be done again: every dispatch that is not nested in another, and
 * what tools gave to the hooks that called them. Nothing that goes wrong here reaches a dispatch.
 */
export class Recording implements DispatchLog, ToolRecorder {
  readonly all = true;
  readonly #writer: RecordWriter;
  readonly #mask: Mask;
  readonly #logger: Logger;

  /** @throws OrcsError ORCS8007, ORCS8008 */
  constructor(record: RecordOption, { cwd, redactor, logger, config, stopped }: RecordingDeps) {
    const { file, whole } = readOption(record);
    this.#mask = whole ? undefined : redactor;
    this.#logger = logger;
    this.#writer = new RecordWriter({
      file: resolve(cwd, file),
      whole,
      config,
      stopped: (error) => {
        logger.error(error.message);
        stopped(error);
      },
    });
  }

  take(settled: SettledDispatch): undefined {
    // What hooks do comes about again when they run again, and so do the hooks that nobody waits for.
    if (settled.began.depth > 0 || settled.async || !this.#writer.isOpen) return;
    this.#add(`the dispatch of ${settled.point.name}`, () =>
      eventLine(settled, this.#mask, Date.now()),
    );
  }

  runs({ kind, args, depth }: RecordableCall): ((end: OperationEnd) => void) | undefined {
    if (depth === 0 || !this.#writer.isOpen) return undefined;
    const what = `a call of ${kind}`;
    const line = this.#told(what, () => callLine(kind, args, depth, this.#mask));
    return (
      line &&
      ((end) => {
        const came = "thrown" in end ? { error: messageOf(end.thrown) } : end;
        this.#add(what, () => line(came));
      })
    );
  }

  /** Write what there is and let go of the file. */
  close(): void {
    this.#writer.close();
  }

  #add(what: string, lineOf: () => string): void {
    const line = this.#told(what, lineOf);
    if (line === undefined || this.#writer.add(line)) return;
    const megabytes = MAX_RECORD_LINE / 2 ** 20;
    this.#logger.warn(`${what} is not recorded: it is larger than ${megabytes} MB`);
  }

  #told<T>(what: string, make: () => T): T | undefined {
    try {
      return make();
    } catch (thrown) {
      this.#logger.warn(`${what} is not recorded: ${messageOf(thrown)}`);
      return undefined;
    }
  }
}

function readOption(record: RecordOption): { readonly file: string; readonly whole: boolean } {
  return typeof record === "string"
    ? { file: record, whole: false }
    : { file: record.file, whole: record.whole ?? false };
}
