import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { fileBytes } from "../../config/file-bytes.ts";
import { inside } from "../../config/inside.ts";
import type { FoundLayer, FoundProject, NamedHandler } from "../../config/vouch.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { messageOf, OrcsError } from "../../core/errors.ts";
import { sha256 } from "../loading/hook-digest.ts";
import { realpath } from "../realpath.ts";
import { isShipped } from "../loading/script-sources.ts";
import { requiredFiles } from "./lua-requires.ts";
import { namedFiles } from "./named-files.ts";
import type { NamingHandler } from "./named-files.ts";
import { hashOf, isThere, LookBudget, SetFiles } from "./set-files.ts";
import { shownPath } from "./shown-path.ts";

/**
 * All that a project's configuration comes to: its layers, the scripts it names and the modules these require,
 * JavaScript modules, files that commands name. Each is read once: what was hashed is what runs.
 */
export class TrustSet {
  /** Links resolved. */
  readonly directory: string;
  /** Why it cannot be trusted as it is: files that lead out of the project, or cannot be read. */
  readonly problems: Diagnostic[] = [];
  readonly #files: SetFiles;
  readonly #budget = new LookBudget();
  /** Folders that its scripts require from. */
  readonly #roots = new Set<string>();
  /** Lua files whose requires were followed, each with the folders that it was looked in. */
  readonly #followed = new Set<string>();
  /** What was there of what each handler outside of Lua names. */
  readonly #named = new Map<string, readonly string[]>();
  #digest: string | undefined;

  /** Read what was found, and all that it comes to. */
  static async of(project: FoundProject): Promise<TrustSet> {
    return new TrustSet(project.directory, await project.layers());
  }

  private constructor(directory: string, layers: readonly FoundLayer[]) {
    this.directory = realpath(directory);
    this.#files = new SetFiles(this.directory);
    for (const layer of layers) this.#addLayer(layer);
    try {
      for (const { handlers } of layers) for (const named of handlers) this.#add(named);
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      this.#problem(thrown.code, thrown.message.slice(`${thrown.code}: `.length));
    }
  }

  /** SHA-256 of the whole set: one byte more or less in any file, and it is another. */
  get digest(): string {
    return (this.#digest ??= sha256(JSON.stringify(["orcs-trust-1", ...this.#files.hashes])));
  }

  /** SHA-256 of each file, by its path in the project, in the order of the paths. */
  get hashes(): Record<string, string> {
    return Object.fromEntries(this.#files.hashes);
  }

  /** Absolute paths. */
  get files(): readonly string[] {
    return this.#files.paths;
  }

  /** Whether scripts of the project require from a folder. */
  hasRoot(folder: string): boolean {
    return this.#roots.has(folder);
  }

  bytesOf(file: string): Uint8Array | undefined {
    return this.#files.get(file)?.bytes;
  }

  /**
   * Why what a handler outside of Lua names is no more what was hashed.
   * @param cwd where it would run
   */
  objection(named: NamingHandler, cwd?: string): string | undefined {
    const now = namedFiles(named, { project: this.directory, cwd, textOf: textNow });
    // What has gone may be gone for us alone: a pipe in its place, say.
    for (const file of new Set([...(this.#named.get(keyOf(named)) ?? []), ...now])) {
      const hash = this.#files.get(file)?.hash;
      const name = shownPath(this.#files.nameOf(file));
      if (hash === undefined) return `${name} was not there when it was trusted`;
      if (hash !== hashOf(file)) return `${name} has changed since it was trusted`;
    }
    return undefined;
  }

  #addLayer({ file, bytes, scriptDirs, hasMistakes }: FoundLayer): void {
    const name = shownPath(this.#files.nameOf(file));
    this.#expectInside(file);
    if (bytes) this.#files.add(file, bytes);
    else this.#problem("ORCS1001", `${name} cannot be read`);
    if (hasMistakes) {
      this.#problem("ORCS1015", `${name} has mistakes: orcs check --config ${name} shows them`);
    }
    for (const dir of scriptDirs) if (isThere(dir)) this.#expectInside(dir);
  }

  #add(named: NamedHandler): void {
    const { handler, scriptRoots } = named;
    if (handler.kind === "script") {
      const roots = [...new Set([...scriptRoots, dirname(handler.file)])];
      // One that ships is no part of the project, and finds nothing there.
      if (!isShipped(handler.file)) this.#addLua(handler.file, roots);
    } else if (handler.kind === "inline") {
      this.#follow(Buffer.from(handler.code), scriptRoots);
    } else {
      const textOf = (file: string) => textOfBytes(this.#read(file));
      const files = namedFiles(named, { project: this.directory, textOf, budget: this.#budget });
      this.#named.set(keyOf(named), files);
      for (const file of files) this.#read(file);
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
    for (const root of roots) this.#roots.add(root);
    for (const file of requiredFiles(textOfBytes(code), roots, this.#budget))
      this.#addLua(file, roots);
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
    const real = realpath(path);
    if (inside(this.directory, real)) return true;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const how = isLink ? "is a link that leads out of" : "lies outside of";
    const why = "what a configuration that was found names must lie beside or below it";
    const name = shownPath(this.#files.nameOf(path));
    this.#problem("ORCS8003", `${name} ${how} the project: ${why}`);
    return false;
  }

  #problem(code: ErrorCode, message: string): void {
    if (this.problems.some((known) => known.message === message)) return;
    this.problems.push({ code, severity: "error", message });
  }
}

function keyOf({ handler, baseDir }: NamingHandler): string {
  return JSON.stringify([baseDir, handler]);
}

function textNow(file: string): string | undefined {
  try {
    return textOfBytes(fileBytes(file));
  } catch {
    return undefined;
  }
}

/** Bytes as characters: what names files in code is ASCII, or UTF-8 in the module that imports it. */
function textOfBytes(bytes: Uint8Array): string;
function textOfBytes(bytes: Uint8Array | undefined): string | undefined;
function textOfBytes(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
