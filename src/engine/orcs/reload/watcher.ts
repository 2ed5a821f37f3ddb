import { namesIn } from "../../../machine/index.ts";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FSWatcher } from "chokidar";
import { type Logger, messageOf, OrcsError } from "../../../core/index.ts";
import type { ConfiguredHooks, Reloaded } from "./configured-hooks.ts";

/** A change is reported when nothing more was saved for this long, in milliseconds. */
const QUIET_MS = 30;
/**
 * In addition, all files are checked at this interval, in milliseconds: some changes cause no event, such as a folder
 * that reappears.
 */
const LOOK_MS = 1000;

/** Resolution of the times of file systems, in milliseconds. */
const CLOCK_MS = 10;

/** What is watched, and the callback. */
interface Watched {
  /** Absolute paths of files. */
  files(): readonly string[];
  /** Folders in which any Lua or TOML file counts, even if they do not exist yet. */
  folders(): readonly string[];
  /**
   * Called when something differs from the last call. Called again after it has resolved, if something differs by then.
   */
  changed(): Promise<void>;
}

/** The identity of each file, by path. */
type Sight = ReadonlyMap<string, string>;

/**
 * Watches files however they are saved: in place, by rename, deleted and created again, many at a time. Only the final
 * state counts; events only trigger a check.
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
   * Resolves when changes are detected from then on.
   * @param since when the current content was first read, in milliseconds since 1970: a file saved since then may have
   * been read before the save
   */
  async start(since: number): Promise<void> {
    this.#seen = this.#look();
    if ([...this.#seen.keys()].some((file) => savedAt(file) > since - CLOCK_MS)) {
      this.#seen = new Map();
      this.#soon();
    }
    const roots = this.#roots();
    // Most engines are not watched, so chokidar is imported on use.
    const { watch } = await import("chokidar");
    if (this.#closed) return;
    const watcher = watch(roots, {
      depth: 0,
      ignoreInitial: true,
      ignored: (path, stats) => stats?.isFile() === true && !TELLS.test(path),
    });
    this.#watcher = watcher;
    // What cannot be watched is still checked at intervals.
    watcher.on("error", () => undefined);
    watcher.on("all", () => this.#soon());
    // chokidar drops a second save within 50 ms of the first; the raw event of the system still arrives.
    watcher.on("raw", (_event, path: string | null) => {
      if (path === null || TELLS.test(path)) this.#soon();
    });
    this.#looking = setInterval(() => this.#soon(), LOOK_MS);
    this.#looking.unref();
    // With nothing to watch, chokidar never emits `ready`.
    if (roots.length === 0) return;
    await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
  }

  /** Stop; resolves when no further call is made. */
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

  /** Report changes until there are none. */
  async #tell(): Promise<void> {
    let now = this.#look();
    let isDifferent = !isSame(this.#seen, now);
    while (isDifferent && !this.#closed) {
      const folders = new Set(this.#watched.folders());
      await this.#watched.changed();
      this.#watcher?.add(this.#roots());
      const after = this.#look();
      // A file that is new to the watcher was read a moment ago; one that was watched before may have been saved
      // meanwhile.
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

/** Names of files that count when they are new in a folder. */
const COUNTS = /\.(?:lua|toml)$|(?:^|[/\\])(?:orcs\.lock|package\.json)$/;
/** Names of files whose events cause a check. */
const TELLS = /\.(?:lua|toml|json|[cm]?[jt]s)$|(?:^|[/\\])orcs\.lock$/;

function isSame(a: Sight, b: Sight): boolean {
  return a.size === b.size && [...a].every(([path, sight]) => b.get(path) === sight);
}

/** The identity of a file's content; empty for a missing file. */
function identity(file: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(file, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch {
    return "";
  }
}

/** When a file was last written, in milliseconds since 1970. */
function savedAt(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/**
 * Reloads a configuration whenever one of its files is saved, once the watcher is started.
 * @param looksFor folders in which a configuration may still be created
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
        // Errors of the configuration were reported; any other error must not stop the watcher.
        if (!(thrown instanceof OrcsError)) logger.error(`reload failed: ${messageOf(thrown)}`);
      }
    },
  });
}
