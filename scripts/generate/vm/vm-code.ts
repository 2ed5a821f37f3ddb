import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { edited, LOOK } from "../../../src/engine/lua/wasm.ts";
import { combinedCalls } from "./combined-calls.ts";
import { countCalls } from "./count-calls.ts";
import { withInitialMemory } from "./initial-memory.ts";

/** 2 MiB: the stack and the data of the build take one. */
const INITIAL_PAGES = 32;
/** Bytes that have to be the same again after a change. */
const SAME = 6;
const LINE = 100;

/**
 * The text of src/engine/lua/vm-code.ts: what makes wasmoon's build the VM. Changing the build takes milliseconds, and
 * the code for it would be loaded by every process that starts Lua.
 */
export function vmCode(): string {
  const build = readFileSync(createRequire(import.meta.url).resolve("wasmoon/dist/glue.wasm"));
  const edits = (lines: boolean): string =>
    editsOf(build, countCalls(withInitialMemory(build, INITIAL_PAGES), LOOK, lines));
  const calls = Buffer.from(combinedCalls()).toString("base64");
  return `// Made by npm run generate from scripts/generate/vm.

/** Changes of wasmoon's build, as \`edited\` reads them. */
export const EDITS = \`${edits(false)}\`;

/** The same without the inline count, for a VM with line hooks. */
export const EDITS_WITH_LINES = \`${edits(true)}\`;

/** The module of the combined calls, in Base64; line breaks do not count. */
export const COMBINED_CALLS = \`
${calls.replaceAll(new RegExp(`.{${LINE}}`, "g"), "$&\n")}
\`;
`;
}

function editsOf(build: Uint8Array, changed: Uint8Array): string {
  const lines = [`${build.length} ${changed.length}`];
  let from = 0;
  let to = 0;
  while (from < build.length || to < changed.length) {
    if (build[from] === changed[to]) {
      from++;
      to++;
      continue;
    }
    const [removed, added] = distance(build.subarray(from), changed.subarray(to));
    lines.push(
      [from, hex(build.subarray(from, from + removed)), hex(changed.subarray(to, to + added))].join(
        " ",
      ),
    );
    from += removed;
    to += added;
  }
  const edits = lines.join("\n");
  if (!Buffer.from(changed).equals(edited(build, edits)))
    throw new Error("the edits of the build are wrong");
  return edits;
}

/** How many bytes of both are before the place where they are the same again. */
function distance(build: Uint8Array, changed: Uint8Array): [removed: number, added: number] {
  for (let all = 1; ; all++) {
    for (let removed = 0; removed <= all; removed++) {
      const next = Buffer.from(build.subarray(removed, removed + SAME));
      if (next.equals(changed.subarray(all - removed, all - removed + SAME)))
        return [removed, all - removed];
    }
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
