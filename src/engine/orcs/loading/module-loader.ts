import { createRequire, register } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  bytesIfReadable,
  OWN_PACKAGE,
  realpath,
  sha256,
  shownPath,
} from "../../../machine/index.ts";
import { codeOf, isPromiseLike, messageOf, OrcsError, suggestion } from "../../../core/index.ts";
import type { ErrorCode, Logger } from "../../../core/index.ts";
import { computedImports, ModuleGraph, type Notice } from "../../../config/index.ts";

/** A function of a module, called like a TypeScript hook: with the context and its bound calls. */
type ModuleFunction = (...args: never[]) => unknown;

const STAYS_OLD: ErrorCode = "ORCS1025";
/** How often a module is loaded again because it was saved while it loaded. */
const MAX_ATTEMPTS = 4;

/**
 * Imports modules by content: an edited one, and what imports it by relative paths, is imported again, and an unedited
 * one keeps its instance, whichever engine asks.
 */
export class ModuleLoader {
  readonly #logger: Logger;
  /** Files of modules, themselves included, by the path of the module. */
  readonly #files = new Map<string, readonly string[]>();
  readonly #notices = new Map<string, Notice>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Edited modules of which a part stays old. */
  get notices(): readonly Notice[] {
    return [...this.#notices.values()];
  }

  /** A module and the files that it imported by relative paths when it was last loaded. */
  filesOf(file: string): readonly string[] {
    const known = this.#files.get(file) ?? contentOf(file).files;
    this.#files.set(file, known);
    return known;
  }

  /**
   * Import a module and get a function of it.
   * @param file absolute path
   * @param withinMs time limit for loading: a top-level await may never end
   * @param shown its path for messages
   * @throws OrcsError ORCS1018 when it cannot be loaded, or has no such function
   */
  async load(
    file: string,
    exportName: string,
    withinMs: number,
    shown = file,
  ): Promise<ModuleFunction> {
    let module: Record<string, unknown>;
    try {
      module = await withinTime(this.#import(file), withinMs);
    } catch (thrown) {
      const isTypeScript =
        codeOf(thrown) === "ERR_UNKNOWN_FILE_EXTENSION" && /\.[cm]?ts$/.test(file);
      const why = isTypeScript
        ? `Node ${process.versions.node} does not run TypeScript; compile it to JavaScript, or use Node 22.18 or later`
        : messageOf(thrown);
      throw new OrcsError("ORCS1018", `${shown} cannot be loaded: ${why}`, { file });
    }
    const found = Object.hasOwn(module, exportName) ? module[exportName] : undefined;
    if (typeof found === "function") return located(found as ModuleFunction);
    const functions = Object.keys(module).filter((name) => typeof module[name] === "function");
    const hint = suggestion(exportName, functions);
    const what = found === undefined ? "has no export" : "has no function";
    throw new OrcsError("ORCS1018", `${shown} ${what} ${exportName}${hint}`, { file, exportName });
  }

  async #import(file: string): Promise<unknown> {
    const loaded = loadedModules();
    for (let attempt = 1; ; attempt++) {
      const { versions, files } = contentOf(file);
      this.#files.set(file, files);
      const instances = loaded.instancesOf(versions);
      const edited = [...instances].filter(([, { id, isNew }]) => isNew && id !== "");
      const ended = (isFailed: boolean): boolean => {
        const now = contentOf(file).versions;
        const isOld = (path: string) => now.get(path) !== versions.get(path);
        // Node keeps a failure, but a missing package may be there the next time.
        const again = [...instances].filter(
          ([path, { isNew }]) => (isFailed && isNew) || isOld(path),
        );
        for (const [path] of again) loaded.forget(path);
        return attempt === MAX_ATTEMPTS || !again.some(([path]) => isOld(path));
      };
      try {
        const problem = prepare(loaded, instances, edited);
        const { href } = pathToFileURL(file);
        const { id } = instances.get(realpath(file)) ?? { id: "" };
        const module: unknown = await import(id === "" ? href : `${href}?orcs=${id}`);
        const old = [...problem, ...edited.flatMap(([path]) => staysOld(path))];
        if (old.length > 0) this.#notify(file, [...new Set(old)]);
        if (ended(false)) return module;
      } catch (thrown) {
        if (ended(true)) throw thrown;
      }
    }
  }

  #notify(file: string, why: readonly string[]): void {
    if (this.#notices.has(file)) return;
    const text = `${STAYS_OLD}: ${shownPath(file)} was edited and loaded again, but not all that it loads can be: ${why.join(", ")} may stay as it was; to load it again, end the process ${process.pid} (the next event starts a service again)`;
    this.#notices.set(file, { text, key: `module ${file} ${why.join(" ")}` });
    this.#logger.warn(text);
  }
}

/** A function whose errors say in which file and line they were thrown, as those of Lua do. */
function located(run: ModuleFunction): ModuleFunction {
  const fail = (thrown: unknown): never => {
    const where = thrown instanceof Error && !(thrown instanceof OrcsError) && placeOf(thrown);
    throw where ? new Error(`${where}: ${messageOf(thrown)}`, { cause: thrown }) : thrown;
  };
  return (...args) => {
    try {
      const answer = run(...args);
      return isPromiseLike(answer) ? answer.then(undefined, fail) : answer;
    } catch (thrown) {
      return fail(thrown);
    }
  };
}

const FRAME = /(?:^|\(|async |file:\/\/)(\/[^\n?]+?)(?:\?orcs=\d+)?:(\d+):\d+\)?$/;
const OWN_CODE = join(OWN_PACKAGE, "dist");

/** The file and line that an error was thrown at; not in Node or in orcs. */
function placeOf({ stack }: Error): string | undefined {
  for (const frame of `${stack}`.slice(0, 10_000).split("\n    at ").slice(1)) {
    const [, path, line] = FRAME.exec(frame) ?? [];
    if (path !== undefined && !path.startsWith(OWN_CODE)) return `${basename(path)}:${line}`;
  }
  return undefined;
}

/** A module and what it imports by relative paths, at one moment. */
interface Content {
  /** Of each file, by its real path, the digest of it and all that it imports in turn. */
  readonly versions: ReadonlyMap<string, string>;
  /** As named, and names of missing ones. */
  readonly files: readonly string[];
}

function contentOf(file: string): Content {
  const read = new Map<string, Buffer | undefined>();
  const bytesOf = (path: string): Buffer | undefined => {
    if (!read.has(path)) read.set(path, bytesIfReadable(path));
    return read.get(path);
  };
  const graph = new ModuleGraph((path) => bytesOf(path)?.toString("utf8"));
  const digestOf = (paths: readonly string[]): string => {
    const lines = paths.map((path) => `${path}\0${sha256(bytesOf(path) ?? "")}`);
    return sha256(lines.sort().join("\n"));
  };
  try {
    const files = graph.filesOf(file);
    const versions = files.map((path) => [realpath(path), digestOf(graph.filesOf(path))] as const);
    return { versions: new Map(versions), files: [...files, ...graph.missing] };
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    // It refers to too many files.
    return { versions: new Map([[realpath(file), digestOf([file])]]), files: [file] };
  }
}

/** An import of one content of a file. */
interface Instance {
  /** Added to the URL; empty for the first content, whose instance other code of this process shares. */
  readonly id: string;
  /** Whether it is not imported yet. */
  readonly isNew: boolean;
}

/** What this process has imported. Node keeps modules until the process ends, so this is kept beside them. */
class LoadedModules {
  #count = 0;
  /** The last one of each path. An earlier content is imported again: what it requires later is the last one. */
  readonly #last = new Map<string, { readonly version: string; readonly id: string }>();
  /** To the thread that resolves imports. */
  port: ResolverPort | undefined;

