import type { ToolName } from "../core/tool-table.ts";
import type { ProcessSet } from "../spawn/process-set.ts";
import type { BuiltinTool } from "./define-tool.ts";
import { execTool } from "./exec.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { httpTool } from "./http.ts";
import { mkdirTool } from "./mkdir.ts";
import { mvTool } from "./mv.ts";
import { readTool } from "./read.ts";
import { removeTool } from "./remove.ts";
import { Sandbox } from "./sandbox.ts";
import { scanDirTool } from "./scan-dir.ts";
import { DEFAULT_TOOL_LIMITS } from "./surroundings.ts";
import type { ToolLimits, ToolSurroundings } from "./surroundings.ts";
import { writeTool } from "./write.ts";

/** What the built-in tools are made of. */
export interface BuiltinToolsOptions {
  /** The directory that they are confined to; `exec` begins in it. */
  readonly root: string;
  /** Names of environment variables that commands get besides the usual few. */
  readonly env: readonly string[];
  readonly processes: ProcessSet;
  readonly limits?: Partial<ToolLimits> | undefined;
  /** Where the variables are taken from at each call; default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly compileRegex: ToolSurroundings["compileRegex"];
  readonly compileGlob: ToolSurroundings["compileGlob"];
}

/** What a command cannot do without; everything else, secrets above all, has to be named. */
const USUAL_VARIABLES = ["PATH", "HOME", "LANG", "TMPDIR", "USER", "TERM"] as const;

/** The implementation of each tool of the table. */
const TOOL_MAKERS: { readonly [N in ToolName]: (given: ToolSurroundings) => BuiltinTool<N> } = {
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
 * The tools behind `orcs.get`, arguments and answers as in `BUILTIN_TOOLS`. None ever throws: a mistake, a
 * path out of the sandbox, a system error are answers `{ ok: false, error }`. Paths in answers are
 * relative to the root.
 */
export function builtinTools(options: BuiltinToolsOptions): readonly BuiltinTool[] {
  const surroundings: ToolSurroundings = {
    sandbox: new Sandbox(options.root),
    limits: { ...DEFAULT_TOOL_LIMITS, ...options.limits },
    processes: options.processes,
    environment: () =>
      pick(options.environment ?? process.env, [...USUAL_VARIABLES, ...options.env]),
    compileRegex: options.compileRegex,
    compileGlob: options.compileGlob,
  };
  return Object.values(TOOL_MAKERS).map((make) => make(surroundings));
}

function pick(
  from: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = from[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}
