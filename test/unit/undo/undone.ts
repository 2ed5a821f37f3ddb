import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createOrcs } from "../../../src/engine/index.ts";
import type { Orcs } from "../../../src/engine/index.ts";
import { newestUndone, restore, storeAt } from "../../../src/undo/index.ts";
import type { PointStore } from "../../../src/undo/index.ts";
import { makeTree, runLine, stateOf } from "./work-trees.ts";

const CONFIG = { hooks: [{ script: "orcs:undo" }, { script: "orcs:shell-guard" }] };

export function openOrcs(): Promise<Orcs> {
  return createOrcs({ config: CONFIG });
}

/** Whether a call may run, and why not. */
export async function judged(
  orcs: Orcs,
  command: string,
  cwd: string,
  id = command,
): Promise<string | undefined> {
  const payload = { tool_name: "Bash", args: { command }, cwd, session_id: "s", tool_use_id: id };
  const outcome = await orcs.dispatch("tool.pre_execute", payload);
  if (outcome.action === "abort") return outcome.reason;
  return outcome.action === "continue" ? outcome.decision && outcome.reason : undefined;
}

export async function ended(orcs: Orcs, command: string, cwd: string, id = command): Promise<void> {
  const payload = {
    tool_name: "Bash",
    args: { command },
    cwd,
    session_id: "s",
    tool_use_id: id,
    result: "",
  };
  await orcs.dispatch("tool.post_execute", payload);
}

async function begun(orcs: Orcs, cwd: string): Promise<void> {
  await orcs.dispatch("session.on_start", { session_id: "s", cwd });
  const known = join(storeOf(cwd).folder, "known.json");
  while (!existsSync(known)) await new Promise((resolve) => void setTimeout(resolve, 20));
}

export function storeOf(folder: string): PointStore {
  return storeAt(folder).open();
}

/** Run a line in a new work tree, and undo it. @returns the denial; what differs then */
export async function undone(
  orcs: Orcs,
  tree: string,
  line: string,
): Promise<{ denied?: string; differs: string[]; changed: number }> {
  const folder = makeTree(tree);
  const whole = tree === "worktree" ? dirname(folder) : folder;
  try {
    return await undoneIn(folder, whole, { orcs, tree, line });
  } finally {
    // Hundreds of them have millions of files, and the end of a run would wait until they are gone.
    for (const each of [whole, storeAt(folder).folder])
      rmSync(each, { recursive: true, force: true });
  }
}

async function undoneIn(
  folder: string,
  whole: string,
  { orcs, tree, line }: { readonly orcs: Orcs; readonly tree: string; readonly line: string },
): ReturnType<typeof undone> {
  const before = stateOf(whole);
  // As a session begins: a large tree is read before the first call.
  if (tree === "many") await begun(orcs, folder);
  const denied = await judged(orcs, line, folder);
  if (denied !== undefined) return { denied, differs: [], changed: 0 };
  runLine(folder, line);
  await ended(orcs, line, folder);
  const changed = differences(before, stateOf(whole));
  const store = storeOf(folder);
  const plan = newestUndone(store, false, [], true);
  if (plan) restore(store, plan, randomBytes(4).toString("hex"));
  return { differs: differences(before, stateOf(whole)), changed: changed.length };
}

export function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => before[path] !== after[path],
  );
}
