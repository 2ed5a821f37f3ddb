import { compileRegex } from "../../matching/index.ts";
import type { Environment, ToolName } from "../../core/index.ts";
import type { ProcessSet } from "../../machine/index.ts";
import type { BuiltinTool } from "./define-tool.ts";
import { execTool } from "./exec.ts";
import { mkdirTool, mvTool, readTool, removeTool, scanDirTool, writeTool } from "./files.ts";
import { httpTool } from "./http.ts";
import { Sandbox } from "./sandbox.ts";
import { globTool, grepTool } from "./search.ts";

const MIB = 1_048_576;

/** Limits of tools. */
const TOOL_LIMITS = {
  /** Bytes of a file that `read` returns. */
  readBytes: MIB,
  /** Bytes of a file that `grep` searches. */
  searchBytes: 10 * MIB,
  /** Wall clock time of one `grep` or `glob`, in milliseconds. */
  searchMs: 30_000,
  /** Matches of one `grep`. */
  matches: 1_000,
  /** Files of one `glob`, entries of one `scan_dir`. */
  files: 10_000,
  /** Wall clock time of `exec` when the call sets none, in milliseconds. */
  execMs: 30_000,
  /** Bytes of each of stdout and stderr of `exec`. */
  outputBytes: MIB,
  /** Wall clock time of `http`, including redirects and body, in milliseconds. */
  httpMs: 30_000,
  /** Bytes of a response's body, decompressed. */
  httpBytes: MIB,
};

type ToolLimits = Readonly<typeof TOOL_LIMITS>;

/** What the built-in tools depend on. */
export interface ToolDeps {
  readonly sandbox: Sandbox;
  readonly limits: ToolLimits;
  /** Tracks the processes of `exec`. */
  readonly processes: ProcessSet;
  /** The environment of calls that have none of their own. */
  readonly environment: Environment;
  /** Names of the variables that a command inherits. */
  readonly inherited: readonly string[];
  /** Linear time; throws for an invalid pattern. */
  readonly compileRegex: (pattern: string) => { test(text: string): boolean };
}

/** Options of the built-in tools. */
export interface BuiltinToolsOptions {
  /** The directory that they are confined to; `exec` starts in it. */
  readonly root: string;
  /** Names of environment variables that commands get besides the default ones. */
  readonly env: readonly string[];
  readonly processes: ProcessSet;
  readonly limits?: Partial<ToolLimits> | undefined;
  /** The environment of calls that have none of their own; default: that of this process. */
  readonly environment?: Environment | undefined;
  readonly compileRegex?: ToolDeps["compileRegex"] | undefined;
}

/** Variables that a command needs. All others, secrets above all, must be named. */
const USUAL_VARIABLES = ["PATH", "HOME", "LANG", "TMPDIR", "USER", "TERM"] as const;

/** The implementation of each tool of the table. */
const TOOL_MAKERS: { readonly [N in ToolName]: (given: ToolDeps) => BuiltinTool<N> } = {
  exec: execTool,
  read: readTool,
  write: writeTool,
  grep: grepTool,
  glob: globTool,
  mkdir: mkdirTool,
  remove: removeTool,
  mv: mvTool,
  scan_dir: scanDirTool,
  http: httpTool,
};

/**
 * The tools behind `orcs.get`, with arguments and results as in `BUILTIN_TOOLS`. They never throw: errors of the
 * caller, paths outside the sandbox and system errors are returned as `{ ok: false, error }`. Paths in results are
 * relative to the root.
 */
export function builtinTools(options: BuiltinToolsOptions): readonly BuiltinTool[] {
  const deps: ToolDeps = {
    sandbox: new Sandbox(options.root),
    limits: { ...TOOL_LIMITS, ...options.limits },
    processes: options.processes,
    environment: options.environment ?? { variables: process.env },
    inherited: [...USUAL_VARIABLES, ...options.env],
    compileRegex: options.compileRegex ?? ((pattern) => compileRegex("pattern", pattern)),
  };
  return Object.values(TOOL_MAKERS).map((make) => make(deps));
}
