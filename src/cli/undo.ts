import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { OrcsError, orUndefined } from "../core/index.ts";
import { changeText, newestUndone, planOf, recover, restore, storeAt } from "../undo/index.ts";
import type { Change, Point, PointStore, RestorePlan } from "../undo/index.ts";
import { requireTrustLine } from "./audit-trust.ts";
import { counted, escapeUntrusted, printable, renderTable, shortened } from "./table.ts";
import { EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printJson, tell } from "./output.ts";
import { confirm, decline, expectTerminal } from "./question.ts";
import { textDiff } from "./text-diff.ts";
import { flag, type OptionsOf, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  list: flag("show the undo points of this project, without what is in the files", {
    conflicts: ["redo", "diff", "dryRun", "yes"],
  }),
  redo: flag("take back the last orcs undo"),
  diff: flag("show how the files would change, and change nothing"),
  dryRun: flag("show which files would change, and change nothing"),
  yes: flag("do not ask", { short: "y" }),
  json: JSON_OUTPUT,
};
type UndoOptions = OptionsOf<typeof OPTIONS>;

/** Of more points, it is not looked up what has changed since. */
const MOST_COMPARED = 20;
/** Characters of a call, and changes, that are shown. */
const MOST_SHOWN = 60;
const MOST_CHANGES = 40;

/** `orcs undo`: restore what was there before a call of a coding agent. */
export const undoCommand = verbCommand("undo", {
  options: OPTIONS,
  help:
    "Without an id, the newest call that has changed something and was not undone. A coding agent can only list.\n" +
    "\nExample:\n  orcs undo --list\n  orcs undo 3f2a91bc src/main.ts",
  run: undo,
});

async function undo(
  options: UndoOptions,
  id: string | undefined,
  paths: readonly string[],
): Promise<void> {
  const store = storeAt(process.cwd());
  if (!store.exists) {
    if (options.list === true && options.json === true) return printJson([]);
    if (options.list === true) return print("there are no undo points of this project");
    const why = `there are no undo points of ${escapeUntrusted(store.root)}: the hook orcs:undo takes them`;
    throw new OrcsError("ORCS5021", why);
  }
  store.open();
  if (options.list === true) return list(store, options);
  const finished = recover(store);
  if (finished) tell(`an interrupted restore was ended first: ${finished.id}`);
  const wanted = paths.map((path) => resolve(process.cwd(), path));
  const isShown = options.diff === true || options.dryRun === true;
  const plan = planFor(store, id, wanted, options);
  if (!plan || plan.changes.length === 0) {
    if (options.json === true) return printJson({ point: plan?.point.id, changes: [] });
    const nothing = `there is nothing to ${options.redo === true ? "redo" : "undo"}`;
    return print(plan ? "nothing has changed since" : nothing);
  }
  if (options.json !== true) tell(planText(store, plan, options));
  const shown = { point: plan.point.id, changes: plan.changes.map(stated) };
  if (isShown) {
    if (options.json === true) printJson(shown);
    return;
  }
  if (options.yes !== true) {
    expectTerminal("undo", options.json);
    if (!(await confirm("Restore this?"))) return decline("nothing was changed");
  }
  const again = planOf(store, plan.point, true, wanted);
  if (JSON.stringify(again.changes) !== JSON.stringify(plan.changes)) {
    const why = "files have changed meanwhile: nothing was restored; run it again";
    throw new OrcsError("ORCS5021", why);
  }
  await recordUndo(store, plan.point, "undo");
  const own = randomBytes(4).toString("hex");
  const done = restore(store, again, own);
  if (done.failed.length > 0) process.exitCode = EXIT.findings;
  if (options.json === true) {
    const { point, changes } = shown;
    return printJson({ point, undo: own, changes, beside: done.beside, failed: done.failed });
  }
  for (const { path, why } of done.failed)
    tell(`not restored: ${escapeUntrusted(path)}: ${escapeUntrusted(why)}`);
  for (const path of done.beside) tell(`kept what was changed since: ${escapeUntrusted(path)}`);
  const back = plan.point.before === undefined ? "--redo" : own;
  const made = counted(plan.changes.length - done.failed.length, "change");
  print(`${made} made; orcs undo ${back} takes it back`);
}

