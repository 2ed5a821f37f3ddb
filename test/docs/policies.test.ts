import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { POLICIES } from "../../src/cli/init-files.ts";
import { errorOf, open } from "../unit/engine/orcs/engine.ts";
import { pages, ROOT } from "./pages.ts";

/** What is said of the policies that ship, in docs/reference/policies.md and in their headers, held against what they take. */

const PAGE = pages().find(({ path }) => path === "docs/reference/policies.md");
const NAMES = POLICIES.map(({ name }) => name);

/** The options that the table of the page lists, by policy. */
const LISTED = new Map(
  [...(PAGE?.text ?? "").matchAll(/^\| \[`([\w-]+)`\]\(#([\w-]+)\) \|.*\| ([^|]*) \|$/gm)].map(
    ([, name = "", anchor, options = ""]) => [
      name,
      { anchor, options: [...options.matchAll(/`(\w+)`/g)].map(([, option = ""]) => option) },
    ],
  ),
);

/** The options in a header: what stands three blanks deep below `Options:`. */
function explained(name: string): string[] {
  const text = readFileSync(`${ROOT}hooks/${name}.lua`, "utf8");
  const [, below = ""] = (/^(?:--.*\n)+/.exec(text)?.[0] ?? "").split("\n-- Options:\n");
  const [options = ""] = below.split("\n--\n");
  return [...options.matchAll(/^-- {3}(\w+) {2,}\S/gm)].map(([, option = ""]) => option);
}

test("docs/reference/policies.md has a row and a section for each policy and nothing else", () => {
  expect([...LISTED.keys()].sort()).toEqual([...NAMES].sort());
  for (const [name, { anchor }] of LISTED) {
    expect(anchor).toBe(name);
    expect(PAGE?.text).toContain(`\n## ${name}\n`);
  }
});

describe.each(NAMES)("policy %s", (name) => {
  test("explains in its header the options listed on the page", () => {
    expect(explained(name)).not.toEqual([]);
    expect(explained(name).sort()).toEqual(LISTED.get(name)?.options.sort());
  });

  test("accepts these options and no other", async () => {
    const hooks = [{ script: `orcs:${name}`, options: { nonsense: 1 } }];
    const { message } = await errorOf(open({ config: { hooks } }));
    expect(message).toContain("nonsense");
    const [, taken = ""] =
      /(?:known options:|there are|expected) (\w+(?:(?:, | and | or )\w+)+)$/m.exec(message) ?? [];
    expect(taken.split(/, | and | or /).sort(), message).toEqual(LISTED.get(name)?.options.sort());
  });
});
