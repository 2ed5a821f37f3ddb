import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { shownOnTerminal, topicList, topicNamed, topicsOf } from "../../../src/cli/help.ts";
import { PLAIN } from "../../../src/cli/terminal.ts";
import { pages, ROOT } from "../../docs/pages.ts";

const topics = topicsOf(readFileSync(`${ROOT}docs/README.md`, "utf8"));

test("every page but the map and the decisions is a topic", () => {
  const expected = pages()
    .map(({ path }) => path)
    .filter((path) => /^docs\/(?!decisions\/)[\w-]+\//.test(path))
    .map((path) => path.slice("docs/".length, -".md".length));
  expect(topics.map(({ topic }) => topic).sort()).toEqual(expected.sort());
  for (const { part, title, about } of topics) {
    expect(["Start", "How-to", "Reference", "Explanation"]).toContain(part);
    expect(title).not.toBe("");
    expect(about).not.toMatch(/[`\][]|^$/);
  }
});

describe("a topic is found", () => {
  test.each([
    ["reference/matchers", "reference/matchers"],
    ["matchers", "reference/matchers"],
    ["Matchers.md", "reference/matchers"],
    ["match", "reference/matchers"],
    ["claude code", "reference/hosts/claude-code"],
    // The whole name of one page is the beginning of another's.
    ["hook", "reference/hook"],
    ["coming-from", "how-to/coming-from"],
  ])("%s is %s", (written, topic) => {
    expect(topicNamed(written, topics).topic).toBe(topic);
  });

  test.each([
    ["macthers", /ORCS9400: no page has .*did you mean reference\/matchers\?/],
    ["reference/", /ORCS9400: more than one page has .*reference\/actions, /],
    ["zzzzzzzzzz", /ORCS9400: no page has .*orcs help lists the pages/],
  ])("%s is none", (written, message) => {
    expect(() => topicNamed(written, topics)).toThrow(message);
  });
});

test("the list has each part once, and a line for each page", () => {
  const lines = topicList(topics, PLAIN).split("\n");
  expect(lines.filter((line) => /^\S/.test(line))).toEqual([...new Set(topics.map((t) => t.part))]);
  expect(lines.filter((line) => line.startsWith("  "))).toHaveLength(topics.length);
});

test("on a terminal, links are their words, code is set apart, and comments of the generator are left out", () => {
  const page =
    '# A `b`\n\n<!-- made: x -->\nSee **[c](d.md#e)**, `f`.\n\n```lua title="g"\nreturn [h](i)\n```\n<!-- /made -->\n';
  expect(shownOnTerminal(page, PLAIN)).toBe("A `b`\n\nSee c, f.\n\n    return [h](i)\n");
});
