// Puts what `import "orcs"` loads into few files: finding and linking some four hundred modules takes longer than running
// them. Each entry that package.json exports is replaced in its place in dist/, and what they share goes to
// dist/library/, so that a class such as OrcsError is the same one in all of them. Packages that orcs depends on are
// among it; the ones that a user brings (agent SDKs) stay imports.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { PAST_DOORS } from "./doors.js";

const require = createRequire(import.meta.url);
const { exports, name, peerDependencies } = require("../package.json");
const { packages } = require("../package-lock.json");
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
/** The modules of the package's entries and of a worker thread, by the place of what is made of them. */
const ENTRIES = Object.fromEntries([
  ...Object.values(exports)
    .filter((entry) => entry.types !== undefined)
    .map((entry) => [place(entry.default), place(entry.types)]),
  ["engine/lua/worker/entry", "engine/lua/worker/entry"],
]);
/** Packages of the user's, and this one by its own name. */
const OF_THE_USER = [name, ...Object.keys(peerDependencies)];
const OWN_URL = "__ownUrl";

const bundled = await rolldown({
  input: Object.fromEntries(
    Object.entries(ENTRIES).map(([entry, module]) => [entry, `${DIST}${module}.js`]),
  ),
  platform: "node",
  // What a package has as ES modules can be bundled whole; the other form may require by paths of its own.
  resolve: { mainFields: ["module", "main"] },
  external: (id) => OF_THE_USER.some((each) => id === each || id.startsWith(`${each}/`)),
  plugins: [PAST_DOORS, { name: "own-url", transform: markOwnUrl, renderChunk: withOwnUrl }],
});
const { output } = await bundled.generate({
  format: "esm",
  chunkFileNames: "library/[name]-[hash].js",
  // The types have what editors show; here they would be read again by each process.
  comments: { legal: true, annotation: true, jsdoc: false },
});
const foreign = output.flatMap(({ moduleIds }) => moduleIds ?? []).filter(isForDevelopment);
if (foreign.length > 0) throw new Error(`in the library, and no dependency: ${foreign.join(", ")}`);
// Of an earlier run.
rmSync(`${DIST}library`, { recursive: true, force: true });
mkdirSync(`${DIST}library`);
for (const { fileName, code } of output) {
  mkdirSync(dirname(DIST + fileName), { recursive: true });
  writeFileSync(DIST + fileName, code);
}

/** Below dist/, without its ending. */
function place(path) {
  return path.replace("./dist/", "").replace(/(\.d\.ts|\.js)$/, "");
}

/** Whether it is of a package that who installs orcs does not get. */
function isForDevelopment(id) {
  const path = id.match(/.*(node_modules\/(?:@[^/]+\/)?[^/]+)/)?.[1];
  return path !== undefined && packages[path]?.dev === true;
}

/** A module finds files beside itself, not beside the bundle: which one it will be in is not known yet. */
function markOwnUrl(code, id) {
  if (!code.includes("import.meta.url")) return undefined;
  const marked = `${OWN_URL}(${JSON.stringify(relative(DIST, id))})`;
  return { code: code.replaceAll("import.meta.url", marked), map: null };
}

function withOwnUrl(code, { fileName }) {
  const own = new RegExp(`${OWN_URL}\\("([^"]+)"\\)`, "g");
  const from = dirname(fileName);
  return {
    code: code.replaceAll(
      own,
      (_, path) => `new URL("${relative(from, path)}", import.meta.url).href`,
    ),
    map: null,
  };
}
