import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandCode } from "../command-code.ts";
import { isCodeVariable } from "../command-programs.ts";
import { commandOf } from "../handlers.ts";
import { isPathInside, pathOfName } from "../path-inside.ts";
import type { FoundLayer, FoundProject } from "../found-project.ts";
import type { HookEntry } from "../hook-entry.ts";
import { LOCK_NAME } from "../packages/lock-file.ts";
import { sealedPackageFile } from "../packages/package-name.ts";
import { bareMessage, messageOf, OrcsError, orUndefined } from "../../core/index.ts";
import type { Diagnostic, ErrorCode } from "../../core/index.ts";
import type { UsedPackage } from "../packages/layer-packages.ts";
import {
  bufferOf,
  isFileForSure,
  objectInFile,
  realpath,
  sha256,
  shownPath,
  upwards,
} from "../../machine/index.ts";
import { ModuleGraph, unsealedImports } from "./module-files.ts";
import { LookBudget, requiredFiles, SetFiles } from "./referenced-files.ts";
import { isShipped } from "./script-sources.ts";
import type { SealContent, SealedFile } from "./seal.ts";

/** Code that a hook runs and that cannot be sealed. */
export interface Unsealed {
  readonly hook: HookEntry;
  /** The word of a command, or the name of an imported package. */
  readonly what: string;
}

/**
 * All files of a project's configuration: its layers, the scripts it names and the modules that they require,
 * JavaScript modules, scripts that commands run, and files that hooks list. Each is read once: what is shown is what is
 * sealed.
 */
export class TrustSet {
  /** Links resolved. */
  readonly directory: string;
  /** The project's folder as the paths of its files begin. */
  readonly #named: string;
  /** Why it cannot be trusted as it is: files outside of the project, or unreadable files. */
  readonly problems: Diagnostic[] = [];
  /** Code that its hooks run outside of the set. */
  readonly unsealed: Unsealed[] = [];
  readonly #layers: string[] = [];
  readonly #files: SetFiles;
  readonly #budget = new LookBudget();
  /** Lua files whose requires were followed, each with the folders that were searched. */
  readonly #followed = new Set<string>();
  /** By the path of the package.json that declares the type of the modules beside it. */
  readonly #types = new Map<string, Uint8Array>();
  /** Whether files outside of the folder are an error; otherwise they are sealed under names of their own. */
  readonly #isClosed: boolean;

  /**
   * Read a discovered configuration and everything it refers to.
   * @param isClosed whether files outside of the folder are an error; otherwise they are sealed under names of their
   * own
   */
  static async of(project: FoundProject, isClosed = true): Promise<TrustSet> {
    return new TrustSet(project.directory, await project.layers(), isClosed);
  }

  private constructor(directory: string, layers: readonly FoundLayer[], isClosed: boolean) {
    this.#named = directory;
    this.directory = realpath(directory);
    this.#isClosed = isClosed;
    this.#files = new SetFiles(this.directory);
    for (const layer of layers) this.#addLayer(layer);
    try {
      for (const { hooks } of layers) for (const hook of hooks) this.#add(hook);
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      this.#problem(thrown.code, bareMessage(thrown));
    }
  }

  /** The content of its seal. */
  get content(): SealContent {
    const files = new Map<string, SealedFile & { readonly bytes: Uint8Array }>();
    for (const [name, { bytes, hash }] of this.#files.namedFrom(this.#named)) {
      const isProgram = this.#isProgram(name);
      files.set(name, { bytes, hash, size: bytes.length, isProgram, isDerived: false });
    }
    for (const [name, bytes] of this.#types) {
      if (files.has(name)) continue;
      const hash = sha256(bytes);
      files.set(name, { bytes, hash, size: bytes.length, isProgram: false, isDerived: true });
    }
    return { layers: this.#layers, files };
  }

  /** Absolute paths. */
  get files(): readonly string[] {
    return this.#files.paths;
  }

  #isProgram(name: string): boolean {
    const found = orUndefined(() => statSync(pathOfName(this.directory, name)));
    return found !== undefined && (found.mode & 0o100) !== 0;
  }

