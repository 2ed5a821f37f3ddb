import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { OrcsError } from "../core/index.ts";
import type { CreateOrcsOptions } from "../engine/index.ts";
import { flag, type OptionsOf, value } from "./verb-command.ts";
import { type ConfigPlace, configPlace } from "../config/index.ts";
import { tellOfOrcs } from "./output.ts";

/** `--config FILE`, the same for all verbs. */
export const CONFIG = value(
  "<file>",
  "read only this orcs.toml; default: your own, the project's and orcs.local.toml",
);

/** `--json`, for verbs that print one document. */
export const JSON_OUTPUT = flag("print JSON");

/** Exit codes of every verb. */
export const EXIT = {
  fine: 0,
  /** Findings, or with `--fail` a denial. */
  findings: 1,
  /** An error in the command line or the configuration. */
  error: 2,
} as const;

/** `--record FILE` and `--record-whole`, the same for all verbs. */
export const RECORD = {
  record: value(
    "<file>",
    "append a record of every dispatch to this file, for orcs replay; secrets are masked",
  ),
  recordWhole: flag("do not mask secrets in the record"),
};

/**
 * The engine option for these flags; the file is relative to the working directory.
 * @throws OrcsError ORCS5001
 */
export function recordFrom({
  record,
  recordWhole = false,
}: OptionsOf<typeof RECORD>): CreateOrcsOptions["record"] {
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

/** A reader of whole numbers for an option. @param wrong what is said of another text */
export function wholeNumber(
  least: number,
  most = Number.MAX_SAFE_INTEGER,
  wrong = `It must be a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ""}.`,
): (text: string) => number {
  return (text) => {
    const number = text.trim() === "" ? Number.NaN : Number(text);
    if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(wrong);
  };
}

/** The configuration of a verb that is about one. @throws OrcsError ORCS1001 when there is none */
export function neededConfig(
  file: string | undefined,
  seal?: string,
): ConfigPlace & { readonly config: string | undefined } {
  const place = configPlace(process.cwd(), file, seal);
  const { config } = place;
  if (config !== false) return { ...place, config };
  const why = `there is no orcs.toml in ${place.directory} or above, and none of your own`;
  throw new OrcsError("ORCS1001", `${why}: create one with orcs init, or pass one to --config`);
}

/** Says on stderr that a verb about the project here found none. */
export function noteMissingProject(file: string | undefined): void {
  if (file !== undefined) return;
  const { config, found } = configPlace(process.cwd(), undefined);
  if (found !== undefined) return;
  const others = config === false ? "" : "; your own configuration applies";
  tellOfOrcs(`there is no orcs.toml in ${process.cwd()} or above: orcs init creates one${others}`);
}
