import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "./orcs.ts";

test("edited JavaScript modules are loaded by content", async () => {
  const args = [
    join(ROOT, "test/dist/edited-modules.mjs"),
    pathToFileURL(join(ROOT, "dist/index.js")).href,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(13);
  expect(lines.filter((line) => !line.startsWith("ok "))).toEqual([]);
});
