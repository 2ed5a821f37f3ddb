import { realpathSync } from "node:fs";
import { Command, Option } from "commander";
import type { HookEntry } from "../config/hook-entry.ts";
import { loadConfig } from "../config/load.ts";
import { withMode } from "../config/set-mode.ts";
import { placeOfHook } from "../config/source-positions.ts";
import type { RawHook } from "../check/raw-layers.ts";
import { rawLayers } from "../check/raw-layers.ts";
import { OrcsError } from "../core/errors.ts";
import type { HookMode } from "../core/hook-mode.ts";
import { HOOK_MODES, weakestMode } from "../core/hook-mode.ts";
import { pointSet } from "../core/points.ts";
import { createOrcs } from "../engine/create-orcs.ts";
import { SHIPPED_HOOKS } from "../trust/script-sources.ts";
import { writeAtomically } from "./atomic-writes.ts";
import { escapeUntrusted } from "./escape-untrusted.ts";
import { configOption } from "./options.ts";
import { verbCommand } from "./verb-texts.ts";

interface PromoteOptions {
  readonly config?: string;
  readonly to?: HookMode;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `orcs promote`: raise the mode of a hook in its configuration. */
export function promoteCommand(): Command {
  return verbCommand("promote")
    .argument("<hook>", "the id of the hook, as in orcs list")
    .addOption(
      new Option("--to <mode>", "the new mode; default: the next stronger one").choices([
        "warn",
        "enforce",
      ]),
    )
    .option("--dry-run", "only print what would change")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  orcs audit report --shadow\n  orcs promote no-force-push")
    .action(async (hook: string, options: PromoteOptions) => promote(hook, options));
}

async function promote(id: string, { config, to, dryRun, json }: PromoteOptions): Promise<void> {
  const around = { cwd: process.cwd(), ...(config !== undefined && { config }) };
  const entry = await entryOf(id, around);
  const from = await modeOf(entry, around);
  const mode = to ?? HOOK_MODES[HOOK_MODES.indexOf(from) + 1] ?? "enforce";
  if (HOOK_MODES.indexOf(mode) <= HOOK_MODES.indexOf(from)) {
    throw new OrcsError("ORCS5001", `the mode of ${shown(id)} is ${from} already`);
  }
  const limit = weakestMode(entry.modeLimit);
  if (HOOK_MODES.indexOf(limit) < HOOK_MODES.indexOf(mode)) {
    const why = `the mode of all hooks of its file, of its agent or in [engine] is ${limit}: a hook cannot be stronger; change it there`;
    throw new OrcsError("ORCS5001", `${shown(id)} cannot be promoted to ${mode}: ${why}`);
  }
  const hook = await rawHookOf(entry, around);
  const { layer, source } = hook.layer;
  const text = source.text;
  const after = text && (await withMode(text, source.written?.(hook.path) ?? hook.path, mode));
  if (!("file" in layer.from) || text === undefined || !after) {
    throw new OrcsError(
      "ORCS5001",
      `the table of ${shown(id)} cannot be changed: edit it yourself`,
    );
  }
  const { file } = layer.from;
  if (dryRun !== true) {
    writeAtomically([{ path: file, file: realpathSync(file), before: text, after }]);
  }
  const place = `${entry.place.file}:${entry.place.line}`;
  if (json === true) {
    process.stdout.write(
      `${JSON.stringify({ hook: id, from, to: mode, place, dry_run: dryRun === true })}\n`,
    );
    return;
  }
  const done = dryRun === true ? "would be promoted" : "is promoted";
  process.stdout.write(
    `${shown(id)} ${done} from ${from} to ${mode} (${escapeUntrusted(place)})\n`,
  );
  if (layer.rank === 1 && dryRun !== true) {
    process.stdout.write("the configuration of the project has changed: run orcs trust\n");
  }
}

type Around = { readonly cwd: string; readonly config?: string };

/** @throws OrcsError ORCS5001 when no `[[hooks]]` table has the id */
async function entryOf(id: string, around: Around): Promise<HookEntry> {
  const { hooks } = await loadConfig({ ...around, points: pointSet(), shippedDir: SHIPPED_HOOKS });
  // A script that is used a second time has the id of its table before its own.
  const [table] = id.split("/");
  const entry =
    hooks.find((each) => each.id === id) ?? hooks.find((each) => each.idGiven && each.id === table);
  if (entry) return entry;
  const why =
    "a hook that a script or a program states with an id of its own is promoted there: remove its mode, or give the table of the script an id";
  throw new OrcsError(
    "ORCS5001",
    `no [[hooks]] table has the id ${shown(id)}: see orcs list; ${why}`,
  );
}

/** The mode that a hook has now; its script may state one, too. */
async function modeOf({ id, mode, modeLimit }: HookEntry, around: Around): Promise<HookMode> {
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const orcs = await createOrcs({ ...around, auditDir: false, untrusted: "ignore", logger });
  try {
    await orcs.registry.pendingShadow?.ready();
    const found = orcs.registry.get(id);
    return found ? (found.mode ?? "enforce") : weakestMode(mode, modeLimit);
  } finally {
    await orcs.close();
  }
}

function ignore(): void {}

async function rawHookOf({ id, place }: HookEntry, around: Around): Promise<RawHook> {
  for (const { hooks } of await rawLayers(around)) {
    for (const hook of hooks) {
      const { file, line, column } = placeOfHook(hook.layer.source, hook.path);
      if (file === place.file && line === place.line && column === place.column) return hook;
    }
  }
  throw new OrcsError("ORCS5001", `the table of ${shown(id)} was not found`);
}

function shown(id: string): string {
  return escapeUntrusted(id);
}
