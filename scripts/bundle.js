// Puts all the code that is shipped into few files, dist/bundle/*.code.cjs, of which each part runs when it is asked
// for: to find and link some five hundred modules takes longer than all the rest of a verb, and a host starts `orcs hook`
// for each of its events. The command line, the library, the worker thread and the process for modules are parts of
// them, so that what they share is there once, and a class such as OrcsError is the same one in all of them.
//
//   bundle/whole.cjs      loads those files with what the compiler has made of them
//   bundle/constants.js   what an import of the library has at once: an ES module, as Node needs no other loader then
//   bundle/hook.cjs       the process of `orcs hook` where a service answers: next to nothing
//   bundle/program.cjs    `orcs --help`, `orcs --version`
//   index.js and others   what users import and what is started by its path: each names its part, and imports the
//                         packages that its user brings (agent SDKs)
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { compileLua } from "./compile-lua.js";
import { fileBehind, PAST_DOORS } from "./doors.js";
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
/** The files that an import of the library loads. */
const FIRST = ["rolldown-runtime.code.cjs", "constants.code.cjs"];
const FIRST_BEGIN = "const first = ";
const FIRST_END = "; // The end of what is loaded first.";
/** What is imported at once and loaded when it is called: most runs never do. Parts, by their files. */
const LATE = {
  shell: { part: "matching/shell/shell", inside: ["matching/shell/", "guards/"] },
  guards: { part: "guards/effects/effect-reader", inside: ["guards/"] },
  redact: { part: "guards/redact/redactor", inside: [] },
  invoke: { part: "engine/registry/invoke", inside: [] },
  audit: { part: "records/audit/audit-log", inside: [] },
  "trust-set": { part: "config/trust/trust-set", inside: [] },
  runtime: { part: "engine/orcs/runtime/runtime", inside: [] },
  outside: { part: "engine/orcs/loading/outside-runners", inside: [] },
};
const LATE_ID = "\0late:";
/** Where a module stands in dist/: it finds files beside itself, not beside the bundle. */
const OWN_URL =
  'const ownUrl = (path) => require("node:url").pathToFileURL(require("node:path").join(__dirname, path)).href;';
/** The package of regular expressions, whose code is loaded with the first of them. */
const EXPRESSIONS = "re2js";
/** What the library exports besides functions. */
const CONSTANTS = "constants";
/** Agents besides Claude Code, each with a folder of its format. */
const AGENTS = ["codex", "copilot", "cursor", "gemini"];
/**
 * The files, and the modules that each begins with: it has what these import, unless an earlier one has it. A module
 * that is in an earlier file stands for what it imports when it is needed.
 */
const FILES = {
  constants: [CONSTANTS],
  engine: ["engine/create-orcs", "index", "config/trust/config-place"],
  positions: ["config/toml-edit"],
  lint: ["engine/lint/check-results"],
  worker: ["engine/lua/worker/worker-layer", "engine/lua/worker/entry"],
  ...lateFiles("shell", "guards", "redact", "invoke", "audit", "trust-set"),
  event: ["daemon/hook/evaluate"],
  // After that of each event, which has a little of them.
  ...lateFiles("runtime", "outside"),
  claude: ["formats/claude-code/host"],
  formats: AGENTS.map((name) => `formats/${name}/host`),
  eval: ["cli/program", "cli/verb-loaders", "cli/eval"],
};
/** How the bundler exports a name to other files. */
const EXPORTED =
  /^Object\.defineProperty\(exports, "([^"]+)", \{\s+enumerable: true,\s+get: function\(\) \{\s+return ([^;]+);\s+\}\s+\}\);\n/gm;
const FROM_OUTSIDE = "\0from-outside:";
/** Modules of Node's own that take long to load, and that most runs do not need. */
const LATE_MODULES = [
  "node:child_process",
  "node:crypto",
  "node:dns/promises",
  "node:fs/promises",
  "node:http",
  "node:https",
  "node:net",
  "node:readline",
  "node:stream",
  "node:timers/promises",
  "node:zlib",
];
/** Every name that is imported from Node's own modules and from packages of the user's, by ours or by packages. */
const NAMES = importedNames();
const LIBRARY = await libraryExports();
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
for (const module of [...Object.values(ENTRIES), ...Object.keys(STARTED), "cli/program"])
  parts.add(module);
for (const { part } of Object.values(LATE)) parts.add(part);
writeWhole(await bundleParts());
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
    preserveEntrySignatures: "allow-extension",
    onLog: (level, log, handle) => {
      // What is in the same file anyway is imported when it is needed as well; and our entries know each export by name.
      if (!/^(?:INEFFECTIVE_DYNAMIC_IMPORT|MIXED_EXPORTS)$/.test(log.code)) handle(level, log);
    },
  });
  return bundled.write({
    dir: OUT,
    format: "cjs",
    codeSplitting: false,
    comments: false,
    intro: OWN_URL,
    entryFileNames: "[name].cjs",
    ...output,
  });
}

