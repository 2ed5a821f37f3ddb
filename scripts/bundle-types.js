// Puts the types of each entry that package.json exports into one file beside its code; what several of them have, into
// shared ones.
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { ENTRIES } from "./entries.js";

const BUILD = fileURLToPath(new URL("../build/", import.meta.url));
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

const bundled = await rolldown({
  input: Object.fromEntries(
    Object.entries(ENTRIES).map(([entry, module]) => [entry, `${BUILD}${module}.d.ts`]),
  ),
  external: /^[^./]/,
  plugins: [dts({ dtsInput: true, tsconfig: false })],
});
await bundled.write({ dir: DIST, format: "esm", chunkFileNames: "types/[name].d.ts" });
