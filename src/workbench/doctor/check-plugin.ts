import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PluginAgentName } from "../../core/index.ts";
import { PLUGIN_AGENTS, PLUGIN_EVENTS } from "../../formats/index.ts";
import { programOnPath, runProcess } from "../../machine/index.ts";
import { idleHooks } from "./agent-checks.ts";
import type { CheckedConfiguration } from "./configuration-checks.ts";
import { note, problem } from "./report.ts";
import type { EntryReport, Finding, HostReport, SettingsReport, Tried } from "./report.ts";
import {
  isPluginText,
  loadsOrcs,
  pluginFolder,
  pluginPath,
  readRecord,
  readSettingsFile,
  repositoryOf,
} from "../../agents/index.ts";
import type { InstallContext, Scope } from "../../agents/index.ts";

/** The context in which plugins are checked. */
interface PluginContext extends Pick<InstallContext, "place" | "records"> {
  /** The configuration that is used here. */
  readonly here: CheckedConfiguration;
  /** The environment of an agent that was not started from this shell. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder for the state of hooks that run. */
  readonly scratch: string;
  /** Whether the agent was named with `--host`. */
  readonly isNamed: boolean;
}

/** Whether an agent, or a person who works with it, has left anything here. */
export function hasPluginFolder(host: PluginAgentName, { place }: PluginPlace): boolean {
  return (["user", "project"] as const).some((scope) =>
    existsSync(pluginFolder(host, scope, place)),
  );
}

type PluginPlace = Pick<InstallContext, "place">;

/** Check the plugins of an agent, and load each that loads orcs. */
export async function checkPlugins(
  host: PluginAgentName,
  around: PluginContext,
): Promise<HostReport> {
  const { place, here, isNamed } = around;
  const { label, program, switches } = PLUGIN_AGENTS[host];
  const events = PLUGIN_EVENTS[host];
  const settings: SettingsReport[] = [];
  for (const { scope, path } of pluginPlaces(host, around)) {
    settings.push(await checkFile(host, scope, path, around));
  }
  const loaded = settings.filter(({ entries }) => entries.length > 0);
  const off = switches.filter((name) => (place.env[name] ?? "") !== "");
  const isOn = off.length === 0 && loaded.some(({ entries }) => entries.some(({ works }) => works));
  const hooks = here.hooks ?? [];
  const idle = idleHooks(hooks, {
    host,
    hasChildren: false,
    events,
    covered: new Set(isOn ? Object.keys(events) : []),
  });
  const findings: Finding[] = off.map((name) =>
    problem(`${name} is set: ${label} loads no plugins`, "unset it"),
  );
  if (loaded.length > 1) {
    const paths = loaded.map(({ path }) => path).join(" and ");
    const hint = `orcs uninstall --host ${host} --user or --project`;
    findings.push(problem(`hooks run twice: ${paths} both load orcs`, hint));
  }
  if (loaded.length === 0 && settings.every((file) => file.findings.length === 0)) {
    const text = "orcs is not installed: no hook runs";
    findings.push((isNamed ? problem : note)(text, `orcs install --host ${host}`));
  }
  return {
    host,
    program: programOnPath(program, place.env["PATH"]) ?? null,
    settings,
    hooks: hooks.length - idle.length,
    idle,
    findings,
  };
}

/** The files that the agent loads when it is started here: also from the folders up to the root of the repository. */
function pluginPlaces(host: PluginAgentName, { place }: PluginPlace) {
  const places: { scope: Scope; path: string }[] = [
    { scope: "user", path: pluginPath(host, "user", place) },
    { scope: "project", path: pluginPath(host, "project", place) },
  ];
  const root = repositoryOf(join(place.project, "x")) ?? place.project;
  let at = place.project;
  while (at !== root) {
    at = dirname(at);
    const path = pluginPath(host, "project", { ...place, project: at });
    if (existsSync(path)) places.push({ scope: "project", path });
  }
  return places;
}

async function checkFile(
  host: PluginAgentName,
  scope: Scope,
  path: string,
  around: PluginContext,
): Promise<SettingsReport> {
  const reinstall = `orcs install --host ${host}${scope === "project" ? " --project" : ""}`;
  const file = readSettingsFile(path);
  const exists = file.bytes !== undefined;
  const report = { path, scope, exists, entries: [], others: 0, findings: [] };
  if (!loadsOrcs(file, host)) {
    if (!readRecord(around.records, path)) return report;
    const text = exists
      ? "orcs was installed in this file, which no longer loads it"
      : "orcs was installed in this file, which is gone";
    return { ...report, findings: [problem(text, reinstall)] };
  }
  const isOurs = isPluginText(file.bytes?.toString("utf8") ?? "");
  const { tried, why } = await loaded(host, path, around);
  const findings: Finding[] = why === undefined ? [] : [problem(why, reinstall)];
  if (!isOurs) {
    const text = `if it does not load, ${PLUGIN_AGENTS[host].label} continues without hooks`;
    findings.push(note(text, reinstall));
  }
  const entry: EntryReport = {
    event: "plugin",
    command: path,
    timeout_s: null,
    fail_closed: isOurs,
    tried,
    works: tried.answer !== undefined,
    findings,
  };
  return { ...report, entries: [entry] };
}

const MAX_LOAD_MS = 10_000;

/**
 * Loads a plugin as its agent does, and gives it a call of a tool. It prints the answer as its last line. The blank
 * behind
 * `import` is for scripts/bundle.js.
 */
const probe = (trial: string): string => `
const [file, directory] = process.argv.slice(1);
let answer = "nothing", why, isLoaded = false;
try {
  const hooks = await (await import (file)).default({ directory });
  isLoaded = true;
  ${trial}
  await hooks.dispose?.();
} catch (thrown) {
  why = (isLoaded ? "" : "it does not load: ") + (thrown?.message ?? thrown);
  answer = why.includes("denied by hook") ? "refusal" : undefined;
}
console.log("\\n" + JSON.stringify({ answer, why }));
process.exit();
`;

/** The answer of a plugin to a call of a tool, and why there was none. */
async function loaded(
  host: PluginAgentName,
  path: string,
  { place, env, scratch }: PluginContext,
): Promise<{ readonly tried: Tried; readonly why: string | undefined }> {
  const began = performance.now();
  const result = await runProcess({
    file: process.execPath,
    args: [
      "--input-type=module",
      "-e",
      probe(PLUGIN_AGENTS[host].trial),
      pathToFileURL(path).href,
      place.project,
    ],
    cwd: place.project,
    env: { ...env, ORCS_PATHS_STATE: scratch, ORCS_PATHS_AUDIT: scratch },
    timeoutMs: MAX_LOAD_MS,
    maxOutputBytes: 2 ** 20,
  });
  const ms = Math.round(performance.now() - began);
  const stdout = "stdout" in result ? Buffer.from(result.stdout).toString("utf8") : "";
  const [line = ""] = stdout.trim().split("\n").slice(-1);
  try {
    const { answer, why } = JSON.parse(line) as { answer?: Tried["answer"]; why?: string };
    return { tried: { ms, answer }, why: answer === undefined ? (why ?? "it failed") : undefined };
  } catch {
    const why = result.kind === "timeout" ? "it did not load in time" : "it does not load";
    return { tried: { ms, answer: undefined }, why };
  }
}
