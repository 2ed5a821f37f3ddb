import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HOSTS } from "../src/formats/hosts.ts";
import { takeOwnPlaces } from "./own-places.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Build `dist/` once before the tests, unless it is newer than all that it is built of: of what ships, some run it.
 * Types are checked by `npm run check`, not here.
 */
export default function build(): () => void {
  // Whoever runs the tests may be a coding agent, to whom verbs that loosen are refused.
  for (const name of Object.values(HOSTS).flatMap((host) => host.agentVariables))
    delete process.env[name];
  const bundle = statSync(join(ROOT, "dist/bundle/whole.cjs"), { throwIfNoEntry: false });
  // `npm start` builds without declarations.
  const isWhole = existsSync(join(ROOT, "dist/index.d.ts"));
  if (!isWhole || !bundle || bundle.mtimeMs <= newest()) {
    console.log("building dist/, which some tests run");
    execFileSync("npm", ["run", "--silent", "build:unchecked"], { cwd: ROOT, stdio: "inherit" });
  }
  return takeOwnPlaces();
}

function newest(): number {
  const files = ["src", "ui", "scripts/generate/definitions"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    ),
  );
  const scripts = readdirSync(join(ROOT, "scripts"), { encoding: "utf8" })
    .filter((name) => /^(bundle|doors|entries|replaced)/.test(name))
    .map((name) => join("scripts", name));
  const all = [...files, ...scripts, "tsconfig.build.json", "package-lock.json"];
  return Math.max(...all.map((name) => statSync(join(ROOT, name)).mtimeMs));
}
