// Runs the tests against small changes of the code, to see whether they notice: `npm run mutants:engine`. What is changed is
// written down in engine-mutants.json, by the text of its line, so that the same changes are tried before and after work on
// the tests. Everything happens in a copy of the tree; the checkout is only read.
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LIST = "scripts/engine-mutants.json";
const AREAS = ["src/engine/registry", "src/engine/lua", "src/config/trust"];
const SEED = 20261123;
const MUTANTS = 60;
/** At most so many of one file. */
const PER_FILE = 2;
/** Test files that are run for a mutant, nearest first; a file and its `.slow` part count as one. */
const NEAREST = 8;
/** A mutant whose tests take longer has put them into a loop: it is noticed. In milliseconds. */
const LIMIT_MS = 150_000;
/** Tests of processes and attacks take minutes; they are run for what nothing else runs: the thread of a worker. */
const SLOW = /^test\/(dist|docs|faults|security|slow)\//;
const ONLY_BUILT = /^src\/lua\/worker\//;

const COMPARISONS = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["&&", "||"],
  ["||", "&&"],
]);

const USAGE = `npm run mutants:engine -- [options]

  --only N[,N…]  these mutants alone, by their number
  --seed N       other mutants than those of ${LIST}, chosen by this seed
  --write        write the mutants chosen by --seed into ${LIST}, and run nothing
  --limit N      stop after so many minutes; what was not run is reported as such
  --json         print the result as JSON
`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    seed: { type: "string" },
    write: { type: "boolean", default: false },
    limit: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

/** Interrupted, it reports what it has, and takes the copy away. */
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => stop.abort(signal));
}
/** What is read and changed: the checkout itself only to choose. */
const tree = options.help || options.write ? ROOT : copyOfTree();

if (options.help) process.stdout.write(USAGE);
else if (options.write) writeList(choose(Number(options.seed ?? SEED)));
else await main();

async function main() {
  const all = options.seed === undefined ? readList() : choose(Number(options.seed));
  const only = options.only?.split(",").map(Number);
  const mutants = only ? all.filter(({ number }) => only.includes(number)) : all;
  if (mutants.length === 0) throw new Error(`no mutant ${options.only}; there are ${all.length}`);
  const until = Date.now() + Number(options.limit ?? Infinity) * 60_000;
  const results = [];
  const graph = importGraph();
  const testsOf = new Map(mutants.map((mutant) => [mutant, nearestTests(graph, mutant)]));
  const failing = await failingUnchanged(new Set([...testsOf.values()].flat()), stop.signal);
  for (const file of failing) say(`left out, for it fails without any mutant: ${file}`);
  for (const mutant of mutants) {
    if (stop.signal.aborted) break;
    const tests = testsOf.get(mutant).filter((file) => !failing.has(file));
    const result =
      Date.now() > until ? { state: "not run" } : await tried(mutant, tests, stop.signal);
    if (stop.signal.aborted) break;
    results.push({ ...mutant, ...result });
    const seconds = result.seconds === undefined ? "" : ` ${result.seconds.toFixed(1)} s`;
    say(
      `${results.length}/${mutants.length} #${mutant.number} ${result.state}${seconds} ${shown(mutant)}`,
    );
  }
  report(results, mutants.length);
  if (stop.signal.aborted) process.exitCode = 130;
}

// --- The list ---------------------------------------------------------------------------------------------------

function readList() {
  return JSON.parse(readFileSync(join(ROOT, LIST), "utf8")).mutants;
}

function writeList(mutants) {
  const seed = Number(options.seed ?? SEED);
  writeFileSync(join(ROOT, LIST), `${JSON.stringify({ seed, mutants }, undefined, 2)}\n`);
  say(`${mutants.length} mutants written to ${LIST}`);
}

