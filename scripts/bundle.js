// Puts what the command line loads into few files: dist/bundle/. To find and link some five hundred modules takes
// longer than all the rest of a verb, and a host starts `orcs hook` for each of its events. CommonJS, for that is read
// and compiled at once where it is required.
//
//   hook.cjs     the process of `orcs hook` where a service answers: next to nothing
//   program.cjs  `orcs --help`, `orcs --version`
//   whole.cjs    everything, each part of it run when it is asked for, with what the compiler has made of it
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { compileLua } from "./compile-lua.js";
import { PAST_DOORS } from "./doors.js";

const require = createRequire(import.meta.url);
const PACKAGES = Object.keys(require("../package.json").dependencies);
const MODULES = fileURLToPath(new URL("../node_modules/", import.meta.url));
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
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
};
const WHOLE = "\0whole";
/** Every name that is imported from Node's own modules, by ours or by packages. */
const NAMES = importedNames();
/** What whole.cjs exports. Each part is loaded when it is called. */
const ENTRY = `
export const evaluate = async (asked) => (await import("${DIST}daemon/hook/evaluate.js")).evaluate(asked);
export const runProgram = async () => (await import("${DIST}cli/program.js")).runProgram();
export const loadedCommand = async (name) => (await import("${DIST}cli/verb-loaders.js")).loadedCommand(name);
`;
/** What our code requires when it is needed is in the bundle, and run when it is needed. */
const REQUIRED = {
  name: "required",
  transform: (code, id) =>
    id.endsWith("/matching/patterns/re2.js")
      ? { code: replaced(code, 'createRequire(import.meta.url)("re2js")', 'require("re2js")'), map: null }
      : undefined,
};
/** Code that comes compiled cannot import: the modules of users, and packages that are not ours, are imported for it. */
const IMPORT_FROM_OUTSIDE = {
  name: "import-from-outside",
  transform: (code, id) =>
    /\/(orcs\/loading\/module-loader|daemon\/telemetry)\.js$/.test(id)
      ? { code: code.replaceAll(/\bimport\(/g, "importFromOutside("), map: null }
      : undefined,
};

rmSync(OUT, { recursive: true, force: true });
await compileLua();
await bundle({ hook: `${DIST}daemon/hook/hook.js` }, [wholeInstead("evaluate.js")]);
await bundle({ program: `${DIST}cli/program.js` }, [wholeInstead("verb-loaders.js")]);
const entry = {
  name: "whole",
  resolveId: (id) => (id === WHOLE ? id : undefined),
  load: (id) => (id === WHOLE ? ENTRY : undefined),
};
await bundle({ whole: WHOLE }, [entry, lazyBuiltins(), IMPORT_FROM_OUTSIDE, REQUIRED], {
  entryFileNames: "[name].code.cjs",
  codeSplitting: false,
});
const code = readFileSync(`${OUT}whole.code.cjs`, "utf8");
if (/\bimport\(/.test(code)) throw new Error("dist/bundle/whole.code.cjs imports by itself");
if (/String\.raw`[^`]*[^\0-\x7f]|\\[^\0-\x7f]/.test(code)) {
  throw new Error("an escape in the place of a character would mean something else here");
}
// A text of bytes alone takes half the memory, and is read without decoding. It is one function, so that nothing has to
// be put around it.
const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
writeFileSync(
  `${OUT}whole.code.cjs`,
  `(function (exports, require, __dirname, importFromOutside) {${code.replaceAll(/[^\0-\x7f]/g, escape)}\n})`,
);
// The code is loaded with what the compiler has made of it, which only the same Node takes. It is not shipped: the
// first run after an installation writes it down, beside the code or not at all.
writeFileSync(
  `${OUT}whole.cjs`,
  `"use strict";
const { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");
const filename = join(__dirname, "whole.code.cjs");
// A run compiles what it needs alone: events and the command line need other parts.
const verb = process.argv[2];
const use = verb === "hook" || verb === "eval" ? verb : "verb";
const cache = [filename, process.version, process.arch, use, "v8"].join(".");
// An event ends before the Lua VM that V8 has optimized for it, on another core, is ready. First of all: what the compiler
// has made is taken with the same flags alone.
if (use !== "verb") require("node:v8").setFlagsFromString("--wasm-tiering-budget=1000000000");
let cachedData;
try {
  cachedData = readFileSync(cache);
} catch {}
const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
script.runInThisContext()(exports, require, __dirname, (url) => import(url));
// To be called when an event was answered, so that what this took is compiled, and nobody waits.
exports.keepCompiled = () => {
  if (cachedData !== undefined && !script.cachedDataRejected) return;
  const aside = cache + "." + process.pid;
  try {
    // First of all: where nothing can be written, nothing is made.
    const file = openSync(aside, "wx");
    writeFileSync(file, script.createCachedData());
    closeSync(file);
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
await warmUp();

async function bundle(input, plugins, output) {
  const ownUrl = { name: "own-url", transform: withOwnUrl };
  // What a package has as ES modules can be bundled whole; the other form may require by paths of its own.
  const resolve = { mainFields: ["module", "main"] };
  const bundled = await rolldown({
    input,
    platform: "node",
    resolve,
    plugins: [PAST_DOORS, ...plugins, ownUrl],
  });
  await bundled.write({ ...SHARED, ...output });
}

/** @throws Error when there is nothing to replace */
function replaced(code, text, by) {
  if (!code.includes(text)) throw new Error(`there is no ${text}: it was to be ${by}`);
  return code.replace(text, by);
}

/** Have whole.cjs in the place of a module that is imported when it is needed. */
function wholeInstead(name) {
  let found = 0;
  return {
    name: "whole-instead",
    transform(code) {
      const parts = code.split(`await import("./${name}")`);
      found += parts.length - 1;
      return { code: parts.join('require("./whole.cjs")'), map: null };
    },
    buildEnd() {
      if (found === 0) throw new Error(`nothing imports ${name}: whole.cjs would be bundled twice`);
    },
    resolveId: (source) => (source === "./whole.cjs" ? { id: source, external: true } : undefined),
  };
}

function withOwnUrl(code, id) {
  if (!code.includes("import.meta.url")) return undefined;
  const own = `ownUrl(${JSON.stringify(relative(OUT, id))})`;
  return { code: code.replaceAll("import.meta.url", own), map: null };
}

/**
 * Modules of Node's own, each loaded with the first part that needs it: all of them together take as long as the rest
 * of a small verb.
 */
function lazyBuiltins() {
  const MARK = "\0builtin:";
  return {
    name: "lazy-builtins",
    transform: (code) => ({
      code: code.replaceAll(/\bawait import\(("node:[\w/]+")\)/g, "require($1)"),
      map: null,
    }),
    resolveId: (source, importer, { kind }) =>
      source.startsWith("node:") && kind === "import-statement" && !importer?.startsWith(MARK)
        ? MARK + source
        : undefined,
    load(id) {
      if (!id.startsWith(MARK)) return undefined;
      const name = id.slice(MARK.length);
      const exported = Object.keys(require(name)).filter((key) => NAMES.has(key));
      const lines = exported.map((key) => `export const ${key} = it[${JSON.stringify(key)}];`);
      return `const it = require(${JSON.stringify(name)});\nexport default it;\n${lines.join("\n")}`;
    },
  };
}

/** What our modules and the packages that they use import of Node's own modules, whichever it is of. */
function importedNames() {
  const names = new Set();
  const packages = PACKAGES.map((name) => join(MODULES, name));
  const files = [DIST, ...packages]
    .flatMap((dir) => readdirSync(dir, { recursive: true }).map((name) => join(dir, name)))
    .filter((file) => /\.m?js$/.test(file));
  for (const text of files.map((file) => readFileSync(file, "utf8"))) {
    for (const [, list] of text.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']/g)) {
      for (const each of list.split(",")) names.add(each.trim().split(/\s/)[0]);
    }
    for (const [, all] of text.matchAll(/import\s*\*\s*as (\w+) from ["']/g)) {
      for (const [, name] of text.matchAll(new RegExp(`\\b${all}\\.(\\w+)`, "g"))) names.add(name);
    }
  }
  return names;
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
  process.argv[2] = "hook";
  const { keepCompiled, evaluate } = require(`${OUT}whole.cjs`);
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
