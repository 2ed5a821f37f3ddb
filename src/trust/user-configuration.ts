import { statSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_NAME, exists } from "../config/discover.ts";
import { pathOfName } from "../config/path-inside.ts";
import type { LayerFiles } from "../config/layers.ts";
import { shownPath } from "../files/shown-path.ts";
import { sha256 } from "./script-sources.ts";
import { linkPackages } from "./module-files.ts";
import type { Notice } from "./notice.ts";
import { sealableConfig } from "./seal-config.ts";
import { Seal, sealedFiles } from "./seal.ts";
import type { LastGood, TrustStore } from "./trust-store.ts";

/** A copy of the user's configuration that is active in its place. */
export interface ActiveCopy {
  readonly files: LayerFiles;
  readonly notice: Notice;
}

/**
 * The user's own configuration: what is saved there is active at once, and what was active last is kept, so that a
 * file that is gone or has errors deactivates nothing.
 */
export class UserConfiguration {
  readonly directory: string;
  readonly #store: TrustStore;

  constructor(directory: string, store: TrustStore) {
    this.directory = directory;
    this.#store = store;
  }

  /** Its file; whether it is there is another question. */
  get file(): string {
    return join(this.directory, CONFIG_NAME);
  }

  get isThere(): boolean {
    return exists(this.file);
  }

  /**
   * Resolves when nothing of it can be half written: what became shorter is read once it is half a second old, for an
   * editor may have emptied it a moment ago.
   */
  async settled(): Promise<void> {
    const since = this.#shortenedAt();
    const left = since === undefined ? 0 : FRESH_MS - (Date.now() - since);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(left, FRESH_MS)));
  }

  /** When the latest of its files was saved that are shorter than they were; in milliseconds since 1970. */
  #shortenedAt(): number | undefined {
    let latest: number | undefined;
    try {
      const kept = this.#kept();
      if (!kept) return undefined;
      for (const [name, { size }] of sealedFiles(this.#store.sealsDir, kept.digest).files) {
        const found = statSync(join(this.directory, name), { throwIfNoEntry: false });
        if (found && found.size < size) latest = Math.max(latest ?? 0, found.mtimeMs);
      }
    } catch {
      // What keeps it from being looked at is told when it is read.
    }
    return latest;
  }

  /**
   * What was active last; undefined where nothing was.
   * @param why it is needed
   * @throws OrcsError ORCS8002, ORCS8010 when the copy cannot be used
   */
  lastGood(why: "is missing" | "has errors"): ActiveCopy | undefined {
    const kept = this.#kept();
    if (!kept) return undefined;
    const seal = Seal.open(this.#store.sealsDir, kept.digest);
    const files = new Map(seal.layers.map((name) => [name, seal.files.get(name)?.bytes] as const));
    const source = { directory: this.directory, codeDir: seal.directory, files };
    linkPackages({ source, sealed: seal.files, packageDirs: [this.directory] });
    const where = shownPath(this.file);
    const text = `${where} ${why}: your hooks stay active as of ${kept.at.slice(0, 10)}; repair the file, or accept the current state with orcs trust --user`;
    return {
      files: source,
      notice: { text, key: `user ${this.directory} ${why} ${kept.digest}` },
    };
  }

  /**
   * Keep what is active now, unless it is kept already. What cannot be kept is not: the configuration is active all
   * the same.
   */
  async keep(): Promise<void> {
    try {
      const kept = this.#kept();
      if (!this.isThere || (kept && kept.looks === this.#looksOf(kept.digest))) return;
      await this.#write();
    } catch {
      // A folder that cannot be written is the state of many a container.
    }
  }

  /** Accept what there is: also that there is nothing. @throws OrcsError ORCS8002, ORCS5002, ORCS1015 */
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

  async #write(): Promise<void> {
    const { digest, write } = await sealableConfig(this.file);
    write();
    const kept = { digest, at: new Date().toISOString(), looks: this.#looksOf(digest) };
    this.#store.change(({ user }) => void user.set(this.directory, kept));
  }

  /** What the files look like from outside: while that is the same, they need not be read. */
  #looksOf(digest: string): string {
    const names = sealedFiles(this.#store.sealsDir, digest).files.map(([name]) => name);
    return sha256(
      names.map((name) => `${name} ${identity(pathOfName(this.directory, name))}`).join("\n"),
    );
  }
}

/** So long after it was saved a file may be one that is still being written, in milliseconds. */
export const FRESH_MS = 500;

function identity(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : "";
}
