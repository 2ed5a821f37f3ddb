// `npm run bench:policy`: the command line guard against the test lines of other guards, and against its own.
// Bundled, for it reads tables of test/ and the times of bench/, and beside the checkout's packages, which it imports.
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROGRAM = `${ROOT}bench/build/policy.mjs`;

const bundle = await rolldown({
  input: `${ROOT}bench/policy/run.ts`,
  platform: "node",
  external: /^[^./]/,
});
await bundle.write({ file: PROGRAM, format: "esm", codeSplitting: false });
await import(pathToFileURL(PROGRAM).href);
