import { basename, dirname, join, relative } from "node:path";
import { OrcsError } from "../core/index.ts";
import { markOf, savedTestText, scriptEntryOf, TestFile } from "../workbench/index.ts";
import type { FuzzHole } from "../workbench/index.ts";
import { openTestProject } from "../engine/index.ts";

const TESTS = "fuzz_test.lua";
/** No script of the user, or no place for a test: the other holes are saved. */
const NOT_SAVED: ReadonlySet<string> = new Set(["ORCS5001", "ORCS8007"]);
const HEAD =
  "-- Tests from command lines that a hook let pass, written by `orcs test --fuzz --save`. You may edit them; new tests are appended.\n";

/**
 * Write each hole as a test of the script whose hook stops the plain command: the same is expected for the line. The
 * tests fail until the hook is corrected.
 * @returns what was written, for the user
 * @throws OrcsError ORCS5002 when a file cannot be written
 */
export async function saveHoles(
  holes: readonly FuzzHole[],
  { config, tool }: { readonly config?: string; readonly tool: string },
): Promise<string> {
  const cwd = process.cwd();
  const { config: loaded, bench } = await openTestProject({
    ...(config !== undefined && { config }),
    cwd,
  });
  await bench.close();
  const told: string[] = [];
  const written = new Map<string, number>();
  for (const { line, hooks, guard } of holes) {
    if (!guard) {
      told.push(`not saved, because no hook stops the plain command: ${line}`);
      continue;
    }
    try {
      const source = hooks.find(({ id }) => id === guard.hook)?.source;
      const hook = { id: guard.hook, source };
      const { handler, options } = scriptEntryOf(hook, loaded.hooks, cwd);
      const payload = { tool_name: tool, args: { command: line } };
      const { action, decision } = guard;
      const test = {
        script: basename(handler.file),
        options,
        event: { point: "tool.pre_execute", component: "host::main", payload },
        calls: [],
        observed: {
          action,
          ...(decision && { decision }),
          payload,
          metadata: {},
          inject: [],
          logs: [],
        },
      };
      const file = join(dirname(handler.file), TESTS);
      const tests = new TestFile(file, HEAD);
      if (tests.has(markOf(test))) continue;
      tests.add(savedTestText(test));
      written.set(file, (written.get(file) ?? 0) + 1);
    } catch (thrown) {
      if (!(thrown instanceof OrcsError) || !NOT_SAVED.has(thrown.code)) throw thrown;
      told.push(`not saved: ${thrown.message}`);
    }
  }
  for (const [file, count] of written) {
    const shown = relative(cwd, file);
    const tests = count === 1 ? "1 test" : `${count} tests`;
    told.push(
      `wrote ${tests} to ${shown}; they fail until the hook is corrected\n\n  orcs test ${shown}`,
    );
  }
  return [...new Set(told)].map((text) => `${text}\n`).join("");
}
