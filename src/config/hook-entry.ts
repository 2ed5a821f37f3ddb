import type { SourcePlace } from "../core/diagnostic.ts";
import type { ProtocolName } from "../core/hosts.ts";
import type { JsonObject } from "../core/json.ts";
import type { PointSpec } from "../core/points.ts";
import type { KeyPath } from "./config-error.ts";
import { HANDLER_KEYS } from "./handlers.ts";
import type { HookTable } from "./hook-schema.ts";
import type { Layer, Origin } from "./layers.ts";
import type { StatedHook } from "./script-hook.ts";
import type { Source } from "./source-positions.ts";
import { placeOfContent, placeOfHook } from "./source-positions.ts";
import { respelled } from "./spellings.ts";
import type { HookTest } from "./test-schema.ts";
import { hookTest } from "./test-schema.ts";

/** A hook as a configuration declares it. Undefined is what it leaves open: the script may say it, then the default holds. */
export interface HookEntry extends StatedHook {
  /** As given, or generated: `<file>:<point>:<n>`, with the script's name when the point is left to it. */
  readonly id: string;
  readonly idGiven: boolean;
  /** Handed to the script as `orcs.options`. */
  readonly options: JsonObject | undefined;
  readonly handler: Handler;
  /** Its `[[hooks]]` header. */
  readonly place: SourcePlace;
  readonly origin: Origin;
  /** Sorted by before priority: 1 for hooks found in a project, which run after all others. */
  readonly rank: 0 | 1;
  /** Whether its `allow` gives no more than the grants do: those are the user's, and it was found in a project. */
  readonly needsGrants: boolean;
  /** The agent it is for, when it stands under `[[agents.NAME.hooks]]`. */
  readonly agent: string | undefined;
  /** Files and folders that its handler needs besides, as written. */
  readonly files?: readonly string[] | undefined;
  /** What relative paths in it are relative to: the directory of its configuration, or the sealed copy of it. */
  readonly baseDir: string;
  /**
   * Existing script directories of its configuration, for its `require`: a module of a project must not
   * be taken for one of the user's.
   */
  readonly scriptRoots: readonly string[];
  /**
   * Points at which an agent's `override` drops this hook. Only where `point` is open: what the script
   * then registers at one of these points must be left out.
   */
  readonly droppedPoints: readonly PointSpec[];
  /** What stands in its `[[hooks.tests]]`. */
  readonly tests: readonly PlacedTest[];
}

/** A test, and where it stands. */
export interface PlacedTest {
  readonly test: HookTest;
  readonly place: SourcePlace;
}

/** Gives out ids to the hooks of one configuration: stable ones, as long as its hooks keep their order. */
export class IdSource {
  readonly #prefix: string;
  readonly #taken: Set<string>;
  readonly #counts = new Map<string, number>();

  /** @param given ids that hooks of this configuration were given */
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

/** What the hooks of one list have in common. */
export interface EntryOrigin {
  readonly layer: Layer;
  readonly source: Source;
  readonly ids: IdSource;
  readonly agent: string | undefined;
  readonly scriptRoots: readonly string[];
}

/** The entry of one checked `[[hooks]]` table. */
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

/** @param path of the hook, for the place of code in it */
export function handlerOf(table: HookTable, path: KeyPath, source: Source): Handler {
  for (const key of HANDLER_KEYS) {
    const make = table[key];
    if (make) return make(() => placeOfContent(source, [...path, key]));
  }
  throw new Error("unreachable: the rules have made sure of a handler");
}

/** A handler that is a Lua script or part of one. */
export type LuaHandler =
  | {
      readonly kind: "script";
      /** As written. */
      readonly script: string;
      /** Absolute path of a file that can be read. */
      readonly file: string;
    }
  | {
      readonly kind: "inline";
      readonly code: string;
      /** Of the first line of code: line 1 of the Lua chunk is this line of the file. */
      readonly place: SourcePlace;
    };

/** A command for `sh -c`. */
export interface ShellHandler {
  readonly kind: "shell";
  /** A program written relative to the configuration is an absolute path here. */
  readonly command: string;
  /** The path of the script, if there is one. */
  readonly program: string | undefined;
  readonly passContext: boolean;
  /** Whether its output is an answer. */
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
  /** Variables that `${NAME}` in the URL and the headers may stand for. */
  readonly allowEnv: readonly string[];
  /** Hosts that may have private addresses. */
  readonly allowHosts: readonly string[];
  /** Whether secrets in what is sent are masked. */
  readonly redact: boolean;
  readonly protocol: ProtocolName;
}

/** A function that a JavaScript module exports. */
export interface ModuleHandler {
  readonly kind: "module";
  /** Absolute path. */
  readonly file: string;
  readonly exportName: string;
}

/** What a hook runs. */
export type Handler = LuaHandler | ShellHandler | WebhookHandler | ModuleHandler;

/** Whether a handler lives in a Lua state. */
export function isLua(handler: Handler): handler is LuaHandler {
  return handler.kind === "script" || handler.kind === "inline";
}
