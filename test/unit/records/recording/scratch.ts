import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A path for a file of one test, with a text in it where one is given. */
export function scratch(text?: string | Uint8Array): string {
  const dir = mkdtempSync(join(tmpdir(), "orcs-record-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "record.jsonl");
  if (text !== undefined) writeFileSync(file, text);
  return file;
}
