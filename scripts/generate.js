// Writes what is made from the tables of the code: pages and tables of docs/, schemas, plugins.
// `npm run generate` writes, `npm run generate -- --check` reports what is not up to date and writes nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { importBundled } from "./in-checkout.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHECK = process.argv.includes("--check");
// Beside the checkout's packages, which the code imports.
const PROGRAMS = ["vm", "all"].map((name) => `${ROOT}bench/build/${name}.${process.pid}.mjs`);

try {
  const { vmCode } = await importBundled(`${ROOT}scripts/generate/vm/vm-code.ts`, PROGRAMS[0]);
  // The rest is made with this VM.
  settle([{ path: "src/engine/lua/vm-code.ts", text: vmCode() }]);
  const { generatedFiles } = await importBundled(`${ROOT}scripts/generate/generate.ts`, PROGRAMS[1]);
  settle(generatedFiles(read, pages()));
} finally {
  for (const program of PROGRAMS) rmSync(program, { force: true });
}

/** Write what is not up to date, or report it. */
function settle(files) {
  const outdated = files.filter(({ path, text }) => read(path) !== text);
  for (const { path, text } of outdated) {
    if (!CHECK) {
      mkdirSync(dirname(ROOT + path), { recursive: true });
      writeFileSync(ROOT + path, text);
    }
    console.log(CHECK ? `${path} is not up to date: npm run generate` : `wrote ${path}`);
  }
  if (CHECK && outdated.length > 0) process.exitCode = 1;
}

/** Empty if there is none yet. */
function read(path) {
  return existsSync(ROOT + path) ? readFileSync(ROOT + path, "utf8") : "";
}

function pages() {
  const docs = readdirSync(`${ROOT}docs`, { recursive: true, encoding: "utf8" });
  return [
    "README.md",
    ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
  ];
}
