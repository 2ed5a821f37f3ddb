import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { join, relative, resolve } from "node:path";
import { CONFIG_NAME, configPlace, sealableConfig } from "../config/index.ts";
import { HOST_NAMES, isPluginAgent, OrcsError } from "../core/index.ts";
import type { AgentName, HostName, PluginAgentName } from "../core/index.ts";
import { isWithin, userFolders, userStateDir } from "../machine/index.ts";
import { HOSTS } from "../formats/index.ts";
import { checkConfiguration, hostNoteText, hostReport, isPlainCall } from "../workbench/index.ts";
import type { Checked } from "../workbench/index.ts";
import {
  acceptNow,
  hasToken,
  type HttpEndpoint,
  httpEndpointFile,
  type InstallContext,
  type InstallNeeds,
  type InstallPlan,
  newToken,
  type OrcsCommand,
  ownInstallation,
  type OwnScope,
  planInstall,
  planPlugin,
  planStatus,
  planSync,
  pluginPath,
  pointsInUse,
  repositoryOf,
  SCOPES,
  settingsPath,
  type SettingsPlace,
  type SettingsPlan,
  settingsText,
  TOKEN_VARIABLE,
  unseenPoints,
  type UsedPoints,
  type WhenMissing,
  writeHttpEndpoint,
} from "../agents/index.ts";
import { proxyInTheWay, proxyText } from "../daemon/index.ts";
import { machineInstallPlans } from "./install-machine.ts";
import {
  HOST,
  hostsOf,
  installAround,
  neededHost,
  scopeOf,
  scopeOptions,
} from "./install-options.ts";
import { CONFIG, EXIT, JSON_OUTPUT } from "./options.ts";
import { printJson, tell } from "./output.ts";
import { canAsk, confirm } from "./question.ts";
import { expectPermanent, ownLauncher, programNotes, selfCommand } from "./self-command.ts";
import { settlePlans } from "./settings-plans.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";
import { enabledHooks } from "./open-orcs.ts";

const OPTIONS = {
  host: HOST,
  ...scopeOptions("the default", ["config", "command", "missing", "transport", "port"]),
  config: CONFIG,
  command: value(
    "<command>",
    "the command that starts orcs; default: its path; with --project: orcs",
  ),
  missing: value(
    "<what>",
    "with --project: what happens for people without orcs; default: ask you, or deny if you cannot be asked",
    { choices: ["deny", "allow"] },
  ),
  transport: value(
    "<way>",
    "how the agent calls orcs: a command for each event, or HTTP, which starts no process; default: as already installed, or command for a new installation",
    { choices: ["command", "http"] },
  ),
  port: value("<number>", "port on 127.0.0.1 for HTTP; default: the current one, else a free one"),
  strict: flag("deny tool calls in projects whose configuration was never trusted"),
  noStrict: flag("only warn in such projects; the default, except with --project"),
  sync: flag("update all existing installations: add and remove events, without asking", {
    conflicts: "user project machine config command strict missing transport port".split(" "),
  }),
  yes: flag("change the settings without asking", { short: "y" }),
  json: JSON_OUTPUT,
};
type InstallOptions = OptionsOf<typeof OPTIONS>;

/** `orcs install`: make a coding agent send orcs each event that some hook is on. */
export const installCommand = verbCommand("install", {
  options: OPTIONS,
  help:
    "Shows the changes and asks first; orcs uninstall reverts them.\n" +
    "Exit code: 0 done, 1 nothing to install or declined, 2 errors.\n\n" +
    "Examples:\n  orcs install --host claude-code\n  orcs install --host codex --project --yes\n" +
    "  orcs install --sync\n  sudo orcs install --host claude-code --machine",
  run: install,
});

async function install(options: InstallOptions): Promise<void> {
  const { host, sync = false, yes = false, json = false } = options;
  if (!sync) neededHost("install", host);
  const known = installAround(options);
  const http = await httpFor(options, known.http);
  const around = { ...known, http };
  const { plans, prepare } = await plansFor(options, around);
  const isNothing = ({ events, before, after }: SettingsPlan): boolean =>
    events.length === 0 && before.bytes === after;
  if (sync ? plans.length === 0 : plans.every(isNothing)) {
    reportNoChange(plans, sync, json);
    return;
  }
  const isDone = await settlePlans(plans, {
    records: around.records,
    yes: yes || sync,
    json,
    prepare() {
      prepare?.();
      if (http !== undefined && http !== known.http) {
        writeHttpEndpoint(httpEndpointFile(userStateDir(known.place)), http);
      }
    },
  });
  // Agents trust what their administrator installs.
  if (!isDone || options.machine === true) return;
  acceptNow(undefined, false);
  const changed = plans.filter((plan) => planStatus(plan) !== "unchanged");
  const next = changed.flatMap(({ host }) => (isPluginAgent(host) ? [] : (HOSTS[host].next ?? [])));
  for (const step of new Set(next)) tell(step);
}

