import * as fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../slow-test.ts";
import { extendsList, withExtended, withoutExtended } from "../../../src/config/extends-list.ts";

const HOOK = `[[hooks]]\nid = "a"\n`;

describe("withExtended", () => {
  test.each<[string, string, string]>([
    ["an empty file", "", `extends = ["npm:x"]\n`],
    ["a file of comments", "# mine", `# mine\nextends = ["npm:x"]\n`],
    ["tables only", HOOK, `extends = ["npm:x"]\n\n${HOOK}`],
    [
      "comments of the first table, and those of the file",
      `#:schema ./x.json\n# Of the file.\n\n# guards\n${HOOK}`,
      `#:schema ./x.json\n# Of the file.\n\nextends = ["npm:x"]\n\n# guards\n${HOOK}`,
    ],
    [
      "a directive above",
      `#:schema ./x.json\n${HOOK}`,
      `#:schema ./x.json\nextends = ["npm:x"]\n\n${HOOK}`,
    ],
    [
      "keys of the top level",
      `mode = "audit" # until May\n\n${HOOK}`,
      `mode = "audit" # until May\nextends = ["npm:x"]\n\n${HOOK}`,
    ],
    ["a key without a line break", `mode = "audit"`, `mode = "audit"\nextends = ["npm:x"]`],
    ["an empty list", `extends = []\n`, `extends = ["npm:x"]\n`],
    ["a list in a line", `extends = ["./a"] # why\n`, `extends = ["./a", "npm:x"] # why\n`],
    ["a comma at its end", `extends = ["./a",]\n`, `extends = ["./a", "npm:x",]\n`],
    [
      "a list of lines",
      `extends = [\n  "./a", # why a\n]\n`,
      `extends = [\n  "./a", # why a\n  "npm:x",\n]\n`,
    ],
    [
      "a list of lines without a comma at its end",
      `extends = [\n\t"./a" # why a\n\t# more?\n]\n`,
      `extends = [\n\t"./a", # why a\n\t"npm:x"\n\t# more?\n]\n`,
    ],
    [
      "a list of lines with CRLF",
      `extends = [\r\n  "./a",\r\n]\r\n`,
      `extends = [\r\n  "./a",\r\n  "npm:x",\r\n]\r\n`,
    ],
    ["a quoted key", `"extends" = ['./a']\n`, `"extends" = ['./a', "npm:x"]\n`],
    ["the same package", `extends = ['npm:x']\n`, `extends = ['npm:x']\n`],
  ])("in %s", async (_, before, after) => {
    expect(await withExtended(before, "npm:x")).toBe(after);
  });

  test.each([
    ["no list", `extends = "npm:y"\n`],
    ["a list that has something else", `extends = [1]\n`],
    ["a comma that begins a line", `extends = [\n  "./a"\n  ,\n]\n`],
  ])("is refused for %s", async (_, text) => {
    await expect(withExtended(text, "npm:x")).rejects.toThrow(/ORCS9307.*add npm:x yourself/);
  });
});