/** So many of each area, of each kind about the same number. */
function choose(seed) {
  const random = generator(seed);
  const chosen = [];
  for (const area of AREAS) {
    const byKind = new Map();
    for (const file of filesBelow(area)) {
      if (!/(?<!\.d)\.ts$/.test(file)) continue;
      for (const candidate of candidates(file)) {
        byKind.set(candidate.kind, [...(byKind.get(candidate.kind) ?? []), candidate]);
      }
    }
    const kinds = [...byKind.keys()].sort((a, b) => (a < b ? -1 : 1));
    for (let n = 0; n < MUTANTS / AREAS.length;) {
      const pool = byKind.get(kinds[random(kinds.length)]);
      const candidate = pool[random(pool.length)];
      const isNew = !chosen.some(
        ({ file, line, column }) =>
          file === candidate.file && line === candidate.line && column === candidate.column,
      );
      const ofFile = chosen.filter(({ file }) => file === candidate.file).length;
      if (!isNew || ofFile >= PER_FILE) continue;
      chosen.push({ number: chosen.length + 1, ...candidate });
      n++;
    }
  }
  return chosen;
}

/** Whole numbers below a limit, the same ones for the same seed (mulberry32). */
function generator(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Every change that could be made to a file: one place on one line. */
function candidates(file) {
  const text = readFileSync(join(tree, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const lines = text.split("\n");
  const found = [];
  const add = (kind, start, end, after) => {
    const before = text.slice(start, end);
    if (before.includes("\n") || before === after) return;
    const { line, character } = source.getLineAndCharacterOfPosition(start);
    const whole = lines[line];
    const indent = whole.length - whole.trimStart().length;
    const same = lines.slice(0, line).filter((other) => other.trim() === whole.trim()).length;
    found.push({ kind, file, line: whole.trim(), same, column: character - indent, before, after });
  };
  const addNode = (kind, node, after) => add(kind, node.getStart(), node.getEnd(), after);
  const visit = (node) => {
    // Nothing of types is there when it runs.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      return;
    if (ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken;
      const other = COMPARISONS.get(operator.getText());
      if (other) addNode("comparison", operator, other);
    } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
      const condition = node.expression;
      addNode("condition", condition, `!(${condition.getText()})`);
    } else if (ts.isConditionalExpression(node)) {
      addNode("condition", node.condition, `!(${node.condition.getText()})`);
    } else if (ts.isNumericLiteral(node)) {
      addNode("constant", node, String(Number(node.text.replaceAll("_", "")) + 1));
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) {
      addNode("constant", node, "false");
    } else if (node.kind === ts.SyntaxKind.FalseKeyword) {
      addNode("constant", node, "true");
    } else if (ts.isReturnStatement(node) && node.expression) {
      const isNothing = node.expression.getText() === "undefined";
      if (!isNothing) addNode("return", node, "return undefined;");
    } else if (ts.isExpressionStatement(node) && ts.isBlock(node.parent)) {
      const isSuper = node.expression.getText().startsWith("super(");
      if (!isSuper) addNode("statement", node, ";");
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Where a mutant is now: its line may have moved, also to another file of the areas. */
function locate({ file, line, same, column, before }) {
  const places = (name) => {
    const path = join(tree, name);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.flatMap((text, index) =>
      text.trim() === line && text.trim().startsWith(before, column) ? [{ file: name, index }] : [],
    );
  };
  const here = places(file);
  if (here.length > 0) return here[same] ?? here.at(-1);
  const elsewhere = AREAS.flatMap((area) => filesBelow(area)).flatMap(places);
  return elsewhere.length === 1 ? elsewhere[0] : undefined;
}

function mutated(text, { line, column, before, after }, index) {
  const lines = text.split("\n");
  const indent = lines[index].length - lines[index].trimStart().length;
  const at = indent + column;
  if (lines[index].trim() !== line) throw new Error(`line ${index + 1} is another one`);
  lines[index] = lines[index].slice(0, at) + after + lines[index].slice(at + before.length);
  return lines.join("\n");
}

// --- Which tests ------------------------------------------------------------------------------------------------

/** Who imports whom, the tests included, backwards: by a module, those that name it. */
function importGraph() {
  const importers = new Map();
  const files = [...filesBelow("src"), ...filesBelow("test")].filter((file) =>
    file.endsWith(".ts"),
  );
  const known = new Set(files);
  for (const file of files) {
    const text = readFileSync(join(tree, file), "utf8");
    // A worker or a program is named by its path alone.
    const named = [...text.matchAll(/["'`](\.{1,2}\/[^"'`\s]+\.(?:ts|js|mjs))["'`]/g)].map(
      ([, path]) => path,
    );
    if (/from "orcs"/.test(text)) named.push(relative(dirname(file), "src/index.ts"));
    for (const path of named) {
      const target = relative(tree, resolve(tree, dirname(file), path));
      const source = target.replace(/^(build|dist)\//, "src/").replace(/\.js$/, ".ts");
      if (known.has(source)) importers.set(source, [...(importers.get(source) ?? []), file]);
    }
  }
  return importers;
}

/** The test files whose modules contain the mutant's, by their distance from it, then by their names. */
function nearestTests(importers, mutant) {
  const start = locate(mutant)?.file;
  if (start === undefined) return [];
  const distance = new Map([[start, 0]]);
  for (const [file, steps] of distance) {
    for (const importer of importers.get(file) ?? []) {
      if (!distance.has(importer)) distance.set(importer, steps + 1);
    }
  }
  const folder = dirname(start).replace(/^src\//, "");
  const near = (file) => (file.includes(`/${folder}/`) ? 0 : 1);
  const tests = [...distance.keys()]
    .filter((file) => file.endsWith(".test.ts") && (ONLY_BUILT.test(start) || !SLOW.test(file)))
    .sort((a, b) => distance.get(a) - distance.get(b) || near(a) - near(b) || (a < b ? -1 : 1));
  const whole = (file) => file.replace(/\.slow\.test\.ts$/, ".test.ts");
  const names = new Set([...new Set(tests.map(whole))].slice(0, NEAREST));
  return tests.filter((file) => names.has(whole(file)));
}

// --- Running ----------------------------------------------------------------------------------------------------

/** What is there now, saved or not committed, with a build of its own. */
function copyOfTree() {
  const copy = mkdtempSync(join(tmpdir(), "orcs-mutants-"));
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
  for (const file of git("ls-files", "-co", "--exclude-standard", "-z").split("\0")) {
    if (file === "" || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  say("building in a copy");
  execFileSync("npm", ["run", "--silent", "build:unchecked"], {
    cwd: copy,
    stdio: ["ignore", 2, 2],
  });
  // Both runs of tests at once.
  writeFileSync(
    join(copy, "vitest.mutants.config.ts"),
    `import { defineConfig } from "vitest/config";
import { projectsOf, SHARED } from "./test/projects.ts";
const projects = projectsOf([]);
const env = { ORCS_TEST_SLOW: "1", ORCS_TEST_QUICK: "1" };
export default defineConfig({
  test: { ...SHARED, testTimeout: 60_000, hookTimeout: 60_000, cache: false, env, projects },
});
`,
  );
  keepBuild(copy);
  return copy;
}

/** The build is as new as it gets, or the tests would build again. */
function keepBuild(copy) {
  const future = new Date(Date.now() + 86_400_000);
  utimesSync(join(copy, "dist/bundle/whole.cjs"), future, future);
}

/** The test files that fail as things are: they could not say anything of a mutant. */
async function failingUnchanged(files, signal) {
  if (files.size === 0) return new Set();
  say(`${files.size} test files without a mutant`);
  const report = join(tree, "unchanged.json");
  await run(["--reporter=json", `--outputFile=${report}`, ...files], signal, Infinity);
  if (signal.aborted) return new Set();
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return new Set(
    testResults
      .filter(({ status }) => status !== "passed")
      .map(({ name }) => [...files].find((file) => name.endsWith(`/${file}`))),
  );
}

/** What the tests say of a mutant. */
async function tried(mutant, tests, signal) {
  const place = locate(mutant);
  if (place === undefined) return { state: "gone" };
  if (tests.length === 0) return { state: "no test" };
  const source = join(tree, place.file);
  const built = join(tree, place.file.replace(/^src\//, "build/").replace(/\.ts$/, ".js"));
  const before = [source, built].map((file) => ({ file, text: readFileSync(file, "utf8") }));
  const text = mutated(before[0].text, mutant, place.index);
  writeFileSync(source, text);
  // Workers and processes run what is built.
  writeFileSync(built, transpiled(text, place.file));
  if (tests.some((file) => SLOW.test(file))) {
    execFileSync(process.execPath, ["scripts/bundle.js"], { cwd: tree, stdio: ["ignore", 2, 2] });
    keepBuild(tree);
  }
  const started = Date.now();
  try {
    const code = await run(["--bail=1", "--reporter=dot", ...tests], signal, LIMIT_MS);
    const state = code === 0 ? "survived" : "killed";
    const why = code === "timeout" ? { timeout: true } : {};
    return { state, ...why, seconds: (Date.now() - started) / 1000, tests };
  } finally {
    for (const { file, text } of before) writeFileSync(file, text);
  }
}

function transpiled(text, fileName) {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), (file) =>
    ts.sys.readFile(file),
  );
  // Of one file alone, `nodenext` cannot know what kind of module it is.
  const settings = {
    ...config.compilerOptions,
    noEmit: false,
    module: "esnext",
    moduleResolution: "bundler",
  };
  const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(settings, ROOT);
  return ts.transpileModule(text, { compilerOptions, fileName }).outputText;
}

/** @returns the exit code of vitest, or that it took too long */
function run(args, signal, limitMs) {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const command = [vitest, "run", "--config", "vitest.mutants.config.ts", ...args];
  return new Promise((resolved) => {
    // A group of its own, so that what the tests have started ends with them.
    const child = spawn(process.execPath, command, { cwd: tree, stdio: "ignore", detached: true });
    const kill = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    };
    let isLate = false;
    const timer = Number.isFinite(limitMs)
      ? setTimeout(() => {
          isLate = true;
          kill();
        }, limitMs)
      : undefined;
    signal.addEventListener("abort", kill);
    child.once("exit", (code) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", kill);
      kill();
      resolved(isLate ? "timeout" : code);
    });
  });
}

// --- What came of it --------------------------------------------------------------------------------------------

function report(results, wanted) {
  const count = (state) => results.filter((result) => result.state === state).length;
  const [killed, survived, noTest, gone] = ["killed", "survived", "no test", "gone"].map(count);
  const ran = killed + survived + noTest;
  const score = ran === 0 ? 0 : killed / ran;
  const counts = { killed, survived, no_test: noTest, gone, not_run: wanted - ran - gone };
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ score, ...counts, mutants: results }, undefined, 2)}\n`,
    );
    return;
  }
  const rows = AREAS.map((area) => {
    const states = results
      .filter(({ file }) => file.startsWith(`${area}/`))
      .map(({ state }) => state);
    const of = (wanted) => states.filter((state) => state === wanted).length;
    return [area, of("killed"), of("survived"), of("no test"), of("gone")];
  });
  const table = [
    ["", "killed", "survived", "no test", "gone"],
    ...rows,
    ["all", killed, survived, noTest, gone],
  ];
  for (const [name, ...cells] of table) {
    console.log(String(name).padEnd(16) + cells.map((cell) => String(cell).padStart(10)).join(""));
  }
  console.log(`score: ${(score * 100).toFixed(1)} % of ${ran}`);
  if (counts.not_run > 0) console.log(`${counts.not_run} were not run`);
  for (const state of ["survived", "no test", "gone"]) {
    for (const result of results.filter((each) => each.state === state)) {
      console.log(`${state}: #${result.number} ${shown(result)}`);
    }
  }
}

function shown(mutant) {
  const { file, line, before, after, kind } = mutant;
  const index = locate(mutant)?.index;
  const place = index === undefined ? `${file} "${line}"` : `${locate(mutant).file}:${index + 1}`;
  return `${place} ${kind}: ${before} → ${after === ";" ? "(removed)" : after}`;
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Paths of all files below a folder, as seen from the root. */
function filesBelow(folder) {
  return readdirSync(join(tree, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(join(tree, file)).isFile())
    .sort();
}
