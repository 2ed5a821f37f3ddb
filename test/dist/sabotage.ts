import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { folder, ROOT } from "./orcs.ts";

/**
 * A copy of the modules with a worker that fails by command: no script is known that could make it, so
 * names do it for them. The count hook of the VM sees nothing of it.
 * @param what an expression of the `message` that the worker gets: `hang`, `exit`, `throw`, `memory`, or
 *   anything else for nothing
 * @returns its folder
 */
export function sabotaged(what: string): string {
  const dir = folder({});
  for (const name of ["build", "lua", "hooks", "package.json"]) {
    cpSync(join(ROOT, name), join(dir, name), {
      recursive: true,
      filter: (from) => !from.endsWith(".d.ts"),
    });
  }
  symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const entry = join(dir, "build/engine/lua/worker/entry.js");
  const code = readFileSync(entry, "utf8");
  const patched = code.replace("void inside.receive(message)", "(sabotage(message), $&)");
  expect(patched).not.toBe(code);
  const sabotage = `
    function sabotage(message) {
      const what = ${what};
      if (what === "hang") for (;;);
      if (what === "exit") process.exit(3);
      if (what === "throw") throw new Error("broken");
      if (what === "memory") for (const all = []; ; ) all.push(new Array(1e6).fill(1.5));
    }`;
  writeFileSync(entry, patched + sabotage);
  return dir;
}
