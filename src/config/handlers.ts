import { isFileForSure, isFileInside } from "../machine/index.ts";
import { closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { z } from "zod";
import { PROTOCOL_NAMES, type ProtocolName, type SourcePlace, orUndefined } from "../core/index.ts";
import { commandCode, type CommandCode } from "./command-code.ts";
import { didYouMean, type KeyPath, shownFile } from "./config-error.ts";
import type { HookTable } from "./hook-schema.ts";
import {
  type HandlerRequest,
  liveHandler,
  type LiveHandler,
  liveTable,
  requestKeys,
  requestOf,
} from "./live-handler.ts";
import {
  missing,
  quoted,
  refuse,
  type SchemaContext,
  tableSchema,
  text,
  variable,
} from "./schema-parts.ts";
import { pythonCommand } from "./python-function.ts";
import { isTable } from "./table.ts";
import { placeOfContent, type Source } from "./source-positions.ts";

/** A handler that is a Lua script or inline Lua. */
export type LuaHandler =
  | {
      readonly kind: "script";
      /** As written. */
      readonly script: string;
      /** Absolute path of a readable file. */
      readonly file: string;
    }
  | {
      readonly kind: "inline";
      readonly code: string;
      /** The first line of its code: line 1 of the Lua chunk is this line of the file. */
      readonly place: SourcePlace;
    };

/** A line for `sh -c`. */
export interface CommandLine {
  /** A program written relative to the configuration has an absolute path here. */
  readonly command: string;
  /** The path of the script, if there is one. */
  readonly program: string | undefined;
  /** The Python function that the command only calls, `package.module.function`. */
  readonly pythonFunction?: string;
}

/** A command. */
export interface ShellHandler extends CommandLine {
  readonly kind: "shell";
  /** Whether the context is written to its standard input. */
  readonly passContext: boolean;
  /** Whether its output is a result; its exit code always is. */
  readonly parseResult: boolean;
  readonly protocol: ProtocolName;
  /** How long processes may live that it leaves in the background, in seconds; 0 if they end with it. */
  readonly backgroundS: number;
  /** Variables that it inherits besides `PATH`, `HOME` and `LANG`. */
  readonly env: readonly string[];
}

export interface WebhookHandler extends HandlerRequest {
  readonly kind: "webhook";
  /** http(s), with `${NAME}` in path and query. */
  readonly url: string;
  readonly method: "POST" | "PUT";
  readonly protocol: ProtocolName;
}

/** A function exported by a JavaScript module. */
export interface ModuleHandler {
  readonly kind: "module";
  /** Absolute path. */
  readonly file: string;
  readonly exportName: string;
  /** Names of variables that it gets. */
  readonly env: readonly string[];
}

/** The handler of a hook. */
export type Handler = LuaHandler | ShellHandler | WebhookHandler | ModuleHandler | LiveHandler;

/** The command that a handler runs, and the variables that it inherits; undefined if it runs none. */
export function commandOf(
  handler: Handler,
): (CommandLine & { readonly env: readonly string[] }) | undefined {
  if (handler.kind === "shell") return handler;
  if (handler.kind !== "live" || handler.endpoint.kind !== "process") return undefined;
  const { line, env } = handler.endpoint;
  return { ...line, env };
}

/** The variables that a handler reads from the environment of a call, besides the usual ones. */
export function variablesIn(handler: Handler): readonly string[] {
  switch (handler.kind) {
    case "shell":
    case "module":
      return handler.env;
    case "webhook":
      return handler.allowEnv;
    case "live": {
      const { endpoint } = handler;
      return "env" in endpoint ? endpoint.env : "allowEnv" in endpoint ? endpoint.allowEnv : [];
    }
    case "script":
    case "inline":
      return [];
  }
}

/** Whether a handler runs in a Lua state. */
export function isLua(handler: Handler): handler is LuaHandler {
  return handler.kind === "script" || handler.kind === "inline";
}

/** Returns a handler once the place of its code and the `type` of its hook are known. */
type HandlerMaker = (
  codePlace: () => SourcePlace,
  type: "command" | "python" | undefined,
) => Handler;

/** The keys of a handler: a hook has exactly one of them. All but a script, which can state it itself, need a point. */
export const HANDLER_KEYS = [
  "script",
  "handler_inline",
  "shell",
  "webhook",
  "module",
  // A table: a handler that lives on. A text: MassGen's spelling of a command; hook-rules.ts checks its `type`.
  "handler",
] as const;

/** The schemas of the handler keys. */
export function handlerShape(around: SchemaContext) {
  return {
    script: z.lazy(() => scriptSchema(around)),
    handler_inline: z.lazy(inlineSchema),
    shell: z.lazy(() => shellSchema(around)),
    webhook: z.lazy(webhookSchema),
    module: z.lazy(() => moduleSchema(around)),
    handler: z.lazy(() => handlerSchema(around)),
  } satisfies Record<(typeof HANDLER_KEYS)[number], z.ZodType<HandlerMaker>>;
}

function scriptSchema(around: SchemaContext): z.ZodType<HandlerMaker> {
  return z
    .string()
    .min(1)
    .transform((script, ctx) => {
      const found = around.findScript(script);
      if (found.file !== undefined) {
        const { file } = found;
        return () => ({ kind: "script", script, file });
      }
      const dirs = found.lookedIn.map((dir) => shownFile(dir, around.cwd));
      const where = dirs.length > 0 ? `; searched ${dirs.join(", ")}` : "";
      const hint = didYouMean(found.nearest);
      return refuse(ctx, `${quoted(script)} was not found${where}`, { code: "ORCS1009", hint });
    });
}

function inlineSchema(): z.ZodType<HandlerMaker> {
  return z
    .string()
    .min(1)
    .transform((code) => (codePlace) => ({ kind: "inline", code, place: codePlace() }));
}

const MAX_BACKGROUND_S = 86_400;

/** What other systems let a command leave in the background lives on there; here it is bounded. */
function backgroundOf(protocol: ProtocolName): number {
  return protocol === "orcs" ? 0 : 3_600;
}

export const protocolName = z.enum(PROTOCOL_NAMES);

/** The schema of `shell = "command"`, or a table. */
function shellSchema(around: SchemaContext): z.ZodType<() => ShellHandler> {
  const table = tableSchema({
    command: text,
    pass_context: z.boolean(),
    parse_result: z.boolean(),
    protocol: protocolName,
    background_s: z.int().min(0).max(MAX_BACKGROUND_S),
    env: z.array(variable),
  });
  return z
    .preprocess((shell) => (typeof shell === "string" ? { command: shell } : shell), table)
    .transform((shell, ctx) => {
      const { command, env = [] } = shell;
      if (command === undefined) return missing(ctx, "command");
      if (!isPlaced(around, command, ctx, ["command"])) return z.NEVER;
      // The output of a cocode handler is parsed only on request.
      const asks = shell.protocol !== "cocode";
      const handler: ShellHandler = {
        kind: "shell",
        ...beside(around.baseDir, command, around.locate),
        passContext: shell.pass_context ?? asks,
        parseResult: shell.parse_result ?? asks,
        protocol: shell.protocol ?? "orcs",
        backgroundS: shell.background_s ?? backgroundOf(shell.protocol ?? "orcs"),
        env,
      };
      return () => handler;
    });
}

/** The schema of `handler`: a table, or a text in MassGen's spelling. */
function handlerSchema(around: SchemaContext): z.ZodType<HandlerMaker> {
  const command = commandSchema(around);
  const live = liveSchema(around);
  return z.unknown().transform((written, ctx): HandlerMaker => {
    const read = (isTable(written) ? live : command).safeParse(written);
    if (read.success) return read.data;
    for (const issue of read.error.issues) ctx.addIssue({ ...issue });
    return z.NEVER;
  });
}

/** The schema of `handler = { … }`. */
function liveSchema(around: SchemaContext): z.ZodType<HandlerMaker> {
  return liveTable().transform((table, ctx) => {
    const handler = liveHandler(table, ctx, around);
    return () => handler;
  });
}

/** The schema of `handler` with its `type`: a command, or a function of a Python module, as in MassGen (seed 004). */
function commandSchema(around: SchemaContext): z.ZodType<HandlerMaker> {
  return text.transform((written, ctx) => {
    const command = scriptCommand(written, around.locate);
    if (!isPlaced(around, command, ctx, [])) return z.NEVER;
    const line = beside(around.baseDir, command, around.locate);
    return (_, type) => ({
      kind: "shell",
      ...(type === "python" ? pythonLine(written) : line),
      passContext: true,
      parseResult: true,
      protocol: "massgen",
      backgroundS: backgroundOf("massgen"),
      env: [],
    });
  });
}

function pythonLine(name: string): CommandLine {
  return { command: pythonCommand(name), program: undefined, pythonFunction: name };
}

function webhookSchema(): z.ZodType<() => WebhookHandler> {
  const methods = z.enum(["POST", "PUT"]);
  const table = tableSchema({
    url: text,
    method: z.preprocess((m) => (typeof m === "string" ? m.toUpperCase() : m), methods),
    ...requestKeys(),
    protocol: protocolName,
  });
  return table.transform((webhook, ctx) => {
    const { url, method = "POST", protocol = "orcs" } = webhook;
    if (url === undefined) return missing(ctx, "url");
    return () => ({ kind: "webhook", url, method, ...requestOf(webhook), protocol });
  });
}

/** `"./file.js#export"`, relative to the configuration; without a name the default export. Or a table with it. */
function moduleSchema(around: SchemaContext): z.ZodType<() => ModuleHandler> {
  const table = tableSchema({ function: text, env: z.array(variable) });
  const either = z.preprocess(
    (module) => (typeof module === "string" ? { function: module } : module),
    table,
  );
  return either.transform(({ function: written, env = [] }, ctx) => {
    if (written === undefined) return missing(ctx, "function");
    const [path = "", ...names] = written.split("#");
    const exportName = names.length === 0 ? "default" : names.join("#");
    const file = around.locate(path);
    if (path === "" || !existsSync(file)) {
      const why = `the module ${quoted(shownFile(file, around.cwd))} was not found`;
      return refuse(ctx, why, { code: "ORCS1009" });
    }
    return () => ({ kind: "module", file, exportName, env });
  });
}

/** The first word of a command if it is a relative path, bare or quoted. */
const PROGRAM = /^\s*(?:'(\.\.?\/[^']*)'|"(\.\.?\/[^"$`\\]*)"|(\.\.?\/[^\s;&|<>()$`"'\\]*))/;

