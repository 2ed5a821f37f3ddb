import { AGENTS } from "../formats/index.ts";
import type {
  ConfigurationReport,
  DoctorReport,
  EntryReport,
  Finding,
  HostReport,
  ServiceReport,
  SettingsReport,
} from "../workbench/index.ts";
import { diagnosticsText } from "./diagnostics-text.ts";
import { counted, printable } from "./table.ts";
import { type Palette, PLAIN } from "./terminal.ts";

/** How a report is written. */
interface Style {
  /** The folder that `~` stands for. */
  readonly home: string | undefined;
  readonly colors: Palette;
  readonly good: string;
  readonly bad: string;
  readonly aside: string;
}

/** A report as people read it. @param home the folder that `~` stands for */
export function doctorText(
  report: DoctorReport,
  home: string | undefined,
  colors: Palette = PLAIN,
): string {
  const style: Style = {
    home,
    colors,
    good: colors.green("✓"),
    bad: colors.red("✗"),
    aside: colors.dim("·"),
  };
  const { configurations, hosts, findings, version, node, ok } = report;
  const problems =
    findings.length === 0 ? [] : [findings.flatMap((each) => findingLines(each, "", style))];
  const sections = [
    [`orcs ${version}, node ${node}`],
    ...configurations.map((each) => configurationLines(each, style)),
    ...hosts.map((each) => hostLines(each, style)),
    ...problems,
    [ok ? `${style.good} no problems found` : `${style.bad} problems found, see above`],
  ];
  return sections.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function configurationLines(
  { file, how, loads, hooks, diagnostics, service, state, findings }: ConfigurationReport,
  style: Style,
): string[] {
  const { home, colors, good, bad, aside } = style;
  const name = file === null ? "none" : `${shownPath(file, home)} (${how})`;
  const lines = [colors.bold(`Configuration: ${name}`)];
  if (file !== null) {
    const texts = loads
      ? counted(hooks, "hook")
      : "it does not load: calls that it guards are denied";
    lines.push(`  ${diagnostics.length > 0 ? bad : good} ${texts}`);
  }
  if (diagnostics.length > 0)
    lines.push(diagnosticsText(diagnostics, colors).replaceAll(/^/gm, "    "));
  if (service) lines.push(`  ${aside} ${serviceText(service, style)}`);
  if (state !== null) lines.push(`  ${aside} state in ${shownPath(state, home)}`);
  return [...lines, ...findings.flatMap((each) => findingLines(each, "  ", style))];
}

function serviceText({ socket, pid, since, ms }: ServiceReport, { home }: Style): string {
  if (ms === null) return `no service is running at ${shownPath(socket, home)}`;
  const who = pid === null ? "a service" : `service ${pid}`;
  const begun = since === null ? "" : ` since ${since}`;
  return `${who} is running${begun} and responds in ${ms} ms at ${shownPath(socket, home)}`;
}

function hostLines(report: HostReport, style: Style): string[] {
  const { home, colors, good, bad, aside } = style;
  const { host, program, settings, hooks, idle, findings } = report;
  const { label, program: name } = AGENTS[host];
  const where = program === null ? `${name} is not on the PATH` : shownPath(program, home);
  const lines = [colors.bold(`${label}: `) + where];
  for (const file of settings) lines.push(...fileLines(file, style));
  lines.push(...findings.flatMap((each) => findingLines(each, "  ", style)));
  if (settings.some(({ entries }) => entries.length > 0)) {
    lines.push(
      `  ${hooks > 0 ? good : bad} ${counted(hooks, "hook")} of ${hooks + idle.length} run`,
    );
    for (const { id, why } of idle)
      lines.push(`    ${aside} ${printable(id)} does not run: ${printable(why)}`);
  }
  return lines;
}

function fileLines(
  { path, scope, exists, entries, others, findings }: SettingsReport,
  style: Style,
): string[] {
  const { home } = style;
  const name = `${shownPath(path, home)} (${scope})`;
  const more = others > 0 ? `, ${counted(others, "other hook")}` : "";
  const what = exists
    ? `${counted(entries.length, "entry", "entries")} of orcs${more}`
    : "not there";
  const width = Math.max(0, ...entries.map(({ event }) => event.length));
  return [
    `  ${name}: ${what}`,
    ...findings.flatMap((each) => findingLines(each, "    ", style)),
    ...entries.flatMap((entry) => entryLines(entry, width, style)),
  ];
}

function entryLines(entry: EntryReport, width: number, style: Style): string[] {
  const { good, bad } = style;
  const { event, command, timeout_s, fail_closed, tried, findings } = entry;
  const isFine = tried?.answer !== undefined && findings.every(({ kind }) => kind === "note");
  const parts = [
    timeout_s === null ? "no timeout" : `${timeout_s} s`,
    ...(fail_closed === true ? ["fail-closed"] : []),
    triedText(tried),
    printable(command),
  ];
  return [
    `    ${isFine ? good : bad} ${printable(event).padEnd(width)}  ${parts.join(", ")}`,
    ...findings.flatMap((each) => findingLines(each, "      ", style)),
  ];
}

function triedText(tried: EntryReport["tried"]): string {
  if (tried === null) return "not tried";
  const { answer, ms } = tried;
  const answers = { nothing: "no decision", object: "a response", refusal: "denied by a hook" };
  return answer === undefined ? `failed after ${ms} ms` : `${answers[answer]} (${ms} ms)`;
}

function findingLines(
  { kind, text, hint }: Finding,
  indent: string,
  { bad, aside }: Style,
): string[] {
  const sign = kind === "problem" ? bad : aside;
  const lines = [`${indent}${sign} ${printable(text)}`];
  if (hint !== undefined) lines.push(`${indent}  → ${printable(hint)}`);
  return lines;
}

function shownPath(path: string, home: string | undefined): string {
  const isBelow = home !== undefined && home !== "" && path.startsWith(`${home}/`);
  return printable(isBelow ? `~${path.slice(home.length)}` : path);
}
