import { isFileForSure } from "../machine/index.ts";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { LIVE_PROTOCOL_NAMES, type LiveProtocolName, quoteWords } from "../core/index.ts";
import { commandCode } from "./command-code.ts";
import type { CommandLine } from "./handlers.ts";
import type { HookEntry } from "./hook-entry.ts";
import {
  missing,
  quoted,
  refuse,
  type SchemaContext,
  tableSchema,
  text,
  variable,
} from "./schema-parts.ts";

/** Where a handler that lives on is. */
export type LiveEndpoint =
  | {
      readonly kind: "process";
      /** The program and its arguments; it runs in the folder of its configuration. */
      readonly argv: readonly string[];
      /** The same as a command line, which tells what has to be trusted. */
      readonly line: CommandLine;
      /** Variables that it inherits besides `PATH`, `HOME` and `LANG`. */
      readonly env: readonly string[];
    }
  | { readonly kind: "socket"; readonly path: string }
  | ({ readonly kind: "url"; readonly url: string } & HandlerRequest);

/** What handlers that are asked over HTTP have in common. */
export interface HandlerRequest {
  /** Values may contain `${NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The only variables that `${NAME}` in the URL and the headers can refer to. */
  readonly allowEnv: readonly string[];
  /** Hosts, with or without port, that may be reached although their addresses are not public. */
  readonly allowHosts: readonly string[];
  /** Whether the request is redacted. */
  readonly redact: boolean;
}

/** The keys of these in a table; built when they are needed. */
export function requestKeys() {
  return {
    headers: z.record(text, z.string()),
    allow_env: z.array(variable),
    allow_hosts: z.array(text),
    redact: z.boolean(),
  };
}

type RequestKeys = ReturnType<typeof requestKeys>;
type RequestTable = {
  readonly [Key in keyof RequestKeys]?: z.output<RequestKeys[Key]> | undefined;
};

export function requestOf({
  headers = {},
  allow_env: allowEnv = [],
  allow_hosts: allowHosts = [],
  redact = true,
}: RequestTable): HandlerRequest {
  return { headers, allowEnv, allowHosts, redact };
}

/** A handler that lives on between calls. */
export interface LiveHandler {
  readonly kind: "live";
  readonly endpoint: LiveEndpoint;
  readonly protocol: LiveProtocolName;
  /** Whether it is asked for its version and its capabilities first. */
  readonly handshake: boolean;
}

/** The keys that name where it is: exactly one of them. */
export const LIVE_ENDPOINTS = ["process", "socket", "url"] as const;

/** Keys that belong to one of these. */
const BELONGS = {
  env: "process",
  headers: "url",
  allow_env: "url",
  allow_hosts: "url",
  redact: "url",
} as const;

/** The keys of `handler = { … }`. */
export function liveTable() {
  return tableSchema({
    process: z.array(text).min(1),
    socket: text,
    url: text,
    protocol: z.enum(LIVE_PROTOCOL_NAMES),
    handshake: z.boolean(),
    env: z.array(variable),
    ...requestKeys(),
  });
}

type LiveTable = z.output<ReturnType<typeof liveTable>>;

/** The handler of a validated table. */
export function liveHandler(
  table: LiveTable,
  ctx: z.RefinementCtx,
  around: SchemaContext,
): LiveHandler {
  const { protocol, handshake = true } = table;
  const given = LIVE_ENDPOINTS.filter((key) => table[key] !== undefined);
  const [kind, second] = given;
  if (kind === undefined) missing(ctx, "process, socket or url");
  if (second !== undefined)
    refuse(ctx, `this handler already has ${kind}`, { code: "ORCS1008", path: [second] });
  if (protocol === undefined) {
    const protocols = LIVE_PROTOCOL_NAMES.map((name) => `"${name}"`).join(" or ");
    refuse(ctx, `protocol is missing: ${protocols}`, { code: "ORCS1013" });
  }
  if (kind === undefined || second !== undefined || protocol === undefined) return z.NEVER;
  for (const [key, owner] of Object.entries(BELONGS)) {
    if (owner === kind || table[key as keyof typeof BELONGS] === undefined) continue;
    const why = `${key} belongs to ${owner}, which this handler does not have`;
    return refuse(ctx, why, { code: "ORCS1003", path: [key] });
  }
  return { kind: "live", endpoint: endpointOf(table, ctx, around), protocol, handshake };
}

function endpointOf(
  table: LiveTable,
  ctx: z.RefinementCtx,
  { baseDir }: SchemaContext,
): LiveEndpoint {
  const { process, socket, url = "" } = table;
  if (process) return processOf(process, table.env ?? [], ctx, baseDir);
  if (socket === undefined) return { kind: "url", url, ...requestOf(table) };
  if (isAbsolute(socket)) return { kind: "socket", path: socket };
  return refuse(ctx, `${quoted(socket)} is not an absolute path`, { path: ["socket"] });
}

function processOf(
  argv: readonly string[],
  env: readonly string[],
  ctx: z.RefinementCtx,
  baseDir: string,
): LiveEndpoint {
  const line = { command: processLine(argv, baseDir), program: undefined };
  const [missing] = commandCode(line, baseDir).relative;
  const [program = ""] = argv;
  const isOwn = /^\.{1,2}\//.test(program);
  const absent = isOwn && !isFileForSure(join(baseDir, program)) ? program : missing;
  if (absent !== undefined) {
    const why = `${quoted(absent)} was not found beside the configuration`;
    return refuse(ctx, why, { code: "ORCS1009", path: ["process"] });
  }
  const words = isOwn ? [join(baseDir, program), ...argv.slice(1)] : argv;
  return { kind: "process", argv: words, line, env };
}

/** The command line of a process in the folder of its configuration: its files there are named as such. */
export function processLine(argv: readonly string[], baseDir: string): string {
  const words = argv.map((word, i) => {
    const mayBeFile = i === 0 ? /^\.{1,2}\//.test(word) : !isAbsolute(word);
    if (!mayBeFile || !isFileForSure(join(baseDir, word))) return quoteWords([word]);
    return `"$ORCS_DIR"/${quoteWords([word.replace(/^\.\//, "")])}`;
  });
  return words.join(" ");
}

/** Files of a handler that lives on: it is replaced when they change. */
export function liveFiles({
  handler,
  baseDir,
  files = [],
}: Pick<HookEntry, "handler" | "baseDir" | "files">): readonly string[] {
  if (handler.kind !== "live" || handler.endpoint.kind !== "process") return [];
  const code = commandCode(handler.endpoint.line, baseDir);
  return [...code.files, ...code.besides, ...files.map((file) => join(baseDir, file))];
}
