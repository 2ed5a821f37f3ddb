import { dirname, extname, join } from "node:path";
import { getNodeValue } from "jsonc-parser";
import {
  getOwn,
  isPlainObject,
  singleQuoted,
  type HostName,
  type JsonObject,
} from "../../core/index.ts";
import { HOSTS, SWITCHES } from "../../formats/index.ts";
import { namesIn, textIfReadable } from "../../machine/index.ts";
import { readJsonc } from "../install/jsonc.ts";
import { readSettingsFile, settingsText, withSettings } from "../install/settings-file.ts";
import type { Scope, SettingsPlace } from "../install/settings-places.ts";
import { SCOPES, settingsFolder, settingsPaths } from "../install/settings-places.ts";
import type { CommandContext } from "./translate-command.ts";

/** Settings to import from. */
export interface ImportSource {
  /** Absolute. */
  readonly path: string;
  readonly isToml: boolean;
  readonly place: CommandContext;
}

/**
 * Where an agent may have hooks, the user's settings first.
 * @param beside the directory of the target configuration, absolute
 */
export function importSources(host: HostName, at: SettingsPlace, beside: string): ImportSource[] {
  const found = SCOPES.flatMap((scope) =>
    [...settingsPaths(host, scope, at), ...textsIn(settingsFolder(host, scope, at))].map((path) =>
      sourceIn(host, path, scope, at, beside),
    ),
  );
  // In the home directory both scopes have the same files.
  return found.filter(({ path }, i) => found.findIndex((other) => other.path === path) === i);
}

/** The source for one file. @param path absolute */
export function importSource(
  host: HostName,
  path: string,
  at: SettingsPlace,
  beside: string,
): ImportSource {
  const isUsers = settingsPaths(host, "user", at).includes(path);
  return sourceIn(host, path, isUsers ? "user" : "project", at, beside);
}

function sourceIn(
  host: HostName,
  path: string,
  scope: Scope,
  at: SettingsPlace,
  beside: string,
): ImportSource {
  const changes = HOSTS[host].importing.runsInSettings && scope === "user";
  const usual = scope === "project" ? at.project : undefined;
  const runsIn = changes ? dirname(path) : usual;
  const root = dirname(dirname(path));
  const plugin = path === join(root, "hooks", "hooks.json") ? root : undefined;
  return { path, isToml: extname(path) === ".toml", place: { runsIn, changes, beside, plugin } };
}

/** Texts whose front matter may have hooks: subagents, commands and skills. */
function textsIn(folder: string): string[] {
  const beside = ["agents", "commands"].flatMap((name) => {
    const names = namesIn(join(folder, name)).filter((each) => each.endsWith(".md"));
    return names.toSorted().map((each) => join(folder, name, each));
  });
  const skills = namesIn(join(folder, "skills")).toSorted();
  return [...beside, ...skills.map((name) => join(folder, "skills", name, "SKILL.md"))];
}

/** The names of the events in the front matter of a text, which has YAML. */
export function frontMatterEvents(path: string): string[] {
  const [, matter = ""] = /^\uFEFF?---\r?\n([^]*?)\n---/.exec(textIfReadable(path) ?? "") ?? [];
  const [, hooks = ""] = /^hooks:(.*(?:\n(?:[ \t#\r].*)?)*)/m.exec(matter) ?? [];
  return [...hooks.matchAll(/^[ \t]+["']?([A-Z]\w+)["']?:/gm)].map(([, name = ""]) => name);
}

/**
 * Parse an agent's settings, JSON with comments; undefined when the file does not exist or is empty.
 * @throws OrcsError ORCS7004
 */
export function readSettings(path: string): unknown {
  const { bytes } = readSettingsFile(path);
  return withSettings(path, "cannot use", () => {
    const { root } = readJsonc(settingsText(bytes).text);
    // The parser's objects have no prototype, and do not count as plain objects.
    return root && (structuredClone(getNodeValue(root)) as unknown);
  });
}

/** A hook in an agent's settings. */
export interface AgentHook {
  readonly event: string;
  readonly matcher: unknown;
  readonly entry: Readonly<Record<string, unknown>>;
  /** Disabled by its settings. */
  readonly isOff: boolean;
  /** Whether the agent itself reads no hooks in this form. */
  readonly isLoose: boolean;
}

/** An entry of settings with the keys that all agents have: `command`, `args`, `timeout`. */
export function withCommonKeys(host: HostName, entry: AgentHook["entry"]): AgentHook["entry"] {
  return HOSTS[host].settings.commonEntry?.(entry, singleQuoted) ?? entry;
}

/**
 * The hooks of settings, in order.
 * @param isImport also those in a form that only people write: a hook in place of a list or a group, a command as a
 *   text
 * @param events names that count without the key `hooks` around them
 * @throws Error when the settings have another structure
 */
export function readHooks(
  settings: unknown,
  host: HostName,
  isImport = false,
  events: object = {},
): AgentHook[] {
  if (!isPlainObject(settings)) throw new Error("it is not an object");
  const { isGrouped, settings: rules } = HOSTS[host];
  const { eventNames = {}, offByName = [], besideEvents = [] } = rules;
  const stated = getOwn(settings, "hooks");
  const isEvent = ([name]: [string, unknown]): boolean =>
    Object.hasOwn(events, getOwn(eventNames, name) ?? name);
  const hooks = stated ?? Object.fromEntries(Object.entries(settings).filter(isEvent));
  if (!isPlainObject(hooks)) throw new Error("hooks is not an object");
  const isAllOff = switchOf(settings as JsonObject) !== undefined;
  const off = offByName.flatMap((path) => [valueAt(settings, path)].flat());
  const isOff = ({ name, command }: Record<string, unknown>): boolean =>
    isAllOff || [name, command].some((each) => each !== undefined && off.includes(each));
  const lists = Object.entries(hooks).filter(([name]) => !besideEvents.includes(name));
  return lists.flatMap(([name, list]) =>
    [list].flat().flatMap((given: unknown) => {
      const element = isPlainObject(given) ? given : { hooks: [given] };
      const group = getOwn(element, "hooks");
      const isFlat = group === undefined;
      return (isFlat ? [element] : [group].flat()).flatMap((each: unknown) => {
        const entry = isPlainObject(each) ? each : { type: "command", command: each };
        const isLoose = !stated || entry !== each || (isGrouped && isFlat) || !Array.isArray(list);
        const hook = {
          event: getOwn(eventNames, name) ?? name,
          matcher: getOwn(element, "matcher") ?? getOwn(entry, "matcher"),
          entry: withCommonKeys(host, entry),
          isOff: isOff(entry),
          isLoose,
        };
        return isLoose && !isImport ? [] : hook;
      });
    }),
  );
}

/** The switch in settings that turns off every hook. */
export function switchOf(settings: JsonObject): string | undefined {
  const found = SWITCHES.find(
    ({ path, off }) => off !== undefined && valueAt(settings, path) === off,
  );
  return found && `${found.path.join(".")} is ${found.off}`;
}

/** The value at a path of keys; undefined if there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (at: unknown, key) => (isPlainObject(at) ? getOwn(at, key) : undefined),
    value,
  );
}
