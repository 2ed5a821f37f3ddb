import { closeSync } from "node:fs";
import { resolve } from "node:path";
import {
  callLine,
  eventLine,
  MAX_RECORD_LINE,
  openRecord,
  RecordWriter,
} from "../../../records/index.ts";
import type { Mask } from "../../../records/index.ts";
import { messageOf } from "../../../core/index.ts";
import type { DispatchLog, Logger, Redactor, SettledDispatch } from "../../../core/index.ts";
import type { EventEmitter } from "../../registry/index.ts";
import type { ApprovalRecord } from "../calls/approval.ts";
import type { OperationEnd, RecordableCall, ToolRecorder } from "../calls/tool-calls.ts";
import type { CreateOrcsOptions, EngineOptions } from "../options.ts";
import { type AuditTrail, teeLog } from "./audit-trail.ts";
import { approvalEntry, reloaded, reloadFailed } from "./log-entries.ts";
import { openTrail } from "./open-trail.ts";

/** Everything that is recorded of an engine: its audit log and its recording, if enabled. */
export interface Records {
  readonly trail: AuditTrail | undefined;
  /** Passed to the registry. */
  readonly log: DispatchLog | undefined;
  /** Records the results of tools. */
  readonly tap: ToolRecorder | undefined;
  readonly approvals: ApprovalRecord | undefined;
  /** Also record what is emitted as an event. */
  follow(events: EventEmitter): void;
  close(): Promise<void>;
}

interface RecordsContext extends Pick<RecordingDeps, "cwd" | "config"> {
  /** Digest of the active configuration. */
  readonly digest: () => string;
}

/** @throws OrcsError ORCS8007, ORCS8008 when a recording cannot start */
export function openRecords(
  host: Parameters<typeof openTrail>[0],
  { auditDir, record, log, tap }: EngineOptions,
  { cwd, config, digest }: RecordsContext,
): Records {
  const trail = openTrail(host, auditDir, digest);
  const { redactor, logger } = host;
  const recording =
    record === undefined ? undefined : new Recording(record, { cwd, redactor, logger, config });
  return {
    trail,
    log: teeLog(teeLog(trail, recording), log),
    tap: tap ?? recording,
    approvals: trail && ((asked, refusal) => trail.note(approvalEntry(asked, refusal))),
    follow(events) {
      if (!trail) return;
      events.on("reloaded", (event) => void trail.note(reloaded(event, digest())));
      events.on("reload_failed", (event) => void trail.note(reloadFailed(event, digest())));
      events.on("dropped", ({ hook, point }) => void trail.note({ kind: "dropped", point, hook }));
    },
    async close() {
      await trail?.close();
      recording?.close();
    },
  };
}

type RecordOption = NonNullable<CreateOrcsOptions["record"]>;

/** What a recording needs of its engine. */
interface RecordingDeps {
  /** The base of the file's relative path. */
  readonly cwd: string;
  readonly redactor: Redactor;
  readonly logger: Logger;
  /** Digest of the configuration at the start. */
  readonly config?: (() => string) | undefined;
}

/**
 * Check whether a file can be recorded into before the engine is created.
 * @returns the option with an absolute path: relative paths are relative to the working directory
 * @throws OrcsError ORCS8007, ORCS8008
 */
export function expectRecord(record: RecordOption): RecordOption {
  const { file, whole } = readOption(record);
  const named = { file: resolve(file), whole };
  closeSync(openRecord(named));
  return named;
}

/**
 * Records an engine for `orcs replay`: every dispatch that is not nested in another one, and the results of tools that
 * hooks called. Errors here never reach a dispatch.
 */
export class Recording implements DispatchLog, ToolRecorder {
  readonly all = true;
  readonly #writer: RecordWriter;
  readonly #mask: Mask;
  readonly #logger: Logger;

  /** @throws OrcsError ORCS8007, ORCS8008 */
  constructor(record: RecordOption, { cwd, redactor, logger, config }: RecordingDeps) {
    const { file, whole } = readOption(record);
    this.#mask = whole ? undefined : redactor;
    this.#logger = logger;
    this.#writer = new RecordWriter({
      file: resolve(cwd, file),
      whole,
      config: config?.(),
      stopped: (error) => logger.error(error.message),
    });
  }

  take(settled: SettledDispatch): undefined {
    // Nested dispatches and those of asynchronous hooks are not recorded: a replay produces them again.
    if (settled.began.depth > 0 || settled.async || !this.#writer.isOpen) return;
    const what = `the dispatch of ${settled.point.name}`;
    this.#add(what, () => eventLine(settled, this.#mask, Date.now()));
  }

  runs(call: RecordableCall): ((end: OperationEnd) => void) | undefined {
    const { kind, args, depth, shadowHook } = call;
    if (depth === 0 || !this.#writer.isOpen) return undefined;
    const what = `a call of ${kind}`;
    const called = { kind, args, depth, shadowHook };
    const line = this.#reporting(what, () => callLine(called, this.#mask));
    if (!line) return undefined;
    return (end) => {
      const came = "thrown" in end ? { error: messageOf(end.thrown) } : end;
      this.#add(what, () => line(came));
    };
  }

  /** Write pending lines and close the file. */
  close(): void {
    this.#writer.close();
  }

  #add(what: string, lineOf: () => string): void {
    const line = this.#reporting(what, lineOf);
    if (line === undefined || this.#writer.add(line)) return;
    const megabytes = MAX_RECORD_LINE / 2 ** 20;
    this.#logger.warn(`${what} is not recorded: it is larger than ${megabytes} MB`);
  }

  #reporting<T>(what: string, make: () => T): T | undefined {
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
