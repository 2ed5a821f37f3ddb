import { equalJson, isPlainObject } from "../../core/index.ts";
import type { HostName, Json, JsonObject } from "../../core/index.ts";
import { tomlOf } from "../../engine/index.ts";
import { HOSTS, SETTINGS_VARIABLES, SWITCHES } from "../../formats/index.ts";
import { isWellTyped } from "../config-edits.ts";
import { valueAt } from "../import/agent-settings.ts";
import type { HooksSection } from "../install/hooks-section.ts";
import { propertyOf, readHooksSection, valueOf } from "../install/hooks-section.ts";
import { appendValue, removeNode, replaceNode } from "../install/jsonc.ts";
import { settingsText } from "../install/settings-file.ts";

/** A file of an agent's settings. */
export interface SettingsKind {
  readonly host: HostName;
  /** Other commands that start orcs. */
  readonly programs: readonly string[];
  readonly isToml: boolean;
}

/** Variables that decide how an entry starts, and what it finds. */
const DECISIVE =
  /^(?:ORCS_\w+|XDG_\w+|HOME|PATH|NODE_OPTIONS|NODE_PATH|LD_\w+|DYLD_\w+|PERL5?\w*|BASH_ENV|ENV|\w+_HOME)$/;

/**
 * Whether the entries of orcs apply less after a change: one is gone, altered or narrowed, something switches them off,
 * or the agent ignores the whole file.
 * @param before the accepted text, which may be of no file
 */
export function isWeakened(
  kind: SettingsKind,
  before: Buffer | null,
  after: Buffer | null,
): boolean {
  if (before === null && after === null) return false;
  if (kind.isToml) {
    const [was, now] = [treeOf(before), treeOf(after)];
    const { toml } = HOSTS[kind.host].settings;
    if (was === undefined || toml === undefined) return false;
    return now === undefined || toml.isWeakened(was, now);
  }
  const was = sectionOf(kind, before);
  // What an agent could not read before did not protect anything.
  if (was === undefined) return false;
  const now = sectionOf(kind, after);
  if (now === undefined) return was.entries.length > 0;
  const lists = hooksIn(now);
  const isHeld = was.entries.every(({ event, element }) =>
    itemsAt(lists, event).some((each) => equalJson(each, valueOf(element))),
  );
  if (!isHeld || !isWellTyped(kind.host, rootOf(was), rootOf(now))) return true;
  return differingKeys(was, now).length > 0;
}

/**
 * A changed file with what `isWeakened` found undone, and everything else as it is; the accepted bytes if nothing else
 * differs, or nothing of it can be read.
 */
export function restoredSettings(
  kind: SettingsKind,
  before: Buffer | null,
  after: Buffer | null,
): Buffer | null {
  if (after === null) return before;
  if (before === null) {
    const restored = restoredSettings(kind, Buffer.from(kind.isToml ? "" : "{}\n"), after);
    return restored?.toString("utf8").trim().replace("{}", "") === "" ? null : restored;
  }
  try {
    const text = kind.isToml
      ? (HOSTS[kind.host].settings.toml?.withoutSwitches(after.toString("utf8")) ?? "")
      : restoredText(kind, before, after);
    const restored = Buffer.from(text);
    const isSame = kind.isToml
      ? equalJson(tomlOf(text), tomlOf(before.toString("utf8")))
      : equalJson(rootOf(sectionOf(kind, restored)), rootOf(sectionOf(kind, before)));
    return isSame || isWeakened(kind, before, restored) ? before : restored;
  } catch {
    return before;
  }
}

function restoredText(kind: SettingsKind, before: Buffer, after: Buffer): string {
  const was = sectionOf(kind, before);
  const now = sectionOf(kind, after);
  if (!was || !now) throw new Error("it cannot be read");
  let { text } = now.doc;
  if (!isPlainObject(at(now, ["hooks"]))) text = withValue(text, ["hooks"], at(was, ["hooks"]));
  else {
    for (const event of new Set(was.entries.map((entry) => entry.event))) {
      const list = restoredList(event, was, now);
      if (!equalJson(list, itemsAt(hooksIn(now), event))) {
        text = withValue(text, ["hooks", event], list);
      }
    }
  }
  for (const path of differingKeys(was, now)) {
    text = withValue(text, path, at(was, path));
    // A section that held nothing else.
    const section = at(was, path.slice(0, 1)) === undefined ? path.slice(0, 1) : [];
    const left = section.length > 0 && at(readHooksSection(text, kind.host, []), section);
    if (isPlainObject(left) && Object.keys(left).length === 0) {
      text = withValue(text, section, undefined);
    }
  }
  return settingsText(after).mark + text;
}

