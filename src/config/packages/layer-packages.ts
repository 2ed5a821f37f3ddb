import { join, resolve } from "node:path";
import { bareMessage, type JsonObject, nearest, OrcsError, textsIn } from "../../core/index.ts";
import { type ConfigError, didYouMean, type KeyPath } from "../config-error.ts";
import type { Layer } from "../layers.ts";
import { codePath } from "../path-inside.ts";
import { writtenHooks } from "../schema.ts";
import type { ScriptSearch } from "../scripts.ts";
import { isTable, valueOf } from "../table.ts";
import { expectLocked, type Lock, LOCK_NAME, readLock } from "./lock-file.ts";
import { expectInstalled, NPM, sealedPackageFile, splitPackagePath } from "./package-name.ts";
import { type HookPackage, packagePath, readPackage } from "./read-package.ts";

/** A package that a configuration uses. */
export interface UsedPackage extends HookPackage {
  /** As written: `npm:NAME`, or the path of a folder. */
  readonly from: string;
  /** Whether it is an npm package, which is sealed under its name and locked. */
  readonly isInstalled: boolean;
  /** Ids of its hooks that are switched off. */
  readonly off: readonly string[];
  /** The options of its hooks: the configured ones over its own. */
  readonly values: JsonObject;
}

/** The hooks that `extends` adds, as tables of a configuration with the place they are from. */
export interface PackageHook {
  readonly path: KeyPath;
  readonly from: UsedPackage;
  readonly table: {
    readonly id: string;
    readonly script: string;
    readonly options?: JsonObject;
  };
}

/** The packages of a configuration. */
export interface LayerPackages {
  readonly used: readonly UsedPackage[];
  readonly hooks: readonly PackageHook[];
  readonly errors: readonly ConfigError[];
  /** Absolute paths of the files on which this depends. */
  readonly files: readonly string[];
  /** Finds a script `npm:NAME/PATH`. */
  find(script: string): ScriptSearch;
}

/** Reads the packages that a configuration uses. */
export function readLayerPackages(layer: Layer, tree: unknown): LayerPackages {
  return new PackageReader(layer).read(tree);
}

class PackageReader {
  readonly #layer: Layer;
  readonly #errors: ConfigError[] = [];
  readonly #used = new Map<string, UsedPackage>();
  /** By name: what could not be read. */
  readonly #failed = new Set<string>();
  #lock: Lock | undefined;

  constructor(layer: Layer) {
    this.#layer = layer;
  }

