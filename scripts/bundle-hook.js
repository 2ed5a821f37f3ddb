// Puts what the process of `orcs hook` loads into few files: dist/bundle/. A host starts that process for each of
// its events, and to find and link some five hundred modules takes longer than all the rest of it. CommonJS, for
// that is read and compiled at once where it is required.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const OUT = `${DIST}bundle/`;
/** Where a module stands in dist/: it finds files beside itself, not beside the bundle. */
const OWN_URL =
  'const ownUrl = (path) => require("node:url").pathToFileURL(require("node:path").join(__dirname, path)).href;';
const SHARED = {
  dir: OUT,
  format: "cjs",
  minify: true,
  intro: OWN_URL,
  chunkFileNames: "[name]-[hash].cjs",
};
const EVALUATE_APART = {
  name: "evaluate-apart",
  transform: (code) => ({
    code: code.replace('await import("./evaluate.js")', 'require("./evaluate.cjs")'),
    map: null,
  }),
  resolveId: (source) => (source === "./evaluate.cjs" ? { id: source, external: true } : undefined),
};
/** Code that comes compiled cannot import: the modules of users are imported for it. */
const IMPORT_FROM_OUTSIDE = {
  name: "import-from-outside",
  transform: (code, id) =>
    id.endsWith("/handlers/module.js")
      ? { code: code.replaceAll(/\bimport\(/g, "importFromOutside("), map: null }
      : undefined,
};

rmSync(OUT, { recursive: true, force: true });
await bundle("hook", [EVALUATE_APART], { entryFileNames: "[name].cjs" });
await bundle("evaluate", [IMPORT_FROM_OUTSIDE], {
  entryFileNames: "[name].code.cjs",
  codeSplitting: false,
});
// The code is loaded with what the compiler has made of it, which only the same Node takes. It is not shipped: the first
// event after an installation writes it down, beside the code or not at all.
writeFileSync(
  `${OUT}evaluate.cjs`,
  `"use strict";
const { readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");
const filename = join(__dirname, "evaluate.code.cjs");
const cache = [filename, process.version, process.arch, "v8"].join(".");
let cachedData;
try {
  cachedData = readFileSync(cache);
} catch {}
const names = "exports, require, __dirname, importFromOutside";
const script = new Script("(function (" + names + ") {" + readFileSync(filename, "utf8") + "\\n})", {
  filename,
  cachedData,
});
script.runInThisContext()(exports, require, __dirname, (url) => import(url));
// To be called when an event was answered, so that what this took is compiled, and nobody waits.
exports.keepCompiled = () => {
  if (cachedData !== undefined && !script.cachedDataRejected) return;
  const aside = cache + "." + process.pid;
  try {
    writeFileSync(aside, script.createCachedData(), { flag: "wx" });
    renameSync(aside, cache);
  } catch {
    // An installation that others own, or a full disk: it is compiled each time.
    try {
      rmSync(aside, { force: true });
    } catch {}
  }
};
`,
);
if (/\bimport\(/.test(readFileSync(`${OUT}evaluate.code.cjs`, "utf8"))) {
  throw new Error("dist/bundle/evaluate.code.cjs imports by itself");
}
await warmUp();

async function bundle(name, plugins, output) {
  const input = { [name]: `${DIST}serve/hook/${name}.js` };
  const ownUrl = { name: "own-url", transform: withOwnUrl };
  // What a package has as ES modules can be bundled whole; the other form may require by paths of its own.
  const resolve = { mainFields: ["module", "main"] };
  const bundled = await rolldown({ input, platform: "node", resolve, plugins: [...plugins, ownUrl] });
  await bundled.write({ ...SHARED, ...output });
}

function withOwnUrl(code, id) {
  if (!code.includes("import.meta.url")) return undefined;
  const own = `ownUrl(${JSON.stringify(relative(OUT, id))})`;
  return { code: code.replaceAll("import.meta.url", own), map: null };
}

/** Answer an event, so that what this takes is compiled. */
async function warmUp() {
  const directory = mkdtempSync(join(tmpdir(), "orcs-bundle-"));
  const config = join(directory, "orcs.toml");
  writeFileSync(
    config,
    `# The machine may be busy.
lua = { max_run_ms = 10000, max_chain_ms = 10000 }
[[hooks]]
point = "tool.pre_execute"
match = { tool = "exec", command = "push.*--force" }
handler_inline = 'orcs.deny("no force")'
`,
  );
  const { keepCompiled, evaluate } = createRequire(import.meta.url)(`${OUT}evaluate.cjs`);
  const event = {
    session_id: "s",
    cwd: directory,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git push --force" },
    tool_use_id: "t",
  };
  const place = { config, directory, found: undefined, key: config };
  const asked = { host: "claude-code", event: JSON.stringify(event), place, withinMs: 30_000 };
  const { answer, finish } = await evaluate(asked);
  if (!JSON.stringify(answer).includes("no force")) throw new Error(JSON.stringify(answer));
  await finish();
  keepCompiled();
  rmSync(directory, { recursive: true });
}
