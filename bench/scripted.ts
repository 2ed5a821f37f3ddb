import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Lend a file with a script in it. */
export async function scripted<T>(code: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  try {
    const file = join(folder, "script.lua");
    writeFileSync(file, code);
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
