import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SeenDispatch } from "../../daemon/index.ts";
import { createFile } from "../../machine/index.ts";
import { headerText } from "../../records/index.ts";

/** Do something with a record of one dispatch, which is gone then. */
export async function withRecord<T>(
  dispatch: SeenDispatch,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "orcs-ui-"));
  const file = join(folder, "record.jsonl");
  try {
    const text = `${headerText(false, undefined)}${JSON.stringify(dispatch)}\n`;
    createFile(file, text);
    return await work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