/** `./check.sh` is the file beside the configuration, wherever the command runs. */
function beside(
  baseDir: string,
  command: string,
  locate = (path: string) => join(baseDir, path),
): CommandLine {
  const found = PROGRAM.exec(command);
  const program = found?.[1] ?? found?.[2] ?? found?.[3];
  if (!found || program === undefined) return { command, program: undefined };
  // `./checks/$NAME` needs its slash.
  const path = locate(program) + (program.endsWith("/") ? sep : "");
  const rest = command.slice(found[0].length);
  return { command: `'${path.replaceAll("'", `'\\''`)}'${rest}`, program: path };
}

/** Words of a command that are relative paths. */
const RELATIVE = /(?<=^|[\s;&|(<>="'])\.\.?\/[^\s;&|<>()$`"'\\]+/g;
/** A relative program in a spelling that `beside` does not recognise. */
const VEILED = /^[\s("'\\]*\.{1,2}["']*\//;

/**
 * Whether each file of a command that exists beside the configuration is found there. Other words are resolved by the
 * shell in the working directory of the call, which could provide a file of its own instead.
 */
function isPlaced(
  around: SchemaContext,
  command: string,
  ctx: z.RefinementCtx,
  path: readonly string[],
): boolean {
  const { baseDir } = around;
  const first = PROGRAM.exec(command)?.[0] ?? "";
  const rest = command.slice(first.length);
  const words = new Set(first === "" && VEILED.test(command) ? [command.trim()] : []);
  const written = [...(rest.match(RELATIVE) ?? []), ...scriptsIn(command, around)];
  for (const word of written) if (isFileForSure(join(baseDir, word))) words.add(word);
  for (const word of words) {
    const why = "is relative to the working directory of the call, not to the configuration";
    const hint = `write "$ORCS_DIR/${bare(word)}" for the file beside the configuration`;
    refuse(ctx, `${quoted(word)} ${why}`, { path, hint });
  }
  return words.size === 0;
}

/** A file name relative to a folder: without quotes and the leading `./`. */
function bare(word: string): string {
  const [file = ""] = word
    .replaceAll(/["'\\(]/g, "")
    .trim()
    .split(/\s/);
  return file.replace(/^\.\//, "");
}

/** The code that a configured command runs. */
export function writtenCommandCode(command: string, baseDir: string): CommandCode {
  return commandCode(beside(baseDir, command), baseDir);
}

/** The code that a `handler` runs. @param locate resolves a path beside the configuration */
export function writtenHandlerCode(
  { handler, type }: { readonly handler: string; readonly type: unknown },
  baseDir: string,
  locate: (path: string) => string,
): CommandCode {
  if (type === "python") return commandCode(pythonLine(handler), baseDir);
  return writtenCommandCode(scriptCommand(handler, locate), baseDir);
}

/**
 * Relative paths that a program would take for its script. For an unknown program, any of its words may be one, if the
 * configuration is the user's, which applies in every folder.
 */
function scriptsIn(command: string, { baseDir, isUsers }: SchemaContext): readonly string[] {
  const { relative, maybe } = writtenCommandCode(command, baseDir);
  // `$PWD/check.sh` is explicit.
  return [...relative, ...(isUsers ? maybe : [])].filter((word) => command.includes(word));
}

/** @param path of the hook, to place its code */
export function handlerOf(table: HookTable, path: KeyPath, source: Source): Handler {
  for (const key of HANDLER_KEYS) {
    const make = table[key];
    if (make) return make(() => placeOfContent(source, [...path, key]), table.type);
  }
  throw new Error("unreachable: the rules have made sure of a handler");
}

/** The programs that run a script that does not run by itself. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  py: "python3",
  js: "node",
  mjs: "node",
  cjs: "node",
  sh: "sh",
};

/** The first word of a command if it is a plain relative path of a script, and the rest. */
const FIRST_WORD = /^\s*(?:\.\/)?(?<name>[\w@+-][\w.@+/-]*\.(?<extension>[a-z]+))(?<rest>\s[^]*)?$/;

/**
 * The command line for a command that begins with a script beside the configuration, written without its program:
 * `check.py --fast`. A script that is executable and begins with `#!` runs by itself, another one by the program for
 * its extension. A command that begins with anything else stays as it is, and so does one whose path has `..`: whether
 * it is allowed is decided elsewhere, and nothing is opened before.
 * @param locate resolves a path beside the configuration
 */
export function scriptCommand(command: string, locate: (path: string) => string): string {
  const { name, extension = "", rest = "" } = FIRST_WORD.exec(command)?.groups ?? {};
  const program = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
  if (name === undefined || program === undefined || name.split("/").includes("..")) return command;
  const file = locate(name);
  const mode = modeOf(file);
  if (mode === undefined) return command;
  // The bit that a sealed copy keeps.
  const runsItself = (mode & 0o100) !== 0 && isFileInside(locate("."), file) && hasProgram(file);
  return runsItself ? `./${name}${rest}` : `${program} "$ORCS_DIR/${name}"${rest}`;
}

/** The mode of a regular file. */
function modeOf(file: string): number | undefined {
  const found = orUndefined(() => statSync(file, { throwIfNoEntry: false }));
  return found?.isFile() ? found.mode : undefined;
}

/** Whether the first line of a script names its program; otherwise the shell would read it as its own. */
function hasProgram(file: string): boolean {
  const start = Buffer.alloc(2);
  const from = orUndefined(() => openSync(file, constants.O_RDONLY | constants.O_NONBLOCK));
  if (from === undefined) return false;
  const count = orUndefined(() => readSync(from, start));
  closeSync(from);
  return count === 2 && start.toString("latin1") === "#!";
}