/** Every part, and the files that they have in common. */
function bundleParts() {
  const input = Object.fromEntries([...parts].map((part) => [part, `${BUILD}${part}.js`]));
  const plugins = [
    constants(),
    checkedParts(),
    late(),
    fromOutside(),
    importFromOutside(),
    required(),
  ];
  let files;
  const isExpressions = (id) => id.includes(`node_modules/${EXPRESSIONS}/`);
  const name = (id, context) =>
    isExpressions(id) ? "expressions" : ((files ??= filesOf(context)).get(id) ?? "rest");
  return bundle({ ...input, constants: CONSTANTS, [EXPRESSIONS]: EXPRESSIONS }, plugins, {
    // The order in which modules run does not depend on the files that they are in.
    strictExecutionOrder: true,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name, debugName: "file", test: () => true }],
    },
    entryFileNames: "[name].part",
    chunkFileNames: "[name].code.cjs",
  });
}

function lateFiles(...names) {
  return Object.fromEntries(names.map((name) => [name, [LATE[name].part]]));
}

/** The file of each module. */
function filesOf(context) {
  const files = new Map();
  const add = (id, file) => {
    if (files.has(id)) return;
    files.set(id, file);
    const known = context.getModuleInfo(id);
    if (known === null) throw new Error(`${file}: there is no ${id}`);
    for (const each of known.importedIds) add(each, file);
  };
  for (const [file, modules] of Object.entries(FILES)) {
    for (const module of modules) {
      const id = module === CONSTANTS ? module : `${BUILD}${module}.js`;
      const late = context.getModuleInfo(id)?.dynamicallyImportedIds ?? [];
      if (!files.has(id)) add(id, file);
      else if (late.length > 0) for (const each of late) add(each, file);
      else throw new Error(`${file}: ${module} is in ${files.get(id)}, and loads nothing later`);
    }
  }
  return files;
}

/** In the place of functions that are loaded when they are called, functions that load them. */
function late() {
  return {
    name: "late",
    resolveId(source, importer) {
      if (source.endsWith(".part")) return { id: source, external: true };
      if (!importer?.startsWith(BUILD) || !source.startsWith(".")) return undefined;
      const module = relative(BUILD, join(dirname(importer), source)).replace(/\.js$/, "");
      const found = Object.values(LATE).find(({ part }) => part === module);
      const from = relative(BUILD, importer);
      return found && !found.inside.some((folder) => from.startsWith(folder))
        ? LATE_ID + module
        : undefined;
    },
    async load(id) {
      if (!id.startsWith(LATE_ID)) return undefined;
      const part = id.slice(LATE_ID.length);
      const names = Object.entries(await import(`${BUILD}${part}.js`))
        .filter(([, value]) => typeof value === "function")
        .map(([name]) => name);
      return { code: loadedLate(`./${part}.part`, names), moduleSideEffects: false };
    },
  };
}

/** Whether what a module exports is a function that can be called by another one. */
function isFunction([, value]) {
  return typeof value === "function" && !String(value).startsWith("class");
}

