import type { HostName } from "../../core/index.ts";
import { HOSTS } from "../../formats/index.ts";
import type { InstallContext } from "../../agents/index.ts";
import { agentEnvironment } from "./agents.ts";
import { EntryProbes, withTempProject } from "./entry-probes.ts";
import { checkSettings } from "./settings-checks.ts";

/** What a command that guards deny came to in the user's own entries of an agent. */
export interface GuardProbe {
  readonly host: HostName;
  readonly entries: number;
  /** Whether the command was denied. */
  readonly isDenied: boolean;
  /** Events of which the entry gave no usable answer, which lets no call pass. */
  readonly silent: readonly string[];
  /** What is wrong with an entry of tool calls, or with the file. */
  readonly problems: readonly string[];
}

/** Commands that are denied wherever the guards are in force; they are never run. */
export const DENIED_LINE = "git push --force";

/** Whatever its agent allows: all run at once, and each starts Node, which a session does not. */
const PATIENCE_S = 10;

/**
 * Send each of the user's own entries an event, as its agent would; those of calls are about a command that guards
 * deny. The hooks run on temporary state.
 */
export function probeGuards(
  hosts: readonly HostName[],
  around: InstallContext,
  version: string,
): Promise<GuardProbe[]> {
  return withTempProject(async (scratch) => {
    const { env } = around.place;
    const agent = await agentEnvironment(env);
    const probes = { project: scratch, scratch, env, agent, version, line: DENIED_LINE };
    return Promise.all(
      hosts.map((host) =>
        probeHost(host, around, new EntryProbes({ ...probes, http: around.http })),
      ),
    );
  });
}

async function probeHost(
  host: HostName,
  around: InstallContext,
  probes: EntryProbes,
): Promise<GuardProbe> {
  const { events } = await HOSTS[host].load();
  const files = checkSettings(host, around).filter(({ scope }) => scope === "user");
  const problems = files.flatMap(({ findings, switch: off }) => [
    ...findings.flatMap(({ kind, text }) => (kind === "problem" ? text : [])),
    ...(off === undefined ? [] : [off]),
  ]);
  const all = files.flatMap((file) => file.entries.map((entry) => ({ file, entry })));
  const silent: string[] = [];
  const trials = await Promise.all(
    all.map(async ({ file, entry }) => {
      const { tried, works, findings } = await probes.entry(entry, file, PATIENCE_S, false);
      const isGuard = events[entry.event]?.point === "tool.pre_execute";
      if (!isGuard && !works) silent.push(entry.event);
      if (!isGuard) return false;
      problems.push(...findings.flatMap(({ kind, text }) => (kind === "problem" ? text : [])));
      return tried?.answer === "refusal";
    }),
  );
  const isDenied = trials.includes(true);
  return { host, entries: all.length, isDenied, silent, problems: [...new Set(problems)] };
}
