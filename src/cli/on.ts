import { acceptNow, applyPlan, type InstallContext } from "../agents/index.ts";
import { AGENT_NAMES, type AgentName, isPluginAgent, messageOf } from "../core/index.ts";
import { HOSTS } from "../formats/index.ts";
import { defaultUserDir, ownVersion, shownPath } from "../machine/index.ts";
import { DENIED_LINE, probeGuards } from "../workbench/index.ts";
import { installPlans } from "./install.ts";
import { EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printJson, tell } from "./output.ts";
import { agentsHere, labelOf, ownAround } from "./install-options.ts";
import { canAsk, confirm, decline } from "./question.ts";
import { expectPermanent } from "./self-command.ts";
import { statusReport, statusText } from "./status.ts";
import { oneLine } from "./table.ts";
import { addGuards, ON_GUARDS, onRecord } from "./user-guards.ts";
import { flag, type OptionsOf, verbCommand } from "./verb-command.ts";

const OPTIONS = { yes: flag("do not ask", { short: "y" }), json: JSON_OUTPUT };

/** `orcs on`: guard the agents that are installed. */
export const onCommand = verbCommand("on", {
  options: OPTIONS,
  help:
    "The guards are put into your own configuration, and orcs into the settings of each agent; nothing is written\n" +
    "into a project. orcs off takes it back.\n\n" +
    "Exit code: 0 every agent is guarded, 1 one is not, or declined.",
  run: on,
});

/** What became of an agent. */
interface Guarded {
  readonly host: AgentName;
  readonly state: "guarded" | "next" | "failed";
  /** What was seen, what its user has to do, or what is wrong. */
  readonly text: string;
}

async function on({ yes = false, json = false }: OptionsOf<typeof OPTIONS>): Promise<void> {
  expectPermanent(undefined);
  const around = ownAround();
  const agents = agentsHere(around);
  if (agents.length === 0) {
    if (json) printJson({ ok: false, agents: [] });
    tell(`No coding agent was found: no settings and no program of ${labels(AGENT_NAMES)}.`);
    return decline("Install one and run orcs on again.");
  }
  if (!yes && onRecord() !== undefined && canAsk()) {
    const report = await statusReport();
    if (report.wrong.length === 0) return print(statusText(report));
  }
  if (!yes) {
    tell(proposal(agents));
    if (json || !canAsk()) {
      if (json) printJson({ ok: false, agents: [] });
      return decline("Nothing was changed. There is no terminal to ask in: use --yes.");
    }
    if (!(await confirm("Switch it on?"))) return decline();
  }
  const done = await guard(agents, around);
  if (json) printJson({ ok: done.every(({ state }) => state !== "failed"), agents: done });
  else report(done);
  if (done.some(({ state }) => state === "failed")) process.exitCode = EXIT.findings;
}

function labels(agents: readonly AgentName[]): string {
  return agents.map(labelOf).join(", ");
}

function proposal(agents: readonly AgentName[]): string {
  const guards = [...ON_GUARDS, ["self-guard", "attempts of an agent to switch orcs off"] as const];
  const width = Math.max(...guards.map(([name]) => name.length));
  return [
    `orcs would guard the agents of this machine: ${labels(agents)}.`,
    "Before a call of theirs runs, these look at it, and deny or ask:",
    ...guards.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`),
    `It changes ${shownPath(defaultUserDir())} and the settings of each agent; nothing in any project.`,
    "orcs off takes it back.",
  ].join("\n");
}

/** Write everything, and see whether it works. */
async function guard(agents: readonly AgentName[], around: InstallContext): Promise<Guarded[]> {
  const undo = addGuards();
  const failed = new Map<AgentName, string>();
  for (const agent of agents) {
    try {
      const { plans, prepare } = await installPlans([agent], { user: true }, around);
      prepare?.();
      for (const plan of plans) applyPlan(plan, around.records);
    } catch (thrown) {
      failed.set(agent, messageOf(thrown));
    }
  }
  if (failed.size === agents.length) undo();
  else acceptNow(undefined, false);
  const hosts = agents.filter((agent) => !failed.has(agent)).filter((each) => !isPluginAgent(each));
  const probes = await probeGuards(hosts, around, ownVersion());
  return agents.map((host): Guarded => {
    const why = failed.get(host);
    if (why !== undefined) return { host, state: "failed", text: why };
    if (isPluginAgent(host))
      return { host, state: "next", text: `${labelOf(host)} loads orcs when it next starts` };
    const { entries, isDenied, silent, problems } =
      probes.find((each) => each.host === host) ?? NONE;
    const [problem = "no entry denied a command that guards deny"] = problems;
    if (!isDenied || problems.length > 0) return { host, state: "failed", text: problem };
    const { next } = HOSTS[host];
    const late =
      silent.length === 0 ? "" : `; no answer in time at ${silent.join(", ")}: orcs doctor`;
    const text = `denied a trial of ${DENIED_LINE} (entries: ${entries})${late}`;
    return next === undefined
      ? { host, state: "guarded", text }
      : { host, state: "next", text: next };
  });
}

const NONE = { entries: 0, isDenied: false, silent: [], problems: [] };

const MARKS = {
  guarded: ["✓", "is guarded: "],
  next: ["!", ""],
  failed: ["✗", "is not guarded: "],
} as const;

function report(done: readonly Guarded[]): void {
  for (const { host, state, text } of done) {
    const [mark, word] = MARKS[state];
    print(`${mark} ${word === "" ? "" : `${labelOf(host)} `}${word}${oneLine(text)}`);
  }
  const first =
    done.find(({ state }) => state === "guarded") ?? done.find(({ state }) => state === "next");
  if (!first) return;
  print(
    `\nTry it, in a session of ${labelOf(first.host)}: “push this branch with --force”. It is denied, and reads why.`,
  );
  print("orcs status shows what was stopped; orcs off takes everything back.");
}
