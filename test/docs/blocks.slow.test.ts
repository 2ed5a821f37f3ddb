import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, test } from "vitest";
import { partOf } from "../slow-test.ts";
import { pages, ROOT, TUTORIAL } from "./pages.ts";
import { EXAMPLE_MODEL, exampleModel, PageFolder } from "./run-block.ts";
import type { Block } from "./pages.ts";

/**
 * Every fenced block of the documentation runs, in CI those of every fourth page. Those that start a process do so within the usual limits,
 * and a machine with other things to do may hold a script up that long: hence the retries.
 */
const run = partOf(
  pages().filter(({ path, blocks }) => blocks.length > 0 && path !== TUTORIAL),
  4,
);
describe.each(run)("$path", ({ blocks }) => {
  const folder = new PageFolder();
  afterAll(() => folder.remove());
  test.each(blocks.map((block) => [`${block.line}: ${block.language}`, block] as const))(
    "%s",
    { retry: 2 },
    async (_name, block) => folder.run(block),
  );
});

test("the TypeScript blocks of the docs compile", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-docs-types-")));
  symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const blocks = new Map<string, Block>();
  for (const [i, page] of pages().entries()) {
    const folder = join(dir, String(i));
    mkdirSync(folder);
    writeFileSync(join(folder, EXAMPLE_MODEL), exampleModel());
    for (const block of page.blocks) {
      const { language, title, text, words } = block;
      // What else an example imports by a relative path stands on the same page.
      if (language === "js" && title !== undefined) {
        mkdirSync(dirname(join(folder, title)), { recursive: true });
        writeFileSync(join(folder, title), text);
      }
      if (language !== "ts" || words.includes("unchecked")) continue;
      const file = join(folder, `block-${block.line}.mts`);
      writeFileSync(file, `${text}\nexport {};\n`);
      blocks.set(file, block);
    }
  }
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.NodeNext,
    types: ["node"],
    allowJs: true,
    typeRoots: [join(dir, "node_modules/@types")],
    paths: {
      orcs: [join(ROOT, "dist/index.d.ts")],
      "orcs/client": [join(ROOT, "dist/client/client.d.ts")],
      "orcs/otel": [join(ROOT, "dist/otel/otel.d.ts")],
      "orcs/shell": [join(ROOT, "dist/shell/shell.d.ts")],
      "orcs/testing": [join(ROOT, "dist/testing/testing.d.ts")],
      "orcs/*": [join(ROOT, "dist/adapters/*.d.ts")],
    },
  };
  const program = ts.createProgram([...blocks.keys()], options);
  const found = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, "\n");
    const block = blocks.get(file?.fileName ?? "");
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
    return block ? `${block.page}:${block.line + line}: ${message}` : message;
  });
  rmSync(dir, { recursive: true, force: true });
  expect(blocks.size).toBeGreaterThan(0);
  expect(found).toEqual([]);
});
