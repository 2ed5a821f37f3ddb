import { z } from "zod";
import type { SourcePlace } from "../core/diagnostic.ts";
import type { ProtocolName } from "../core/hosts.ts";
import type { JsonObject } from "../core/json.ts";
import type { PointSpec } from "../core/points.ts";
import type { KeyPath } from "./config-error.ts";
import { didYouMean, shownFile } from "./config-error.ts";
import type { HookTable } from "./hook-schema.ts";
import type { Layer, Origin } from "./layers.ts";
import { commandSchema, moduleSchema, shellSchema, webhookSchema } from "./outside-handlers.ts";
import type { SchemaContext } from "./schema-parts.ts";
import { quoted } from "./schema-parts.ts";
import type { StatedHook } from "./script-hook.ts";
import type { Source } from "./source-positions.ts";
import { placeOfContent, placeOfHook } from "./source-positions.ts";
import { respelled } from "./spellings.ts";
import type { HookTest } from "./test-schema.ts";
import { hookTest } from "./test-schema.ts";

/**
 * A hook as declared in a configuration. Undefined values can be stated by the script; otherwise they get the default.
 */
export interface HookEntry extends StatedHook {
  /** As given, or generated: `<file>:<point>:<n>`, with the script's name if the script states the point. */
  readonly id: string;
  readonly idGiven: boolean;
  /** Passed to the script as `orcs.options`. */
  readonly options: JsonObject | undefined;
  readonly handler: Handler;
  /** Its `[[hooks]]` header. */
  readonly place: SourcePlace;
  readonly origin: Origin;
  /** Sorts before priority: 1 for hooks of a discovered project, which run after all others. */
  readonly rank: 0 | 1;
  /** Whether its `allow` needs a grant as well: grants are the user's, and the hook is a discovered project's. */
  readonly needsGrants: boolean;
  /** The agent it belongs to, from `[[agents.NAME.hooks]]`. */
  readonly agent: string | undefined;
  /** Other files and folders that its handler needs, as written. */
  readonly files?: readonly string[] | undefined;
  /** The base of its relative paths: the directory of its configuration, or the sealed copy of it. */
  readonly baseDir: string;
  /**
   * Existing script directories of its configuration, for `require`: a project's module must not replace one of the
   * user's.
   */
  readonly scriptRoots: readonly string[];
  /**
   * Points at which an agent's `override` drops this hook. Only when `point` is open: hooks that the script registers
   * at these points are dropped.
   */
  readonly droppedPoints: readonly PointSpec[];
  /** Its `[[hooks.tests]]`. */
  readonly tests: readonly PlacedTest[];
}

/** A test and its place. */
export interface PlacedTest {
  readonly test: HookTest;
  readonly place: SourcePlace;
}

/** Generates ids for the hooks of one configuration, which stay the same as long as the order of its hooks does. */
export class IdSource {
  readonly #prefix: string;
  readonly #taken: Set<string>;
  readonly #counts = new Map<string, number>();

  /** @param given explicit ids in this configuration */
  constructor(prefix: string, given: Iterable<string>) {
    this.#prefix = prefix;
    this.#taken = new Set(given);
  }

