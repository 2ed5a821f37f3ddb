import { lstatSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathOfName } from "../../config/inside.ts";
import type { Vouched } from "../../config/vouch.ts";
import { importedPackages } from "./module-files.ts";

/** Ends of the names of JavaScript modules. */
const MODULE = /\.[cm]?[jt]s$/;

/**
 * Let modules of a sealed set find the packages that they import: where they are found from the project. Packages are
 * not sealed, and `orcs trust` says so.
 */
export function linkPackages({
  source,
  sealed,
  directory,
}: Pick<Vouched, "sealed" | "directory"> & {
  readonly source: Pick<Vouched["source"], "codeDir">;
}): void {
  for (const [name, { bytes }] of sealed) {
    if (!MODULE.test(name)) continue;
    const code = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    for (const wanted of importedPackages(code)) {
      const found = packageFrom(dirname(pathOfName(directory, name)), wanted);
      if (found !== undefined) link(join(source.codeDir, "node_modules", wanted), found);
    }
  }
}

/** Where Node would find a package. */
function packageFrom(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (statSync(found, { throwIfNoEntry: false })) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

function link(path: string, target: string): void {
  // Another worktree of the project may have made it, and have gone since.
  if (statSync(path, { throwIfNoEntry: false })) return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path);
    symlinkSync(target, path);
  } catch {
    // The import says what is missing.
  }
}
