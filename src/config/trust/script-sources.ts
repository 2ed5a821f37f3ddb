import { bufferOf, fileBytes, isFileInside, sha256 } from "../../machine/index.ts";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import { type HookEntry, isShadowEntry } from "../hook-entry.ts";
import type { Handler, LuaHandler } from "../handlers.ts";
import { SHIPPED_HOOKS, SHIPPED_MODULES } from "../scripts.ts";
import { shownFile } from "../config-error.ts";
import type { TrustedFiles } from "../found-project.ts";
import type { UsedPackage } from "../packages/layer-packages.ts";
import { packageBytes, packageModule } from "../packages/package-modules.ts";
import {
  lazyConstant,
  type LuaChunk,
  type LuaModule,
  type LuaSource,
  orUndefined,
} from "../../core/index.ts";

/** A hook of a configuration whose handler is Lua. */
export type LuaEntry = HookEntry & { readonly handler: LuaHandler };

/** One Lua state to load, and the entries whose handlers run in it, chunk by chunk. */
export interface ScriptSource {
  readonly lua: LuaSource;
  readonly entries: readonly LuaEntry[];
}

/** Hooks of a project must not change what the user's own hooks keep, for example a counter that limits something. */
export const PROJECT_STATE = "orcs:project:";
/** The same for hooks that the machine enforces, which the user's own hooks must not change. */
export const MACHINE_STATE = "orcs:machine:";

/**
 * The states to create: one per script file, one per configuration for its inline handlers. A script with other options
 * gets a state of its own, and so does each hook in shadow.
 * @param projectTrust of the project: its scripts are the hashed content, whatever their files contain now
 */
