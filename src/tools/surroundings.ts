import type { ProcessSet } from "../spawn/process-set.ts";
import type { Sandbox } from "./sandbox.ts";

/** How much tools may take; what is left out gets its default. */
export interface ToolLimits {
  /** Bytes of a file that `read` gives; default 1 MiB. */
  readonly readBytes: number;
  /** Bytes of a file that `grep` searches; default 10 MiB. */
  readonly searchBytes: number;
  /** Wall clock of one `grep` or `glob` in milliseconds; default 30,000. */
  readonly searchMs: number;
  /** Matches of one `grep`; default 1,000. */
  readonly matches: number;
  /** Files of one `glob`, entries of one `scan_dir`; default 10,000. */
  readonly files: number;
  /** Wall clock of `exec` in milliseconds when the call names none; default 30,000. */
  readonly execMs: number;
  /** Bytes of each of stdout and stderr of `exec`; default 1 MiB. */
  readonly outputBytes: number;
  /** Wall clock of `http` in milliseconds, redirects and body included; default 30,000. */
  readonly httpMs: number;
  /** Bytes of a response's body, decompressed; default 1 MiB. */
  readonly httpBytes: number;
}

const MIB = 1_048_576;

export const DEFAULT_TOOL_LIMITS: ToolLimits = {
  readBytes: MIB,
  searchBytes: 10 * MIB,
  searchMs: 30_000,
  matches: 1_000,
  files: 10_000,
  execMs: 30_000,
  outputBytes: MIB,
  httpMs: 30_000,
  httpBytes: MIB,
};

/** What the built-in tools are given to work with. */
export interface ToolSurroundings {
  readonly sandbox: Sandbox;
  readonly limits: ToolLimits;
  /** Keeps track of what `exec` runs. */
  readonly processes: ProcessSet;
  /** The environment of a command, before its own variables. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Linear-time; throws when the pattern is not valid. */
  readonly compileRegex: (pattern: string) => { test(text: string): boolean };
  /** A glob over normalised paths; throws when the pattern is not valid. */
  readonly compileGlob: (pattern: string) => (path: string) => boolean;
}
