import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  filesOfProgram,
  isPluginText,
  openChanges,
  PendingQuestions,
  pluginPath,
  readSettingsFile,
} from "../agents/index.ts";
import type { InstallContext, PendingQuestion } from "../agents/index.ts";
import {
  HOST_NAMES,
  isPlainObject,
  messageOf,
  objectsIn,
  OrcsError,
  PLUGIN_AGENT_NAMES,
  QUIET,
  textIn,
} from "../core/index.ts";
import type { AgentName, JsonObject } from "../core/index.ts";
import { RefusedLines } from "../daemon/index.ts";
import { HOSTS } from "../formats/index.ts";
import { realpath, shownPath } from "../machine/index.ts";
import { tailLog } from "../records/index.ts";
import { undoProblem } from "../undo/index.ts";
import { ApprovalCodes, checkSettings, lostEntries } from "../workbench/index.ts";
import { stateDirs } from "./allow.ts";
import { agentsHere, installAround, labelOf } from "./install-options.ts";
import { EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printEither } from "./output.ts";
import { counted, oneLine, printable, shortened } from "./table.ts";
import { newGuards, onRecord } from "./user-guards.ts";
import { flag, verbCommand } from "./verb-command.ts";
import { enabledHooks } from "./open-orcs.ts";
import { askText, shown } from "./ask-terminal.ts";
import { requireTrustLine } from "./audit-trust.ts";
import { ask, canAsk, isYes } from "./question.ts";

/** `orcs status`: what guards what. */
export const statusCommand = verbCommand("status", {
  options: {
    answer: flag("answer the questions that wait: each call is shown whole"),
    json: JSON_OUTPUT,
  },
  help: "Exit code: 0 guarded, 1 not guarded, or something is wrong. orcs doctor looks closer.",
  run: async ({ json, answer }) => {
    if (answer === true) return answerQuestions();
    const report = await statusReport();
    printEither(json, report, () => statusText(report));
    if (report.agents.length === 0 || report.wrong.length > 0) process.exitCode = EXIT.findings;
  },
});

/** The keys are those of `orcs status --json`. */
export interface StatusReport {
  /** The agents with an entry of orcs that can start it. */
  readonly agents: readonly AgentName[];
  /** Ids of the active hooks of this folder. */
  readonly hooks: readonly string[];
  /** When `orcs on` was run, ISO 8601; null when it was not. */
  readonly since: string | null;
  readonly stopped: Stopped;
  readonly wrong: readonly string[];
  readonly waiting: readonly string[];
}

/** What was denied in the last seven days. */
interface Stopped {
  readonly calls: number;
  readonly by: Readonly<Record<string, number>>;
  /** The latest. */
  readonly last: { readonly time: string; readonly reason: string } | null;
}

export async function statusReport(): Promise<StatusReport> {
  const around = installAround();
  const { agents, wrong } = await agentsOf(around);
  const changes = openChanges();
  const record = onRecord();
  const missing = record ? agentsHere(around).filter((agent) => !agents.includes(agent)) : [];
  const lost = await lostEntries(around);
  const { hooks, problem } = await activeHooks();
  const dirs = await stateDirs(undefined);
  const full = undoProblem(process.cwd());
  return {
    agents,
    hooks,
    since: record?.at ?? null,
    stopped: stoppedIn(dirs),
    wrong: [
      ...wrong,
      ...missing.map((agent) => `${labelOf(agent)} is not guarded: orcs on`),
      ...(record ? newGuards(record).map((name) => `${name} is new and not active: orcs on`) : []),
      ...lost.map(({ folders }) => `${shownPath(folders.state)} is lost: orcs doctor --repair`),
      ...problem,
      ...(full === undefined ? [] : [full]),
      ...changes.map(({ text }) => text),
    ],
    waiting: [...openQuestions(), ...refusedLines(dirs)],
  };
}

