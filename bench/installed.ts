import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What is read of the package's own description. */
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Pack this checkout as it was built. @returns the archive */
export function packed(into: string): string {
  mkdirSync(into, { recursive: true });
  const args = ["pack", "--ignore-scripts", "--offline", "--json", "--pack-destination", into];
  const written = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  const [{ filename }] = JSON.parse(written) as [{ filename: string }];
  return join(into, filename);
}

/**
 * Install an archive in an empty folder as npm does, except that its dependencies are those of this checkout, which
 * takes no network: what counts is what the archive holds.
 * @returns the folder of the package
 */
export function installed(archive: string, into: string): string {
  const home = join(into, "node_modules", "orcs");
  mkdirSync(home, { recursive: true });
  // With the times of extraction, as npm gives them.
  execFileSync("tar", ["-xmzf", archive, "-C", home, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Manifest;
  for (const name of Object.keys(dependencies)) {
    const at = join(into, "node_modules", name);
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), at);
  }
  return home;
}