  #addLayer({ file, bytes, scriptDirs, hasErrors: hasMistakes, packages }: FoundLayer): void {
    const name = this.#files.nameOf(file);
    this.#layers.push(name);
    this.#expectInside(file);
    if (bytes) this.#files.add(file, bytes);
    else this.#problem("ORCS1001", `${shownPath(name)} cannot be read`);
    if (hasMistakes) {
      const shown = shownPath(name);
      this.#problem("ORCS1015", `${shown} has errors; see: orcs check --config ${shown}`);
    }
    // A missing folder could bring scripts later.
    for (const dir of scriptDirs) this.#expectInside(dir);
    for (const used of packages) this.#addPackage(used);
    const lock = join(dirname(file), LOCK_NAME);
    if (packages.some(({ isInstalled }) => isInstalled) && existsSync(lock)) this.#read(lock);
  }

  /** All files that can be loaded from a package, as they were read when it was compared with the lock. */
  #addPackage({ name, folder, files, isInstalled }: UsedPackage): void {
    for (const [file, bytes] of files) {
      const path = join(folder, file);
      // An installed package is outside of the project wherever a link leads; its lock says what it contains.
      if (isInstalled) this.#files.addNamed(sealedPackageFile(name, file), bytes);
      else if (this.#expectInside(path)) this.#files.add(path, bytes);
    }
  }

  #add(hook: HookEntry): void {
    const { handler, scriptRoots, baseDir, files: listed = [] } = hook;
    if (hook.packaged) return;
    for (const file of listed) {
      const path = join(baseDir, file);
      if (isPathInside(baseDir, path)) this.#addListed(path);
      else this.#isOutside(path);
    }
    if (handler.kind === "script") {
      const roots = [...new Set([...scriptRoots, dirname(handler.file)])];
      // A shipped script is not part of the project, and finds nothing there.
      if (!isShipped(handler.file)) this.#addLua(handler.file, roots);
    } else if (handler.kind === "inline") {
      this.#follow(Buffer.from(handler.code), scriptRoots);
    } else if (handler.kind === "module") {
      this.#addModule(hook, handler.file);
    } else {
      const command = commandOf(handler);
      if (!command) return;
      const { files, besides, unsealed } = commandCode(command, baseDir);
      const { program } = command;
      if (program !== undefined) this.#expectInside(program);
      for (const file of files) {
        // `$ORCS_DIR/../x` leads out of a copy. The program of a command is looked up where its copy is.
        if (file === program || isPathInside(baseDir, file)) this.#addProgram(file);
        else this.#isOutside(file);
      }
      for (const file of besides)
        if (isPathInside(baseDir, file) && isFileForSure(file)) this.#read(file);
      for (const what of [...unsealed, ...command.env.filter(isCodeVariable)]) {
        this.unsealed.push({ hook, what });
      }
    }
  }

  /** Adds a script that a command runs. A missing one fails when it runs, and cannot be sealed. */
  #addProgram(file: string): void {
    if (!this.#expectInside(file)) return;
    if (existsSync(file)) this.#read(file);
    else this.#problem("ORCS1009", `${shownPath(this.#files.nameOf(file))} does not exist`);
  }

  #addModule(hook: HookEntry, file: string): void {
    const textOf = (path: string) => textOfBytes(this.#read(path));
    const isHere = (path: string) =>
      isPathInside(hook.baseDir, path) || isPathInside(this.directory, path);
    for (const path of new ModuleGraph(textOf, this.#budget).filesOf(file)) {
      // In a copy, files outside are elsewhere: no relative path leads to them.
      if (!this.#isClosed && isHere(path) !== isHere(file)) this.#isOutside(path);
      const bytes = this.#read(path);
      if (bytes === undefined) continue;
      this.#addType(path);
      // A missing file may exist when it is imported.
      const leadsOut = (name: string) => isHere(join(dirname(path), name)) !== isHere(file);
      for (const what of unsealedImports(textOfBytes(bytes), leadsOut)) {
        if (!this.unsealed.some((known) => known.hook === hook && known.what === what))
          this.unsealed.push({ hook, what });
      }
    }
  }

  /** The nearest package.json declares the type of a module, wherever it is. */
  #addType(file: string): void {
    for (const folder of upwards(dirname(realpath(file)))) {
      const description = join(folder, "package.json");
      if (!existsSync(description)) continue;
      const type = objectInFile(description)?.["type"];
      const isBelow = isPathInside(this.directory, folder);
      const at = isBelow || this.#files.isOutside(file) ? folder : this.directory;
      const name = this.#files.sealedName(join(at, "package.json"));
      const isStated = type === "module" || type === "commonjs";
      if (isStated) this.#types.set(name, Buffer.from(`${JSON.stringify({ type })}\n`));
      return;
    }
  }

  /** Adds a listed file, or all files below a listed folder. */
  #addListed(path: string, above: readonly string[] = []): void {
    if (!this.#expectInside(path)) return;
    let names: string[];
    try {
      if (!statSync(path).isDirectory()) return void this.#read(path);
      names = readdirSync(path).sort();
    } catch (thrown) {
      const name = shownPath(this.#files.nameOf(path));
      return this.#problem("ORCS1009", `${name} cannot be read: ${messageOf(thrown)}`);
    }
    const real = realpath(path);
    // A link to a folder above would never end.
    if (above.includes(real)) return;
    this.#budget.spend(names.length);
    for (const name of names) {
      if (!this.#files.isFull) this.#addListed(join(path, name), [...above, real]);
    }
  }

  #addLua(file: string, roots: readonly string[]): void {
    const key = JSON.stringify([file, roots]);
    if (this.#followed.has(key)) return;
    this.#followed.add(key);
    const bytes = this.#read(file);
    if (bytes) this.#follow(bytes, roots);
  }

  #follow(code: Uint8Array, roots: readonly string[]): void {
    for (const file of requiredFiles(textOfBytes(code), roots, this.#budget)) {
      this.#addLua(file, roots);
    }
  }

  #read(file: string): Uint8Array | undefined {
    if (this.#files.isFull || !this.#expectInside(file)) return undefined;
    try {
      return this.#files.read(file);
    } catch (thrown) {
      const name = shownPath(this.#files.nameOf(file));
      this.#problem("ORCS1009", `${name} cannot be read: ${messageOf(thrown)}`);
      return undefined;
    }
  }

  #expectInside(path: string): boolean {
    if (!this.#isClosed || isPathInside(this.directory, realpath(path))) return true;
    this.#isOutside(path);
    return false;
  }

  /** Reports a file that cannot be in a copy, because code refers to it from elsewhere. */
  #isOutside(path: string): void {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const how = isLink ? "is a symbolic link to a file outside" : "is outside";
    const why = this.#isClosed
      ? "files that a discovered configuration references must be in its folder or below it"
      : "move it into the folder of the configuration or below it, so that it can be sealed";
    const name = shownPath(this.#files.nameOf(path));
    this.#problem(
      "ORCS8003",
      `${name} ${how} ${this.#isClosed ? "the project" : "its folder"}: ${why}`,
    );
  }

  #problem(code: ErrorCode, message: string): void {
    if (this.problems.some((known) => known.message === message)) return;
    this.problems.push({ code, severity: "error", message });
  }
}

/** Bytes as characters: file names in code are ASCII, or UTF-8 in the importing module. */
function textOfBytes(bytes: Uint8Array): string;
function textOfBytes(bytes: Uint8Array | undefined): string | undefined;
function textOfBytes(bytes: Uint8Array | undefined): string | undefined {
  return bytes && bufferOf(bytes).toString("utf8");
}