export function scriptSources(
  entries: readonly LuaEntry[],
  cwd: string,
  projectTrust?: TrustedFiles,
): ScriptSource[] {
  const groups = new Map<string, LuaEntry[]>();
  for (const entry of entries) {
    const { handler, origin, rank, baseDir, options } = entry;
    // In a configuration object each inline handler has its own place, but all share a state.
    const home = handler.kind === "script" ? handler.file : [origin, baseDir];
    // Each hook in shadow has a state of its own: it may fail in ways that end the state.
    const own = isShadowEntry(entry) ? entry.id : null;
    const key = JSON.stringify([handler.kind, rank, home, options ?? null, own]);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return [...groups.values()].map((group) => sourceOf(group, cwd, projectTrust));
}

function sourceOf(
  entries: readonly LuaEntry[],
  cwd: string,
  projectTrust: TrustedFiles | undefined,
): ScriptSource {
  const [first] = entries as readonly [LuaEntry];
  const held = first.rank === 1 ? projectTrust : undefined;
  const { handler, packages, packaged } = first;
  const own = handler.kind === "script" ? handler.file : undefined;
  const file = handler.kind === "script" ? handler.file : handler.place.file;
  const name = shown(held?.shown(file) ?? file, cwd);
  const roots = packaged ? [SHIPPED_MODULES] : moduleRoots(first.scriptRoots, own);
  const chunks =
    own === undefined ? entries.map(inlineChunk) : [scriptChunk(first, own, name, held)];
  return {
    entries,
    lua: {
      name,
      chunks,
      roots,
      // A project's scripts get the hashed modules, whatever other scripts find.
      ...(held && { findModule: (name: string) => findModule(name, roots, held) }),
      // What was compared with the lock is what runs.
      ...(packages && {
        findModule: (name: string) => {
          const local = packaged ? undefined : findModule(name, roots, held);
          const found = local ?? findPackageModule(name, packages, packaged);
          return found ?? findModule(name, [SHIPPED_MODULES]);
        },
      }),
      ...(first.rank !== 0 && { stateSpace: first.rank === 1 ? PROJECT_STATE : MACHINE_STATE }),
      ...(first.rank < 0 && { isEnforced: true }),
      ...(first.options && { options: first.options }),
    },
  };
}

function scriptChunk(
  { packages = [] }: LuaEntry,
  file: string,
  name: string,
  projectTrust: TrustedFiles | undefined,
): LuaChunk {
  const sealed = projectTrust?.bytesOf(file) ?? packageBytes(packages, file);
  return { file: name, code: sealed ? luaBytes(sealed) : readScript(file), kind: "script" };
}

function inlineChunk({ handler }: LuaEntry): LuaChunk {
  if (handler.kind !== "inline") throw new Error("unreachable: groups hold one kind of handler");
  const { file, line } = handler.place;
  return { file, code: handler.code, kind: "inline", line };
}

/** Whether a script is shipped with orcs. */
export function isShipped(file: string): boolean {
  return dirname(file) === SHIPPED_HOOKS;
}

/**
 * The folders of a script's `require`: those of its configuration, its own, and the shipped one. A shipped script finds
 * shipped modules only: no other file can replace a part of it.
 * @param file absolute; undefined for code in a configuration
 */
export function moduleRoots(scriptRoots: readonly string[], file: string | undefined): string[] {
  if (file !== undefined && isShipped(file)) return [SHIPPED_MODULES];
  const own = file === undefined ? [] : [dirname(file)];
  return [...new Set([...scriptRoots, ...own, SHIPPED_MODULES])];
}

/** A path relative to the working directory when it is inside, as messages show it. */
function shown(file: string, cwd: string): string {
  return isAbsolute(file) ? shownFile(file, cwd) : file;
}

/** A module name: parts of letters, digits, `_` and `-`, joined by dots. */
export const MODULE_NAME = /^[\w-]+(\.[\w-]+)*$/;

/** The possible files of a module, relative to a root, in order. */
export function modulePaths(name: string): string[] {
  const path = name.replaceAll(".", sep);
  return [`${path}.lua`, join(path, "init.lua")];
}

/**
 * The file of `require(name)`: `a.b` is `a/b.lua` or `a/b/init.lua` under one of the roots, in order. Skipped are links
 * that lead out of their root and, in a trusted project, files that are not part of the trusted set.
 */
export function findModule(
  name: string,
  roots: readonly string[],
  projectTrust?: TrustedFiles,
): LuaModule | undefined {
  if (!MODULE_NAME.test(name)) return undefined;
  for (const root of roots) {
    const found =
      root === SHIPPED_MODULES ? shippedModule(name) : moduleIn(root, name, projectTrust);
    if (found) return found;
  }
  return undefined;
}

function moduleIn(root: string, name: string, projectTrust?: TrustedFiles): LuaModule | undefined {
  for (const candidate of modulePaths(name)) {
    const path = join(root, candidate);
    const found = projectTrust?.holds(root) ? trusted(path, projectTrust) : readInside(root, path);
    if (found) return found;
  }
  return undefined;
}

// The guards share most of their modules, and each loads its own. What is shipped stays while a process runs.
const shippedModules = lazyConstant(() => ({
  // The root is the package's own: what is in it need not be followed file by file.
  root: realpathSync(SHIPPED_MODULES),
  known: new Map<string, LuaModule | undefined>(),
}));

function shippedModule(name: string): LuaModule | undefined {
  const { root, known } = shippedModules();
  if (!known.has(name)) {
    const [file, folder] = modulePaths(name).map((path) => join(root, path));
    known.set(name, file && folder ? (readModule(file) ?? readModule(folder)) : undefined);
  }
  return known.get(name);
}

function readModule(file: string): LuaModule | undefined {
  // A plain file of the package.
  return orUndefined(() => ({ file, bytes: luaBytes(readFileSync(file)) }));
}

/** The module of `require("NAME/MODULE")`. @param own the package of the requiring script */
export function findPackageModule(
  name: string,
  packages: readonly UsedPackage[],
  own?: UsedPackage,
): LuaModule | undefined {
  const found = packageModule(name, packages, own);
  return found && { file: found.file, bytes: luaBytes(found.bytes) };
}

function readInside(root: string, path: string): LuaModule | undefined {
  if (!isFileInside(root, path)) return undefined;
  return orUndefined(() => ({ file: realpathSync(path), bytes: readScript(path) }));
}

function trusted(path: string, projectTrust: TrustedFiles): LuaModule | undefined {
  const bytes = projectTrust.bytesOf(path);
  return bytes && { file: projectTrust.shown(path), bytes: luaBytes(bytes) };
}

const MARK = Buffer.from("\uFEFF");
const HASH = "#".charCodeAt(0);
const LINE_END = "\n".charCodeAt(0);

/**
 * The bytes of a Lua file as Lua's own loader takes them: without a byte order mark, and without a first line that
 * begins with `#` (its line end stays, so line numbers are those of the file).
 * @throws what reading the file throws
 */
export function readScript(file: string): Uint8Array {
  return luaBytes(fileBytes(file));
}

/** As `readScript`, for bytes that were already read. */
function luaBytes(given: Uint8Array): Uint8Array {
  const bytes = bufferOf(given);
  const text = bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
  if (text[0] !== HASH) return text;
  const end = text.indexOf(LINE_END);
  return end < 0 ? new Uint8Array() : text.subarray(end);
}

/** SHA-256 of a loaded piece of Lua, as hexadecimal digits. */
export function chunkDigest(chunk: LuaChunk | undefined): string | undefined {
  return chunk && sha256(chunk.code);
}

/** SHA-256 of a handler outside Lua: of a module its file, otherwise what the configuration states. */
export function handlerDigest(handler: Handler): string | undefined {
  if (handler.kind !== "module") return sha256(JSON.stringify(handler));
  return orUndefined(() => sha256(fileBytes(handler.file)));
}
