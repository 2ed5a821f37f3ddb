import { join } from "node:path";
import { OrcsError } from "../../core/index.ts";
import { defaultUserDir, isFolder, upwards } from "../../machine/index.ts";

/** Prefix of a package, and of a script in one: `npm:@acme/guards/hooks/no-prod.lua`. */
export const NPM = "npm:";

/** The folder of a sealed copy that contains the packages, by name. */
const SEALED_PACKAGES = "orcs-packages";

/** A name as npm allows it for new packages; it contains neither `..` nor a path. */
const NAME = /^(?=.{1,214}$)(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*$/;

/** Whether a text is the name of an npm package. */
export function isPackageName(name: string): boolean {
  return NAME.test(name) && name !== "node_modules";
}

/** The package and the rest of a path that begins with its name. @returns undefined if it begins with none */
export function splitPackagePath(
  path: string,
): { readonly name: string; readonly rest: string } | undefined {
  const parts = path.split("/");
  const length = path.startsWith("@") ? 2 : 1;
  const name = parts.slice(0, length).join("/");
  return isPackageName(name) ? { name, rest: parts.slice(length).join("/") } : undefined;
}

/**
 * The folder of a package, as Node would find it from a folder.
 * @param from absolute
 * @param others folders where it is looked for then
 */
export function packageFolder(
  name: string,
  from: string,
  others: readonly string[] = [],
): string | undefined {
  const folders = [...upwards(from), ...others];
  return folders.map((folder) => join(folder, "node_modules", name)).find(isFolder);
}

/** The folder of an installed package, as Node would find it, otherwise in the user's folder. */
function installedPackage(name: string, from: string): string | undefined {
  return packageFolder(name, from, [defaultUserDir()]);
}

/** The folder of an installed package. @throws OrcsError ORCS9300 with the command that installs it */
export function expectInstalled(name: string, from: string): string {
  const folder = installedPackage(name, from);
  if (folder !== undefined) return folder;
  const where = from === defaultUserDir() ? `--prefix ${from}` : "--save-dev";
  const why = `the package ${name} is not installed: run npm install ${where} --ignore-scripts ${name}`;
  throw new OrcsError("ORCS9300", why, { package: name });
}

/** The name in a sealed copy of a file of an installed package: the same on each machine. */
export function sealedPackageFile(name: string, file: string): string {
  return `${SEALED_PACKAGES}/${name}/${file}`;
}

/**
 * The path of a file of an installed package, by its name in a sealed copy.
 * @returns undefined for another name
 */
export function installedFile(directory: string, sealedName: string): string | undefined {
  if (!sealedName.startsWith(`${SEALED_PACKAGES}/`)) return undefined;
  const split = splitPackagePath(sealedName.slice(SEALED_PACKAGES.length + 1));
  if (!split) return undefined;
  const folder = installedPackage(split.name, directory);
  return join(folder ?? join(directory, "node_modules", split.name), split.rest);
}
