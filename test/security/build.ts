import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Where what other processes and threads run is compiled to, in folders as in the repository. */
export const BUILT = join(ROOT, "node_modules/.cache/orcs-test-dist");

/** Files besides those of the program. */
const OTHERS = [
  "test/unit/lua/rig.ts",
  "test/security/attack.ts",
  "test/security/attack-child.ts",
  "test/security/vm-probe.ts",
  "test/security/worker-pool.ts",
  "test/security/worker-probe.ts",
];
/** Files that begin with an import of another: on the thread of a worker there is no other way in. */
const PRELUDES: Record<string, string> = {
  "src/lua/worker/entry.ts": `import "../../../test/security/worker-probe.js";\n`,
};

/** Compile what runs elsewhere, file by file, as far as it is out of date. Others may do so as well. */
export function build(): void {
  const files = filesBelow(join(ROOT, "src"));
  for (const file of [...files, ...OTHERS.map((name) => join(ROOT, name))]) {
    if (!file.endsWith(".ts") || file.endsWith(".d.ts")) continue;
    const name = relative(ROOT, file);
    const target = join(BUILT, name.replace(/\.ts$/, ".js"));
    const prelude = PRELUDES[name] ?? "";
    // What was compiled before it had its prelude looks fresh.
    if (prelude === "" && isFresh(target, file)) continue;
    const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), {
      fileName: file,
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    put(target, prelude + outputText);
  }
  for (const file of filesBelow(join(ROOT, "lua"))) {
    put(join(BUILT, relative(ROOT, file)), readFileSync(file));
  }
  put(join(BUILT, "package.json"), '{ "type": "module" }');
}

function isFresh(target: string, source: string): boolean {
  const built = statSync(target, { throwIfNoEntry: false });
  return built !== undefined && built.mtimeMs > statSync(source).mtimeMs;
}

/** Whole or not at all: another test file may be at it at the same time. */
function put(target: string, content: string | Uint8Array): void {
  mkdirSync(dirname(target), { recursive: true });
  const aside = `${target}.${process.pid}.${Math.random()}`;
  writeFileSync(aside, content);
  renameSync(aside, target);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