async function plansFor(options: InstallOptions, around: InstallContext): Promise<InstallPlans> {
  const { host = "all", sync = false, machine = false, strict = false } = options;
  if (sync) {
    // The agents whose entries follow the hooks; a plugin handles all events anyway.
    const hosts = host === "all" ? HOST_NAMES : isPluginAgent(host) ? [] : [host];
    return { plans: await syncPlans(hosts, around), prepare: undefined };
  }
  if (machine) {
    return { plans: await machineInstallPlans(host, strict, around), prepare: undefined };
  }
  return installPlans(hostsOf(host, around.place), options, around);
}

export interface InstallPlans {
  readonly plans: readonly (SettingsPlan | InstallPlan)[];
  /** Runs before the settings are changed. */
  readonly prepare: (() => void) | undefined;
}

/** The plans for agents, each of which has an entry or loads a plugin. */
export async function installPlans(
  agents: readonly AgentName[],
  options: InstallOptions,
  around: InstallContext,
): Promise<InstallPlans> {
  expectPermanent(options.command);
  const hosts = agents.filter((agent) => !isPluginAgent(agent));
  const entries =
    hosts.length > 0 ? await entryPlans(hosts, options, around) : { plans: [], prepare: undefined };
  const plugins = agents.filter(isPluginAgent);
  const plans = await Promise.all(
    plugins.map((agent) => pluginPlan(agent, options, around, hosts.length === 0)),
  );
  return { ...entries, plans: [...entries.plans, ...plans] };
}

/** Options that only entries have. */
const OF_ENTRIES = ["config", "command", "transport"] as const;

/** The plan for an agent that loads orcs as a plugin. @param isAlone whether no other agent was named with it */
async function pluginPlan(
  host: PluginAgentName,
  options: InstallOptions,
  { place, records }: InstallContext,
  isAlone: boolean,
): Promise<SettingsPlan> {
  const given = OF_ENTRIES.filter((name) => options[name] !== undefined);
  const flags = given.map((name) => `--${name}`).join(", ");
  const why = `${host} loads orcs as a plugin, which has no ${flags}`;
  if (given.length > 0 && isAlone) throw new OrcsError("ORCS5001", why);
  const scope = scopeOf(options) ?? "user";
  if (scope === "user" && options.missing !== undefined) throw missingIsOfProjects();
  const missing = scope === "project" ? await missingFor(options) : "deny";
  const { strict = scope === "project" } = options;
  const target = { host, scope, path: pluginPath(host, scope, place) };
  const { points, note } = await usedPoints(place.project, undefined);
  const notes = [...(given.length > 0 ? [why] : []), ...(note === undefined ? [] : [note])];
  const plan = planPlugin(target, { strict, missing }, records);
  return { ...plan, notes: [...notes, ...unseenPoints(host, points)] };
}

async function entryPlans(
  hosts: readonly HostName[],
  options: InstallOptions,
  around: InstallContext,
): Promise<{ plans: InstallPlan[]; prepare: (() => void) | undefined }> {
  const scope = scopeOf(options) ?? "user";
  const program = options.command ?? (scope === "user" ? selfCommand().program : "orcs");
  // An entry starts one program: a shell's own syntax would be taken for its name.
  if (!isPlainCall(program) || /^\w+=/.test(program)) {
    const why = "--command must be a program and its arguments, without other shell syntax";
    throw new OrcsError("ORCS5001", `${why}: ${program}`);
  }
  const { project } = around.place;
  const file = options.config && resolve(options.config);
  // A project's settings may be used in another place: paths in the project are relative to it.
  const isInProject = file && scope === "project" && isWithin(project, file);
  const config = isInProject ? relative(project, file) : file;
  // What other machines have is unknown.
  const launcher = options.command === undefined && scope === "user" ? ownLauncher() : undefined;
  const http = options.transport === undefined ? undefined : options.transport === "http";
  const call = { program, launcher, config, http };
  const { command, keep } = await commandFor(scope, call, options, around.place);
  const notes = programNotes(program);
  const used = usedOnce(around.place.project);
  const limits = limitNotesOf(around.place.project, options.config);
  const plans: InstallPlan[] = [];
  for (const host of hosts) {
    const path = settingsPath(host, scope, around.place);
    const needs = await needsOf(host, used);
    const own = hosts.length > 1 && !HOSTS[host].http ? { ...command, http: false } : command;
    const plan = await planInstall({ host, scope, path }, own, needs, around);
    const there = scope === "project" ? placeNotes(host, path, around.place.project) : [];
    // Shipped guards are known to fit every agent.
    const limited = options.host === undefined ? [] : await limits(host);
    plans.push({
      ...plan,
      notes: [...plan.notes, ...notes, ...there, ...httpNotes(plan), ...limited],
    });
  }
  return { plans, prepare: keep };
}

