// Puts all the code that is shipped into one file, dist/bundle/whole.code.cjs, of which each part runs when it is asked for:
// to find and link some five hundred modules takes longer than all the rest of a verb, and a host starts `orcs hook` for
// each of its events. The command line, the library, the worker thread and the process for modules are parts of it, so
// that what they share is there once, and a class such as OrcsError is the same one in all of them.
//
//   bundle/whole.cjs      loads that file with what the compiler has made of it
//   bundle/hook.cjs       the process of `orcs hook` where a service answers: next to nothing
//   bundle/program.cjs    `orcs --help`, `orcs --version`
//   index.js and others   what users import and what is started by its path: each names its part, and imports the
//                         packages that its user brings (agent SDKs)
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { compileLua } from "./compile-lua.js";
import { PAST_DOORS } from "./doors.js";
import { ENTRIES } from "./entries.js";
import { importBundled } from "./in-checkout.js";
import { expectChanged } from "./replaced.js";

const require = createRequire(import.meta.url);
const { dependencies, peerDependencies } = require("../package.json");
const { packages } = require("../package-lock.json");
const NODE_MODULES = fileURLToPath(new URL("../node_modules/", import.meta.url));
const BUILD = fileURLToPath(new URL("../build/", import.meta.url));
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const OUT = `${DIST}bundle/`;
/** The modules that are started by their paths, and what for. */
const STARTED = {
  "engine/lua/worker/entry": "worker",
  "daemon/hook/apart": "hook",
  "daemon/otel/exporting": "library",
};
/** Where a module stands in dist/: it finds files beside itself, not beside the bundle. */
const OWN_URL =
  'const ownUrl = (path) => require("node:url").pathToFileURL(require("node:path").join(__dirname, path)).href;';
const WHOLE = "\0whole";
const FROM_OUTSIDE = "\0from-outside:";
/** Every name that is imported from Node's own modules and from packages of the user's, by ours or by packages. */
const NAMES = importedNames();
/** The modules that are asked for by name. */
const parts = new Set();
/** Of each entry, what it exports and which packages its user brings. */
const entries = new Map();

rmSync(OUT, { recursive: true, force: true });
await compileLua();
// What each event compiles anew is short; names stay.
const minify = { compress: true, mangle: false, codegen: true };
await bundle({ hook: `${BUILD}daemon/hook/hook.js` }, [partsInstead("hook")], { minify });
await bundle({ program: `${BUILD}cli/program.js` }, [partsInstead("verb")], { minify });
for (const module of [...Object.values(ENTRIES), ...Object.keys(STARTED), "cli/program"]) parts.add(module);
await bundle({ whole: WHOLE }, [theWhole(), fromOutside(), importFromOutside(), required()], {
  entryFileNames: "[name].code.cjs",
});
writeWhole();
cpSync(`${BUILD}cli/main.js`, place("cli/main"));
for (const [entry, module] of Object.entries(ENTRIES)) writeEntry(entry, module, "library");
for (const [module, use] of Object.entries(STARTED)) writeEntry(module, module, use);
await warmUp();
await writeDefinitions();

async function bundle(input, plugins, output) {
  const bundled = await rolldown({
    input,
    platform: "node",
    // What a package has as ES modules can be bundled whole; the other form may require by paths of its own.
    resolve: { mainFields: ["module", "main"] },
    plugins: [PAST_DOORS, ...plugins, { name: "own-url", transform: withOwnUrl }],
  });
  await bundled.write({
    dir: OUT,
    format: "cjs",
    codeSplitting: false,
    comments: false,
    intro: OWN_URL,
    entryFileNames: "[name].cjs",
    ...output,
  });
}

/** What is imported when it is needed is a part of the whole. */
function partsInstead(use) {
  return {
    name: "parts-instead",
    transform(code, id) {
      const changed = code.replaceAll(/\bimport\("(\.[^"]+)\.js"\)/g, (_, path) => {
        const part = relative(BUILD, join(dirname(id), path));
        parts.add(part);
        return `require("./whole.cjs").load("${use}").part("${part}")`;
      });
      return changed === code ? undefined : { code: changed, map: null };
    },
    buildEnd() {
      if (parts.size === 0) throw new Error("nothing is imported when it is needed");
    },
    resolveId: (source) => (source === "./whole.cjs" ? { id: source, external: true } : undefined),
  };
}

