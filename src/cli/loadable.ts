import { OrcsError } from "../core/errors.ts";
import { createOrcs } from "../host/create-orcs.ts";
import { stderrLogger } from "../host/stderr-logger.ts";
import type { Imported } from "../serve/import/import-hooks.ts";

/**
 * The same hooks, each that a configuration would not load with its mistake as the reason: a pattern that is none
 * here, a file that would be looked for elsewhere.
 * @param beside the directory of the configuration, absolute
 */
export async function loadable(hooks: readonly Imported[], beside: string): Promise<Imported[]> {
  const tables = hooks.flatMap(({ table }) => (table ? [table] : []));
  // All at once first: an engine for each would take its time.
  if ((await mistakeIn(tables, beside)) === undefined) return [...hooks];
  const checked: Imported[] = [];
  for (const hook of hooks) {
    const reason = hook.table && (await mistakeIn([hook.table], beside));
    checked.push(reason === undefined ? hook : { ...hook, table: undefined, reason });
  }
  return checked;
}

async function mistakeIn(hooks: readonly object[], cwd: string): Promise<string | undefined> {
  try {
    const config = { hooks };
    const orcs = await createOrcs({
      config,
      cwd,
      auditDir: false,
      untrusted: "ignore",
      logger: stderrLogger("error"),
    });
    await orcs.close();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    const [first] = thrown.diagnostics;
    if (!first) return thrown.message;
    return first.hint === undefined ? first.message : `${first.message}; ${first.hint}`;
  }
}
