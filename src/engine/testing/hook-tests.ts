import { diagnosticsOf, type HookEntry, type LuaEntry, shownFile } from "../../config/index.ts";
import { OrcsError } from "../../core/index.ts";
import type { TestedHooks } from "./run-hook-test.ts";
import { scriptEntry } from "../orcs/index.ts";
import { type FoundIn, scriptTests } from "./script-tests.ts";
import type { TestEngine } from "./test-engine.ts";

/** A script file, and the hook of a configuration that names it, if any. */
export interface TestedScript {
  /** Absolute. */
  readonly file: string;
  readonly entry: LuaEntry | undefined;
}

/** The tests in a configuration: each hook is tested as configured. */
export function configuredTests(entries: readonly HookEntry[]): TestedHooks[] {
  return entries.flatMap((entry) =>
    entry.tests.map((placed) => ({ ...placed, entries: [entry], point: entry.point })),
  );
}

/** The script files that a configuration names, without duplicates; shipped scripts have their tests elsewhere. */
export function configuredScripts(entries: readonly HookEntry[]): TestedScript[] {
  const scripts = new Map<string, TestedScript>();
  for (const entry of entries) {
    const { handler } = entry;
    if (handler.kind !== "script" || handler.script.startsWith("orcs:")) continue;
    const { file } = handler;
    if (!scripts.has(file)) scripts.set(file, { file, entry: { ...entry, handler } });
  }
  return [...scripts.values()];
}

/**
 * The tests in a script. It is tested as it is, without the values of a configuration, so its tests mean the same
 * everywhere. Only a missing point is taken from the configuration.
 */
export async function testsInScript(
  bench: TestEngine,
  { file, entry }: TestedScript,
): Promise<FoundIn<TestedHooks>> {
  const roots = entry?.scriptRoots ?? bench.settings.scriptRoots;
  try {
    const rank = entry?.rank;
    const found = { packaged: bench.packageOf(file), packages: rank === 1 ? bench.packages : [] };
    const alone = scriptEntry(file, { roots, rank, ...found });
    const asConfigured = { ...alone, options: entry?.options };
    const { tests, diagnostics } = await scriptTests(bench, asConfigured);
    const isOpen = tests.every(({ point }) => point === undefined);
    const entries = [isOpen ? { ...alone, point: entry?.point } : alone];
    return {
      tests: tests.map(({ test, place, point }) => ({ test, place, point, entries })),
      diagnostics,
    };
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    return { tests: [], diagnostics: diagnosticsOf(shownFile(file, bench.cwd), thrown) };
  }
}