async function agentsOf(around: InstallContext): Promise<{
  readonly agents: AgentName[];
  readonly wrong: string[];
}> {
  const agents: AgentName[] = [];
  const wrong: string[] = [];
  for (const host of HOST_NAMES) {
    const files = checkSettings(host, around);
    const entries = files.flatMap((file) => file.entries);
    const gone = entries.find(({ program }) =>
      filesOfProgram(program).some((file) => !existsSync(file)),
    );
    for (const { path, findings, switch: off, entries: own } of files) {
      if (own.length === 0 && off === undefined) continue;
      const problems = findings.filter(({ kind }) => kind === "problem").map(({ text }) => text);
      const all = off !== undefined && entries.length > 0 ? [...problems, off] : problems;
      wrong.push(...all.map((text) => `${labelOf(host)}: ${text} (${shownPath(path)})`));
      if (gone && own.includes(gone)) {
        wrong.push(
          `${labelOf(host)}: the program of its entry is gone: install orcs again, or delete the entry at ${gone.event} in ${shownPath(path)}`,
        );
      }
    }
    if (entries.length === 0 || gone || files.some((file) => file.switch !== undefined)) continue;
    // Of the entries, one at the least decides about calls.
    const { events } = await HOSTS[host].load();
    if (entries.some(({ event }) => events[event]?.point === "tool.pre_execute")) agents.push(host);
    else wrong.push(`${labelOf(host)}: none of its entries is before a tool call: orcs on`);
  }
  for (const host of PLUGIN_AGENT_NAMES) {
    const { bytes } = readSettingsFile(pluginPath(host, "user", around.place));
    if (bytes && isPluginText(bytes.toString("utf8"))) agents.push(host);
  }
  return { agents, wrong };
}

/** The hooks that run in this folder. None runs here, but scripts are loaded. */
async function activeHooks(): Promise<{ readonly hooks: string[]; readonly problem: string[] }> {
  try {
    const enabled = await enabledHooks({ logger: QUIET });
    const { notice } = enabled;
    const ids = enabled.hooks.map(({ id }) => id.replace(/^orcs:/, ""));
    const problem = notice === undefined ? [] : [notice.text];
    // A guard with several hooks is named once.
    const hooks = ids.filter((id) => !ids.some((other) => id.startsWith(`${other}-`)));
    return { hooks, problem };
  } catch (thrown) {
    return { hooks: [], problem: [oneLine(messageOf(thrown))] };
  }
}

const WEEK_MS = 7 * 86_400_000;

function stoppedIn(dirs: readonly string[]): Stopped {
  const since = new Date(Date.now() - WEEK_MS).toISOString();
  const lines = dirs.flatMap((dir) => linesSince(join(dir, "audit"), since));
  const denied = lines.filter(({ kind, action }) => kind === "dispatch" && action === "abort");
  const by: Record<string, number> = {};
  for (const line of denied) {
    const hook = textIn(line, "hook") ?? "";
    by[hook] = (by[hook] ?? 0) + 1;
  }
  const [last] = denied.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  const latest = last && { time: timeOf(last), reason: textIn(last, "reason") ?? "" };
  return { calls: denied.length, by, last: latest ?? null };
}

/** The entries of a log since a time, read from its end. */
function linesSince(dir: string, since: string): readonly JsonObject[] {
  for (let count = 1000; ; count *= 4) {
    const lines = tailLog(dir, count);
    const records = objectsIn(lines.map(({ record = null }) => record));
    const isWhole = lines.length < count || timeOf(records[0] ?? {}) < since;
    if (isWhole) return records.filter((record) => timeOf(record) >= since);
  }
}

function timeOf(record: JsonObject): string {
  return textIn(record, "time") ?? "";
}

/** Calls of agents that wait for a person. */
function openQuestions(): string[] {
  const open = new PendingQuestions().list();
  if (open.length === 0) return [];
  const calls = open.map(({ about }) => shortened(about, MOST)).join("; ");
  return [`${counted(open.length, "question")} (${calls}): orcs status --answer`];
}

const DAY_S = 86_400;

/** Lines that guards refused today, which a person can allow. */
function refusedLines(dirs: readonly string[]): string[] {
  const lines = new RefusedLines(dirs, QUIET);
  const since = Date.now() / 1000 - DAY_S;
  const fresh = lines.all().filter(({ isAllowed, at }) => !isAllowed && at >= since);
  lines.close();
  if (fresh.length === 0) return [];
  return [
    `${counted(fresh.length, "refused line")} of today could be allowed: orcs rules allow --list`,
  ];
}

