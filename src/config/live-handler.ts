import { isFileForSure } from "../machine/index.ts";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { LIVE_PROTOCOL_NAMES, type LiveProtocolName, quoteWords } from "../core/index.ts";
import { commandCode } from "./command-code.ts";
import type { CommandLine } from "./handlers.ts";
import type { HookEntry } from "./hook-entry.ts";
import { quoted, type SchemaContext, tableSchema, text, variable } from "./schema-parts.ts";

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
  | {
      readonly kind: "url";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Variables that `${NAME}` in the URL and the headers can refer to. */
      readonly allowEnv: readonly string[];
      /** Hosts that may have private addresses. */
      readonly allowHosts: readonly string[];
      /** Whether the request is redacted. */
      readonly redact: boolean;
    };

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
    headers: z.record(text, z.string()),
    allow_env: z.array(variable),
    allow_hosts: z.array(text),
    redact: z.boolean(),
  });
}

type LiveTable = z.output<ReturnType<typeof liveTable>>;

/** The handler of a validated table; undefined with issues in `ctx`. */
export function liveHandler(
  table: LiveTable,
  ctx: z.RefinementCtx,
  around: SchemaContext,
): LiveHandler | undefined {
  const issue = (code: string, path: readonly string[], message: string, hint?: string): void =>
    ctx.addIssue({ code: "custom", path: [...path], message, params: { code, hint } });
  const given = LIVE_ENDPOINTS.filter((key) => table[key] !== undefined);
  const [kind, second] = given;
  if (kind === undefined) issue("ORCS1013", [], "process, socket or url is missing");
  if (second !== undefined) issue("ORCS1008", [second], `this handler already has ${kind}`);
  const protocols = LIVE_PROTOCOL_NAMES.map((name) => `"${name}"`).join(" or ");
  if (table.protocol === undefined) issue("ORCS1013", [], `protocol is missing: ${protocols}`);
  if (kind === undefined || second !== undefined || table.protocol === undefined) return undefined;
  for (const [key, owner] of Object.entries(BELONGS)) {
    if (owner === kind || table[key as keyof typeof BELONGS] === undefined) continue;
    issue("ORCS1003", [key], `${key} belongs to ${owner}, which this handler does not have`);
    return undefined;
  }
  const endpoint = endpointOf(table, issue, around);
  if (!endpoint) return undefined;
  const { protocol, handshake = true } = table;
  return { kind: "live", endpoint, protocol, handshake };
}

function endpointOf(
  table: LiveTable,
  issue: (code: string, path: readonly string[], message: string, hint?: string) => void,
  { baseDir }: SchemaContext,
): LiveEndpoint | undefined {
  if (table.process) return processOf(table.process, table.env ?? [], issue, baseDir);
  if (table.socket !== undefined) {
    if (isAbsolute(table.socket)) return { kind: "socket", path: table.socket };
    issue("ORCS1004", ["socket"], `${quoted(table.socket)} is not an absolute path`);
    return undefined;
  }
  return {
    kind: "url",
    url: table.url ?? "",
    headers: table.headers ?? {},
    allowEnv: table.allow_env ?? [],
    allowHosts: table.allow_hosts ?? [],
    redact: table.redact ?? true,
  };
}

function processOf(
  argv: readonly string[],
  env: readonly string[],
  issue: (code: string, path: readonly string[], message: string) => void,
  baseDir: string,
): LiveEndpoint | undefined {
  const line = { command: processLine(argv, baseDir), program: undefined };
  const [missing] = commandCode(line, baseDir).relative;
  const [program = ""] = argv;
  const isOwn = /^\.{1,2}\//.test(program);
  const absent = isOwn && !isFileForSure(join(baseDir, program)) ? program : missing;
  if (absent !== undefined) {
    issue("ORCS1009", ["process"], `${quoted(absent)} was not found beside the configuration`);
    return undefined;
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
