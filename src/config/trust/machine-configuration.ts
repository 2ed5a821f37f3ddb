import { join } from "node:path";
import { CONFIG_NAME } from "../discover.ts";
import type { HookEntry } from "../hook-entry.ts";
import type { LayerFiles } from "../layers.ts";
import { isPathInside } from "../path-inside.ts";
import { OrcsError, orUndefined } from "../../core/index.ts";
import { hasMachineFile, machineFolder, weakPlace } from "../../machine/index.ts";
import { isShipped } from "./script-sources.ts";

/** Where the configuration of a machine is, and who may write it. */
export interface MachinePlace {
  /** Its folder, absolute. */
  readonly directory: string;
  /** The id of the user whose files count; root's always do. */
  readonly owner: number;
}

const ROOT = 0;

/** The place on this machine; undefined where there is none. */
export function defaultMachinePlace(): MachinePlace | undefined {
  const directory = machineFolder();
  return directory === undefined ? undefined : { directory, owner: ROOT };
}

/**
 * The configuration of the machine; undefined when there is none.
 * @throws OrcsError ORCS9320 when others than its owner could have written it
 */
export function machineFiles(place = defaultMachinePlace()): LayerFiles | undefined {
  if (!place) return undefined;
  const { directory, owner } = place;
  const file = join(directory, CONFIG_NAME);
  if (!hasMachineFile(file)) return undefined;
  expectUnwritable([directory], owner);
  return { directory, codeDir: directory, files: new Map([[CONFIG_NAME, undefined]]) };
}

/** The same for what only shows or records something; undefined also when others could have written it. */
export function shownMachineFiles(): LayerFiles | undefined {
  // An engine reports why.
  return orUndefined(machineFiles);
}

/**
 * Check the code outside of the folder that its hooks load.
 * @throws OrcsError ORCS9320
 */
export function expectMachineCode(hooks: readonly HookEntry[], place: MachinePlace): void {
  const { directory, owner } = place;
  const outside = hooks.flatMap(({ origin, handler, scriptRoots }) => {
    if (origin !== "machine") return [];
    const files = "file" in handler && !isShipped(handler.file) ? [handler.file] : [];
    return [...files, ...scriptRoots].filter((path) => !isPathInside(directory, path));
  });
  expectUnwritable(new Set(outside), owner);
}

/** @throws OrcsError ORCS9320 when others than the owner and root can change something */
function expectUnwritable(paths: Iterable<string>, owner: number): void {
  const weak = weakPlace(paths, { owner });
  if (!weak) return;
  const { path, why } = weak;
  const text = `the configuration of this machine cannot be used: ${path}: ${why}; only root may be able to change it: chown -R root and chmod -R go-w repair that`;
  throw new OrcsError("ORCS9320", text, { path });
}
