// Cases of edited-modules.test.ts, in one process of their own: a test runner has a loader of modules of its own.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const { createOrcs } = await import(process.argv[2]);
const CONFIG = `[[hooks]]\npoint = "tool.pre_execute"\nmodule = "./guard.mjs"\n`;
const root = realpathSync(mkdtempSync(join(tmpdir(), "orcs-edited-")));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

const says = (text) => `export default () => ({ action: "abort", reason: ${text} });\n`;
const write = (dir, files) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
};
let folders = 0;
const folder = (files) => {
  const dir = join(root, String(folders++));
  write(dir, { "orcs.toml": CONFIG, ...files });
  return dir;
};
const lines = [];
const line = (text) => lines.push(text);
const logger = { debug() {}, info() {}, warn: line, error() {} };
const open = (dir, more) =>
  createOrcs({ config: join(dir, "orcs.toml"), cwd: dir, logger, ...more });
const reasonOf = async (orcs) =>
  (await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} })).reason;
const soon = async (check) => {
  for (let left = 300; ; left--) {
    if (await check()) return;
    if (left === 0) return assert.fail(`never: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Files whose hook gives a text that contains the version. */
const GRAPHS = {
  "the module itself": (v) => ({ "guard.mjs": says(`"${v}"`) }),
  "an ES module behind another one": (v) => ({
    "guard.mjs": `import { text } from "./lib/a.mjs?x=1";\n${says("text")}`,
    "lib/a.mjs": `export { text } from "../b.mjs";`,
    "b.mjs": `export const text = "${v}";`,
  }),
  "one of a cycle": (v) => ({
    "guard.mjs": `import { a } from "./a.mjs";\nexport const own = "g";\n${says("a()")}`,
    "a.mjs": `import { own } from "./guard.mjs";\nexport const a = () => own + "${v}";`,
  }),
  "a module that is imported by a call": (v) => ({
    "guard.mjs": `export default async () => ({ action: "abort", reason: (await import("./a.mjs")).text });`,
    "a.mjs": `export const text = "${v}";`,
  }),
  "CommonJS behind CommonJS": (v) => ({
    "guard.mjs": `import a from "./a.cjs";\n${says("a.text()")}`,
    "a.cjs": `exports.text = () => require("./b") + require("./c.json").v;`,
    "b.js": `module.exports = "${v}";`,
    "c.json": `{"v":"${v}"}`,
    "package.json": `{"type":"commonjs"}`,
  }),
  "a hook in CommonJS": (v) => ({
    "orcs.toml": CONFIG.replace(".mjs", ".cjs"),
    "guard.cjs": `module.exports = () => ({ action: "abort", reason: require("./a.cjs") });`,
    "a.cjs": `module.exports = "${v}";`,
  }),
  "CommonJS behind createRequire": (v) => ({
    "guard.mjs": `import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);\n${says('require("./a.cjs")')}`,
    "a.cjs": `module.exports = "${v}";`,
  }),
  "an imported JSON file": (v) => ({
    "guard.mjs": `import a from "./a.json" with { type: "json" };\n${says("a.v")}`,
    "a.json": `{"v":"${v}"}`,
  }),
};

const CASES = {
  ...Object.fromEntries(
    Object.entries(GRAPHS).map(([name, filesOf]) => [
      `an edit of ${name} counts after reload() and in a new engine`,
      async () => {
        const dir = folder(filesOf("one"));
        const orcs = await open(dir);
        assert.match(await reasonOf(orcs), /one/);
        for (const version of ["two", "three", "one"]) {
          write(dir, filesOf(version));
          await orcs.reload();
          assert.match(await reasonOf(orcs), new RegExp(version));
          const other = await open(dir);
          assert.match(await reasonOf(other), new RegExp(version));
          await other.close();
        }
        assert.deepEqual(orcs.notices, []);
        await orcs.close();
      },
    ]),
  ),
  "a watched module, what it imports, and what was missing, count when they are saved":
    async () => {
      const dir = folder({ "guard.mjs": says(`"one"`) });
      const orcs = await open(dir, { watch: true });
      write(dir, { "guard.mjs": `import { text } from "./lib.mjs";\n${says("text")}` });
      await soon(() => orcs.notices.length === 1);
      assert.equal(await reasonOf(orcs), "one");
      write(dir, { "lib.mjs": `export const text = "two";` });
      await soon(async () => (await reasonOf(orcs)) === "two");
      write(dir, { "lib.mjs": `export const text = ` });
      await soon(() => orcs.notices.length === 1);
      assert.equal(await reasonOf(orcs), "two");
      rmSync(join(dir, "lib.mjs"));
      write(dir, { "lib.mjs": `export const text = "three";` });
      await soon(async () => (await reasonOf(orcs)) === "three");
      await orcs.close();
    },
  "an unedited module keeps its instance, also beside an edited one that shares it": async () => {
    const guard = (v) =>
      `import { seen } from "./shared.mjs";\nexport default () => void seen.push("${v}");`;
    const dir = folder({
      "orcs.toml": `${CONFIG}\n${CONFIG.replace("guard", "count")}`,
      "guard.mjs": guard("one"),
      "count.mjs": `import { seen } from "./shared.mjs";\n${says(`seen.join()`)}`,
      "shared.mjs": `export const seen = [];`,
    });
    const orcs = await open(dir);
    assert.equal(await reasonOf(orcs), "one");
    write(dir, { "guard.mjs": guard("two") });
    await orcs.reload();
    assert.equal(await reasonOf(orcs), "one,two");
    assert.deepEqual((await import(join(dir, "shared.mjs"))).seen, ["one", "two"]);
    await orcs.close();
  },
  "what cannot be loaded again is told once, with the file and what to do": async () => {
    const guard = (v) => `const name = "./a.mjs";
      export default async () => ({ action: "abort", reason: "${v}" + (await import(name)).text });`;
    const dir = folder({ "a.mjs": `export const text = "a";`, "guard.mjs": guard("one") });
    const orcs = await open(dir);
    lines.length = 0;
    for (const version of ["one", "two", "three"]) {
      write(dir, { "guard.mjs": guard(version) });
      await orcs.reload();
      assert.equal(await reasonOf(orcs), `${version}a`);
    }
    assert.equal(lines.length, 1);
    assert.match(lines[0], /^ORCS1025: .*guard\.mjs .*a computed import.* end the process \d+/);
    assert.deepEqual(
      orcs.notices.map(({ text }) => text),
      lines,
    );
    await orcs.close();
  },
  "a module that is saved while it loads is loaded as it was saved": async () => {
    const saving = (v, next) => `import { writeFileSync } from "node:fs";\n${says(`"${v}"`)}
      writeFileSync(import.meta.filename, ${JSON.stringify(next)});`;
    const dir = folder({ "guard.mjs": saving("one", says(`"two"`)) });
    const orcs = await open(dir);
    assert.equal(await reasonOf(orcs), "two");
    await orcs.close();
  },
  "a module that failed is loaded again when what it needs is there": async () => {
    const dir = folder({ "guard.mjs": `import { text } from "some-package";\n${says("text")}` });
    await assert.rejects(open(dir), /some-package/);
    write(dir, {
      "node_modules/some-package/package.json": `{"main":"./main.cjs"}`,
      "node_modules/some-package/main.cjs": `exports.text = "there";`,
    });
    const orcs = await open(dir);
    assert.equal(await reasonOf(orcs), "there");
    await orcs.close();
  },
};

for (const [name, run] of Object.entries(CASES)) {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (thrown) {
    console.log(`${name}: ${thrown.stack}`);
  }
}