/**
 * The parts of an entry besides the program: a user's entry belongs to this machine, a project's to everybody who has
 * it.
 */
async function commandFor(
  scope: OwnScope,
  { program, launcher, config, http }: OrcsCommand,
  options: InstallOptions,
  { home, project }: SettingsPlace,
): Promise<{ command: OrcsCommand; keep: (() => void) | undefined }> {
  const isOfProject = scope === "project";
  const { strict = isOfProject } = options;
  if (isOfProject && http === true) {
    const why = "--transport http works only with your own settings, because each user has a token";
    throw new OrcsError("ORCS5001", why);
  }
  if (!isOfProject && options.missing !== undefined) throw missingIsOfProjects();
  const missing = isOfProject ? await missingFor(options) : undefined;
  const sealed = config === undefined ? undefined : await sealableConfig(resolve(project, config));
  const entry = { program, config, seal: sealed?.digest, strict };
  if (isOfProject) return { command: { ...entry, missing }, keep: () => sealed?.write() };
  const folders = userFolders();
  const { id, keep } = await ownInstallation(folders, home);
  return {
    command: { ...entry, launcher, folders, id, http },
    keep() {
      sealed?.write();
      keep?.();
    },
  };
}

/** The user's HTTP side: the existing one, with another port if requested. Undefined when it is not wanted. */
async function httpFor(
  { transport, port: givenPort }: InstallOptions,
  known: HttpEndpoint | undefined,
): Promise<HttpEndpoint | undefined> {
  if (transport !== "http") {
    if (givenPort === undefined) return known;
    throw new OrcsError("ORCS5001", "--port works only with --transport http");
  }
  const proxy = proxyInTheWay(process.env);
  if (proxy !== undefined) throw new OrcsError("ORCS7011", proxyText(proxy, "claude-code"));
  const port = givenPort === undefined ? known?.port : Number(givenPort);
  if (port !== undefined && !(Number.isInteger(port) && port >= 1024 && port <= 65_535)) {
    throw new OrcsError("ORCS5001", `--port ${givenPort} is not a number from 1024 to 65535`);
  }
  if (known !== undefined && port === known.port) return known;
  // Running agents send the token to the previous port, which may belong to another program by now.
  return { port: port ?? (await freePort()), token: newToken() };
}

/** Notes about entries that are sent over HTTP. */
function httpNotes({ path, host, before, after, record }: InstallPlan): string[] {
  if (record?.command?.http !== true || !after) return [];
  const notes = [
    `${host} must be ${HOSTS[host].http?.minVersion} or newer: older versions let calls through when the server does not run (see docs/how-to/install.md)`,
  ];
  if (!hasToken(settingsText(after).text, host)) return notes;
  const folder = repositoryOf(before.file);
  if (folder === undefined) return notes;
  const why =
    `${path} is under version control (${folder}) and contains the token for HTTP: set ` +
    `${TOKEN_VARIABLE} in your shell instead (see docs/how-to/install.md), or exclude the file from version control`;
  return [why, ...notes];
}

function missingIsOfProjects(): OrcsError {
  const why = "--missing works only with --project: your own entries contain the path of orcs";
  return new OrcsError("ORCS5001", why);
}

async function missingFor({ missing, yes, json }: InstallOptions): Promise<WhenMissing> {
  if (missing !== undefined) return missing;
  if (yes === true || json === true || !canAsk()) return "deny";
  const isAllowed = await confirm(
    "For people who work here without orcs: allow the tool calls of their agents unchecked? (no: they are denied)",
  );
  return isAllowed ? "allow" : "deny";
}

