import type { Caller, HookContext } from "./context.ts";
import type { JsonObject } from "./json.ts";
import type { LuaField } from "./orcs-api.ts";
import type { CapabilityName } from "./permission.ts";

/** Type of an argument; `path` is a non-empty string, `strings` an object of strings, `flag` true or false. */
export type ArgKind = "string" | "text" | "path" | "milliseconds" | "strings" | "flag";

/** One argument of a tool. */
export interface ArgSpec {
  readonly kind: ArgKind;
  /** Default false. */
  readonly required?: boolean;
  /** One line for the docs. */
  readonly doc: string;
}

/** One built-in tool. */
export interface ToolSpec {
  readonly capability: CapabilityName;
  readonly doc: string;
  /** The arguments given by plain strings in its short form, in order: `orcs.read("a.txt")`. */
  readonly short: readonly string[];
  /** In display order. */
  readonly args: Readonly<Record<string, ArgSpec>>;
  /** The fields of its result besides `ok`; types are LuaCATS types. */
  readonly answers: Readonly<Record<string, LuaField>>;
}

/** The built-in tools: validation, short forms, the docs and the Lua definitions derive from this table. */
export const BUILTIN_TOOLS = {
  exec: {
    capability: "EXECUTE",
    short: ["command"],
    doc: "Run a command line with sh -c. ok means code == 0; stdout and stderr are always returned. The command is not confined.",
    args: {
      command: { kind: "text", required: true, doc: "The command line." },
      cwd: { kind: "path", doc: "Directory to run in; default the sandbox root." },
      timeout_ms: { kind: "milliseconds", doc: "Wall-clock limit; default 30000." },
      env: { kind: "strings", doc: "Additional environment variables." },
      shell: {
        kind: "flag",
        doc: "false runs the words of the command without a shell, as orcs.exec_argv does.",
      },
    },
    answers: {
      stdout: { type: "string", doc: "Its standard output, as text." },
      stderr: { type: "string", doc: "Its standard error, as text." },
      code: { type: "integer", doc: "Exit code; 128 + n if signal n ended it." },
    },
  },
  read: {
    capability: "READ",
    short: ["path"],
    doc: "Read a text file.",
    args: { path: { kind: "path", required: true, doc: "The file." } },
    answers: {
      content: { type: "string", doc: "The whole content, as text." },
      size: { type: "integer", doc: "Size in bytes." },
    },
  },
  write: {
    capability: "WRITE",
    short: ["path", "content"],
    doc: "Write a text file atomically; missing directories are created.",
    args: {
      path: { kind: "path", required: true, doc: "The file." },
      content: { kind: "string", required: true, doc: "The new content." },
    },
    answers: { size: { type: "integer", doc: "Number of bytes written." } },
  },
  grep: {
    capability: "READ",
    short: ["pattern", "path"],
    doc: "Find matching lines in a file, or in all text files below a directory.",
    args: {
      pattern: { kind: "text", required: true, doc: "Regular expression (RE2)." },
      path: { kind: "path", required: true, doc: "File or directory." },
    },
    answers: {
      matches: {
        type: "{ path: string, line: integer, text: string }[]",
        doc: "List of { path, line, text }; lines count from 1.",
      },
      truncated: { type: "boolean", doc: "true if not everything was searched or listed." },
    },
  },
  glob: {
    capability: "READ",
    short: ["pattern", "path"],
    doc: "List the files whose paths match; .git and node_modules are skipped.",
    args: {
      pattern: { kind: "text", required: true, doc: "Glob, as in match.path." },
      path: { kind: "path", doc: "Directory to search; default the sandbox root." },
    },
    answers: {
      files: { type: "string[]", doc: "Sorted paths, relative to the sandbox root." },
      truncated: { type: "boolean", doc: "true if there are more." },
    },
  },
  mkdir: {
    capability: "WRITE",
    short: ["path"],
    doc: "Create a directory and its missing parents.",
    args: { path: { kind: "path", required: true, doc: "The directory." } },
    answers: {},
  },
  remove: {
    capability: "DELETE",
    short: ["path"],
    doc: "Remove a file, a link (not its target), or a directory with its content.",
    args: { path: { kind: "path", required: true, doc: "The path to remove." } },
    answers: {},
  },
  mv: {
    capability: "WRITE",
    short: ["from", "to"],
    doc: "Rename a file, link or directory; an existing file is replaced.",
    args: {
      from: { kind: "path", required: true, doc: "The path to move." },
      to: { kind: "path", required: true, doc: "The new path, including the last segment." },
    },
    answers: {},
  },
  scan_dir: {
    capability: "READ",
    short: ["path"],
    doc: "List a directory.",
    args: { path: { kind: "path", required: true, doc: "The directory." } },
    answers: {
      entries: {
        type: "{ name: string, kind: string, size: integer }[]",
        doc: 'Sorted list of { name, kind = "file" | "dir" | "link" | "other", size }.',
      },
      truncated: { type: "boolean", doc: "true if there are more." },
    },
  },
  http: {
    capability: "HTTP",
    short: ["url"],
    doc: "Send an HTTP request. ok means that there was a response, with any status.",
    args: {
      url: { kind: "text", required: true, doc: "http: or https:." },
      method: { kind: "text", doc: "Default GET, or POST with a body." },
      headers: { kind: "strings", doc: "Request headers." },
      body: { kind: "string", doc: "Request body." },
    },
    answers: {
      status: { type: "integer", doc: "Status code." },
      headers: { type: "table<string, string>", doc: "Response headers, names in lower case." },
      body: { type: "string", doc: "Response body, as text." },
    },
  },
} as const satisfies Record<string, ToolSpec>;