/** Record it before it is done. @throws OrcsError ORCS8005 */
export async function recordUndo(store: PointStore, point: Point, verb: string): Promise<void> {
  const { call: line = point.reason, session } = point;
  await requireTrustLine({ action: "undone", verb, directory: store.root, line, session });
}

/** @throws OrcsError ORCS5021 when there is no such point */
function planFor(
  store: PointStore,
  id: string | undefined,
  wanted: readonly string[],
  { redo = false, dryRun = false }: UndoOptions,
): RestorePlan | undefined {
  if (id === undefined) return newestUndone(store, redo, wanted, !dryRun);
  const point = store.point(id);
  if (point) return planOf(store, point, !dryRun, wanted);
  const why = `there is no undo point ${escapeUntrusted(id)}: see orcs undo --list`;
  throw new OrcsError("ORCS5021", why);
}

function list(store: PointStore, { json }: UndoOptions): void {
  const points = store.points().map((point, n) => ({
    point,
    since: n < MOST_COMPARED ? changedSince(store, point) : undefined,
  }));
  if (json === true) {
    return printJson(points.map(({ point, since }) => statedPoint(point, since)));
  }
  if (points.length === 0) return print("there are no undo points of this project");
  const rows = points.map(({ point, since }) => [
    point.id,
    new Date(point.at).toISOString().slice(0, 19),
    escapeUntrusted(point.agent ?? point.session?.slice(0, 8) ?? ""),
    shortened(printable(point.call ?? point.reason), MOST_SHOWN),
    `${Math.ceil(point.bytes / 1024)} kB`,
    since === undefined ? "" : counted(since.length, "file"),
    [
      point.before && `${point.reason} of ${point.before}`,
      point.undone && "undone",
      point.missing && "not complete",
    ]
      .filter(Boolean)
      .join(", "),
  ]);
  print(renderTable(["id", "when", "agent", "call", "size", "changed since", ""], rows));
}

function statedPoint(point: Point, since: readonly Change[] | undefined) {
  const { areas: _, callId: __, at, ...told } = point;
  return { ...told, at: new Date(at).toISOString(), changed: since?.map(pathOf) };
}

function changedSince(store: PointStore, point: Point): readonly Change[] | undefined {
  // Undefined when a part of it is damaged, or cannot be read now.
  return orUndefined(() => planOf(store, point, false).changes);
}

function planText(
  store: PointStore,
  { point, changes }: RestorePlan,
  { diff = false }: UndoOptions,
): string {
  const head = `before: ${printable(point.call ?? point.reason)} (${point.id}, ${new Date(point.at).toISOString().slice(0, 19)})`;
  const shown = changes.slice(0, diff ? changes.length : MOST_CHANGES).map((change) => {
    const line = `  ${escapeUntrusted(changeText(change))}`;
    return diff ? `${line}\n${difference(store, change)}` : line;
  });
  const more =
    changes.length > shown.length ? [`  … and ${changes.length - shown.length} more`] : [];
  return [head, ...shown, ...more].join("\n");
}

function difference(store: PointStore, { before, now }: Change): string {
  const text = (entry: Change["now"]): string =>
    entry?.kind !== "file" ? (entry?.content ?? "") : store.content(entry.content ?? "").toString();
  const [from, to] = [text(now), text(before)];
  if (`${from}${to}`.includes("\0")) return "    (binary)";
  return textDiff(from, to)
    .split("\n")
    .map((line) => `    ${printable(line)}`)
    .join("\n");
}

function pathOf({ base, path }: Change): string {
  return join(base, path);
}

function stated(change: Change) {
  const { before, now, conflict } = change;
  return {
    path: pathOf(change),
    before: before?.kind,
    now: now?.kind,
    ...(conflict && { conflict }),
  };
}
