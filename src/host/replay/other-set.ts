import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { loadConfig } from "../../config/load.ts";
import { CONFIG_NAME, nearestConfig } from "../../config/found-files.ts";
import { isTrusted } from "../../core/trust.ts";
import { OrcsError } from "../../core/errors.ts";
import { pointSet } from "../../core/points.ts";
import { SHIPPED_HOOKS } from "../loading/script-sources.ts";
import { loadVouched } from "../trust/load-vouched.ts";
import { checkedOut } from "./git-revision.ts";
import type { SetOptions } from "./replay.ts";

/** Two sets of hooks to hold against each other. */
export interface TwoSets {
  readonly set: SetOptions;
  readonly against: SetOptions;
  /** Remove what was made for it. */
  close(): void;
}

/**
 * The set that there is and the one in a folder, or in a revision of the repository that its configuration lies in.
 * Both are read by themselves, without the user's own configuration: its hooks are the same in both.
 * @param config file of the configuration; default the nearest one, which must be trusted
 * @param against a folder with an `orcs.toml`; where there is none of that name, a git revision
 * @throws OrcsError ORCS5001, ORCS8001; ORCS1015 for the configuration
 */
export async function twoSets(
  config: string | undefined,
  against: string,
  cwd: string,
): Promise<TwoSets> {
  const file = config === undefined ? await trustedConfig(cwd) : resolve(cwd, config);
  const folder = dirname(file);
  const inside = pathInside(folder, cwd) ?? "";
  const set = { config: file, cwd };
  const other = resolve(cwd, against);
  if (statSync(other, { throwIfNoEntry: false })?.isDirectory()) {
    const there = join(other, CONFIG_NAME);
    if (!existsSync(there)) throw misuse(`there is no ${CONFIG_NAME} in ${against}`);
    const shown = (path: string): string => join(against, path);
    const options = await otherSet(there, inside, { folder, top: other, shown });
    return { set, against: options, close: () => undefined };
  }
  const revision = await checkedOut(against, folder);
  try {
    const there = join(revision.folder, file.slice(folder.length));
    if (!existsSync(there)) throw misuse(`revision ${against} has no ${relative(cwd, file)}`);
    const shown = (path: string): string => `${against}:${path}`;
    const { top } = revision;
    const options = await otherSet(there, inside, { folder, top, shown });
    return { set, against: options, close: () => revision.remove() };
  } catch (thrown) {
    revision.remove();
    throw thrown;
  }
}

interface Shown {
  /** Of the project's configuration, which the other one stands for. */
  readonly folder: string;
  /** What paths are shown from. */
  readonly top: string;
  readonly shown: (path: string) => string;
}

/**
 * A set that stands elsewhere: paths in payloads are those of the project, so what it says of its own folder is
 * meant of the project's.
 * @param inside of the working directory, from the folder of the configuration
 */
async function otherSet(
  file: string,
  inside: string,
  { folder, top, shown }: Shown,
): Promise<SetOptions> {
  const other = dirname(file);
  const cwd = join(other, inside);
  const { settings } = await loadConfig({
    config: file,
    cwd,
    points: pointSet(),
    shippedDir: SHIPPED_HOOKS,
  });
  const root = pathInside(other, settings.permissions.root);
  return {
    config: file,
    cwd,
    ...(root !== undefined && { overrides: { permissions: { root: join(folder, root) } } }),
    shownAs: (path) => {
      const own = pathInside(top, resolve(cwd, path));
      return own === undefined ? path : shown(own);
    },
  };
}

/** @throws OrcsError ORCS5001 where there is none, ORCS8001 where nobody vouches for it */
async function trustedConfig(cwd: string): Promise<string> {
  const file = nearestConfig(cwd);
  if (file === undefined) throw misuse(`there is no ${CONFIG_NAME} here: name it with --config`);
  const { vouched } = await loadVouched({ cwd, points: pointSet() });
  if (vouched && !isTrusted(vouched)) throw new OrcsError("ORCS8001", vouched.why, { file });
  return file;
}

/** The path from a folder to what stands in it; undefined for what does not. */
function pathInside(folder: string, path: string): string | undefined {
  const from = relative(folder, path);
  return from === ".." || from.startsWith("../") || isAbsolute(from) ? undefined : from;
}

function misuse(why: string): OrcsError {
  return new OrcsError("ORCS5001", why);
}
