import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { replaceFile } from "../../src/machine/files/stored-file.ts";
import { folder, ROOT } from "../dist/orcs.ts";

const STORED = pathToFileURL(join(ROOT, "build/machine/files/stored-file.js")).href;
/** Writes a file, and is killed before its n-th call of the file system. All other ways to write: test/unit/machine/files. */
const WRITER = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { replaceFile } = await import(${JSON.stringify(STORED)});
const [file, text, at] = process.argv.slice(1);
let left = Number(at);
for (const name of ["open", "write", "fsync", "fchmod", "close", "rename", "unlink", "lstat", "readdir"]) {
  const real = fs[name + "Sync"];
  fs[name + "Sync"] = (...args) => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
replaceFile(file, text, { isDurable: true });
`;

test("a process that is killed at any call of the file system", { timeout: 120_000 }, () => {
  const dir = folder();
  const file = join(dir, "file.json");
  const others = join(dir, "file.json.tmp");
  writeFileSync(others, "");
  const seen: string[] = [];
  for (let at = 0, signal: string | null = "SIGKILL"; signal !== null; at++) {
    replaceFile(file, "old\n");
    const args = ["--input-type=module", "-e", WRITER, "--", file, "new\n", String(at)];
    ({ signal } = spawnSync(process.execPath, args));
    seen.push(readFileSync(file, "utf8"));
    replaceFile(file, "third\n");
    expect(readFileSync(file, "utf8")).toBe("third\n");
    expect(readdirSync(dir).sort()).toEqual(["file.json", "file.json.tmp"]);
  }
  expect(seen.join("")).toMatch(/^(old\n){8,}(new\n){3,}$/);
});