/** The module that has all parts. */
function theWhole() {
  return {
    name: "whole",
    resolveId: (id) => (id === WHOLE ? id : undefined),
    load: (id) =>
      id === WHOLE
        ? `const parts = {
${[...parts].map((part) => `  "${part}": () => require("${BUILD}${part}.js"),`).join("\n")}
};
exports.part = (name) => parts[name]();`
        : undefined,
    buildEnd() {
      const ids = [...this.getModuleIds()];
      const foreign = ids.filter(isForDevelopment);
      if (foreign.length > 0) throw new Error(`no dependency: ${foreign.join(", ")}`);
      for (const module of [...Object.values(ENTRIES), ...Object.keys(STARTED)]) {
        const { exports } = this.getModuleInfo(`${BUILD}${module}.js`);
        entries.set(module, { exports, brought: broughtTo(this, `${BUILD}${module}.js`) });
      }
    },
  };
}

/** The packages of the user's that a module imports, or what it imports does. */
function broughtTo(context, id, seen = new Set()) {
  if (seen.has(id)) return [];
  seen.add(id);
  const name = id.startsWith(FROM_OUTSIDE) ? id.slice(FROM_OUTSIDE.length) : "";
  if (isOfTheUser(name)) return [name];
  return context.getModuleInfo(id).importedIds.flatMap((each) => broughtTo(context, each, seen));
}

function isOfTheUser(name) {
  return name.startsWith("@opentelemetry/") || Object.hasOwn(peerDependencies, name);
}

/** Whether it is of a package that who installs orcs does not get. */
function isForDevelopment(id) {
  const path = id.match(/.*(node_modules\/(?:@[^/]+\/)?[^/]+)/)?.[1];
  return path !== undefined && packages[path]?.dev === true;
}

function withOwnUrl(code, id) {
  if (!code.includes("import.meta.url")) return undefined;
  // dist/ has the folders of build/.
  const own = `ownUrl(${JSON.stringify(join("..", relative(BUILD, id)))})`;
  return { code: code.replaceAll("import.meta.url", own), map: null };
}

/**
 * Modules of Node's own, each loaded with the first part that needs it: all of them together take as long as the rest
 * of a small verb. And packages of the user's, which an entry hands in.
 */
function fromOutside() {
  return {
    name: "from-outside",
    transform: (code) => ({
      code: code.replaceAll(/\bawait import\(("node:[\w/]+")\)/g, "require($1)"),
      map: null,
    }),
    resolveId: (source, importer, { kind }) =>
      (source.startsWith("node:") || isOfTheUser(source)) &&
      kind === "import-statement" &&
      !importer?.startsWith(FROM_OUTSIDE)
        ? FROM_OUTSIDE + source
        : undefined,
    load(id) {
      if (!id.startsWith(FROM_OUTSIDE)) return undefined;
      const name = id.slice(FROM_OUTSIDE.length);
      const lines = namesOf(name).map((key) => `export const ${key} = it[${JSON.stringify(key)}];`);
      const it = isOfTheUser(name) ? "brought" : "require";
      return `const it = ${it}(${JSON.stringify(name)});\nexport default it;\n${lines.join("\n")}`;
    },
  };
}

function namesOf(name) {
  if (isOfTheUser(name)) return [...NAMES.get(name)];
  const all = [...NAMES.values()];
  return Object.keys(require(name)).filter((key) => all.some((names) => names.has(key)));
}

/**
 * Code that comes compiled cannot import: the modules of users, and packages that are not ours, are imported for it.
 */
function importFromOutside() {
  const left = new Set(["orcs/loading/module-loader", "daemon/telemetry", "shared/store-link"]);
  return {
    name: "import-from-outside",
    transform(code, id) {
      const name = [...left].find((each) => id.endsWith(`/${each}.js`));
      if (name === undefined) return undefined;
      left.delete(name);
      return { code: expectChanged(code, /\bimport\(/g, "importFromOutside("), map: null };
    },
    buildEnd() {
      if (left.size > 0) throw new Error(`not there: ${[...left].join(", ")}`);
    },
  };
}

/** What our code requires when it is needed is in the bundle, and run when it is needed. */
function required() {
  return {
    name: "required",
    transform: (code, id) =>
      id.endsWith("/matching/patterns/re2.js")
        ? {
            code: expectChanged(code, 'createRequire(import.meta.url)("re2js")', 'require("re2js")'),
            map: null,
          }
        : undefined,
  };
}

/** What our modules and the packages that they use import, by the module that it is of. */
function importedNames() {
  const names = new Map();
  const add = (from, name) => names.set(from, (names.get(from) ?? new Set()).add(name));
  const files = [BUILD, ...Object.keys(dependencies).map((name) => join(NODE_MODULES, name))]
    .flatMap((dir) => readdirSync(dir, { recursive: true }).map((name) => join(dir, name)))
    .filter((file) => /\.m?js$/.test(file));
  for (const text of files.map((file) => readFileSync(file, "utf8"))) {
    for (const [, list, from] of text.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']([^"']*)/g)) {
      for (const each of list.split(",")) add(from, each.trim().split(/\s/)[0]);
    }
    for (const [, all, from] of text.matchAll(/import\s*\*\s*as (\w+) from ["']([^"']*)/g)) {
      for (const [, name] of text.matchAll(new RegExp(`\\b${all}\\.(\\w+)`, "g"))) add(from, name);
    }
  }
  return names;
}

