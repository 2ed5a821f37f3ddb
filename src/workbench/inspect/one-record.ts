import { join } from "node:path";
import type { SeenDispatch } from "../../daemon/index.ts";
import { createFile, inTemporaryFolder } from "../../machine/index.ts";
import { headerText } from "../../records/index.ts";

/** Do something with a record of one dispatch, which is gone then. */
export function withRecord<T>(
  dispatch: SeenDispatch,
  work: (file: string) => Promise<T>,
): Promise<T> {
  return inTemporaryFolder("orcs-ui-", (folder) => {
    const file = join(folder, "record.jsonl");
    createFile(file, `${headerText(false, undefined)}${JSON.stringify(dispatch)}\n`);
    return work(file);
  });
}
