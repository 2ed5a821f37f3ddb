import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { CONFIG_NAME, exists } from "../discover.ts";
import { pathOfName } from "../path-inside.ts";
import type { LayerFiles } from "../layers.ts";
import { orUndefined } from "../../core/index.ts";
import { sha256, shownPath } from "../../machine/index.ts";
import { AcceptedFiles, contentOf } from "./accepted.ts";
import { linkPackages } from "./module-files.ts";
import type { Notice } from "./notice.ts";
import { sealableConfig } from "./seal-config.ts";
import { Seal, sealedFiles } from "./seal.ts";
import type { LastGood, TrustStore } from "./trust-store.ts";

/** A copy of the user's configuration that is active instead of the saved one. */
export interface ActiveCopy {
  readonly files: LayerFiles;
  readonly notice: Notice;
}

/**
 * The user's own configuration. A saved change is active at once. The last active version is kept, so that a missing or
 * invalid file deactivates nothing.
 */
export class UserConfiguration {
  readonly directory: string;
  readonly #store: TrustStore;

  constructor(directory: string, store: TrustStore) {
    this.directory = directory;
    this.#store = store;
  }

  /** Its file, which may not exist. */
  get file(): string {
    return join(this.directory, CONFIG_NAME);
  }

  get isThere(): boolean {
    return exists(this.file);
  }

  /** Whether the last active version stays active until a person accepts a change. */
  get isHeld(): boolean {
    return new AcceptedFiles(dirname(this.#store.path)).holdsUser;
  }

  /** Its files, those of the last active version. */
  get files(): readonly string[] {
    const kept = this.#kept();
    const names = kept ? sealedFiles(this.#store.sealsDir, kept.digest).files : [];
    return [this.file, ...names.map(([name]) => pathOfName(this.directory, name))];
  }

  /** The content of the last active version of each file that differs, by path; undefined when none does. */
  differences(): ReadonlyMap<string, Buffer> | undefined {
    const kept = this.#kept();
    return kept && this.isChanged ? this.#differing(kept.digest) : undefined;
  }

  /** The sealed content of each file that has another one, by path. */
  #differing(digest: string): ReadonlyMap<string, Buffer> {
    const before = new Map<string, Buffer>();
    for (const [name, { bytes, isDerived }] of Seal.open(this.#store.sealsDir, digest).files) {
      const path = pathOfName(this.directory, name);
      const now = contentOf(path);
      const isSame = Buffer.isBuffer(now) && now.equals(bytes);
      if (!isDerived && !isSame) before.set(path, Buffer.from(bytes));
    }
    return before;
  }

  /**
   * Resolves when none of its files can be incomplete: a file that became shorter is read half a second after it was
   * saved, because an editor may just have emptied it.
   */
  async settled(): Promise<void> {
    const since = this.#shortenedAt();
    const left = since === undefined ? 0 : FRESH_MS - (Date.now() - since);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(left, FRESH_MS)));
  }

  /** When the latest of the shortened files was saved, in milliseconds since 1970. */
  #shortenedAt(): number | undefined {
    let latest: number | undefined;
    // Where it fails, reading the files reports why they cannot be examined.
    orUndefined(() => {
      const kept = this.#kept();
      if (!kept) return;
      for (const [name, { size }] of sealedFiles(this.#store.sealsDir, kept.digest).files) {
        const found = statSync(join(this.directory, name), { throwIfNoEntry: false });
        if (found && found.size < size) latest = Math.max(latest ?? 0, found.mtimeMs);
      }
    });
    return latest;
  }

  /**
   * The last active version; undefined if there was none.
   * @param why it is needed
   * @throws OrcsError ORCS8002, ORCS8010 when the copy cannot be used
   */
  lastGood(
    why: "is missing" | "has errors" | "has no hooks any more" | "was changed during a session",
  ): ActiveCopy | undefined {
    const kept = this.#kept();
    if (!kept) return undefined;
    const seal = Seal.open(this.#store.sealsDir, kept.digest);
    const files = new Map(seal.layers.map((name) => [name, seal.files.get(name)?.bytes] as const));
    const source = { directory: this.directory, codeDir: seal.directory, files };
    linkPackages({ source, sealed: seal.files, packageDirs: [this.directory] });
    const where = shownPath(this.file);
    const text = `${where} ${why}: the version of your hooks from ${kept.at.slice(0, 10)} stays active; repair the file, or accept the current state with orcs trust --user`;
    return {
      files: source,
      notice: { text, key: `user ${this.directory} ${why} ${kept.digest}` },
    };
  }

  /**
   * Keep the active version, unless it is kept already. Failure is ignored: the configuration is active anyway.
   * @param compared puts back what an agent changed: what it has not let pass is not kept
   */
  async keep(compared?: () => void): Promise<void> {
    try {
      const kept = this.#kept();
      if (!this.isThere || (kept && kept.looks === this.#looksOf(kept.digest))) return;
      await this.#write(compared);
    } catch {
      // In many containers the folder cannot be written.
    }
  }

  /** Accept the current state, even if there is no configuration. @throws OrcsError ORCS8002, ORCS5002, ORCS1015 */
  async accept(): Promise<"kept" | "gone"> {
    if (this.isThere) {
      await this.#write();
      return "kept";
    }
    this.#store.change(({ user }) => void user.delete(this.directory));
    return "gone";
  }

  #kept(): LastGood | undefined {
    return this.#store.all().user.get(this.directory);
  }

  /** Whether the saved files are not the last active ones. */
  get isChanged(): boolean {
    const kept = this.#kept();
    return kept !== undefined && kept.looks !== this.#looksOf(kept.digest);
  }

  async #write(compared?: () => void): Promise<void> {
    const { digest, write } = await sealableConfig(this.file);
    write();
    compared?.();
    // Changed, put back or held since it was read: then it is read again.
    if (compared && (this.isHeld || this.#differing(digest).size > 0)) return;
    const kept = { digest, at: new Date().toISOString(), looks: this.#looksOf(digest) };
    this.#store.change(({ user }) => void user.set(this.directory, kept));
  }

  /** Metadata of the files: while it is unchanged, they need not be read. */
  #looksOf(digest: string): string {
    const names = sealedFiles(this.#store.sealsDir, digest).files.map(([name]) => name);
    return sha256(
      names.map((name) => `${name} ${identity(pathOfName(this.directory, name))}`).join("\n"),
    );
  }
}

/** A file saved less than this many milliseconds ago may still be in the process of being written. */
export const FRESH_MS = 500;

function identity(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : "";
}
