import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FSWatcher } from "chokidar";
import { messageOf, OrcsError } from "../../core/errors.ts";
import type { Logger } from "../../core/ports.ts";
import type { ConfiguredHooks, Reloaded } from "./configured-hooks.ts";

/** What was saved is looked at when nothing more was for this long, in milliseconds. */
const QUIET_MS = 30;
/** Besides, everything is looked at this often: for what no file system tells, such as a folder that came back. */
const LOOK_MS = 1000;

/** File systems tell the time of a save no finer than this, in milliseconds. */
const CLOCK_MS = 10;

/** What is watched, and who is told. */
interface Watched {
  /** Absolute paths of files. */
  files(): readonly string[];
  /** Folders in which any Lua or TOML file counts, whether they are there or not. */
  folders(): readonly string[];
  /** Something is different from when it was last told. Told again when it has resolved, if something is by then. */
  changed(): Promise<void>;
}

/** What is where: a file's identity by its path. */
type Sight = ReadonlyMap<string, string>;

/**
 * Watches files, however they are saved: written in place, renamed over, deleted and made again, many at a
 * time. What counts is what is there in the end; the events only say when to look.
 */
export class Watcher {
  readonly #watched: Watched;
  #seen: Sight = new Map();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #telling: Promise<void> | undefined;
  #closed = false;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /**
   * Resolves when changes are seen from now on.
   * @param since when what is there began to be read, in milliseconds since 1970: what was saved while that was
   *   done may have been read before it was
   */
  async start(since: number): Promise<void> {
    this.#seen = this.#look();
    if ([...this.#seen.keys()].some((file) => savedAt(file) > since - CLOCK_MS)) {
      this.#seen = new Map();
      this.#soon();
    }
    const roots = this.#roots();
    // Most engines are not watched.
    const { watch } = await import("chokidar");
    if (this.#closed) return;
    const watcher = watch(roots, {
      depth: 0,
      ignoreInitial: true,
      ignored: (path, stats) => stats?.isFile() === true && !COUNTS.test(path),
    });
    this.#watcher = watcher;
    // What cannot be watched is looked at all the same.
    watcher.on("error", () => undefined);
    watcher.on("all", () => this.#soon());
    // A second save within 50 ms of the first is no event of its own, except for what the system says of it.
    watcher.on("raw", (_event, path: string | null) => {
      if (path === null || COUNTS.test(path)) this.#soon();
    });
    this.#looking = setInterval(() => this.#soon(), LOOK_MS);
    this.#looking.unref();
    // It never says so when there is nothing to watch.
    if (roots.length === 0) return;
    await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
  }

  /** Stop; resolves when nothing is told any more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    await this.#watcher?.close();
    await this.#telling;
  }

  #soon(): void {
    if (this.#closed || this.#telling) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#telling = this.#tell().finally(() => (this.#telling = undefined));
    }, QUIET_MS);
  }

  /** Tell of changes until there are none. */
  async #tell(): Promise<void> {
    let now = this.#look();
    let isDifferent = !isSame(this.#seen, now);
    while (isDifferent && !this.#closed) {
      const folders = new Set(this.#watched.folders());
      await this.#watched.changed();
      this.#watcher?.add(this.#roots());
      const after = this.#look();
      // What is watched only now was read a moment ago; what was watched before may have been saved meanwhile.
      isDifferent =
        [...now].some(([path, sight]) => after.get(path) !== sight) ||
        [...after].some(
          ([path, sight]) => sight !== "" && !now.has(path) && folders.has(dirname(path)),
        );
      this.#seen = now = after;
      if (isDifferent) await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    }
    this.#seen = now;
  }

  #roots(): string[] {
    const folders = this.#watched.files().map((file) => dirname(file));
    return [...new Set([...folders, ...this.#watched.folders()])];
  }

  #look(): Sight {
    const sight = new Map<string, string>();
    for (const file of this.#watched.files()) sight.set(file, identity(file));
    for (const folder of this.#watched.folders()) {
      for (const name of namesIn(folder)) {
        const file = join(folder, name);
        if (COUNTS.test(name) && !sight.has(file)) sight.set(file, identity(file));
      }
    }
    return sight;
  }
}

const COUNTS = /\.(lua|toml)$/;

function isSame(a: Sight, b: Sight): boolean {
  return a.size === b.size && [...a].every(([path, sight]) => b.get(path) === sight);
}

/** By what a file is known to be another than before; of one that is not there, nothing. */
function identity(file: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(file, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch {
    return "";
  }
}

/** When a file was written last, in milliseconds since 1970. */
function savedAt(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Loads a configuration anew whenever something of it was saved, once the watcher is started.
 * @param looksFor folders in which a configuration is looked for: one may yet be written
 */
export function watchConfiguration(
  configured: ConfiguredHooks,
  looksFor: readonly string[],
  engine: { readonly logger: Logger; reload(saved: boolean): Promise<Reloaded> },
): Watcher {
  const { logger } = engine;
  return new Watcher({
    files: () => configured.files,
    folders: () => [...looksFor, ...configured.folders],
    changed: async () => {
      try {
        const { hooks, duration_ms } = await engine.reload(true);
        logger.info(`reloaded: ${hooks} hooks in ${duration_ms.toFixed(0)} ms`);
      } catch (thrown) {
        // Mistakes were told; anything else must not end the watching.
        if (!(thrown instanceof OrcsError)) logger.error(`reload failed: ${messageOf(thrown)}`);
      }
    },
  });
}
