import { shownFile } from "../config/index.ts";
import { OrcsError } from "../core/index.ts";
import { applyPlan, planStatus, type PlanStatus, type SettingsPlan } from "../agents/index.ts";
import { canAsk, confirm, decline } from "./question.ts";
import { print, printJson, tell } from "./output.ts";
import { printable } from "./table.ts";
import { textDiff } from "./text-diff.ts";

interface PlanOptions {
  /** The folder of the records. */
  readonly records: string;
  /** Do not ask. */
  readonly yes: boolean;
  readonly json: boolean;
  /** Runs before the settings are changed. */
  readonly prepare?: (() => void) | undefined;
}

/**
 * Carry out plans for settings: each change is shown and confirmed. If nobody can be asked, changes are only shown, and
 * the exit code is 1.
 * @returns whether they were carried out
 */
export async function settlePlans(
  plans: readonly SettingsPlan[],
  { records, yes, json, prepare }: PlanOptions,
): Promise<boolean> {
  const statuses = new Map(plans.map((plan) => [plan, planStatus(plan)]));
  const changes = plans.filter((plan) => statuses.get(plan) !== "unchanged");
  if (changes.length > 0 && !yes && !canAsk()) {
    report(statuses, json, false);
    if (!json) process.stdout.write(changes.map(shownChange).join(""));
    decline("Nothing was changed: there is no terminal to ask in. To change it, use --yes.");
    return false;
  }
  if (changes.length > 0 && !yes) {
    process.stderr.write(changes.map(shownChange).join(""));
    const files = changes.length === 1 ? "this file" : `these ${changes.length} files`;
    if (!(await confirm(`Change ${files}?`))) {
      decline();
      return false;
    }
  }
  prepare?.();
  const done: SettingsPlan[] = [];
  try {
    for (const plan of plans) {
      applyPlan(plan, records);
      done.push(plan);
    }
  } catch (thrown) {
    throw partlyDone(
      done.filter((plan) => changes.includes(plan)),
      thrown,
    );
  }
  report(statuses, json, true);
  return true;
}

/** The error of one file, with the files that were changed before it. */
function partlyDone(changed: readonly SettingsPlan[], thrown: unknown): unknown {
  if (changed.length === 0 || !(thrown instanceof OrcsError)) return thrown;
  const files = changed.map(({ path }) => shownFile(path, process.cwd())).join(", ");
  const what = thrown.message.replace(/^ORCS\d+: /, "").replace(/; nothing was changed$/, "");
  const why = `${what}; changed before: ${files}`;
  return new OrcsError(thrown.code, why, thrown.fields, { cause: thrown });
}

function report(
  statuses: ReadonlyMap<SettingsPlan, PlanStatus>,
  json: boolean,
  isDone: boolean,
): void {
  if (json) {
    const files = [...statuses].map(([plan, status]) => ({
      host: plan.host,
      scope: plan.scope,
      path: plan.path,
      status,
      events: plan.events,
      notes: plan.notes,
      diff: isDone ? undefined : diffOf(plan),
    }));
    return printJson({ ok: isDone, files });
  }
  for (const [plan, status] of statuses) {
    const { events, host } = plan;
    const path = shownFile(plan.path, process.cwd());
    const what = events.length > 0 ? `: orcs answers ${events.join(", ")}` : "";
    if (isDone) print(`${WORDS[status]}  ${path}  (${host}${what})`);
  }
  for (const note of new Set([...statuses.keys()].flatMap(({ notes }) => notes))) {
    tell(`note: ${printable(note)}`);
  }
}

const WORDS: Readonly<Record<PlanStatus, string>> = {
  created: "created",
  changed: "changed",
  removed: "removed",
  unchanged: "up to date",
};

function shownChange(plan: SettingsPlan): string {
  const lines = diffOf(plan).split("\n").map(printable).join("\n");
  return `\n${shownFile(plan.path, process.cwd())}\n${lines}\n`;
}

function diffOf({ before, after }: SettingsPlan): string {
  const text = (bytes: Buffer | undefined): string => bytes?.toString("utf8") ?? "";
  return textDiff(text(before.bytes), text(after)).replaceAll("\r", "");
}