  read(tree: unknown): LayerPackages {
    const written = valueOf(tree, "extends");
    const list = Array.isArray(written) ? (written as unknown[]) : [];
    const settings = valueOf(tree, "packages");
    const extended: { path: KeyPath; name: string }[] = [];
    for (const [i, from] of list.entries()) {
      const path = ["extends", i];
      if (typeof from !== "string") continue;
      const found = this.#add(from, path, settings);
      if (!found) continue;
      if (extended.some(({ name }) => name === found.name)) {
        this.#wrong(path, "ORCS1006", `the package ${found.name} is extended twice`);
      } else extended.push({ path, name: found.name });
    }
    for (const { path, hooks } of writtenHooks(tree)) {
      for (const [i, hook] of hooks.entries()) {
        const script = valueOf(hook, "script");
        const split = typeof script === "string" ? scriptIn(script) : undefined;
        if (split) this.#add(`${NPM}${split.name}`, [...path, i, "script"], settings);
      }
    }
    this.#expectUsed(settings);
    const used = [...this.#used.values()];
    return {
      used,
      hooks: extended.flatMap(({ path, name }) => this.#hooksOf(name, path)),
      errors: this.#errors,
      files: [
        join(this.#layer.baseDir, LOCK_NAME),
        ...used.flatMap((each) => [...each.files.keys()].map((file) => packagePath(each, file))),
      ],
      find: (script) => this.#find(script),
    };
  }

  #add(from: string, path: KeyPath, settings: unknown): UsedPackage | undefined {
    const known = [...this.#used.values()].find((each) => each.from === from);
    if (known || this.#failed.has(from)) return known;
    const found = this.#reported(path, () => this.#read(from));
    if (!found) {
      this.#failed.add(from);
      return undefined;
    }
    const own = valueOf(settings, found.name);
    const used = { ...found, ...this.#settingsOf(found, own), from };
    const other = this.#used.get(found.name);
    if (other) {
      this.#wrong(path, "ORCS1006", `${from} is the package ${found.name}, as is ${other.from}`);
      return undefined;
    }
    this.#used.set(found.name, used);
    this.#expectLocked(used, path);
    return used;
  }

  /** What a function returns. An error of orcs is reported at a path instead. */
  #reported<T>(path: KeyPath, run: () => T): T | undefined {
    try {
      return run();
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      this.#wrong(path, thrown.code, bareMessage(thrown));
      return undefined;
    }
  }

  /** @throws OrcsError ORCS9300 to ORCS9306, ORCS1004 */
  #read(from: string): HookPackage & { readonly isInstalled: boolean } {
    const { baseDir, codeDir } = this.#layer;
    const isSealed = codeDir !== baseDir;
    if (!from.startsWith(NPM)) {
      if (!/^\.{0,2}\//.test(from)) {
        const why = `${JSON.stringify(from)} is neither npm:NAME nor the path of a folder, which begins with ./`;
        throw new OrcsError("ORCS1004", why);
      }
      const folder = codePath(this.#layer, resolve(baseDir, from));
      return { ...readPackage(folder), isInstalled: false };
    }
    const split = splitPackagePath(from.slice(NPM.length));
    if (!split || split.rest !== "") {
      throw new OrcsError("ORCS1004", `${JSON.stringify(from)} does not have the form npm:NAME`);
    }
    const { name } = split;
    // What is sealed was compared with the lock when it was trusted, and cannot change.
    const folder = isSealed
      ? join(codeDir, sealedPackageFile(name, ""))
      : expectInstalled(name, baseDir);
    return { ...readPackage(folder, name), isInstalled: true };
  }

  /** Reports how a package differs from the lock. What it contains is still shown by `orcs trust --show`. */
  #expectLocked(used: UsedPackage, path: KeyPath): void {
    const { baseDir, codeDir, asInstalled } = this.#layer;
    if (!used.isInstalled || codeDir !== baseDir || asInstalled === true) return;
    this.#reported(path, () => expectLocked(used, (this.#lock ??= readLock(baseDir))));
  }

  /** What `[packages.NAME]` sets. */
  #settingsOf(found: HookPackage, own: unknown): Pick<UsedPackage, "off" | "values"> {
    const path = ["packages", found.name];
    const ids = textsIn(valueOf(own, "off"));
    const known = [...found.hooks.keys()];
    for (const [i, id] of ids.entries()) {
      // A script can define several hooks: `id/name` is one of them.
      if (known.includes(id) || known.some((each) => id.startsWith(`${each}/`))) continue;
      const hint = didYouMean(nearest(id, known));
      const message = `the package ${found.name} has no hook ${JSON.stringify(id)}`;
      this.#wrong([...path, "off", i], "ORCS1004", message, hint);
    }
    const options = valueOf(own, "options");
    const given = isTable(options) ? (options as JsonObject) : {};
    const values: JsonObject = { ...found.options };
    for (const [key, value] of Object.entries(given)) {
      const at = [...path, "options", key];
      const fallback = Object.hasOwn(found.options, key) ? found.options[key] : undefined;
      if (fallback === undefined) {
        const hint = didYouMean(nearest(key, Object.keys(found.options)));
        this.#wrong(at, "ORCS1003", `the package ${found.name} has no option ${key}`, hint, "key");
      } else if (fallback !== null && kindOf(fallback) !== kindOf(value)) {
        const message = `expected ${kindOf(fallback)}, as the package has it`;
        this.#wrong(at, "ORCS1004", message);
      } else values[key] = value;
    }
    return { off: ids, values };
  }

  #expectUsed(settings: unknown): void {
    if (!isTable(settings)) return;
    const names = [...this.#used.keys()];
    for (const name of Object.keys(settings)) {
      if (names.includes(name) || this.#failed.has(`${NPM}${name}`)) continue;
      const hint = didYouMean(nearest(name, names));
      const message = `this configuration does not use the package ${name}`;
      this.#wrong(["packages", name], "ORCS1003", message, hint, "key");
    }
  }

  #hooksOf(name: string, path: KeyPath): PackageHook[] {
    const from = this.#used.get(name);
    if (!from) return [];
    return [...from.hooks].map(([id, file]) => ({
      path,
      from,
      table: {
        // Under the name of the package: no package can take the place of another's hook, or of the user's.
        id: `${name}/${id}`,
        script: `${NPM}${name}/${file}`,
        ...(Object.keys(from.values).length > 0 && { options: from.values }),
      },
    }));
  }

  #find(script: string): ScriptSearch {
    const split = scriptIn(script);
    const found = split && this.#used.get(split.name);
    const missing = { file: undefined, lookedIn: [], nearest: undefined };
    if (!split || !found) return missing;
    const scripts = [...new Set(found.hooks.values())];
    const file = scripts.find((each) => each === split.rest || each === `hooks/${split.rest}`);
    if (file !== undefined) return { file: packagePath(found, file) };
    const near = nearest(split.rest, scripts);
    return {
      file: undefined,
      lookedIn: [found.folder],
      nearest: near === undefined ? undefined : `${NPM}${found.name}/${near}`,
    };
  }

  #wrong(
    path: KeyPath,
    code: ConfigError["code"],
    message: string,
    hint?: string,
    at: ConfigError["at"] = "value",
  ): void {
    this.#errors.push({ code, path, at, message, hint });
  }
}

/** The names of the npm packages that a configuration uses, as written. */
export function packageNames(tree: unknown): string[] {
  const list = valueOf(tree, "extends");
  const written = Array.isArray(list) ? (list as unknown[]) : [];
  const scripts = writtenHooks(tree).flatMap(({ hooks }) =>
    hooks.map((hook) => valueOf(hook, "script")),
  );
  const names = [...written, ...scripts].flatMap((from) =>
    typeof from === "string" && from.startsWith(NPM)
      ? (splitPackagePath(from.slice(NPM.length))?.name ?? [])
      : [],
  );
  return [...new Set(names)];
}

/** The package and file of `npm:NAME/FILE`. */
function scriptIn(script: string): { readonly name: string; readonly rest: string } | undefined {
  if (!script.startsWith(NPM)) return undefined;
  const split = splitPackagePath(script.slice(NPM.length));
  return split && split.rest !== "" ? split : undefined;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === null) return "null";
  return { object: "a table", string: "a text" }[typeof value as string] ?? `a ${typeof value}`;
}