  next(what: string): string {
    const stem = `${this.#prefix}:${what}`;
    for (;;) {
      const n = (this.#counts.get(stem) ?? 0) + 1;
      this.#counts.set(stem, n);
      const id = `${stem}:${n}`;
      if (!this.#taken.has(id)) return id;
    }
  }
}

/** What the hooks of one list share. */
export interface EntryOrigin {
  readonly layer: Layer;
  readonly source: Source;
  readonly ids: IdSource;
  readonly agent: string | undefined;
  readonly scriptRoots: readonly string[];
}

/** The entry of a validated `[[hooks]]` table. */
export function hookEntry(table: HookTable, path: KeyPath, from: EntryOrigin): HookEntry {
  const { layer, source } = from;
  const { id, point, timeoutMs, async, match } = respelled(table);
  const handler = handlerOf(table, path, source);
  return {
    id:
      id ??
      from.ids.next(point?.name ?? (handler.kind === "script" ? handler.script : handler.kind)),
    idGiven: id !== undefined,
    point,
    fql: table.fql,
    priority: table.priority,
    enabled: table.enabled,
    match,
    once: table.once,
    async,
    observe: table.observe,
    stream: table.stream,
    timeoutMs,
    maxRetries: table.max_retries,
    onError: table.on_error,
    onTimeout: table.on_timeout,
    options: table.options,
    handler,
    place: placeOfHook(source, path),
    origin: layer.origin,
    rank: layer.rank,
    needsGrants: false,
    agent: from.agent,
    files: table.files,
    baseDir: layer.codeDir,
    scriptRoots: from.scriptRoots,
    droppedPoints: [],
    tests: (table.tests ?? []).map((test, i) => {
      return { test: hookTest(test), place: placeOfHook(source, [...path, "tests", i]) };
    }),
  };
}

/** @param path of the hook, to place its code */
export function handlerOf(table: HookTable, path: KeyPath, source: Source): Handler {
  for (const key of HANDLER_KEYS) {
    const make = table[key];
    if (make) return make(() => placeOfContent(source, [...path, key]));
  }
  throw new Error("unreachable: the rules have made sure of a handler");
}

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

/** A command for `sh -c`. */
export interface ShellHandler {
  readonly kind: "shell";
  /** A program written relative to the configuration has an absolute path here. */
  readonly command: string;
  /** The path of the script, if there is one. */
  readonly program: string | undefined;
  readonly passContext: boolean;
  /** Whether its output is a result. */
  readonly parseResult: boolean;
  readonly protocol: ProtocolName;
  /** Variables that it inherits besides `PATH`, `HOME` and `LANG`. */
  readonly env: readonly string[];
}

export interface WebhookHandler {
  readonly kind: "webhook";
  readonly url: string;
  readonly method: "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  /** Variables that `${NAME}` in the URL and the headers can refer to. */
  readonly allowEnv: readonly string[];
  /** Hosts that may have private addresses. */
  readonly allowHosts: readonly string[];
  /** Whether the request is redacted. */
  readonly redact: boolean;
  readonly protocol: ProtocolName;
}

/** A function exported by a JavaScript module. */
export interface ModuleHandler {
  readonly kind: "module";
  /** Absolute path. */
  readonly file: string;
  readonly exportName: string;
}

/** The handler of a hook. */
export type Handler = LuaHandler | ShellHandler | WebhookHandler | ModuleHandler;

/** Whether a handler runs in a Lua state. */
export function isLua(handler: Handler): handler is LuaHandler {
  return handler.kind === "script" || handler.kind === "inline";
}

/** Returns a handler once the place of its code is known. */
type HandlerMaker = (codePlace: () => SourcePlace) => Handler;

interface HandlerKind {
  /** Whether the hook must state its point; a script can state it itself. */
  readonly needsPoint: boolean;
  schema(around: SchemaContext): z.ZodType<HandlerMaker>;
}

/** The keys of a handler: a hook has exactly one of them. */
export const HANDLERS = {
  script: { needsPoint: false, schema: scriptSchema },
  handler_inline: { needsPoint: true, schema: inlineSchema },
  shell: { needsPoint: true, schema: shellSchema },
  webhook: { needsPoint: true, schema: webhookSchema },
  module: { needsPoint: true, schema: moduleSchema },
  // MassGen's spelling of a command; hook-rules.ts checks its `type`.
  handler: { needsPoint: true, schema: commandSchema },
} as const satisfies Record<string, HandlerKind>;

type HandlerKey = keyof typeof HANDLERS;

export const HANDLER_KEYS = Object.keys(HANDLERS) as HandlerKey[];

/** The schemas of the handler keys. */
export function handlerShape(around: SchemaContext): Record<HandlerKey, z.ZodType<HandlerMaker>> {
  const kinds: Record<HandlerKey, HandlerKind> = HANDLERS;
  const schemas = HANDLER_KEYS.map((key) => [key, kinds[key].schema(around)] as const);
  return Object.fromEntries(schemas) as Record<HandlerKey, z.ZodType<HandlerMaker>>;
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
      ctx.addIssue({
        code: "custom",
        message: `${quoted(script)} was not found${dirs.length > 0 ? `; searched ${dirs.join(", ")}` : ""}`,
        params: { code: "ORCS1009", hint: didYouMean(found.nearest) },
      });
      return z.NEVER;
    });
}

function inlineSchema(): z.ZodType<HandlerMaker> {
  return z
    .string()
    .min(1)
    .transform((code) => (codePlace) => ({ kind: "inline", code, place: codePlace() }));
}
