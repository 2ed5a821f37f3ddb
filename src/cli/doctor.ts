import { AGENT_NAMES } from "../core/index.ts";
import { examine, lostEntries } from "../workbench/index.ts";
import type {
  ConfigurationReport,
  DoctorReport,
  EntryReport,
  Finding,
  HostReport,
  ServiceReport,
  SettingsReport,
} from "../workbench/index.ts";
import { restoreInstallations } from "../agents/index.ts";
import { TrustStore } from "../config/index.ts";
import { diagnosticsText, flatDiagnostic } from "./diagnostics-text.ts";
import { installAround } from "./install-options.ts";
import { CONFIG, EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printJson } from "./output.ts";
import { canAsk, confirm, decline } from "./question.ts";
import { ownVersion } from "../machine/index.ts";
import { counted, printable } from "./table.ts";
import { type Palette, paletteFor } from "./terminal.ts";
import { flag, value, verbCommand } from "./verb-command.ts";
import { AGENTS } from "../formats/index.ts";

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
    process.stdout.write(doctorText(report, paletteFor(process.stdout)));
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

/** A report as people read it. */
function doctorText(report: DoctorReport, colors: Palette): string {
  const { configurations, hosts, findings, version, node, ok } = report;
  const problems =
    findings.length === 0 ? [] : [findings.flatMap((each) => findingLines(each, "", colors))];
  const sections = [
    [`orcs ${version}, node ${node}`],
    ...configurations.map((each) => configurationLines(each, colors)),
    ...hosts.map((each) => hostLines(each, colors)),
    ...problems,
    [`${signOf(ok, colors)} ${ok ? "no problems found" : "problems found, see above"}`],
  ];
  return sections.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function configurationLines(
  { file, how, loads, hooks, diagnostics, service, state, findings }: ConfigurationReport,
  colors: Palette,
): string[] {
  const name = file === null ? "none" : `${belowHome(file)} (${how})`;
  const lines = [colors.bold(`Configuration: ${name}`)];
  if (file !== null) {
    const texts = loads
      ? counted(hooks, "hook")
      : "it does not load: calls that it guards are denied";
    lines.push(`  ${signOf(diagnostics.length === 0, colors)} ${texts}`);
  }
  if (diagnostics.length > 0)
    lines.push(diagnosticsText(diagnostics, colors).replaceAll(/^/gm, "    "));
  if (service) lines.push(`  ${colors.dim("·")} ${serviceText(service)}`);
  if (state !== null) lines.push(`  ${colors.dim("·")} state in ${belowHome(state)}`);
  return [...lines, ...findings.flatMap((each) => findingLines(each, "  ", colors))];
}

function serviceText({ socket, pid, since, ms }: ServiceReport): string {
  if (ms === null) return `no service is running at ${belowHome(socket)}`;
  const who = pid === null ? "a service" : `service ${pid}`;
  const begun = since === null ? "" : ` since ${since}`;
  return `${who} is running${begun} and responds in ${ms} ms at ${belowHome(socket)}`;
}

function hostLines(report: HostReport, colors: Palette): string[] {
  const { host, program, settings, hooks, idle, findings } = report;
  const { label, program: name } = AGENTS[host];
  const where = program === null ? `${name} is not on the PATH` : belowHome(program);
  const lines = [colors.bold(`${label}: `) + where];
  for (const file of settings) lines.push(...fileLines(file, colors));
  lines.push(...findings.flatMap((each) => findingLines(each, "  ", colors)));
  if (settings.some(({ entries }) => entries.length > 0)) {
    lines.push(
      `  ${signOf(hooks > 0, colors)} ${counted(hooks, "hook")} of ${hooks + idle.length} run`,
    );
    for (const { id, why } of idle)
      lines.push(`    ${colors.dim("·")} ${printable(id)} does not run: ${printable(why)}`);
  }
  return lines;
}

function fileLines(
  { path, scope, exists, entries, others, findings }: SettingsReport,
  colors: Palette,
): string[] {
  const name = `${belowHome(path)} (${scope})`;
  const more = others > 0 ? `, ${counted(others, "other hook")}` : "";
  const what = exists
    ? `${counted(entries.length, "entry", "entries")} of orcs${more}`
    : "not there";
  const width = Math.max(0, ...entries.map(({ event }) => event.length));
  return [
    `  ${name}: ${what}`,
    ...findings.flatMap((each) => findingLines(each, "    ", colors)),
    ...entries.flatMap((entry) => entryLines(entry, width, colors)),
  ];
}

function entryLines(entry: EntryReport, width: number, colors: Palette): string[] {
  const { event, command, timeout_s, fail_closed, tried, findings } = entry;
  const isFine = tried?.answer !== undefined && findings.every(({ kind }) => kind === "note");
  const parts = [
    timeout_s === null ? "no timeout" : `${timeout_s} s`,
    ...(fail_closed === true ? ["fail-closed"] : []),
    triedText(tried),
    printable(isFine ? command.replace(AROUND, "… ") : command),
  ];
  return [
    `    ${signOf(isFine, colors)} ${printable(event).padEnd(width)}  ${parts.join(", ")}`,
    ...findings.flatMap((each) => findingLines(each, "      ", colors)),
  ];
}

/** What an entry does if orcs is gone: the same for each. */
const AROUND = /^\/bin\/sh -c '[^']{1,2000}' orcs '[^']{1,2000}' (?=\S{1,500}orcs-hook )/;

function triedText(tried: EntryReport["tried"]): string {
  if (tried === null) return "not tried";
  const { answer, ms } = tried;
  const answers = { nothing: "no decision", object: "a response", refusal: "denied by a hook" };
  return answer === undefined ? `failed after ${ms} ms` : `${answers[answer]} (${ms} ms)`;
}

function findingLines({ kind, text, hint }: Finding, indent: string, colors: Palette): string[] {
  const sign = kind === "problem" ? colors.red("✗") : colors.dim("·");
  const lines = [`${indent}${sign} ${printable(text)}`];
  if (hint !== undefined) lines.push(`${indent}  → ${printable(hint)}`);
  return lines;
}

function signOf(isGood: boolean, { green, red }: Palette): string {
  return isGood ? green("✓") : red("✗");
}

/** A path, with `~` for the home folder. */
function belowHome(path: string): string {
  const home = process.env["HOME"] || undefined;
  const isBelow = home !== undefined && path.startsWith(`${home}/`);
  return printable(isBelow ? `~${path.slice(home.length)}` : path);
}