/** The tool whose function the embedding program provides. */
const LLM_TOOL = {
  capability: "LLM",
  doc: "Call the program's model.",
  short: ["prompt"],
  args: {
    prompt: { kind: "text", doc: "The prompt." },
    system_prompt: { kind: "text", doc: "The instructions before the conversation." },
  },
  answers: {
    text: { type: "string", doc: "The text of the model." },
    usage: { type: "table<string, any>", doc: "Numbers of tokens, in the model's format." },
    tool_calls: { type: "any[]", doc: "The tool calls that the model requests." },
  },
} as const satisfies ToolSpec;

/** The tools with a function of their own in `orcs`. */
export const TOOLS: Readonly<Record<ToolName | "llm", ToolSpec>> = {
  ...BUILTIN_TOOLS,
  llm: LLM_TOOL,
};

export type ToolName = keyof typeof BUILTIN_TOOLS;

type Args<N extends ToolName> = (typeof BUILTIN_TOOLS)[N]["args"];
type KindType<K> = K extends "milliseconds"
  ? number
  : K extends "flag"
    ? boolean
    : K extends "strings"
      ? Strings
      : string;
type Strings = Readonly<Record<string, string>>;

/** The checked arguments of a tool. */
export type ArgsOf<N extends ToolName> = {
  readonly [K in keyof Args<N> as IsRequired<Args<N>[K]> extends true ? K : never]: KindOf<
    Args<N>[K]
  >;
} & {
  readonly [K in keyof Args<N> as IsRequired<Args<N>[K]> extends true ? never : K]?:
    | KindOf<Args<N>[K]>
    | undefined;
};
type IsRequired<S> = S extends { readonly required: true } ? true : false;
type KindOf<S> = S extends { readonly kind: infer K } ? KindType<K> : never;

/**
 * A tool available through `orcs.get`. A built-in tool returns its errors as `{ ok: false, error }`; a tool of a
 * program may return anything and may throw.
 */
export type Tool = ObjectTool | FunctionTool;

interface AnyTool {
  readonly name: string;
  /** The capability that the caller needs; a call without it is denied before the tool runs. */
  readonly capability: CapabilityName | undefined;
  /** Its operation has its own hook points, where it is recorded and replayed. */
  readonly isNested?: true;
  /** Whether a result is only intermediate; it is passed on without post hooks. */
  isInterim?(result: unknown): boolean;
}

/** A tool that takes one object. */
export interface ObjectTool extends AnyTool {
  /** The argument given by a plain string: `orcs.exec("ls")` is `{ command = "ls" }`. */
  readonly mainArg: string;
  run(args: JsonObject, call: ToolCall): unknown;
}

/** A tool with parameters of its own. */
export interface FunctionTool extends AnyTool {
  /** The call that an argument of `orcs.get` stands for. */
  bind(arg: unknown): BoundTool;
}

/** A call of a tool: its arguments as hooks see them, and the tool itself. */
export interface BoundTool {
  readonly args: JsonObject;
  /** @param args as the hooks left them */
  run(args: JsonObject, call: ToolCall): unknown;
}

/** The call that a tool serves. */
export interface ToolCall {
  readonly signal: AbortSignal | undefined;
  /** The context after the pre hooks. */
  readonly ctx: HookContext;
  /** The caller, for dispatches that the tool makes itself. */
  readonly caller: Caller;
}

/** What `orcs.snapshot` and `orcs.undo_point` ask the engine for: no tools, so that no hooks run for them. */
export const SNAPSHOT = "orcs:snapshot";
export const UNDO_POINT = "orcs:undo_point";
