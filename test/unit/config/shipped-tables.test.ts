import { expect, test } from "vitest";
import { withoutShipped, withShipped } from "../../../src/config/shipped-tables.ts";

const SCRIPTS = ["orcs:a", "orcs:b", "orcs:c"];

test.each([
  ["none", undefined],
  ["an empty one", ""],
  ["settings", "debug = true\n"],
  ["no line end at the end", "[lua]\nmemory_mb = 8"],
  ["hooks of others", '[[hooks]]\nid = "x"\nscript = "x.lua"\n\n# mine\n'],
  ["line ends of Windows", '[[hooks]]\r\nscript = "x.lua"\r\n'],
])("tables are added to %s and removed again", async (_, text) => {
  const done = withShipped(text, SCRIPTS);
  expect(done?.added).toEqual(SCRIPTS);
  const after = done?.text ?? "";
  expect(after.startsWith(text ?? "")).toBe(true);
  expect(after.includes("\r\n")).toBe(text?.includes("\r\n") === true);
  expect(withShipped(after, SCRIPTS)).toEqual({ text: after, added: [] });
  const left = await withoutShipped(after, SCRIPTS);
  expect(left.trimEnd()).toBe((text ?? "").trimEnd());
});

test("a table with more keys, and one that was there, stay", async () => {
  const own = '[[hooks]]\nscript = "orcs:a"\npriority = 3\n';
  const { text = "", added } = withShipped(own, SCRIPTS) ?? {};
  expect(added).toEqual(["orcs:b", "orcs:c"]);
  const changed = text.replace('"orcs:b"\n', '"orcs:b" # why\nenabled = false\n');
  expect(await withoutShipped(`${changed}# later\n`, SCRIPTS)).toBe(
    `${own}\n[[hooks]]\nscript = "orcs:b" # why\nenabled = false\n# later\n`,
  );
});

test("hooks as a list of inline tables cannot be added to", () => {
  expect(withShipped('hooks = [{ script = "x.lua" }]\n', SCRIPTS)).toBeUndefined();
});