function writeWhole() {
  const file = `${OUT}whole.code.cjs`;
  const code = readFileSync(file, "utf8");
  if (/\bimport\(/.test(code)) throw new Error("dist/bundle/whole.code.cjs imports by itself");
  if (/String\.raw`[^`]*[^\0-\x7f]|\\[^\0-\x7f]/.test(code)) {
    throw new Error("an escape in the place of a character would mean something else here");
  }
  // A text of bytes alone takes half the memory, and is read without decoding. It is one function, so that nothing has
  // to be put around it.
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(
    file,
    `(function (exports, require, __dirname, importFromOutside, brought) {${code.replaceAll(/[^\0-\x7f]/g, escape)}\n})`,
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
const packages = {};
let whole;
/**
 * @param use a run compiles what it needs alone: events, verbs, libraries and workers need other parts
 * @param brought the packages of the user's that the part imports, by their names
 */
exports.load = (use, brought) => {
  Object.assign(packages, brought);
  return (whole ??= loaded(use));
};

function loaded(part) {
  const use = part === "verb" && process.argv[2] === "eval" ? "eval" : part;
  // An event ends before the Lua VM that V8 has optimized for it, on another core, is ready. First of all: what the
  // compiler has made is taken with the same flags alone.
  if (use === "hook" || use === "eval")
    require("node:v8").setFlagsFromString("--wasm-tiering-budget=1000000000");
  const cache = [filename, process.version, process.arch, use, "v8"].join(".");
  let cachedData;
  try {
    cachedData = readFileSync(cache);
  } catch {}
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  const exported = {};
  const importFromOutside = (url) => import(url);
  script.runInThisContext()(exported, require, __dirname, importFromOutside, (name) => packages[name]);
  if (cachedData === undefined || script.cachedDataRejected) {
    // When nobody waits any more, so that what was needed is compiled. A thread is ended from outside, and whoever
    // imports the library does not get a listener on his process.
    const keep = () => keepCompiled(script, cache);
    if (use === "worker" || use === "library") setTimeout(keep, 100).unref();
    else process.once("exit", keep);
  }
  return exported;
}

function keepCompiled(script, cache) {
  const aside = cache + "." + process.pid;
  try {
    // First of all: where nothing can be written, nothing is made. Others never write what is run.
    const file = openSync(aside, "wx", 0o644);
    writeFileSync(file, script.createCachedData());
    closeSync(file);
    renameSync(aside, cache);
  } catch {
    // An installation that others own, or a full disk: it is compiled each time.
    try {
      rmSync(aside, { force: true });
    } catch {}
  }
}
`,
  );
}

/** A module that is one part of the whole. */
function writeEntry(entry, module, use) {
  const { exports, brought } = entries.get(module);
  const imports = brought.map((name, index) => `import * as brought${index} from "${name}";`);
  const given = brought.map((name, index) => `"${name}": brought${index}`);
  const whole = relative(dirname(place(entry)), `${OUT}whole.cjs`);
  const part = `load("${use}"${given.length > 0 ? `, { ${given.join(", ")} }` : ""}).part("${module}")`;
  const names = exports.filter((name) => name !== "default");
  const lines = [
    ...imports,
    `import { load } from "${whole.startsWith(".") ? whole : `./${whole}`}";`,
    `const part = ${part};`,
    ...(names.length > 0 ? [`export const { ${names.join(", ")} } = part;`] : []),
    ...(names.length < exports.length ? ["export default part.default;"] : []),
  ];
  writeFileSync(place(entry), `${lines.join("\n")}\n`);
}

function place(entry) {
  const file = `${DIST}${entry}.js`;
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

/** What `orcs types` copies: made from the tables of the code, so it is in no commit. */
async function writeDefinitions() {
  const program = `${OUT}definitions.mjs`;
  const input = fileURLToPath(new URL("generate/definitions/lua-definitions.ts", import.meta.url));
  const { luaDefinitions } = await importBundled(input, program);
  rmSync(program);
  mkdirSync(`${DIST}meta`, { recursive: true });
  writeFileSync(`${DIST}meta/orcs.lua`, luaDefinitions());
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
  const { evaluate } = require(`${OUT}whole.cjs`).load("hook").part("daemon/hook/evaluate");
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
  rmSync(directory, { recursive: true });
}
