import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pages, TUTORIAL } from "../docs/pages.ts";
import { PageFolder } from "../docs/run-block.ts";
import { install, packed } from "./installed.ts";
import { folder } from "./orcs.ts";

const page = pages().find(({ path }) => path === TUTORIAL);
const blocks = page?.blocks ?? [];
let archive: string;
let project: PageFolder;

beforeAll(() => {
  archive = packed(folder());
  project = new PageFolder((dir) => install(archive, dir));
});
afterAll(() => project.remove());

/** Each block in its turn, as a reader does, with nothing but the package. Lines of npm are what is done above. */
describe(TUTORIAL, () => {
  test("the tutorial installs the packed archive", () => {
    const named = [...(page?.text ?? "").matchAll(/^npm install .*?([^/\s]+\.tgz)$/gm)];
    expect(named.map(([, name]) => name)).toEqual([basename(archive)]);
  });

  test("the tutorial covers every command", () => {
    const said = blocks.map(({ text }) => text).join("\n");
    for (const verb of ["init", "test", "eval", "eval --explain", "check", "run", "test --bench"]) {
      expect(said, verb).toMatch(new RegExp(`^orcs ${verb}\\b`, "m"));
    }
    const silent = blocks.filter(
      ({ language, text, output }) => language === "sh" && /^orcs /m.test(text) && !output,
    );
    expect(silent).toEqual([]);
  });

  // A machine with other things to do may hold a script up beyond the limit it runs within.
  test.each(blocks.map((block) => [`${block.line}: ${block.language}`, block] as const))(
    "tutorial: %s",
    { retry: 2 },
    async (_name, block) => project.run(block),
  );
});
