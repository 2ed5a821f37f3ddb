import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./orcs.ts";

/** What is read of the package's own description. */
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

/** Pack the built package as `npm pack` does. @returns the archive's path, below `into` */
export function packed(into: string): string {
  const args = ["pack", "--ignore-scripts", "--offline", "--json", "--pack-destination", into];
  const written = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  const [{ filename }] = JSON.parse(written) as [{ filename: string }];
  return join(into, filename);
}

/** Install an archive without a network: only what it ships, only the dependencies and commands it names. */
export function install(archive: string, dir: string): void {
  const modules = join(dir, "node_modules");
  const home = join(modules, "orcs");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", home, "--strip-components=1"]);
  const manifest = readFileSync(join(home, "package.json"), "utf8");
  const { dependencies, bin } = JSON.parse(manifest) as Manifest;
  for (const name of Object.keys(dependencies)) {
    link(join(ROOT, "node_modules", name), join(modules, name));
  }
  for (const [name, file] of Object.entries(bin)) {
    chmodSync(join(home, file), 0o755);
    link(join("../orcs", file), join(modules, ".bin", name));
  }
}

function link(target: string, at: string): void {
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(target, at);
}
