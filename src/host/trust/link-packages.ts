import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathOfName } from "../../config/inside.ts";
import type { Vouched } from "../../config/vouch.ts";
import { importedPackages } from "./module-files.ts";
import { isThere } from "./set-files.ts";

/** Ends of the names of JavaScript modules. */
const MODULE = /\.[cm]?[jt]s$/;

/**
 * Let modules of a sealed set find the packages that they import: where they are found from the project. Packages are
 * not sealed, and `orcs trust` says so.
 */
export function linkPackages({
  source,
  sealed,
  packageDirs,
}: Pick<Vouched, "sealed" | "packageDirs"> & {
  readonly source: Pick<Vouched["source"], "codeDir">;
}): void {
  for (const [name, { bytes }] of sealed) {
    if (!MODULE.test(name)) continue;
    const code = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    for (const wanted of importedPackages(code)) {
      const found = packageDirs
        .map((folder) => packageFrom(dirname(pathOfName(folder, name)), wanted))
        .find((each) => each !== undefined);
      if (found !== undefined) link(join(source.codeDir, "node_modules", wanted), found);
    }
  }
}

/** Where Node would find a package. */
function packageFrom(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (isThere(found)) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

/** All worktrees share the copy: what one has linked, or found linked, is not for the others to keep. */
function link(path: string, target: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      if (readlinkSync(path) === target) return;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const aside = `${path}.${process.pid}`;
    rmSync(aside, { force: true });
    symlinkSync(target, aside);
    renameSync(aside, path);
  } catch {
    // The import says what is missing.
  }
}
