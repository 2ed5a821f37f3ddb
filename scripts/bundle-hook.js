// Puts what the process of `orcs hook` loads into few files: dist/bundle/. A host starts that process for each of
// its events, and to find and link some five hundred modules takes longer than all the rest of it. CommonJS, for
// that is read and compiled at once where it is required.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const OUT = `${DIST}bundle/`;
/** Where a module stands in dist/: it finds files beside itself, not beside the bundle. */
const OWN_URL =
  'const ownUrl = (path) => require("node:url").pathToFileURL(require("node:path").join(__dirname, path)).href;';

const bundle = await rolldown({
  input: { hook: `${DIST}serve/hook/hook.js` },
  platform: "node",
  plugins: [{ name: "own-urls", transform: withOwnUrl }],
});
await bundle.write({
  dir: OUT,
  format: "cjs",
  minify: true,
  intro: OWN_URL,
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  cleanDir: true,
});

function withOwnUrl(code, id) {
  if (!code.includes("import.meta.url")) return undefined;
  const own = `ownUrl(${JSON.stringify(relative(OUT, id))})`;
  return { code: code.replaceAll("import.meta.url", own), map: null };
}
