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
  const changed = (lines: boolean): Uint8Array =>
    countCalls(withInitialMemory(build, INITIAL_PAGES), LOOK, lines);
  const [plain, lined] = [editsOf(build, changed(false)), editsOf(build, changed(true))];
  const shared = new Set(plain.filter((edit) => lined.includes(edit)));
  const only = (edits: readonly string[]): string =>
    rowsOf(edits.filter((edit) => !shared.has(edit)));
  const both = `${build.length}\n${rowsOf([...shared])}`;
  const [without, withLines] = [only(plain), only(lined)];
  for (const [own, lines] of [
    [without, false],
    [withLines, true],
  ] as const) {
    if (!Buffer.from(changed(lines)).equals(edited(build, both, own)))
      throw new Error("the edits of the build are wrong");
  }
  const calls = Buffer.from(combinedCalls()).toString("base64");
  return `// Made by npm run generate from scripts/generate/vm.

/** The size of wasmoon's build, and its changes, as \`edited\` reads them. */
export const EDITS = \`
${both}
\`;

/** Those with the inline count, for a VM without line hooks. */
export const WITHOUT_LINES = \`
${without}
\`;

/** Those for a VM with line hooks. */
export const WITH_LINES = \`
${withLines}
\`;

/** The module of the combined calls, in Base64; line breaks do not count. */
export const COMBINED_CALLS = \`
${calls.replaceAll(new RegExp(`.{${LINE}}`, "g"), "$&\n")}
\`;
`;
}

/** Edits as rows, one for all with the same bytes. A line that begins with a blank continues the one before it. */
function rowsOf(edits: readonly string[]): string {
  const rows = new Map<string, string>();
  for (const edit of edits) {
    const [change = "", at = ""] = edit.split(" ");
    rows.set(change, `${rows.get(change) ?? change} ${at}`);
  }
  const wrapped = new RegExp(`(.{1,${LINE - 1}})(?: |$)`, "g");
  return Array.from(rows.values(), (row) => row.replaceAll(wrapped, "\n $1").slice(2)).join("\n");
}

/** The edits that make one of the other: bytes that are replaced, others, and a position. */
function editsOf(build: Uint8Array, changed: Uint8Array): string[] {
  const edits: string[] = [];
  let from = 0;
  let to = 0;
  while (from < build.length || to < changed.length) {
    if (build[from] === changed[to]) {
      from++;
      to++;
      continue;
    }
    const [removed, added] = distance(build.subarray(from), changed.subarray(to));
    const [old, fresh] = [build.subarray(from, from + removed), changed.subarray(to, to + added)];
    edits.push(`${hex(old)}>${hex(fresh)} ${from}`);
    from += removed;
    to += added;
  }
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