/** Cases in which a project's settings do not apply although one might expect it. */
function placeNotes(host: HostName, path: string, project: string): string[] {
  const { onlyThere, inProject } = HOSTS[host];
  const when =
    inProject?.when ?? (onlyThere ? `when it is started in ${project} itself` : undefined);
  if (when === undefined) return [];
  return [
    `${host} reads ${path} only ${when}; in any other folder no hook runs. With --user, hooks run everywhere`,
  ];
}

async function syncPlans(
  hosts: readonly HostName[],
  around: InstallContext,
): Promise<InstallPlan[]> {
  const used = usedOnce(around.place.project);
  const plans: InstallPlan[] = [];
  for (const host of hosts) {
    for (const scope of SCOPES) {
      const path = settingsPath(host, scope, around.place);
      // In the home directory both are the same file.
      if (plans.some((plan) => plan.path === path)) continue;
      const plan = await planSync({ host, scope, path }, await needsOf(host, used), around);
      if (plan) plans.push(plan);
    }
  }
  return plans;
}

async function needsOf(host: HostName, used: InstallNeeds["used"]): Promise<InstallNeeds> {
  return { events: (await HOSTS[host].load()).events, used };
}

const SHOWN_LIMITS = 3;

/** Notes about what the hooks of a configuration cannot do on an agent. */
function limitNotesOf(
  cwd: string,
  config: string | undefined,
): (host: HostName) => Promise<string[]> {
  let checking: Promise<Checked> | undefined;
  return async (host) => {
    checking ??= checkConfiguration({ config: config && resolve(config), cwd });
    const { notes } = await hostReport(host, await checking);
    // Points without an event have a note of their own.
    const limits = notes.filter(({ effect }) => effect !== "never_runs");
    const rest = limits.length - SHOWN_LIMITS;
    return [
      ...limits.slice(0, SHOWN_LIMITS).map((note) => `${host}: ${hostNoteText(note)}`),
      ...(rest > 0 ? [`${host}: ${rest} more: orcs check --host ${host}`] : []),
    ];
  };
}

/** Each configuration is loaded once, even if several settings need it. */
function usedOnce(project: string): InstallNeeds["used"] {
  const known = new Map<string | undefined, Promise<UsedPoints>>();
  return (config) => {
    const used = known.get(config) ?? usedPoints(project, config);
    known.set(config, used);
    return used;
  };
}

function reportNoChange(plans: readonly SettingsPlan[], sync: boolean, json: boolean): void {
  if (json) printJson({ ok: sync, files: [] });
  const notes = new Set(plans.flatMap((plan) => plan.notes));
  for (const note of notes) tell(`note: ${note}`);
  if (sync) return tell("Nothing to do: orcs is not installed anywhere.");
  if (plans.every((plan) => "covered" in plan && plan.covered === true)) {
    return tell("Nothing to install: the settings of this machine have all entries.");
  }
  tell("Nothing to install: no hook is on an event of this agent. See orcs list.");
  process.exitCode = EXIT.findings;
}

/** Below the ports that systems use for temporary connections. */
const FROM = 20_000;
const TO = 32_000;
const TRIES = 50;

/** A port of 127.0.0.1 that is currently free. @throws OrcsError ORCS5002 */
export async function freePort(): Promise<number> {
  for (let i = 0; i < TRIES; i++) {
    const port = randomInt(FROM, TO);
    if (await isFree(port)) return port;
  }
  throw new OrcsError("ORCS5002", "no free port was found: choose one with --port");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/**
 * The hook points of the enabled hooks, in the configuration that `orcs hook` would use. No hook runs, but scripts are
 * loaded.
 * @param config an explicit file, relative to `cwd`; undefined for the discovered one
 * @throws OrcsError ORCS1015 with every error
 */
export async function usedPoints(cwd: string, config: string | undefined): Promise<UsedPoints> {
  const place = configPlace(cwd, config);
  const { hooks, notice } = await enabledHooks({ cwd: place.directory, config: place.config });
  const file = place.config === false ? "" : join(place.directory, CONFIG_NAME);
  return {
    config: typeof place.config === "string" ? place.config : file,
    points: pointsInUse(hooks),
    note: notice && `${notice.text}; then run orcs install again`,
  };
}