describe("withoutExtended", () => {
  test.each<[string, string, string]>([
    ["the only one", `extends = ["npm:x"]\n\n${HOOK}`, HOOK],
    ["a key above", `mode = "audit"\nextends = ["npm:x"]\n\n${HOOK}`, `mode = "audit"\n\n${HOOK}`],
    ["the first", `extends = ["npm:x", "./a"]\n`, `extends = ["./a"]\n`],
    ["the middle", `extends = ["./a", "npm:x", "./b"]\n`, `extends = ["./a", "./b"]\n`],
    ["the last", `extends = ["./a", "npm:x"] # why\n`, `extends = ["./a"] # why\n`],
    ["the last of two at once", `extends = ["./a", "npm:x", "npm:x"]\n`, `extends = ["./a"]\n`],
    [
      "its line, with its comment",
      `extends = [\n  "./a", # why a\n  "npm:x", # why x\n  "./b",\n]\n`,
      `extends = [\n  "./a", # why a\n  "./b",\n]\n`,
    ],
    ["its line at the end", `extends = [\n  "./a",\n  "npm:x"\n]\n`, `extends = [\n  "./a",\n]\n`],
    [
      "a list with a comment of its own",
      `extends = [\n  "npm:x",\n  # "./b",\n]\n`,
      `extends = [\n  # "./b",\n]\n`,
    ],
    [
      "its settings",
      `extends = ["npm:x"]\n\n# mine\n${HOOK}\n[packages.x]\noff = ["a"] # too much\n\n[packages.x.options]\nb = 1\n\n[packages.y]\noff = []\n`,
      `# mine\n${HOOK}\n[packages.y]\noff = []\n`,
    ],
    ["its settings at the end", `extends = ["npm:x"]\n\n${HOOK}\n[packages.x]\noff = []\n`, HOOK],
    ["its settings as keys", `extends = ["npm:x"]\npackages.x.off = []\n\n${HOOK}`, HOOK],
    [
      "its settings in [packages]",
      `extends = ["npm:x"]\n\n[packages]\nx = { off = ["a"] }\ny.off = ["b"]\n`,
      `[packages]\ny.off = ["b"]\n`,
    ],
    ["nothing", `extends = ["./a"]\n`, `extends = ["./a"]\n`],
  ])("removes %s", async (_, before, after) => {
    expect(await withoutExtended(before, "npm:x", "x")).toBe(after);
  });

  test("settings stay when the package is used in another way", async () => {
    const text = `extends = ["npm:x"]\n\n[packages.x]\noff = []\n`;
    expect(await withoutExtended(text, "npm:x", undefined)).toBe(`[packages.x]\noff = []\n`);
  });

  test("is refused when the settings are in a line with others", async () => {
    const text = `extends = ["npm:x"]\npackages = { x = { off = ["a"] }, y = { off = ["b"] } }\n`;
    await expect(withoutExtended(text, "npm:x", "x")).rejects.toThrow(/ORCS9307/);
  });
});

/** Texts of configurations, as people write them. */
const ending = fc.constantFrom("\n", "\r\n");
const text = fc
  .record({
    top: fc.array(fc.constantFrom("#:schema ./a.json", "# a", "", 'mode = "audit"', "  # b")),
    list: fc.option(
      fc.record({
        items: fc.uniqueArray(fc.constantFrom('"./a"', "'./b'", '"npm:@c/d"'), { maxLength: 3 }),
        lines: fc.boolean(),
        comma: fc.boolean(),
        comment: fc.constantFrom("", " # why"),
      }),
    ),
    tables: fc.array(
      fc.constantFrom("[[hooks]]", "# of a hook", 'id = "a"', "", "[packages.y]", "  [engine] # e"),
    ),
    end: ending,
  })
  .map(({ top, list, tables, end }) => {
    const items = list?.items ?? [];
    const close = list?.comma && items.length > 0 ? "," : "";
    const written = !list
      ? []
      : list.lines
        ? [
            "extends = [",
            ...items.map(
              (item, i) => `  ${item}${i < items.length - 1 ? "," : close}${list.comment}`,
            ),
            "]",
          ]
        : [`extends = [${items.join(", ")}${close}]${list.comment}`];
    return [...top, ...written, ...tables, ""].join(end);
  })
  .filter((each) => {
    try {
      parse(each);
      return true;
    } catch {
      return false;
    }
  });

repeatedTest(
  "adding and removing a package gives the same text, and changes no other line",
  async () => {
    await fc.assert(
      fc.asyncProperty(text, async (before) => {
        const added = await withExtended(before, "npm:x");
        expect(extendsList(parse(added))).toEqual([...extendsList(parse(before)), "npm:x"]);
        expect(await withExtended(added, "npm:x")).toBe(added);
        const lines = added.split(/\r?\n/);
        const comments = before.split(/\r?\n/).filter((line) => line.includes("#"));
        for (const line of comments) {
          const comment = line.slice(line.indexOf("#"));
          expect(lines.some((each) => each.includes(comment))).toBe(true);
        }
        const removed = await withoutExtended(added, "npm:x", "x");
        const had = extendsList(parse(before)).length > 0 || !/extends = \[/.test(before);
        if (had) expect(parse(removed)).toEqual(parse(before));
      }),
      { numRuns: runCount(300) },
    );
  },
);
