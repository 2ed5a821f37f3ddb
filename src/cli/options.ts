import { resolve } from "node:path";
import { Option } from "commander";
import { OrcsError } from "../core/index.ts";
import type { CreateOrcsOptions } from "../engine/index.ts";

/** `--config FILE`, the same for all verbs. */
export function configOption(): Option {
  return new Option(
    "--config <file>",
    "read only this orcs.toml; default: your own, the project's and orcs.local.toml",
  );
}

/** Exit codes of every verb. */
export const EXIT = {
  fine: 0,
  /** Findings, or with `--fail` a denial. */
  findings: 1,
  /** An error in the command line or the configuration. */
  error: 2,
} as const;

/** The values of `--record` and `--record-whole`. */
export interface RecordFlags {
  record?: string;
  recordWhole?: boolean;
}

/** `--record FILE`, the same for all verbs. */
export function recordOption(): Option {
  return new Option(
    "--record <file>",
    "append a record of every dispatch to this file, for orcs replay; secrets are masked",
  );
}

/** `--record-whole`, in addition. */
export function recordWholeOption(): Option {
  return new Option("--record-whole", "do not mask secrets in the record");
}

/**
 * The engine option for these flags; the file is relative to the working directory.
 * @throws OrcsError ORCS5001
 */
export function recordFrom({
  record,
  recordWhole = false,
}: RecordFlags): CreateOrcsOptions["record"] {
  if (record !== undefined) return { file: resolve(record), whole: recordWhole };
  if (!recordWhole) return undefined;
  throw new OrcsError("ORCS5001", "--record-whole needs --record FILE");
}

/** The value of `--port`. @throws OrcsError ORCS5001 */
export function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new OrcsError("ORCS5001", `--port ${text} is not a number from 0 to 65535`);
}
