import { existsSync } from "node:fs";
import { AGENT_NAMES, type AgentName, isPluginAgent, messageOf } from "../../core/index.ts";
import { AGENTS, HOSTS } from "../../formats/index.ts";
import { configPlace, type ConfigPlace } from "../../config/index.ts";
import { expectPrivateFolder, programOnPath, runtimeFolder } from "../../machine/index.ts";
import type { InstallContext } from "../../agents/index.ts";
import { checkPlugins, hasPluginFolder } from "./check-plugin.ts";
import { checkAgent } from "./agent-checks.ts";
import { agentEnvironment } from "./agents.ts";
import { checkTrustedConfiguration, storeFindings } from "./configuration-checks.ts";
import type { CheckedConfiguration } from "./configuration-checks.ts";
import { EntryProbes, withTempProject } from "./entry-probes.ts";
import { allFindings, problem } from "./report.ts";
import type { DoctorReport, Finding, HostReport } from "./report.ts";
import { checkSettings, hasFolder, settingsAbove } from "./settings-checks.ts";

/** What to check. */
interface DoctorOptions extends InstallContext {
  /** One agent; default: every agent that is found. */
  readonly host: AgentName | undefined;
  /** File of the configuration, relative to the project; default: the discovered one. */
  readonly config: string | undefined;
  /** Version of this orcs. */
  readonly version: string;
}

/**
 * Check everything between an agent's event and the hooks, and send each entry's command a synthetic event. The hooks
 * run on a temporary state; nothing of the user's is written.
 */
export function examine(options: DoctorOptions): Promise<DoctorReport> {
  return withTempProject((scratch) => examineWith(options, scratch));
}

async function examineWith(options: DoctorOptions, scratch: string): Promise<DoctorReport> {
  const { place, version } = options;
  const { project, env } = place;
  const path = env["PATH"];
  const isThere = (agent: AgentName): boolean =>
    (isPluginAgent(agent)
      ? hasPluginFolder(agent, options)
      : hasFolder(agent, options) || settingsAbove(agent, options).length > 0) ||
    programOnPath(AGENTS[agent].program, path) !== undefined;
  const isNamed = options.host !== undefined;
  const agents = isNamed ? [options.host] : AGENT_NAMES.filter(isThere);
  const names = agents.filter((agent) => !isPluginAgent(agent));
  const looked = names.map((host) => ({ host, files: checkSettings(host, options) }));
  const placeOf = (config: string | undefined): ConfigPlace => configPlace(project, config);
  const entries = looked.flatMap(({ files }) => files.flatMap((file) => file.entries));
  const seen = new Map<string, CheckedConfiguration>();
  for (const config of [options.config, ...entries.map((entry) => entry.config)]) {
    const at = placeOf(config);
    if (!seen.has(at.key)) seen.set(at.key, await checkTrustedConfiguration(at, project));
  }
  const here = seenAt(seen, placeOf(options.config));
  const agent = await agentEnvironment(env);
  const { http } = options;
  const trials = new EntryProbes({ project, scratch, env, agent, version, http });
  const hosts: HostReport[] = [];
  for (const { host, files } of looked) {
    const report = await checkAgent(host, {
      protocol: await HOSTS[host].load(),
      files,
      above: settingsAbove(host, options),
      here,
      configurationOf: ({ config }) => seenAt(seen, placeOf(config)),
      trials,
      isNamed,
      path,
    });
    hosts.push(report);
  }
  for (const host of agents.filter(isPluginAgent)) {
    const around = { ...options, here, scratch, env: agent.env, isNamed };
    hosts.push(await checkPlugins(host, around));
  }
  const installed = hosts.flatMap(({ settings }) => settings.flatMap((file) => file.entries));
  const configurations = [...seen.values()].map(({ report }) => report);
  const node = process.version;
  const isFound = configurations.some(({ how }) => how === "found");
  const findings = [
    ...runtimeFindings(),
    ...storeFindings(isFound),
    ...hostsFindings(agents, installed.length, options.host),
  ];
  const report = { ok: true, version, node, configurations, hosts, findings };
  const ok =
    allFindings(report).every(({ kind }) => kind !== "problem") &&
    report.configurations.every(({ diagnostics }) => diagnostics.length === 0);
  return { ...report, ok };
}

function hostsFindings(
  names: readonly AgentName[],
  entries: number,
  named: AgentName | undefined,
): Finding[] {
  // Its own section reports it.
  if (named !== undefined) return [];
  const known = Object.values(AGENTS).map(({ label }) => label);
  if (names.length === 0) {
    const text = `no coding agent was found: no settings and no program of ${known.join(", ")}`;
    return [problem(text, "install one of them, or name it: orcs install --host NAME")];
  }
  const none = "orcs is not installed in any coding agent: no hook runs";
  return entries === 0 ? [problem(none, "orcs install --host NAME")] : [];
}

function seenAt(seen: ReadonlyMap<string, CheckedConfiguration>, { key }: ConfigPlace) {
  const found = seen.get(key);
  if (!found) throw new Error(`no configuration was looked at for ${key}`);
  return found;
}

/** Problems of the folder for sockets. A missing one is created when needed. */
function runtimeFindings(): Finding[] {
  const folder = runtimeFolder();
  if (!existsSync(folder)) return [];
  try {
    expectPrivateFolder(folder);
    return [];
  } catch (thrown) {
    return [problem(messageOf(thrown), `remove ${folder}, or chmod 700 it when it is yours`)];
  }
}
