import { dirname, resolve } from "node:path";
import { nearestConfig } from "../../config/found-files.ts";
import { loadConfig } from "../../config/load.ts";
import type { FoundLayer, Vouched } from "../../config/vouch.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { OrcsError } from "../../core/errors.ts";
import { pointSet } from "../../core/points.ts";
import type { Settings } from "../../config/settings.ts";
import { realpath } from "../realpath.ts";
import { SHIPPED_HOOKS } from "../loading/script-sources.ts";
import { shownPath } from "./shown-path.ts";
import { TrustSet } from "./trust-set.ts";
import type { TrustStore } from "./trust-store.ts";
import { differences, vouchedBy } from "./vouch-for.ts";
import type { Difference } from "./vouch-for.ts";

/** A project as it would be trusted. */
export interface ProjectLook {
  /** Directory of its `orcs.toml`, links resolved. */
  readonly directory: string;
  /** Its configurations. */
  readonly layers: readonly FoundLayer[];
  /** What is said of it now. */
  readonly vouched: Vouched;
  /** SHA-256 of the whole set, as hexadecimal digits. */
  readonly digest: string;
  /** SHA-256 of each file of the set, by its path in the project. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Files that are not as they were trusted; undefined when it was never trusted as it was. */
  readonly changed: readonly Difference[] | undefined;
  /** What it says that is not heard: it cannot loosen what the user's own configuration says. */
  readonly ignored: readonly Diagnostic[];
  /** What it comes to over the user's own; undefined when it has mistakes. */
  readonly settings: Settings | undefined;
  /** Everything that keeps it from loading. */
  readonly mistakes: OrcsError | undefined;
}

/**
 * Look at the project that a directory lies in, without running anything of it. Its files are read once: what is
 * shown is what can be trusted.
 * @throws OrcsError ORCS5001 when there is none
 */
export async function lookAt(from: string, store: TrustStore): Promise<ProjectLook> {
  const cwd = realpath(resolve(from));
  const found = projectAt(cwd);
  if (found === undefined) {
    throw new OrcsError("ORCS5001", `there is no orcs.toml in ${shownPath(cwd)} or above it`);
  }
  const seen = await read(found, store);
  if (!seen.found) {
    throw new OrcsError("ORCS5001", `${shownPath(found)} holds your own: it needs no trust`);
  }
  const { layers, set } = seen.found;
  const said = entryOf(store, set.directory);
  return {
    directory: set.directory,
    layers,
    vouched: vouchedBy(set, store),
    digest: set.digest,
    hashes: set.hashes,
    changed: said && "digest" in said ? differences(said.files, set.hashes) : undefined,
    ignored: seen.ignored,
    settings: seen.settings,
    mistakes: seen.mistakes,
  };
}

/** The directory of the project that a directory lies in, links resolved, without a look at what it holds. */
export function projectAt(from: string): string | undefined {
  const file = nearestConfig(realpath(resolve(from)));
  return file && realpath(dirname(file));
}

/** Trust it: as it was looked at, or whatever it holds. @throws OrcsError ORCS8002, ORCS5002 */
export function trust(look: ProjectLook, store: TrustStore, dev: boolean): void {
  const at = new Date().toISOString();
  const { directory, hashes, digest } = look;
  store.set(directory, dev ? { dev, at } : { digest, files: hashes, at });
}

async function read(directory: string, store: TrustStore) {
  let found: { layers: readonly FoundLayer[]; set: TrustSet } | undefined;
  const options = { cwd: directory, points: pointSet(), shippedDir: SHIPPED_HOOKS };
  try {
    const { settings, warnings } = await loadConfig({
      ...options,
      async vouch(project) {
        const set = await TrustSet.of(project);
        found = { layers: await project.layers(), set };
        // As if it were: what it would come to is asked for.
        return { ...vouchedBy(set, store), state: "trusted", problems: [] };
      },
    });
    return { found, settings, ignored: warnings, mistakes: undefined };
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    return { found, settings: undefined, ignored: [], mistakes: thrown };
  }
}

/** What is said; of a store that cannot be used, nothing. */
function entryOf(store: TrustStore, directory: string) {
  try {
    return store.get(directory);
  } catch {
    return undefined;
  }
}
