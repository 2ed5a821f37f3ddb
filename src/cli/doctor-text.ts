import pc from "picocolors";
import { HOSTS } from "../protocols/hosts.ts";
import type {
  ConfigurationReport,
  DoctorReport,
  EntryReport,
  Finding,
  HostReport,
  ServiceReport,
  SettingsReport,
} from "../serve/doctor/report.ts";
import { diagnosticsText } from "./diagnostics-text.ts";
import { printable } from "./table.ts";

/** A report as people read it. @param home what `~` stands for */
export function doctorText(report: DoctorReport, home: string | undefined): string {
  const { configurations, hosts, findings, version, node, ok } = report;
  const problems =
    findings.length === 0 ? [] : [findings.flatMap((each) => findingLines(each, ""))];
  const sections = [
    [`orcs ${version}, node ${node}`],
    ...configurations.map((each) => configurationLines(each, home)),
    ...hosts.map((each) => hostLines(each, home)),
    ...problems,
    [ok ? `${GOOD} no problems found` : `${BAD} problems found, see above`],
  ];
  return sections.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

const GOOD = pc.green("✓");
const BAD = pc.red("✗");
const ASIDE = pc.dim("·");

function configurationLines(
  { file, how, loads, hooks, diagnostics, service, state, findings }: ConfigurationReport,
  home: string | undefined,
): string[] {
  const name = file === null ? "none" : `${shownPath(file, home)} (${how})`;
  const lines = [pc.bold(`Configuration: ${name}`)];
  if (file !== null) {
    const told = loads
      ? counted(hooks, "hook")
      : "it does not load: calls that it guards are denied";
    lines.push(`  ${diagnostics.length > 0 ? BAD : GOOD} ${told}`);
  }
  if (diagnostics.length > 0) lines.push(indented(diagnosticsText(diagnostics), "    "));
  if (service) lines.push(`  ${ASIDE} ${serviceText(service, home)}`);
  if (state !== null) lines.push(`  ${ASIDE} state in ${shownPath(state, home)}`);
  return [...lines, ...findings.flatMap((each) => findingLines(each, "  "))];
}

function serviceText({ socket, pid, since, ms }: ServiceReport, home: string | undefined): string {
  if (ms === null) return `no service is running at ${shownPath(socket, home)}`;
  const who = pid === null ? "a service" : `service ${pid}`;
  const begun = since === null ? "" : ` since ${since}`;
  return `${who} is running${begun} and responds in ${ms} ms at ${shownPath(socket, home)}`;
}

function hostLines(report: HostReport, home: string | undefined): string[] {
  const { host, program, settings, hooks, idle, findings } = report;
  const { label, program: name } = HOSTS[host];
  const where = program === null ? `${name} is not on the PATH` : shownPath(program, home);
  const lines = [pc.bold(`${label}: `) + where];
  for (const file of settings) lines.push(...fileLines(file, home));
  lines.push(...findings.flatMap((each) => findingLines(each, "  ")));
  if (settings.some(({ entries }) => entries.length > 0)) {
    lines.push(
      `  ${hooks > 0 ? GOOD : BAD} ${counted(hooks, "hook")} of ${hooks + idle.length} run`,
    );
    for (const { id, why } of idle)
      lines.push(`    ${ASIDE} ${printable(id)} does not run: ${printable(why)}`);
  }
  return lines;
}

function fileLines(
  { path, scope, exists, entries, others, findings }: SettingsReport,
  home: string | undefined,
): string[] {
  const name = `${shownPath(path, home)} (${scope})`;
  const more = others > 0 ? `, ${counted(others, "other hook")}` : "";
  const what = exists
    ? `${counted(entries.length, "entry", "entries")} of orcs${more}`
    : "not there";
  const width = Math.max(0, ...entries.map(({ event }) => event.length));
  return [
    `  ${name}: ${what}`,
    ...findings.flatMap((each) => findingLines(each, "    ")),
    ...entries.flatMap((entry) => entryLines(entry, width)),
  ];
}

function entryLines(entry: EntryReport, width: number): string[] {
  const { event, command, timeout_s, fail_closed, tried, findings } = entry;
  const isFine = tried?.answer !== undefined && findings.every(({ kind }) => kind === "note");
  const said = [
    timeout_s === null ? "no timeout" : `${timeout_s} s`,
    ...(fail_closed === true ? ["fail-closed"] : []),
    triedText(tried),
    printable(command),
  ];
  return [
    `    ${isFine ? GOOD : BAD} ${printable(event).padEnd(width)}  ${said.join(", ")}`,
    ...findings.flatMap((each) => findingLines(each, "      ")),
  ];
}

function triedText(tried: EntryReport["tried"]): string {
  if (tried === null) return "not tried";
  const { answer, ms } = tried;
  const answers = { nothing: "no decision", object: "a response", refusal: "denied by a hook" };
  return answer === undefined ? `failed after ${ms} ms` : `${answers[answer]} (${ms} ms)`;
}

function findingLines({ kind, text, hint }: Finding, indent: string): string[] {
  const sign = kind === "problem" ? BAD : ASIDE;
  const lines = [`${indent}${sign} ${printable(text)}`];
  if (hint !== undefined) lines.push(`${indent}  → ${printable(hint)}`);
  return lines;
}

function shownPath(path: string, home: string | undefined): string {
  const isBelow = home !== undefined && home !== "" && path.startsWith(`${home}/`);
  return printable(isBelow ? `~${path.slice(home.length)}` : path);
}

function counted(count: number, what: string, many = `${what}s`): string {
  return `${count} ${count === 1 ? what : many}`;
}

function indented(text: string, indent: string): string {
  return text.replaceAll(/^/gm, indent);
}
