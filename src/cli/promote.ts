import { realpathSync } from "node:fs";
import { loadConfig, placeOfHook, shownMachineFiles, withMode } from "../config/index.ts";
import type { HookEntry } from "../config/index.ts";
import { type RawHook, rawLayers } from "../workbench/index.ts";
import { HOOK_MODES, OrcsError, QUIET, weakestMode } from "../core/index.ts";
import type { HookMode, SourcePlace } from "../core/index.ts";
import { writeAtomically } from "./atomic-writes.ts";
import { escapeUntrusted } from "./table.ts";
import { CONFIG, JSON_OUTPUT } from "./options.ts";
import { print, printJson } from "./output.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";
import { openToLook } from "./open-orcs.ts";

const OPTIONS = {
  to: value("<mode>", "the new mode; default: the next stronger one", {
    choices: ["warn", "enforce"],
  }),
  dryRun: flag("only print what would change"),
  json: JSON_OUTPUT,
  config: CONFIG,
};

/** `orcs rules promote`: raise the mode of a hook in its configuration. */
export const promoteCommand = verbCommand("rules promote", {
  options: OPTIONS,
  help: "Example:\n  orcs audit report --shadow\n  orcs rules promote no-force-push",
  run: promote,
});

async function promote(
  { config, to, dryRun = false, json }: OptionsOf<typeof OPTIONS>,
  id: string,
): Promise<void> {
  const around = { cwd: process.cwd(), ...(config !== undefined && { config }) };
  const { entry, from } = await foundHook(id, around);
  const mode = to ?? HOOK_MODES[HOOK_MODES.indexOf(from) + 1] ?? "enforce";
  if (HOOK_MODES.indexOf(mode) <= HOOK_MODES.indexOf(from)) {
    throw new OrcsError("ORCS5001", `the mode of ${escapeUntrusted(id)} is ${from} already`);
  }
  const limit = weakestMode(entry.modeLimit);
  if (HOOK_MODES.indexOf(limit) < HOOK_MODES.indexOf(mode)) {
    const why = `the mode of all hooks of its file, of its agent or in [engine] is ${limit}: a hook cannot be stronger; change it there`;
    throw new OrcsError("ORCS5001", `${escapeUntrusted(id)} cannot be promoted to ${mode}: ${why}`);
  }
  const hook = await rawHookOf(entry, around);
  const { layer, source } = hook.layer;
  const text = source.text;
  const after = text && (await withMode(text, source.written?.(hook.path) ?? hook.path, mode));
  if (!("file" in layer.from) || text === undefined || !after) {
    const why = `the table of ${escapeUntrusted(id)} cannot be changed: edit it yourself`;
    throw new OrcsError("ORCS5001", why);
  }
  const { file } = layer.from;
  if (!dryRun) writeAtomically([{ path: file, file: realpathSync(file), before: text, after }]);
  const place = `${entry.place.file}:${entry.place.line}`;
  if (json === true) return printJson({ hook: id, from, to: mode, place, dry_run: dryRun });
  const done = dryRun ? "would be promoted" : "is promoted";
  print(`${escapeUntrusted(id)} ${done} from ${from} to ${mode} (${escapeUntrusted(place)})`);
  if (layer.rank === 1 && !dryRun) {
    print("the configuration of the project has changed: run orcs trust");
  }
}

type Around = { readonly cwd: string; readonly config?: string };

/**
 * What a hook has now: its table in the configuration, and the mode that its script may state, too.
 * @throws OrcsError ORCS5001 when no `[[hooks]]` table declares the hook
 */
async function foundHook(id: string, around: Around) {
  const { hooks } = await loadConfig({ ...around, machine: shownMachineFiles() });
  const orcs = await openToLook({ ...around, logger: QUIET });
  try {
    await orcs.registry.pendingShadow?.ready();
    const registered = orcs.registry.get(id);
    // The table of the script that defines it.
    const table = registered?.table;
    const entry =
      hooks.find((each) => each.id === id) ??
      (table && hooks.find(({ place }) => samePlace(place, table)));
    if (!entry) {
      const why = "a hook that a program registers is promoted there: remove its mode";
      const message = `no [[hooks]] table declares the hook ${escapeUntrusted(id)}: see orcs list; ${why}`;
      throw new OrcsError("ORCS5001", message);
    }
    const stated = weakestMode(entry.mode, entry.modeLimit);
    const from: HookMode = registered ? (registered.mode ?? "enforce") : stated;
    return { entry, from };
  } finally {
    await orcs.close();
  }
}

function samePlace(one: SourcePlace, other: SourcePlace): boolean {
  return one.file === other.file && one.line === other.line && one.column === other.column;
}

async function rawHookOf({ id, place }: HookEntry, around: Around): Promise<RawHook> {
  for (const { hooks } of await rawLayers({ ...around, machine: shownMachineFiles() })) {
    for (const hook of hooks) {
      if (samePlace(placeOfHook(hook.layer.source, hook.path), place)) return hook;
    }
  }
  throw new OrcsError("ORCS5001", `the table of ${escapeUntrusted(id)} was not found`);
}
