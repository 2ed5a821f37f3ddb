// `npm run bench:policy`: the command line guard against the test lines of other guards, and against its own.
// Bundled, for it reads tables of test/ and the times of bench/, and beside the checkout's packages, which it imports.
import { fileURLToPath } from "node:url";
import { importBundled } from "./in-checkout.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROGRAM = `${ROOT}bench/build/policy.mjs`;

await importBundled(`${ROOT}bench/policy/run.ts`, PROGRAM);
