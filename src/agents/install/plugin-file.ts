import { installHint } from "./fallback.ts";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PluginAgentName } from "../../core/index.ts";
import { OWN_PACKAGE, sha256, userFolder } from "../../machine/index.ts";
import { PLUGIN_AGENTS, PLUGIN_EVENTS } from "../../formats/index.ts";
import type { WhenMissing } from "./entry-command.ts";
import { readRecord } from "./install-record.ts";
import type { InstallRecord } from "./install-record.ts";
import { readSettingsFile, settingsError } from "./settings-file.ts";
import type { SettingsFile } from "./settings-file.ts";
import type { SettingsPlan } from "./plan.ts";
import type { Scope, SettingsPlace } from "./settings-places.ts";
import type { UsedPoint } from "./wanted-events.ts";
import { unmatchedPointNote } from "./wanted-events.ts";

/** The choices of an installation that the file of a plugin contains. */
export interface PluginChoices {
  /** Whether calls are denied in a project that is not trusted. */
  readonly strict: boolean;
  /** What happens where the package is not found. */
  readonly missing: WhenMissing;
}

/** A plugin for orcs in a folder of its agent. */
export interface PluginTarget {
  readonly host: PluginAgentName;
  readonly scope: Scope;
  /** Absolute. */
  readonly path: string;
}

/** The path of the plugin, absolute; it may not exist. */
export function pluginPath(host: PluginAgentName, scope: Scope, place: SettingsPlace): string {
  return join(pluginFolder(host, scope, place), PLUGIN_AGENTS[host].file);
}

/** The folder of an agent that contains its plugins, absolute; it may not exist. */
export function pluginFolder(host: PluginAgentName, scope: Scope, place: SettingsPlace): string {
  const { userFolder: own, projectFolder } = PLUGIN_AGENTS[host];
  return scope === "project"
    ? join(place.project, projectFolder)
    : join(userFolder("XDG_CONFIG_HOME", ".config", place), own);
}

/** The adapter of the running package. */
export function ownAdapter(host: PluginAgentName): string {
  return join(OWN_PACKAGE, adapterOf(host));
}

/** The plan for writing the plugin. @throws OrcsError ORCS7004 when the file cannot be used */
export function planPlugin(
  { host, scope, path }: PluginTarget,
  choices: PluginChoices,
  records: string,
): SettingsPlan {
  const before = readSettingsFile(path);
  const record = readRecord(records, path);
  const after = Buffer.from(pluginText(host, scope, choices));
  const isOurs = before.bytes !== undefined && isPluginText(before.bytes.toString("utf8"));
  const kept: InstallRecord = {
    host,
    path,
    original: isOurs ? (record?.original ?? null) : (before.bytes ?? null),
    folders: record?.folders ?? [],
    written: sha256(after),
    program: ownAdapter(host),
    uses: [],
  };
  return { host, scope, path, before, after, record: kept, events: [], folders: [], notes: [] };
}

/** The plan for removing the plugin; undefined when orcs has not written it. @throws OrcsError ORCS7004 */
export function planPluginRemoval(target: PluginTarget, records: string): SettingsPlan | undefined {
  const before = readSettingsFile(target.path);
  const record = readRecord(records, target.path);
  const plan = { ...target, before, record: undefined, events: [], notes: [] };
  const folders = record?.folders ?? [];
  if (!before.bytes) return record && { ...plan, after: undefined, folders };
  if (isPluginText(before.bytes.toString("utf8"))) {
    return { ...plan, after: record?.original ?? undefined, folders };
  }
  if (!record) return undefined;
  const why = new Error("it is not the file that orcs install has written: remove it yourself");
  throw settingsError(target.path, "cannot remove", why);
}

/** Notes about hooks at points that the plugin does not dispatch. */
export function unseenPoints(host: PluginAgentName, used: readonly UsedPoint[]): string[] {
  const seen: readonly string[] = Object.values(PLUGIN_EVENTS[host]).map(({ point }) => point);
  return used
    .filter(({ point }) => !seen.includes(point))
    .map((each) => unmatchedPointNote(each, host));
}

/** Whether orcs has written a file, also if somebody has changed it since. */
export function isPluginText(text: string): boolean {
  return text.startsWith(FIRST);
}

/** Whether a file loads orcs, whoever has written it. */
export function loadsOrcs({ bytes }: Pick<SettingsFile, "bytes">, host: PluginAgentName): boolean {
  const text = bytes?.toString("utf8") ?? "";
  return isPluginText(text) || text.includes(`orcs/${host}`) || text.includes(adapterOf(host));
}

function adapterOf(host: PluginAgentName): string {
  return `dist/${PLUGIN_AGENTS[host].adapter}`;
}

const FIRST = "// Written by orcs install";
/** With a blank: scripts/bundle.js takes what looks like a call for one of the bundled code. */
const IMPORT = "import ";

/**
 * The code of a plugin. An agent ignores a plugin that does not load, so this one always loads: what goes wrong in it
 * denies the calls.
 */
export function pluginText(
  host: PluginAgentName,
  scope: Scope,
  { strict, missing }: PluginChoices,
): string {
  const options = strict ? '{ untrusted: "deny" }' : "";
  const hint = `to install it: ${installHint(host)}; until then this is denied`;
  // A user's own plugin belongs to this machine.
  const own = `const ADAPTER = ${JSON.stringify(pathToFileURL(ownAdapter(host)).href)};\n`;
  const find = scope === "user" ? own : searchedPlaces(host);
  const absent =
    missing === "allow"
      ? "  // People without orcs: calls are not checked.\n  if (!adapter) return async () => ({});\n"
      : `  if (!adapter) throw new Error("it is not installed where this agent looks for it");\n`;
  return `${FIRST} --host ${host}; orcs uninstall --host ${host} removes it.
${find}
async function load() {
${scope === "user" ? "" : absent}  const { orcsPlugin } = await ${IMPORT}(${scope === "user" ? "ADAPTER" : "adapter"});
  return orcsPlugin(${options});
}

// ${host} continues without a plugin that does not load: this one loads, and denies instead.
function denying(thrown) {
  const why = \`orcs failed: \${thrown?.message ?? thrown}; ${hint}\`;
  return async () => (${PLUGIN_AGENTS[host].denying});
}

export default await load().catch(denying);
`;
}

/** A project's plugin belongs to everybody who has it: orcs is in the project, or the one on the PATH. */
function searchedPlaces(host: PluginAgentName): string {
  return `import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";

// A dependency of this project, or the orcs on the PATH.
const packages = [];
for (let at = import.meta.dirname; ; at = dirname(at)) {
  packages.push(join(at, "node_modules/orcs"));
  if (at === dirname(at)) break;
}
for (const folder of (process.env.PATH ?? "").split(delimiter)) {
  const program = join(folder, "orcs");
  if (isAbsolute(folder) && existsSync(program)) packages.push(join(realpathSync(program), "../.."));
}
const found = packages.map((folder) => join(folder, "${adapterOf(host)}")).find(existsSync);
const adapter = found && pathToFileURL(found).href;
`;
}
