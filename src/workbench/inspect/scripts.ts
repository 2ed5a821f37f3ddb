import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { checkFiles } from "../check/check-files.ts";
import { OrcsError } from "../../core/index.ts";
import { isLua, isShipped, loadTrusted } from "../../config/index.ts";
import { createFile, inTemporaryFolder } from "../../machine/index.ts";
import { shownScript } from "../replay/recorded-case.ts";
import type { Problem, ScriptAnswer } from "./api.ts";
import { type InspectedPlace, shownProblem } from "./replay-one.ts";

/**
 * The script of a hook, which the configuration names: no other file is read.
 * @param source file of the hook, relative to the directory of the configuration or absolute
 * @throws OrcsError ORCS5001 when its handler is not in a script
 */
export async function scriptOf(
  source: string,
  { config, directory }: InspectedPlace,
): Promise<ScriptAnswer> {
  const loaded = await loadTrusted({
    ...(config !== undefined && { config }),
    cwd: directory,
  });
  for (const { handler } of loaded.hooks) {
    if (!isLua(handler) || handler.kind !== "script" || isShipped(handler.file)) continue;
    const { file } = handler;
    const shown = shownScript(file, directory, loaded.projectTrust);
    if (shown === resolve(directory, source)) return { file, text: readFileSync(shown, "utf8") };
  }
  const why = `${source} is not a script of this configuration: its hooks cannot be edited here`;
  throw new OrcsError("ORCS5001", why, { source });
}

/** What `orcs check` finds in a text. The text is not run. */
export function checkText(file: string, text: string): Promise<readonly Problem[]> {
  return inTemporaryFolder("orcs-ui-", async (folder) => {
    createFile(join(folder, basename(file)), text);
    return (await checkFiles([basename(file)], folder)).map(shownProblem);
  });
}
