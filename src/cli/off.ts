import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { acceptNow, applyPlan, planStatus } from "../agents/index.ts";
import { defaultUserDir, namesIn, realpath, shownPath, userStateDir } from "../machine/index.ts";
import { endServices } from "../daemon/index.ts";
import { requireTrustLine } from "./audit-trust.ts";
import { JSON_OUTPUT } from "./options.ts";
import { print, printJson, tell } from "./output.ts";
import { labelOf, ownAround } from "./install-options.ts";
import { canAsk, confirm, decline } from "./question.ts";
import { onRecord, removeGuards } from "./user-guards.ts";
import { forgetHttp, uninstallPlans } from "./uninstall.ts";
import { flag, type OptionsOf, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  purge: flag("also remove what orcs has stored: state, seals, audit logs, undo points, caches"),
  yes: flag("do not ask", { short: "y" }),
  json: JSON_OUTPUT,
};

/** `orcs off`: take back what `orcs on` did. */
export const offCommand = verbCommand("off", {
  options: OPTIONS,
  help:
    "A file that has not changed since orcs on is restored byte for byte. In all others, only what is of orcs is\n" +
    "removed, and every later change stays. Projects and the settings of the machine are not touched.",
  run: off,
});

async function off({
  purge = false,
  yes = false,
  json = false,
}: OptionsOf<typeof OPTIONS>): Promise<void> {
  const around = ownAround();
  const plans = uninstallPlans("all", { user: true }, around);
  const record = onRecord();
  const kept = purge ? storedThings() : [];
  if (plans.length === 0 && !record && kept.length === 0) {
    if (json) printJson({ ok: true, files: [], purged: [] });
    else print("Nothing to do: orcs is off.");
    return;
  }
  const lines = [
    ...plans.map(({ host, path }) => `  ${shownPath(path)}  (${labelOf(host)})`),
    ...(record
      ? [`  ${shownPath(join(defaultUserDir(), "orcs.toml"))}  (${record.added.join(", ")})`]
      : []),
    ...kept.map(({ path, bytes, what }) => `  ${shownPath(path)}  ${sizeText(bytes)}  (${what})`),
  ];
  if (!yes)
    tell(
      `orcs would be taken out of these${purge ? ", and what it stored removed" : ""}:\n${lines.join("\n")}`,
    );
  if (!yes && (json || !canAsk())) {
    if (json) printJson({ ok: false, files: [], purged: [] });
    return decline("Nothing was changed. There is no terminal to ask in: use --yes.");
  }
  if (!yes && !(await confirm("Switch it off? Your agents are not guarded then.")))
    return decline();
  await requireTrustLine({ action: "loosened", verb: "off", directory: realpath(process.cwd()) });
  for (const plan of plans) applyPlan(plan, around.records);
  forgetHttp(around);
  await removeGuards();
  acceptNow(undefined, false);
  // Sessions that have the old entries ask them; the next event begins one that knows.
  await endServices();
  if (purge) rmSync(userStateDir(), { recursive: true, force: true, maxRetries: 3 });
  const files = plans.map((plan) => ({
    host: plan.host,
    path: plan.path,
    status: planStatus(plan),
  }));
  if (json) return printJson({ ok: true, files, purged: kept });
  for (const line of lines) print(line);
  print(
    `orcs is off.${purge ? "" : " What it stored is still there: orcs off --purge shows and removes it."}`,
  );
}

/** What the entries of the state folder are; others are shown by their name. */
const WHAT: readonly (readonly [RegExp, string])[] = [
  [/^[0-9a-f]{16}$/, "state and audit log of a configuration"],
  [/^audit-heads$/, "ends of audit logs"],
  [/^seals$/, "copies of trusted projects"],
  [/^trust\.json/, "trust decisions"],
  [
    /^(?:accepted|installs|installations\.json|on\.json)$/,
    "what orcs changed, and how it was before",
  ],
  [/^undo/, "undo points"],
];

/** What orcs has stored for this user. */
function storedThings() {
  const folder = userStateDir();
  return namesIn(folder).map((name) => {
    const path = join(folder, name);
    const what = WHAT.find(([pattern]) => pattern.test(name))?.[1] ?? "cache";
    return { path, bytes: sizeOf(path), what };
  });
}

/** Bytes of a file, or of all in a folder; links are not followed. */
function sizeOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return found?.size ?? 0;
  return namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
