// `npm run bench:effects`: what calls do by the dictionary of programs, beside what they do.
// Bundled, for it reads tables of test/.
import { fileURLToPath } from "node:url";
import { importBundled } from "./in-checkout.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROGRAM = `${ROOT}bench/build/effects.mjs`;

await importBundled(`${ROOT}bench/effects/run.ts`, PROGRAM);
