import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Where what other processes and threads run is, in folders as in the repository. */
export const BUILT = join(ROOT, "node_modules/.cache/orcs-test-dist");
/** Written last. */
const DONE = join(BUILT, "package.json");

/** A file that begins with an import of another: on the thread of a worker there is no other way in. */
const ENTRY = "src/engine/lua/worker/entry.ts";
const PRELUDE = `import "../../../../test/security/worker-probe.js";\n`;
/** Files besides those of the program, and the entry, which in `dist/` has all its modules in it. */
const OTHERS = [
  ENTRY,
  "test/unit/engine/lua/rig.ts",
  "test/security/attack.ts",
  "test/security/attack-child.ts",
  "test/security/vm-probe.ts",
  "test/security/worker-pool.ts",
  "test/security/worker-probe.ts",
];

/**
 * Once before the tests, after `dist/` was built: a copy of it, and the tests' own files beside it, compiled, unless
 * all of it is newer than what it is made of.
 */
export default async function build(): Promise<void> {
  const done = statSync(DONE, { throwIfNoEntry: false });
  if (done && done.mtimeMs > newest()) return;
  const { default: ts } = await import("typescript");
  // Whole or not at all: another run may be at it at the same time.
  const aside = `${BUILT}.${process.pid}`;
  const isOfProgram = (from: string): boolean =>
    !from.endsWith(".d.ts") && from !== join(ROOT, "dist/bundle");
  cpSync(join(ROOT, "dist"), join(aside, "src"), { recursive: true, filter: isOfProgram });
  cpSync(join(ROOT, "lua"), join(aside, "lua"), { recursive: true });
  for (const name of OTHERS) {
    const { outputText } = ts.transpileModule(readFileSync(join(ROOT, name), "utf8"), {
      fileName: join(ROOT, name),
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    const target = join(aside, name.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, name === ENTRY ? PRELUDE + outputText : outputText);
  }
  writeFileSync(join(aside, "package.json"), '{ "type": "module" }');
  rmSync(BUILT, { recursive: true, force: true });
  renameSync(aside, BUILT);
}

function newest(): number {
  const lua = readdirSync(join(ROOT, "lua"), { recursive: true, encoding: "utf8" });
  const all = [
    // Written at the end of a build.
    "dist/bundle/whole.cjs",
    "test/security/build.ts",
    ...OTHERS,
    ...lua.map((name) => join("lua", name)),
  ];
  return Math.max(...all.map((name) => statSync(join(ROOT, name)).mtimeMs));
}
