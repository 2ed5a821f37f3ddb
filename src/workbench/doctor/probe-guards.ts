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
  /** What is wrong with an entry, or with the file. */
  readonly problems: readonly string[];
}

/** Commands that are denied wherever the guards are in force; they are never run. */
export const DENIED_LINE = "git push --force";

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
  let entries = 0;
  let isDenied = false;
  for (const file of files) {
    for (const entry of file.entries) {
      const seconds = (events[entry.event]?.timeoutMs ?? 60_000) / 1000;
      // The command that guards deny tells whether a denial denies.
      const { tried, findings } = await probes.entry(entry, file, seconds, false);
      entries++;
      problems.push(...findings.flatMap(({ kind, text }) => (kind === "problem" ? text : [])));
      isDenied ||= tried?.answer === "refusal" && events[entry.event]?.point === "tool.pre_execute";
    }
  }
  return { host, entries, isDenied, problems: [...new Set(problems)] };
}
