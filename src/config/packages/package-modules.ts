import { splitPackagePath } from "./package-name.ts";
import type { UsedPackage } from "./layer-packages.ts";
import { MODULES, packagePath } from "./read-package.ts";

/** A file of a package that a script requires. */
interface PackageModule {
  readonly file: string;
  readonly bytes: Uint8Array;
}

const PART = /^[\w-]+(\.[\w-]+)*$/;

/**
 * The module of `require("NAME/MODULE")`: `a.b` is `lua/a/b.lua` or `lua/a/b/init.lua` in the package; the package's
 * name alone is `lua/init.lua`.
 * @param own the package of the requiring script, which finds its own modules without the name
 */
export function packageModule(
  name: string,
  packages: readonly UsedPackage[],
  own?: UsedPackage,
): PackageModule | undefined {
  const split = splitPackagePath(name);
  const found = split && packages.find((each) => each.name === split.name);
  if (found) return split.rest === "" ? fileOf(found, "init") : moduleOf(found, split.rest);
  return own && moduleOf(own, name);
}

/** The bytes of a file that was read with its package. */
export function packageBytes(
  packages: readonly UsedPackage[],
  path: string,
): Uint8Array | undefined {
  for (const each of packages) {
    for (const [file, bytes] of each.files) if (packagePath(each, file) === path) return bytes;
  }
  return undefined;
}

function moduleOf(from: UsedPackage, name: string): PackageModule | undefined {
  if (!PART.test(name)) return undefined;
  const path = name.replaceAll(".", "/");
  return fileOf(from, path) ?? fileOf(from, `${path}/init`);
}

function fileOf(from: UsedPackage, path: string): PackageModule | undefined {
  const file = `${MODULES}/${path}.lua`;
  const bytes = from.files.get(file);
  return bytes && { file: packagePath(from, file), bytes };
}
