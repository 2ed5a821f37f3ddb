import { InvalidArgumentError } from "commander";
import { loadConfig, shownMachineFiles } from "../config/index.ts";
import { PendingQuestions } from "../agents/index.ts";
import { OrcsError } from "../core/index.ts";
import { stderrLogger } from "../engine/index.ts";
import { realpath } from "../machine/index.ts";
import { defaultStateDirs, type RefusedLine, RefusedLines } from "../daemon/index.ts";
import { requireTrustLine } from "./audit-trust.ts";
import { escapeUntrusted, printable, renderTable, shortened } from "./table.ts";
import { CONFIG, JSON_OUTPUT } from "./options.ts";
import { print, tell, printIndented } from "./output.ts";
import { confirm, decline, expectTerminal } from "./question.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

/** An allowance that is not used ends after this many hours. */
const MOST_HOURS = 24;
const HOUR_MS = 3_600_000;

const OPTIONS = {
  list: flag(
    "show the lines that were refused last, and the calls that are always allowed, with their codes",
  ),
  forget: flag("ask again about a call that is always allowed", { conflicts: ["list"] }),
  yes: flag("do not ask", { short: "y", conflicts: ["list"] }),
  hours: value("<n>", `how long the agent has to run it again, at most ${MOST_HOURS}`, {
    parse: hours,
    default: MOST_HOURS,
  }),
  config: CONFIG,
  json: JSON_OUTPUT,
};
type AllowOptions = OptionsOf<typeof OPTIONS>;

/** `orcs rules allow`: let a coding agent run one refused command line once. */
export const allowCommand = verbCommand("rules allow", {
  options: OPTIONS,
  help:
    "The same line is allowed once, in the same folder and session. A coding agent cannot run this command.\n" +
    "\nExample:\n  orcs rules allow 1f3a9c0d",
  run: runAllow,
});

async function runAllow(options: AllowOptions, code: string | undefined): Promise<void> {
  const lines = new RefusedLines(await stateDirs(options.config), stderrLogger("warn"));
  try {
    if (options.list === true) return list(lines.all(), options);
    if (options.forget === true) return forget(code);
    if (code === undefined) {
      throw new OrcsError("ORCS5001", "allow needs the code in the refusal, or --list");
    }
    await allow(lineWith(code, lines.all()), options);
  } finally {
    lines.close();
  }
}

/**
 * Where guards keep what they refused. A configuration with errors has the default directory.
 * @param defaults used besides `[paths] state`
 */
export async function stateDirs(
  config: string | undefined,
  defaults: readonly string[] = defaultStateDirs(),
): Promise<string[]> {
  try {
    const machine = shownMachineFiles();
    const { settings } = await loadConfig({
      cwd: process.cwd(),
      machine,
      ...(config !== undefined && { config }),
    });
    const { state } = settings.paths;
    return state === undefined ? [...defaults] : [state, ...defaults];
  } catch (thrown) {
    if (config !== undefined || !(thrown instanceof OrcsError)) throw thrown;
    return [...defaults];
  }
}

/** @throws OrcsError ORCS5001 when no line, or more than one, has the code */
function lineWith(code: string, lines: readonly RefusedLine[]): RefusedLine {
  const [found, other] = lines.filter((line) => line.code === code.trim().toLowerCase());
  if (!found) {
    const why = `no refused line has the code ${escapeUntrusted(code)}: orcs rules allow --list shows the codes; a configuration with [paths] state needs its folder or --config`;
    throw new OrcsError("ORCS5001", why);
  }
  if (!other) return found;
  const why = `two refused lines have the code ${code}: neither is allowed. Let the agent write one of them differently`;
  throw new OrcsError("ORCS5001", why);
}

async function allow(line: RefusedLine, options: AllowOptions): Promise<void> {
  const shown = shownLine(line);
  if (options.yes !== true) {
    expectTerminal("allow", options.json);
    tell(shown);
    if (!(await confirm("Let the agent run this line once?"))) return decline("not allowed");
  }
  await allowLine(line, "allow", options.hours * HOUR_MS);
  const until = new Date(Date.now() + options.hours * HOUR_MS).toISOString();
  if (options.json === true) return printIndented({ ...stated(line), until });
  if (options.yes === true) print(shown);
  print(`allowed once, until ${until}: let the agent run it again`);
}

/** Let the agent run a line once, if that can be recorded. @throws OrcsError ORCS8005, ORCS5002 */
export async function allowLine(
  line: RefusedLine,
  verb: "allow" | "ui",
  forMs = MOST_HOURS * HOUR_MS,
): Promise<void> {
  await requireTrustLine({
    action: "allowed_once",
    verb,
    directory: realpath(line.cwd),
    line: line.line,
    session: line.session,
  });
  line.allow(forMs);
}

function shownLine({ line, cwd, session, reason }: RefusedLine): string {
  return [
    `  ${printable(line)}`,
    "",
    `  folder   ${escapeUntrusted(cwd)}`,
    `  session  ${escapeUntrusted(session)}`,
    `  refused  ${printable(reason)}`,
  ].join("\n");
}

/** `orcs status --answer` has allowed it for good. @throws OrcsError ORCS5001 */
function forget(given: string | undefined): void {
  const rule = new PendingQuestions().rules().find(({ code }) => code === given);
  if (!rule) throw new OrcsError("ORCS5001", "--forget needs the code of a call from --list");
  rule.forget();
  print(`asked about again: ${printable(rule.about)}`);
}

function list(lines: readonly RefusedLine[], { json }: AllowOptions): void {
  const rules = new PendingQuestions().rules();
  if (json === true) {
    const always = rules.map((rule) =>
      Object.assign({}, rule, { forget: undefined, always: true }),
    );
    return printIndented([...lines.map(stated), ...always]);
  }
  if (rules.length > 0) {
    const shown = rules.map(({ code, cwd, about }) => [
      code,
      escapeUntrusted(cwd),
      shortened(printable(about), MOST_SHOWN),
    ]);
    print(renderTable(["always allowed", "folder", "call"], shown));
  }
  if (lines.length === 0) return print("no line was refused");
  const rows = lines.map(({ code, at, cwd, line }) => [
    code,
    new Date(at * 1000).toISOString(),
    escapeUntrusted(cwd),
    shortened(printable(line), MOST_SHOWN),
  ]);
  print(renderTable(["code", "refused", "folder", "line"], rows));
}

/** Longest line in the list, in characters. */
const MOST_SHOWN = 100;

function stated({ code, line, cwd, session, reason, at }: RefusedLine): Record<string, unknown> {
  return { code, line, cwd, session, reason, at };
}

function hours(text: string): number {
  const given = Number(text);
  if (given > 0 && given <= MOST_HOURS) return given;
  throw new InvalidArgumentError(`Write a number of hours, at most ${MOST_HOURS}.`);
}