/** What is imported when it is needed is a part of the whole. */
function partsInstead(use) {
  return {
    name: "parts-instead",
    transform(code, id) {
      if (!id.startsWith(BUILD)) return undefined;
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

/** Constants and classes, which an import must have at once: functions can be loaded when they are called. */
function constants() {
  const index = `${BUILD}index.js`;
  const lines = LIBRARY.constants.map(
    (name) => `export { ${name} } from "${fileBehind(index, name)}";\n`,
  );
  return {
    name: "constants",
    resolveId: (id) => (id === CONSTANTS ? id : undefined),
    load: (id) => (id === CONSTANTS ? lines.join("") : undefined),
  };
}

/** What the library exports. */
async function libraryExports() {
  const exported = Object.entries(await import(`${BUILD}index.js`));
  return {
    constants: exported.filter((each) => !isFunction(each)).map(([name]) => name),
    functions: exported.filter(isFunction).map(([name]) => name),
  };
}

function checkedParts() {
  return {
    name: "checked-parts",
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
      const names = namesOf(name);
      const lines = names.map((key) => `export const ${key} = it[${JSON.stringify(key)}];`);
      if (LATE_MODULES.includes(name)) return lateModule(name);
      const it = isOfTheUser(name) ? "brought" : "require";
      return `const it = ${it}(${JSON.stringify(name)});\nexport default it;\n${lines.join("\n")}`;
    },
  };
}

/** A module of which only functions and classes are used: loaded by the first call. */
function lateModule(name) {
  const module = require(name);
  const names = [...NAMES.get(name)].filter((key) => Object.hasOwn(module, key));
  const other = names.find((key) => typeof module[key] !== "function");
  if (other !== undefined)
    throw new Error(`${name} cannot be loaded late: ${other} is no function`);
  return loadedLate(name, names);
}

/** Functions and classes of a module that is loaded by the first call of one. */
function loadedLate(name, names) {
  const lines = names.map(
    (key) => `export const ${key} = ${/^[A-Z]/.test(key) ? "lateClass" : "late"}("${key}");`,
  );
  return `let it;
const need = () => (it ??= require(${JSON.stringify(name)}));
const late = (key) => (...args) => need()[key](...args);
const lateClass = (key) =>
  new Proxy(function () {}, {
    construct: (_, args, target) => Reflect.construct(need()[key], args, target),
    get: (_, of) => need()[key][of],
  });
${lines.join("\n")}`;
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
            code: expectChanged(
              code,
              `createRequire(import.meta.url)("${EXPRESSIONS}")`,
              `require("./${EXPRESSIONS}.part")`,
            ),
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

function writeWhole({ output }) {
  const written = [];
  const first = [];
  for (const { fileName, code, modules } of output) {
    const file = `${OUT}${fileName}`;
    if (/\bimport\(/.test(code)) throw new Error(`${file} imports by itself`);
    if (/String\.raw`[^`]*[^\0-\x7f]|\\[^\0-\x7f]/.test(code)) {
      throw new Error("an escape in the place of a character would mean something else here");
    }
    // A text of bytes alone takes half the memory, and is read without decoding. It is one function, so that nothing
    // has to be put around it.
    const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const ascii = code.replaceAll(/[^\0-\x7f]/g, escape);
    // An import reads all of the first ones.
    const bytes = FIRST.includes(fileName) ? ascii : readOnDemand(ascii);
    const part = fileName.endsWith(".part") ? fileName.slice(0, -".part".length) : undefined;
    const isShort = Object.keys(modules).length === 0;
    if (part !== undefined) {
      rmSync(file);
      const body = isShort
        ? bytes
        : `Object.assign(exports, require("./${basename(part)}.code.cjs"));`;
      written.push(`  ${JSON.stringify(part)}(exports, require) {\n${body}\n  },\n`);
    }
    if (part !== undefined && isShort) continue;
    if (FIRST.includes(fileName)) {
      first.push(
        `  ${JSON.stringify(fileName)}: (function (exports, require, __dirname) {${bytes}\n}),\n`,
      );
      rmSync(file);
      continue;
    }
    writeFileSync(
      part === undefined ? file : `${OUT}${basename(part)}.code.cjs`,
      `(function (exports, require, __dirname, importFromOutside, brought) {${bytes}\n})`,
    );
  }
  for (const folder of readdirSync(OUT, { withFileTypes: true })) {
    if (folder.isDirectory()) rmSync(join(OUT, folder.name), { recursive: true });
  }
  writeFirst(first);
  // The code is loaded with what the compiler has made of it, which only the same Node takes. It is not shipped: the
  // first run after an installation writes it down, beside the code or not at all.
  writeFileSync(
    `${OUT}whole.cjs`,
    `"use strict";
const { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { Script } = require("node:vm");
const { pathToFileURL } = require("node:url");
const packages = {};
/** Shared with constants.js. */
const loaded = (globalThis[Symbol.for(pathToFileURL(join(__dirname, "/")).href)] ??= new Map());
const unkept = [];
let first;
let use;
/**
 * @param by a run compiles what it needs alone: events, verbs, libraries and workers need other functions
 * @param brought the packages of the user's that the part imports, by their names
 */
exports.load = (by, brought) => {
  Object.assign(packages, brought);
  use ??= by;
  return { part };
};

function part(name) {
  const known = loaded.get(name);
  if (known) return known;
  const exported = {};
  loaded.set(name, exported);
  parts[name](exported, requireHere);
  return exported;
}

/** A file of the bundle, a part, or a module of Node's own. */
function requireHere(id) {
  if (!id.startsWith(".")) return require(id);
  return id.endsWith(".part") ? part(id.slice(id.lastIndexOf("./") + 2, -".part".length)) : file(basename(id));
}

function file(name) {
  const known = loaded.get(name);
  if (known) return known;
  const code = ${JSON.stringify(FIRST)}.includes(name) ? (first ??= codeOf("constants.js"))[name] : codeOf(name);
  const exported = {};
  loaded.set(name, exported);
  const importFromOutside = (url) => import(url);
  code(exported, requireHere, __dirname, importFromOutside, (name) => packages[name]);
  return exported;
}

function codeOf(name) {
  const filename = join(__dirname, name);
  const cache = [filename, process.version, process.arch, use, "v8"].join(".");
  let cachedData;
  try {
    cachedData = readFileSync(cache);
  } catch {}
  let text = readFileSync(filename, "latin1");
  if (name === "constants.js") text = text.slice(${FIRST_BEGIN.length}, text.indexOf(${JSON.stringify(FIRST_END)}));
  const script = new Script(text, { filename, cachedData });
  const made = script.runInThisContext();
  if (cachedData === undefined || script.cachedDataRejected) keepLater(script, cache);
  return made;
}

/** Keep what was compiled, when nobody waits any more, so that what was needed is compiled. */
function keepLater(script, cache) {
  unkept.push([script, cache]);
  if (unkept.length > 1) return;
  const keep = () => {
    process.removeListener("exit", keep);
    for (const each of unkept.splice(0)) keepCompiled(...each);
  };
  // A thread is ended from outside, and a program that uses the library may run for long, or end soon.
  if (use === "worker" || use === "library") setTimeout(keep, 100).unref();
  if (use !== "worker") process.once("exit", keep);
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

const parts = {
${written.join("")}};
`,
  );
}

/**
 * A file that defines what it exports when another file asks for it: hundreds of functions, one for each name, take
 * milliseconds. What has a value keeps it, except functions that run a module, which replace themselves.
 */
function readOnDemand(code) {
  const exported = [...code.matchAll(EXPORTED)];
  if (exported.length === 0) return code;
  return `${code.replaceAll(EXPORTED, "")}
const exportedAt = (at) => {
  switch (at) {
${exported.map(([, , value], at) => `    case ${at}: return ${value};`).join("\n")}
  }
};
let exportedNames;
const defineExported = (name, self) => {
  exportedNames ??= "${exported.map(([, name]) => name).join(" ")}".split(" ");
  const at = exportedNames.indexOf(name);
  const value = exportedAt(at);
  if (String(name).startsWith("init_")) Object.defineProperty(self, name, { get: () => exportedAt(at) });
  else if (value !== undefined) Object.defineProperty(self, name, { value });
  return value;
};
Object.setPrototypeOf(exports, new Proxy({}, { get: (_, name, self) => defineExported(name, self) }));
`;
}

/**
 * What is loaded first, as an ES module that `whole.cjs` can read as well. What it has made is kept by its folder for
 * the whole process: a class must be the same one for who starts with an import and for who starts with the command line.
 */
function writeFirst(first) {
  writeFileSync(
    `${OUT}constants.js`,
    `${FIRST_BEGIN}({\n${first.join("")}})${FIRST_END}
const made = (globalThis[Symbol.for(new URL(".", import.meta.url).href)] ??= new Map());
const here = (id) => {
  const name = id.slice(id.lastIndexOf("/") + 1);
  if (made.has(name)) return made.get(name);
  const exported = {};
  made.set(name, exported);
  first[name](exported, here);
  return exported;
};
const constants = here("./constants.code.cjs");
constants.init_constants();
export default constants;
`,
  );
}

/** A module that is one part of the whole. */
function writeEntry(entry, module, use) {
  const { exports, brought } = entries.get(module);
  const imports = brought.map((name, index) => `import * as brought${index} from "${name}";`);
  const given = brought.map((name, index) => `"${name}": brought${index}`);
  const path = relative(dirname(place(entry)), `${OUT}whole.cjs`);
  const whole = `createRequire(import.meta.url)("${path.startsWith(".") ? path : `./${path}`}")`;
  const load = `${whole}.load("${use}"${given.length > 0 ? `, { ${given.join(", ")} }` : ""})`;

  const names = exports.filter((name) => name !== "default");
  if (names.includes("*")) throw new Error(`${module} exports *: name what it exports`);
  // Not by an import: Node would look for what the file exports first.
  const lines = [...imports, `import { createRequire } from "node:module";`];
  if (module === "index")
    lines.push(...libraryLines(load, relative(dirname(place(entry)), `${OUT}constants.js`)));
  else {
    lines.push(`const part = ${load}.part("${module}");`);
    if (names.length > 0) lines.push(`export const { ${names.join(", ")} } = part;`);
    if (names.length < exports.length) lines.push("export default part.default;");
  }
  writeFileSync(place(entry), `${lines.join("\n")}\n`);
}

/** A program that imports the library may never call it: its code is loaded by the first call. */
function libraryLines(load, constants) {
  return [
    `import constants from "./${constants}";`,
    `export const { ${LIBRARY.constants.join(", ")} } = constants;`,
    `let part;\nconst library = () => (part ??= ${load}.part("index"));`,
    ...LIBRARY.functions.map(
      (name) => `export function ${name}(...args) {\n  return library().${name}(...args);\n}`,
    ),
  ];
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
