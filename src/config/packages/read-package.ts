import { readdirSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { bufferOf, fileBytes, namesIn, ownVersion, realpath } from "../../machine/index.ts";
import {
  ALLOWED_GLOBALS,
  isLaterVersion,
  isPlainObject,
  MAX_JSON_DEPTH,
  messageOf,
  nearest,
  OrcsError,
  orFail,
  orUndefined,
} from "../../core/index.ts";
import { SHIPPED_MODULES } from "../scripts.ts";
import type { ErrorCode, Json, JsonObject } from "../../core/index.ts";
import { isPathInside } from "../path-inside.ts";
import { isPackageName } from "./package-name.ts";

/** A package of hooks, with the content of all files that can be loaded from it. */
export interface HookPackage {
  readonly name: string;
  readonly version: string;
  /** Its folder, links resolved. */
  readonly folder: string;
  /** Whether it is worked on in place: its folder is a link to one outside of any `node_modules`. */
  readonly isLinked: boolean;
  /** Its scripts, by the ids of their hooks within the package. */
  readonly hooks: ReadonlyMap<string, string>;
  /** The names and default values of its options. */
  readonly options: JsonObject;
  /** By path in the package, with `/`: package.json, the scripts, and the modules. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** What a package may contain: it is read at each start. */
const PACKAGE_LIMITS = {
  files: 200,
  hooks: 100,
  /** Of one file. */
  bytes: 512 * 1024,
  /** Of all files. */
  totalBytes: 4 * 2 ** 20,
} as const;

/** The folder of a package that contains its modules. */
export const MODULES = "lua";

const MANIFEST = "package.json";

/** Keys of `orcs` in a package.json. */
const FIELDS = ["hooks", "options", "requires"] as const;

const ID = /^[A-Za-z0-9][\w.-]{0,99}$/;
const VERSION = /^\d{1,5}\.\d{1,5}\.\d{1,5}(-[0-9A-Za-z.-]{1,50})?$/;
/** Lua's own modules: those that scripts have, and those that they do not. */
const LUA_MODULES: ReadonlySet<string> = new Set([
  ...Object.keys(ALLOWED_GLOBALS),
  "debug",
  "io",
  "os",
  "package",
]);
/** Keys that would change what an object inherits. */
const PROTOTYPE: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Read a package of hooks. Nothing of it is run.
 * @param folder as it was found; links are followed
 * @param expected the name under which it was found
 * @throws OrcsError ORCS9301 for its package.json, ORCS9302 for its files, ORCS9303 when it needs a later orcs
 */
export function readPackage(folder: string, expected?: string): HookPackage {
  const root = realpath(folder);
  const shown = expected ?? folder;
  const files = new PackageFiles(root, shown);
  const manifest = parsedManifest(files.read(MANIFEST), shown);
  const { name, version } = manifest;
  if (typeof name !== "string" || !isPackageName(name)) {
    throw wrongManifest(shown, "has no valid name");
  }
  if (expected !== undefined && name !== expected) {
    throw wrongManifest(expected, `has the name ${JSON.stringify(name)}`);
  }
  if (typeof version !== "string" || !VERSION.test(version)) {
    throw wrongManifest(name, "has no version such as 1.0.0");
  }
  const field = manifest["orcs"];
  if (!isPlainObject(field))
    throw wrongManifest(name, 'has no "orcs": it is not a package of hooks');
  const hooks = fieldsOf(field, name);
  for (const script of hooks.values()) files.read(script);
  // They are beside its scripts.
  const shipped = namesIn(SHIPPED_MODULES).map((each) => each.replace(/\.lua$/, ""));
  for (const module of files.below(MODULES)) {
    expectOwnModule(module, shipped, name);
    files.read(module);
  }
  const isLinked = !root.split(sep).includes("node_modules");
  const options = optionsOf(field["options"], name);
  return { name, version, folder: root, isLinked, hooks, options, files: files.all };
}

/**
 * Its package.json and all its Lua files, with those that are not loaded: its tests and what they require.
 * @throws OrcsError ORCS9302
 */
export function luaFiles({ folder, name }: HookPackage): ReadonlyMap<string, Uint8Array> {
  const files = new PackageFiles(folder, name);
  files.read(MANIFEST);
  for (const file of files.below("")) files.read(file);
  return files.all;
}

function parsedManifest(bytes: Uint8Array, shown: string): Record<string, unknown> {
  const read: unknown = orFail(
    () => JSON.parse(bufferOf(bytes).toString("utf8")) as unknown,
    (thrown) => wrongManifest(shown, `is not JSON: ${messageOf(thrown)}`),
  );
  if (!isPlainObject(read)) throw wrongManifest(shown, "is not an object");
  return read;
}

/** The hooks of the field `orcs`, once all of it is valid. */
function fieldsOf(field: Record<string, unknown>, name: string): ReadonlyMap<string, string> {
  for (const key of Object.keys(field)) {
    if (FIELDS.some((known) => known === key)) continue;
    const near = nearest(key, [...FIELDS]);
    const hint = near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
    // A package has hooks only: settings, switches and limits are the user's.
    const may = `a package can only set ${FIELDS.join(", ")}`;
    throw wrongManifest(name, `has orcs.${JSON.stringify(key)}: ${may}${hint}`);
  }
  const { hooks, requires } = field;
  if (requires !== undefined) expectVersion(requires, name);
  if (!isPlainObject(hooks)) throw wrongManifest(name, "has no orcs.hooks: a table id → script");
  const entries = Object.entries(hooks);
  if (entries.length > PACKAGE_LIMITS.hooks) {
    throw wrongManifest(name, `has more than ${PACKAGE_LIMITS.hooks} hooks`);
  }
  const scripts = new Map<string, string>();
  for (const [id, script] of entries) {
    if (!ID.test(id) || PROTOTYPE.has(id)) {
      throw wrongManifest(name, `has a hook with the id ${JSON.stringify(id)}`);
    }
    if (typeof script !== "string" || !script.endsWith(".lua")) {
      throw wrongManifest(name, `names no .lua file for the hook ${JSON.stringify(id)}`);
    }
    scripts.set(id, expectPath(script, name));
  }
  return scripts;
}

function expectVersion(requires: unknown, name: string): void {
  const wanted = typeof requires === "string" ? requires.replace(/^>=\s*/, "") : "";
  if (!VERSION.test(wanted)) {
    throw wrongManifest(name, 'has no orcs.requires such as ">=0.1.0"');
  }
  const have = ownVersion();
  if (!isLaterVersion(wanted, have)) return;
  const why = `the package ${name} needs orcs ${wanted} or later, and this is ${have}: update orcs`;
  throw new OrcsError("ORCS9303", why, { package: name, requires: wanted });
}

/** A path in a package, normalised. */
function expectPath(path: string, name: string): string {
  const clean = path.replace(/^\.\//, "");
  const parts = clean.split("/");
  const isPlain =
    !isAbsolute(clean) &&
    // Backslashes are separators on Windows, and a colon begins a drive or a stream.
    !/[\\:\0]/.test(clean) &&
    parts.every((part) => part !== "" && part !== "." && part !== "..") &&
    !parts.includes("node_modules");
  if (isPlain) return clean;
  const why = `names ${JSON.stringify(path)}: a path must be inside the package, with / between its parts`;
  throw wrongManifest(name, why);
}

function optionsOf(options: unknown, name: string): JsonObject {
  if (options === undefined) return {};
  if (!isPlainObject(options)) throw wrongManifest(name, "has no table as orcs.options");
  expectPlainKeys(options as Json, name, 0);
  return options as JsonObject;
}

function expectPlainKeys(value: Json, name: string, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth >= MAX_JSON_DEPTH)
    throw wrongManifest(name, "has orcs.options that are nested too deep");
  for (const [key, inner] of Object.entries(value)) {
    if (PROTOTYPE.has(key)) {
      throw wrongManifest(name, `has the option ${JSON.stringify(key)}`);
    }
    expectPlainKeys(inner, name, depth + 1);
  }
}

/** A module must not look like one of orcs or of Lua, which a reader of a script would take it for. */
function expectOwnModule(file: string, shipped: readonly string[], name: string): void {
  const [top = ""] = file.slice(MODULES.length + 1).split("/");
  const module = top.replace(/\.lua$/, "");
  const others = LUA_MODULES.has(module)
    ? "Lua"
    : module === "orcs" || shipped.includes(module)
      ? "orcs"
      : undefined;
  if (others === undefined) return;
  throw refused(name, file, `has the name of a module of ${others}: rename it`);
}

/** The files of a package, each read once. */
class PackageFiles {
  readonly all = new Map<string, Uint8Array>();
  readonly #root: string;
  readonly #name: string;
  #bytes = 0;

  /** @param root links resolved */
  constructor(root: string, name: string) {
    this.#root = root;
    this.#name = name;
  }

  /** @throws OrcsError ORCS9302; ORCS9300 without a package.json */
  read(file: string): Uint8Array {
    const known = this.all.get(file);
    if (known) return known;
    const path = join(this.#root, file);
    if (!isPathInside(this.#root, realpath(path))) {
      throw refused(this.#name, file, "is a symbolic link that leads out of the package");
    }
    const bytes = orFail(
      () => fileBytes(path, PACKAGE_LIMITS.bytes),
      (thrown) => {
        const isMissing = file === MANIFEST && messageOf(thrown).includes("ENOENT");
        const why = `cannot be read: ${messageOf(thrown)}`;
        return refused(this.#name, file, why, isMissing ? "ORCS9300" : "ORCS9302");
      },
    );
    this.#bytes += bytes.length;
    if (this.#bytes > PACKAGE_LIMITS.totalBytes || this.all.size >= PACKAGE_LIMITS.files) {
      const { files, totalBytes } = PACKAGE_LIMITS;
      const why = `is too much: the limit is ${files} files and ${totalBytes} bytes`;
      throw refused(this.#name, file, why);
    }
    this.all.set(file, bytes);
    return bytes;
  }

  /** The Lua files below a folder, sorted. @param folder empty for the package itself */
  below(folder: string, depth = 0): string[] {
    const path = join(this.#root, folder);
    if (depth > 10) throw refused(this.#name, folder, "is nested too deep");
    if (!isPathInside(this.#root, realpath(path))) {
      throw refused(this.#name, folder, "is a symbolic link that leads out of the package");
    }
    const entries = orUndefined(() => readdirSync(path, { withFileTypes: true })) ?? [];
    const found: string[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name === "node_modules") continue;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) found.push(...this.below(name, depth + 1));
      else if (entry.name.endsWith(".lua")) found.push(name);
      if (found.length > PACKAGE_LIMITS.files) {
        throw refused(this.#name, folder, `has more than ${PACKAGE_LIMITS.files} files`);
      }
    }
    return found;
  }
}

/** What npm runs when it installs a package from a registry, a folder or a repository. */
const INSTALL_SCRIPTS = [
  "preinstall",
  "install",
  "postinstall",
  "preprepare",
  "prepare",
  "postprepare",
];

/** The names of the scripts of a package that npm runs when it installs it. */
export function installScripts({ files }: Pick<HookPackage, "files">): string[] {
  const { scripts } = parsedManifest(files.get(MANIFEST) ?? new Uint8Array(), MANIFEST);
  if (!isPlainObject(scripts)) return [];
  return INSTALL_SCRIPTS.filter((name) => typeof scripts[name] === "string");
}

function wrongManifest(name: string, why: string): OrcsError {
  return new OrcsError("ORCS9301", `the package.json of ${name} ${why}`, { package: name });
}

function refused(name: string, file: string, why: string, code: ErrorCode = "ORCS9302"): OrcsError {
  const message = `the package ${name} cannot be used: ${file} ${why}`;
  return new OrcsError(code, message, { package: name, file });
}

/** The absolute path of a file of a package. */
export function packagePath({ folder }: Pick<HookPackage, "folder">, file: string): string {
  return join(folder, ...file.split("/"));
}
