import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ROOT } from "../dist/orcs.ts";

test("the first view of the page is at most 60 KB, and the editor is not in it", () => {
  const folder = join(ROOT, "dist/ui");
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const assets = readdirSync(join(folder, "assets"));
  const first = assets.filter((name) => html.includes(`/assets/${name}`));
  expect(first.length).toBeGreaterThanOrEqual(2);
  expect(assets.some((name) => name.startsWith("editor-") && !first.includes(name))).toBe(true);
  const files = ["index.html", ...first.map((name) => `assets/${name}`)];
  const sizes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60 * 1024);
});