/** The list of an event with the accepted entries: an altered one is replaced, a missing one is put at its place. */
function restoredList(event: string, was: HooksSection, now: HooksSection): Json[] {
  const old = itemsAt(hooksIn(was), event);
  // The other hooks of a list that is gone are its user's as well.
  if (!Array.isArray(hooksIn(now)[event])) return [...old];
  const list = [...itemsAt(hooksIn(now), event)];
  const isIn = (items: readonly Json[], item: Json): boolean =>
    items.some((each) => equalJson(each, item));
  const elementsOf = ({ entries }: HooksSection): Json[] =>
    entries.filter((entry) => entry.event === event).map(({ element }) => valueOf(element) as Json);
  const isOurs = (item: Json): boolean => isIn(elementsOf(now), item);
  const hasSameLength = list.length === old.length;
  for (const wanted of elementsOf(was)) {
    if (isIn(list, wanted)) continue;
    const place = old.findIndex((each) => equalJson(each, wanted));
    const altered = list.findIndex((each) => isOurs(each) && !isIn(old, each));
    const there = list[place];
    if (altered >= 0) list[altered] = wanted;
    else if (hasSameLength && there !== undefined && !isIn(old, there)) list[place] = wanted;
    else list.splice(place, 0, wanted);
  }
  // A second, narrower one beside an accepted one.
  return list.filter((each) => !isOurs(each) || isIn(old, each));
}

/** Paths of the switches, and of the variables that decide how an entry runs, that have another value. */
function differingKeys(was: HooksSection, now: HooksSection): (readonly string[])[] {
  const variables = [was, now].flatMap((section) => {
    const env = at(section, ["env"]);
    const names = isPlainObject(env) ? Object.keys(env) : [];
    return names.filter((name) => DECISIVE.test(name) || SETTINGS_VARIABLES.includes(name));
  });
  const paths: typeof SWITCHES = [
    ...SWITCHES,
    ...[...new Set(variables)].map((name) => ({ path: ["env", name] })),
  ];
  return paths
    .filter(({ path, otherwise = null }) => {
      const values = [was, now].map((section) => at(section, path) ?? otherwise);
      return !equalJson(values[0], values[1]);
    })
    .map(({ path }) => path);
}

function sectionOf(
  { host, programs }: SettingsKind,
  bytes: Buffer | null,
): HooksSection | undefined {
  try {
    const { text } = settingsText(bytes ?? Buffer.from("{}"));
    if (HOSTS[host].isStrictJson && text.trim() !== "") JSON.parse(text);
    return readHooksSection(text, host, programs);
  } catch {
    return undefined;
  }
}

function rootOf(section: HooksSection | undefined): Json {
  return section?.doc.root ? (valueOf(section.doc.root) as Json) : {};
}

function hooksIn(section: HooksSection): JsonObject {
  const hooks = at(section, ["hooks"]);
  return isPlainObject(hooks) ? hooks : {};
}

function itemsAt(hooks: JsonObject, event: string): readonly Json[] {
  const list = hooks[event];
  return Array.isArray(list) ? list : [];
}

/** The value at a path of keys; undefined if there is none. */
function at(section: HooksSection, path: readonly string[]): Json | undefined {
  return valueAt(rootOf(section), path) as Json | undefined;
}

/** A text with another value at a path; without it if the value is undefined. */
function withValue(text: string, path: readonly string[], value: Json | undefined): string {
  const doc = readHooksSection(text, "claude-code", []).doc;
  let node = doc.root;
  for (const [i, key] of path.entries()) {
    const found = propertyOf(node, key);
    if (!node || (!found && value === undefined)) return text;
    if (!found) {
      const inner = path
        .slice(i + 1)
        .reduceRight<Json>((each, name) => ({ [name]: each }), value ?? null);
      return appendValue(doc, node, inner, key);
    }
    node = found;
  }
  if (!node) return text;
  if (value !== undefined) return replaceNode(doc, node, value);
  return node.parent ? removeNode(doc, node.parent) : text;
}

function treeOf(bytes: Buffer | null): Record<string, unknown> | undefined {
  try {
    return tomlOf(bytes?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}
