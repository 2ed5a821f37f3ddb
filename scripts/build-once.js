// Builds dist/ whole, unless it is newer than all that it is built of. Types are not looked at: `npm run check` does.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["src", "lua", "hooks", "ui", "scripts/generate/definitions"];
const SCRIPTS = /^(?:bundle|compile-lua|doors|entries|in-checkout|replaced)/;

export function buildOnce() {
  // Written last.
  const bundle = statSync(join(ROOT, "dist/bundle/whole.cjs"), { throwIfNoEntry: false });
  // `npm start` builds without declarations.
  const isWhole = existsSync(join(ROOT, "dist/index.d.ts"));
  if (isWhole && bundle && bundle.mtimeMs > newest()) return;
  console.log("building dist/");
  execFileSync("npm", ["run", "--silent", "build:unchecked"], { cwd: ROOT, stdio: "inherit" });
}

function newest() {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const scripts = readdirSync(join(ROOT, "scripts"))
    .filter((name) => SCRIPTS.test(name))
    .map((name) => join("scripts", name));
  const all = [...files, ...scripts, "tsconfig.json", "tsconfig.build.json", "package-lock.json"];
  return Math.max(...all.map((name) => statSync(join(ROOT, name)).mtimeMs));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildOnce();