  instancesOf(versions: Content["versions"]): ReadonlyMap<string, Instance> {
    const instances = new Map<string, Instance>();
    for (const [path, version] of versions) {
      const last = this.#last.get(path);
      const isNew = last?.version !== version;
      const id = !last ? "" : isNew ? String(++this.#count) : last.id;
      this.#last.set(path, { version, id });
      instances.set(path, { id, isNew });
    }
    return instances;
  }

  /** Import a file again when it is next asked for. */
  forget(path: string): void {
    this.#last.set(path, { version: "", id: "" });
  }
}

const KEPT = Symbol.for("orcs.loaded-modules");

function loadedModules(): LoadedModules {
  return ((globalThis as { [KEPT]?: LoadedModules })[KEPT] ??= new LoadedModules());
}

/**
 * Resolves imports in edited modules to the instances that belong to them; other imports are left alone. Node runs it
 * in a thread of its own, which finds what was posted before the import began.
 */
const RESOLVER = `
import { receiveMessageOnPort } from "node:worker_threads";
const instances = new Map();
let port;
export const initialize = (given) => void (port = given);
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const parent = /[?&]orcs=(\\d+)/.exec(context.parentURL ?? "")?.[1];
  if (parent === undefined) return found;
  for (let got; (got = receiveMessageOnPort(port)); )
    for (const id of got.message.parents) instances.set(id, got.message.ids);
  const id = instances.get(parent)?.get(found.url.replace(/[?#].*/, ""));
  if (id === undefined) return found;
  const url = new URL(found.url);
  url.searchParams.set("orcs", id);
  return { ...found, url: url.href };
}`;

/**
 * Make Node import the instances of edited files.
 * @returns what stays as it was, for people
 */
function prepare(
  loaded: LoadedModules,
  instances: ReadonlyMap<string, Instance>,
  edited: readonly (readonly [path: string, Instance])[],
): string[] {
  // Node keeps CommonJS modules and JSON files by their path.
  for (const [path] of edited) delete createRequire(path).cache[path];
  const ids = new Map<string, string>();
  for (const [path, { id }] of instances) if (id !== "") ids.set(pathToFileURL(path).href, id);
  if (edited.length === 0 || ids.size < 2) return [];
  try {
    loaded.port ??= startResolver();
    loaded.port.postMessage({ parents: edited.map(([, { id }]) => id), ids });
    return [];
  } catch (thrown) {
    return [`what it imports (${messageOf(thrown)})`];
  }
}

/** What an edited file loads and Node keeps. */
function staysOld(path: string): string[] {
  if (path.endsWith(".node")) return [basename(path)];
  const code = bytesIfReadable(path)?.toString("utf8") ?? "";
  const isCommon = createRequire(path).cache[path] !== undefined;
  const imports = isCommon && /\bimport\s*\(/.test(code) ? ["a dynamic import in CommonJS"] : [];
  return [...computedImports(code), ...imports];
}

type ResolverPort = InstanceType<typeof MessageChannel>["port1"];

function startResolver(): ResolverPort {
  const { port1, port2 } = new MessageChannel();
  const url = `data:text/javascript,${encodeURIComponent(RESOLVER)}`;
  register(url, { data: port2, transferList: [port2] });
  port1.unref();
  return port1;
}

/** What counts is how long this thread had nothing to do: on a busy machine, a module that works needs longer. */
async function withinTime(loading: Promise<unknown>, ms: number): Promise<Record<string, unknown>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const began = performance.eventLoopUtilization();
  const late = new Promise<never>((_, reject) => {
    const look = (): void => {
      const left = ms - performance.eventLoopUtilization(began).idle;
      if (left > 1) timer = setTimeout(look, left);
      else reject(new Error(`it took longer than ${Math.round(ms)} ms (engine.load_ms)`));
    };
    timer = setTimeout(look, ms);
  });
  try {
    return (await Promise.race([loading, late])) as Record<string, unknown>;
  } finally {
    clearTimeout(timer);
  }
}