/** Longest reason in the line, in characters. */
const MOST = 120;

/** The five lines. */
export function statusText(report: StatusReport): string {
  const { agents, hooks, since, stopped, wrong, waiting } = report;
  const names =
    agents.length === 0 ? "no agent; orcs on guards them" : agents.map(labelOf).join(", ");
  const by = hooks.length === 0 ? "no hook" : hooks.join(", ");
  const counts = Object.entries(stopped.by).map(([hook, count]) => `${hook} ${count}`);
  const last = stopped.last && `; last: ${shortened(stopped.last.reason, MOST)}`;
  const rows: readonly (readonly [string, string])[] = [
    ["guarded", agents.length === 0 ? names : `${names}; by ${by}`],
    [
      "since",
      since?.replace(/T(\d+:\d+).*/, " $1 UTC (orcs on)") ??
        (agents.length > 0 ? "orcs install" : "never"),
    ],
    [
      "stopped",
      stopped.calls === 0
        ? "nothing in 7 days"
        : `${counted(stopped.calls, "call")} in 7 days (${counts.join(", ")})${last}`,
    ],
    ["wrong", wrong.length === 0 ? "nothing" : wrong.join("; ")],
    ["waiting", waiting.length === 0 ? "nothing" : waiting.join("; ")],
  ];
  return rows.map(([key, text]) => `${key.padEnd(9)} ${printable(text)}`).join("\n");
}

/** `orcs status --answer`: show each call that waits, whole, and ask whether it may run. @throws OrcsError ORCS5001 */
async function answerQuestions(questions = new PendingQuestions()): Promise<void> {
  if (!canAsk()) {
    throw new OrcsError("ORCS5001", "--answer asks at a terminal, and this is none");
  }
  const waiting = questions.list(WAY);
  if (waiting.length === 0) return print("nothing waits for an answer");
  for (const question of waiting) {
    try {
      print(await answerOne(question, questions));
    } catch (thrown) {
      // The others still wait: one was answered elsewhere, or its time is over.
      if (!(thrown instanceof OrcsError) || questions.list(WAY).length === 0) throw thrown;
      print(thrown.message);
    }
  }
}

/** The value of `hil.answer` that it needs. */
const WAY = "terminal";

/** @returns what became of it */
async function answerOne(question: PendingQuestion, questions: PendingQuestions): Promise<string> {
  const { id, agent, cwd, effects, until, about, session } = question;
  const left = Math.max(0, Math.round((until - Date.now()) / 1000));
  const args = isPlainObject(question.args) ? question.args : {};
  const codes = new ApprovalCodes();
  const code = codes.make(id);
  const forGood = question.isEnforced ? "" : ` · ${code}: each equal call in this folder, for good`;
  const lines = [
    ...askText({ ...question, args }, true),
    ...effects.map((text) => `  it ${shown(text, 400)}`),
    `  ${agent}${cwd === undefined ? "" : ` in ${shown(cwd, 300)}`} waits ${counted(left, "second")} more`,
    `  y: once · s: each equal call of this session${forGood}`,
    "May it run? [y/N] ",
  ];
  const said = (await ask(lines.join("\n"))).trim();
  const scope = isYes(said) ? "call" : /^s(ession)?$/i.test(said) ? "session" : "always";
  if (scope === "always" && said.length < code.length) {
    questions.answer(id, { approved: false, scope: "call", by: WAY });
    return "denied";
  }
  if (scope === "always") {
    // Whoever mistypes the code has said neither yes nor no.
    codes.use(id, said);
    const directory = realpath(cwd ?? "/");
    const line = { action: "loosened", verb: "status --answer", line: about, session } as const;
    await requireTrustLine({ ...line, directory });
  }
  questions.answer(id, { approved: true, scope, by: WAY });
  return scope === "always"
    ? `it may run, now and later: orcs rules allow --forget ${question.digest.slice(0, 8)} takes that back`
    : "it may run";
}
