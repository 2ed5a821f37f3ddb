// `npm run bench:scripts -- DIR`: what shell-guard and self-guard make of the scripts of repositories in a folder.
import { fileURLToPath } from "node:url";
import { importBundled } from "./in-checkout.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

await importBundled(`${ROOT}bench/policy/files-run.ts`, `${ROOT}bench/build/files-run.mjs`);
