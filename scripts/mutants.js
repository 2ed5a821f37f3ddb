// Bundles bench/mutants/run.ts with the program and the tables of the tests, and runs it: `npm run mutants`.
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { OWN_ADDRESS } from "./own-address.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
// Beside the checkout's packages, which the code imports.
const PROGRAM = `${ROOT}bench/mutants/built.${process.pid}.mjs`;
// A home directory that no rule knows by its name, and that is in no temporary folder. Random letters in it could be
// read as a flag, or be what a line replaces.
const HOME = join(realpathSync(homedir()), `.orcs-mutants-${process.pid}`);
mkdirSync(HOME);
process.env.HOME = HOME;

try {
  const bundle = await rolldown({
    input: `${ROOT}bench/mutants/run.ts`,
    platform: "node",
    external: /^[^./]/,
    plugins: [OWN_ADDRESS],
  });
  await bundle.write({ file: PROGRAM, format: "esm", codeSplitting: false });
  await import(pathToFileURL(PROGRAM).href);
} finally {
  rmSync(PROGRAM, { force: true });
  rmSync(HOME, { recursive: true, force: true });
}
