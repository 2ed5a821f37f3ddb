import { AGENT_NAMES } from "../core/index.ts";
import { type DoctorReport, examine, lostEntries } from "../workbench/index.ts";
import { restoreInstallations } from "../agents/index.ts";
import { TrustStore } from "../config/index.ts";
import { flatDiagnostic } from "./diagnostics-text.ts";
import { doctorText } from "./doctor-text.ts";
import { installAround } from "./install-options.ts";
import { CONFIG, EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printJson } from "./output.ts";
import { canAsk, confirm, decline } from "./question.ts";
import { ownVersion } from "../machine/index.ts";
import { printable } from "./table.ts";
import { paletteFor } from "./terminal.ts";
import { flag, value, verbCommand } from "./verb-command.ts";

/** `orcs doctor`: check everything between the events of coding agents and the hooks. */
export const doctorCommand = verbCommand("doctor", {
  options: {
    host: value("<name>", "only this coding agent; default: every agent found on this machine", {
      choices: AGENT_NAMES,
    }),
    config: CONFIG,
    json: JSON_OUTPUT,
    repair: flag(
      "show what is lost when the state of an installation is gone, then recreate that state",
    ),
    yes: flag("repair without asking", { short: "y" }),
  },
  help:
    "The command of each entry is run with a synthetic event, as the agent would run it. The hooks run on\n" +
    "temporary state; your settings and state are not changed.\n\n" +
    "Exit code: 0 no findings, 1 findings, 2 errors in the configuration.",
  run: async ({ host, config, json, repair, yes }) => {
    if (repair === true) return repairInstallations(yes === true);
    const report = await examine({
      ...installAround(),
      host,
      config,
      version: ownVersion(),
    });
    process.exitCode = exitCode(report);
    if (json === true) return printJson(flat(report));
    process.stdout.write(doctorText(report, process.env["HOME"], paletteFor(process.stdout)));
  },
});

/** Register installations again whose state is lost: tool calls are no longer denied. */
async function repairInstallations(yes: boolean): Promise<void> {
  const lost = await lostEntries(installAround());
  const store = new TrustStore();
  const damage = store.damage;
  if (lost.length === 0 && damage === undefined) {
    print("Nothing to repair: no installation has lost its state.");
    return;
  }
  const states = lost.map(({ folders }) => `  ${printable(folders.state)}\n`).join("");
  const what =
    lost.length > 0
      ? `The state of an installation is gone:\n${states}${LOST}`
      : `${printable(damage?.message ?? "")}\n${WITHOUT_STORE}`;
  process.stderr.write(what);
  if (!yes && !canAsk()) {
    return decline("Nothing was changed: there is no terminal to ask in. To continue, use --yes.");
  }
  if (!yes && !(await confirm("Continue without it, and no longer deny tool calls?"))) {
    return decline();
  }
  if (damage) store.beginAgain();
  for (const { ids, folders } of lost) restoreInstallations(ids, folders);
  process.stdout.write(`Repaired. Trust your projects again: orcs trust\n${states}`);
}

const WITHOUT_STORE = `The list of projects that you trust is lost with it: their hooks are inactive until you run orcs trust there.
If you did not change it yourself, find out what did before you continue.
`;

const LOST = `These are lost with it:
  - the list of projects that you trust: their hooks are inactive until you run orcs trust there
  - orcs.state: counters and budgets begin at 0, and hooks with once run again
  - the audit log that was kept there
  - what orcs uninstall puts back byte for byte: it takes its entries out instead
If you did not remove it yourself, find out what did before you continue.
`;

function exitCode({ ok, configurations }: DoctorReport): number {
  const isBroken = configurations.some(({ diagnostics }) =>
    diagnostics.some(({ severity }) => severity === "error"),
  );
  if (isBroken) return EXIT.error;
  return ok ? EXIT.fine : EXIT.findings;
}

function flat(report: DoctorReport) {
  const configurations = report.configurations.map(({ diagnostics, ...configuration }) => ({
    ...configuration,
    diagnostics: diagnostics.map(flatDiagnostic),
  }));
  return { ...report, configurations };
}
