import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { callLine, eventLine } from "../../audit/record/recorded-event.ts";
import type { Mask } from "../../audit/record/recorded-event.ts";
import { MAX_RECORD_LINE } from "../../audit/record/format.ts";
import { openRecord } from "../../audit/record/open-record.ts";
import { RecordWriter } from "../../audit/record/record-writer.ts";
import type { DispatchLog, SettledDispatch } from "../../core/audit.ts";
import { messageOf } from "../../core/errors.ts";
import type { OrcsError } from "../../core/errors.ts";
import type { Logger, Redactor } from "../../core/ports.ts";
import type { OperationEnd, OperationTap, TappedCall } from "../calls/operation-tap.ts";
import type { CreateOrcsOptions } from "../options.ts";

type RecordOption = NonNullable<CreateOrcsOptions["record"]>;

/** What a recording needs of its engine. */
interface RecordingHost {
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
export class Recording implements DispatchLog, OperationTap {
  readonly all = true;
  readonly #writer: RecordWriter;
  readonly #mask: Mask;
  readonly #logger: Logger;

  /** @throws OrcsError ORCS8007, ORCS8008 */
  constructor(record: RecordOption, { cwd, redactor, logger, config, stopped }: RecordingHost) {
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

  runs({ kind, args, depth }: TappedCall): ((end: OperationEnd) => void) | undefined {
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
    this.#logger.warn(`${what} is not recorded: it is more than ${megabytes} MB`);
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
