// The modules behind what package.json exports, by their place in dist/ without the ending. Plugin files of earlier
// installations name these places, which stay when a module moves.
import { createRequire } from "node:module";

const { exports } = createRequire(import.meta.url)("../package.json");
/** Where the modules of a folder of dist/ are in src/. */
const FOLDERS = {
  adapters: "agents/adapters",
  client: "daemon/client",
  otel: "daemon/otel",
  shell: "matching/shell",
  testing: "workbench",
};

export const ENTRIES = Object.fromEntries(
  Object.values(exports)
    .filter((entry) => entry.default !== undefined)
    .map((entry) => entry.default.replace(/^\.\/dist\/(.*)\.js$/, "$1"))
    .map((place) => [
      place,
      place.replace(/^[^/]+(?=\/)/, (folder) => FOLDERS[folder]),
    ]),
);
