import { homedir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json.ts";
import type { InvalidOptions, Verdict, VerdictRow, VerdictTable } from "./verdict-table.ts";
import { shellPacks } from "../../scripts/generate/shell-rules.ts";
import { SHIPPED_HOOKS } from "../../src/config/scripts.ts";
import type { Call } from "../../test/unit/hooks/file-guard-calls.ts";
import { lines, reads, writes } from "../../test/unit/hooks/file-guard-calls.ts";
import { OPTION_ROWS } from "../../test/unit/hooks/guard-option-rows.ts";
import { INVALID_OPTIONS } from "../../test/unit/hooks/invalid-options.ts";
import * as paths from "../../test/unit/hooks/path-guard-lines.ts";
import * as secrets from "../../test/unit/hooks/secret-guard-lines.ts";
import * as self from "../../test/unit/hooks/self-guard-calls.ts";
import { OWN_MODULES, PROJECT } from "../../test/unit/hooks/self-guard-lines.ts";
import { CALLS } from "../../test/unit/hooks/shell-guard/call-rows.ts";
import { EVERYDAY } from "../../test/unit/hooks/shell-guard/everyday.ts";
import { OPTIONS, SELECTIONS } from "../../test/unit/hooks/shell-guard/option-rows.ts";
import { PER_PACK, STRICT } from "../../test/unit/hooks/shell-guard/pack-lines.ts";
import { CWD as RULES_CWD, RULE_LINES } from "../../test/unit/hooks/shell-guard/rule-lines.ts";
import { TABLE } from "../../test/unit/hooks/shell-guard/table.ts";
import { verdictLines } from "../../test/unit/hooks/verdict-lines.ts";
import * as windows from "../../test/unit/hooks/windows-lines.ts";

/** The verdict tables of the unit tests of shell-guard. */
export async function shellTables(): Promise<VerdictTable[]> {
  const cwd = "/work/project";
  const table = (name: string, options: JsonObject, rows: readonly VerdictRow[]): VerdictTable => ({
    name: `shell-guard, ${name}`,
    script: scriptOf("shell-guard"),
    options,
    rows,
  });
  const row = (command: string, verdict: Verdict, reason?: string) =>
    rowOf("exec", { command }, cwd, verdict, reason);
  const levels = ["default", "strict", "paranoid"].map((level) =>
    table(
      level,
      { level },
      TABLE.filter((at) => at.level === level).map(({ line, verdict }) => row(line, verdict)),
    ),
  );
  const packs = PER_PACK.map(({ name, stop, pass }) =>
    table(`pack ${name}`, { enable: [name], dynamic: "allow" }, [
      ...stop.map(({ id, command }) => row(command, "refuse", `shell-guard (${id})`)),
      ...pass.map((command) => row(command, "pass")),
    ]),
  );
  const strictPacks = table(
    "packs of strict",
    { level: "strict", dynamic: "allow" },
    STRICT.map(({ id, command }) => row(command, "refuse", `shell-guard (${id})`)),
  );
  const byOptions = [...OPTIONS, ...SELECTIONS].map(([options, verdicts]) =>
    table(
      JSON.stringify(options),
      options,
      Object.entries(verdicts).map(([command, verdict]) => row(command, verdict)),
    ),
  );
  const rules = (await shellPacks()).flatMap((pack) => pack.rules);
  const levelOf = new Map(rules.map(({ id, level }) => [id, level]));
  // At the level of each rule: to load the guard for each would take longer than to judge all lines.
  const byRule = ["default", "strict", "paranoid"].map((level) =>
    table(
      `rules of ${level}`,
      { level, dynamic: "allow" },
      RULE_LINES.filter(([id]) => levelOf.get(id) === level).flatMap(([id, lines]) =>
        lines.map((command) =>
          rowOf("exec", { command }, RULES_CWD, "refuse", `shell-guard (${id})`),
        ),
      ),
    ),
  );
  const everyday = EVERYDAY.map((command) => row(command, "pass"));
  const home = homedir();
  const homes = [
    ...["rm -rf ~", `rm -rf ${home}`, 'rm -rf "$HOME"'].map((command) =>
      row(command, "refuse", "(files.rm-home)"),
    ),
    row("rm -rf ~/.cache/x", "pass"),
  ];
  const calls = CALLS.map(([args, payload, verdict]) => ({
    payload: { tool_name: "exec", args, ...payload },
    verdict,
  }));
  return [
    ...levels,
    table("everyday", {}, everyday),
    table("calls", {}, calls),
    table("home", {}, homes),
    exactTable("shell-guard", cwd),
    ...byOptions,
    ...packs,
    strictPacks,
    ...byRule,
  ];
}

/**
 * The verdict tables of the unit tests of path-guard, secret-guard and self-guard.
 * @param dir a project as `projectIn` makes it
 * @param empty a folder without files
 */
export function fileTables(dir: string, empty: string): VerdictTable[] {
  const pathCalls = writes(dir);
  const secretCalls = reads(dir);
  const inFiles = (policy: string): VerdictRow[] => [
    ...commandRows("refuse", dir, lines(`${policy}-refused`, dir)),
    ...commandRows("pass", dir, lines(`${policy}-passed`, dir)),
  ];
  return [
    tableOf("path-guard", "lines", [
      ...commandRows("ask", paths.PROJECT, [...paths.ASKED, ...paths.INSTRUCTIONS]),
      ...verdictRows(paths.PROJECT, paths.CALLS),
      ...callRows("refuse", dir, pathCalls.refuse),
      ...callRows("pass", dir, pathCalls.pass),
      ...inFiles("path-guard"),
    ]),
    ...(["abort", "allow"] as const).map((dynamic) =>
      tableOf(
        "path-guard",
        dynamic,
        commandRows(dynamic === "abort" ? "refuse" : "pass", paths.PROJECT, paths.ASKED),
        { dynamic },
      ),
    ),
    tableOf("path-guard", "PowerShell", [
      ...windowsRows("pass", windows.EVERYDAY + windows.WRITES_BELOW),
      ...windowsRows("refuse", windows.WRITES),
      ...windowsRows("ask", windows.UNKNOWN_WRITES),
      ...anyToolRows("pass", windows.OF_ANY_TOOL.writesBelow),
      ...anyToolRows("refuse", windows.OF_ANY_TOOL.writes),
    ]),
    tableOf("secret-guard", "PowerShell", [
      ...windowsRows(
        "pass",
        windows.EVERYDAY + windows.READS_NOTHING + windows.READS_NOTHING_THERE,
      ),
      ...windowsRows("refuse", windows.READS),
      ...anyToolRows("pass", windows.READS_NOTHING),
      ...anyToolRows("refuse", windows.OF_ANY_TOOL.reads),
    ]),
    tableOf("secret-guard", "lines", [
      ...verdictRows(empty, secrets.CALLS),
      ...callRows("refuse", dir, secretCalls.refuse),
      ...callRows("pass", dir, secretCalls.pass),
      ...inFiles("secret-guard"),
    ]),
    tableOf(
      "self-guard",
      "lines",
      [
        ...commandRows("refuse", PROJECT, Object.values(self.DENIED).flat()),
        ...commandRows("ask", PROJECT, self.ASKED),
        ...commandRows("stop", PROJECT, self.written("stopped")),
        ...commandRows("pass", PROJECT, [
          ...self.PASSED,
          ...self.written("passed"),
          ...OWN_MODULES,
          ...EVERYDAY,
        ]),
        ...self.CALLS.map(([, tool, args, verdict]) => rowOf(tool, args, PROJECT, verdict)),
      ],
      self.OPTIONS as unknown as JsonObject,
    ),
    tableOf(
      "self-guard",
      "links",
      [
        ...commandRows("refuse", dir, self.linked(dir).refuse),
        ...commandRows("pass", dir, self.linked(dir).pass),
      ],
      { state: [`${dir}/deep`] },
    ),
    ...OPTION_ROWS.map(({ policy, options, cwd, calls = [], ...by }) => {
      const from = cwd ?? (policy === "path-guard" ? paths.PROJECT : empty);
      const rows = (["refuse", "ask", "pass"] as const).flatMap((verdict) =>
        commandRows(verdict, from, by[verdict] ?? []),
      );
      const name = JSON.stringify(options);
      return tableOf(policy, name, [...rows, ...verdictRows(from, calls)], options as JsonObject);
    }),
    exactTable("path-guard", paths.PROJECT),
    exactTable("secret-guard", empty),
    exactTable("self-guard", PROJECT, self.OPTIONS as unknown as JsonObject),
  ];
}

function tableOf(
  policy: string,
  what: string,
  rows: readonly VerdictRow[],
  options: JsonObject = {},
): VerdictTable {
  return { name: `${policy}, ${what}`, script: scriptOf(policy), options, rows };
}

/** The lines whose verdicts are given one by one. */
function exactTable(policy: string, cwd: string, options: JsonObject = {}): VerdictTable {
  const rows = verdictLines(policy).map(([command, verdict]) =>
    rowOf("exec", { command }, cwd, verdict),
  );
  return tableOf(policy, "verdicts", rows, options);
}

function commandRows(verdict: Verdict, cwd: string, commands: readonly string[]): VerdictRow[] {
  return commands.map((command) => rowOf("exec", { command }, cwd, verdict));
}

/** Lines of a tool for PowerShell. */
function windowsRows(verdict: Verdict, text: string): VerdictRow[] {
  return windows
    .linesOf(text)
    .map((command) => rowOf("PowerShell", { command }, windows.PROJECT, verdict));
}

/** Lines of a tool that does not say which shell it is for. */
function anyToolRows(verdict: Verdict, text: string): VerdictRow[] {
  return commandRows(verdict, windows.PROJECT, windows.linesOf(text));
}

function callRows(verdict: Verdict, cwd: string, calls: readonly Call[]): VerdictRow[] {
  return calls.map(([tool, args]) => rowOf(tool, args, cwd, verdict));
}

function verdictRows(
  cwd: string,
  calls: readonly (readonly [string, Call[1], Verdict])[],
): VerdictRow[] {
  return calls.map(([tool, args, verdict]) => rowOf(tool, args, cwd, verdict));
}

function rowOf(
  tool_name: string,
  args: Call[1],
  cwd: string,
  verdict: Verdict,
  reason?: string,
): VerdictRow {
  return { payload: { tool_name, args: args as JsonObject, cwd }, verdict, reason };
}

function scriptOf(policy: string): string {
  return join(SHIPPED_HOOKS, `${policy}.lua`);
}

/** Options with which a policy does not load. */
export function invalidOptions(policy: string): InvalidOptions[] {
  const script = scriptOf(policy);
  return (INVALID_OPTIONS[policy] ?? []).map(([options, message]) => ({
    script,
    options,
    message,
  }));
}
