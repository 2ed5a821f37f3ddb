import { isDeepStrictEqual } from "node:util";
import type { HostName, JsonObject } from "../../core/index.ts";
import { ENTRY_KEYS, HOSTS } from "../../formats/index.ts";
import type { HttpEndpoint } from "../http-endpoint.ts";
import { hookCommand, type OrcsCommand } from "./entry-command.ts";
import type { HooksSection, OrcsEntry } from "./hooks-section.ts";
import { httpEntry, propertyOf, readHooksSection, valueOf } from "./hooks-section.ts";
import type { InstallRecord } from "./install-record.ts";
import { appendValue, readJsonc, removeNode, replaceNode } from "./jsonc.ts";
import { settingsText } from "./settings-file.ts";
import { TOKEN_VARIABLE, type Scope } from "./settings-places.ts";
import type { WantedEvent } from "./wanted-events.ts";

/** The entries to install. */
export interface WantedEntries {
  readonly host: HostName;
  readonly scope: Scope;
  readonly command: OrcsCommand;
  readonly events: readonly WantedEvent[];
  /** Other commands that start orcs. */
  readonly programs: readonly string[];
  /** Paths of empty containers to keep, from `existingContainers`. */
  readonly kept: ReadonlySet<string>;
  /** Whether a user's changes in an entry, for example of its matcher, stay. */
  readonly keepsChanges: boolean;
  /** The HTTP side, if events are sent over HTTP. */
  readonly http?: HttpEndpoint | undefined;
  /** Whether the settings contain the token; otherwise the agent finds it in its environment. Undefined: unchanged. */
  readonly isInSettings?: boolean | undefined;
}

/**
 * Settings with exactly one entry of orcs for each wanted event, and none for others. If they are so already, the text
 * is unchanged.
 * @param text without a byte order mark
 * @throws Error when the settings have another structure
 */
export function withEntries(text: string, wanted: WantedEntries): string {
  const { host, events, programs, kept } = wanted;
  const names = new Set(events.map(({ event }) => event));
  let after = withoutEntries(
    text,
    { host, programs, kept },
    (entry, all) =>
      names.has(entry.event) && all.find(({ event }) => event === entry.event) === entry,
  );
  if (events.length > 0) after = withTopKeys(after, host, wanted.scope);
  for (const event of events) after = withEntry(after, event, wanted);
  const { http, isInSettings = hasToken(after, host) } = wanted;
  const isAsked = http !== undefined && events.length > 0;
  return isAsked && isInSettings
    ? withToken(after, host, http.token)
    : withoutToken(after, host, kept);
}

/**
 * Settings without entries of orcs, and without lists and groups that contained nothing else.
 * @param stays which entries to keep; default none
 * @throws Error when the settings have another structure
 */
export function withoutEntries(
  text: string,
  { host, programs, kept }: Pick<WantedEntries, "host" | "programs" | "kept">,
  stays: (entry: OrcsEntry, all: readonly OrcsEntry[]) => boolean = () => false,
): string {
  let after = text;
  const emptied = new Set<string>();
  for (;;) {
    // Parsed again each time: a removal moves the rest.
    const { doc, entries } = readHooksSection(after, host, programs);
    const entry = entries.findLast((each) => !stays(each, entries));
    if (!entry) break;
    after = removeNode(doc, entry.isAlone ? entry.element : entry.node);
    emptied.add(entry.event);
  }
  for (const event of emptied) {
    const { doc, lists } = readHooksSection(after, host, programs);
    const list = lists.get(event);
    const isEmpty = list?.parent && list.children?.length === 0;
    if (isEmpty && !kept.has(listPath(event))) after = removeNode(doc, list.parent);
  }
  const { doc, hooks } = readHooksSection(after, host, programs);
  const isEmpty = emptied.size > 0 && hooks?.parent && hooks.children?.length === 0;
  return isEmpty && !kept.has("hooks") ? removeNode(doc, hooks.parent) : after;
}

/** The existing ones of `hooks`, the lists in it, and the other top-level keys that orcs adds. */
export function existingContainers(text: string, host: HostName): ReadonlySet<string> {
  const { doc, hooks, lists } = readHooksSection(text, host, []);
  const { http } = HOSTS[host];
  const keys = [...Object.keys(topKeys(host, "machine")), ...(http ? [http.variables] : [])];
  const top = keys.filter((key) => propertyOf(doc.root, key));
  return new Set([...(hooks ? ["hooks"] : []), ...top, ...[...lists.keys()].map(listPath)]);
}

/** As `existingContainers`, for the settings before the installation; empty when unknown. */
export function originalContainers(
  record: InstallRecord | undefined,
  host: HostName,
): ReadonlySet<string> {
  if (!record?.original) return new Set();
  return existingContainers(settingsText(record.original).text, host);
}

/** The path of an event's list, as in `existingContainers`. */
function listPath(event: string): string {
  return `hooks/${event}`;
}

function topKeys(host: HostName, scope: Scope): JsonObject {
  const { top, machine } = HOSTS[host];
  return { ...top, ...(scope === "machine" && machine?.top) };
}

function withTopKeys(text: string, host: HostName, scope: Scope): string {
  let after = text;
  for (const [key, value] of Object.entries(topKeys(host, scope))) {
    const { doc } = readHooksSection(after, host, []);
    if (!doc.root) after = withRoot(doc.text, { [key]: value }, doc.eol);
    else if (!propertyOf(doc.root, key)) after = appendValue(doc, doc.root, value, key);
  }
  return after;
}

function withEntry(text: string, event: WantedEvent, wanted: WantedEntries): string {
  const { host, programs } = wanted;
  const section = readHooksSection(text, host, programs);
  const { doc, hooks, lists, entries } = section;
  const element = elementFor(event, wanted);
  const there = entries.find((entry) => entry.event === event.event);
  if (there) return withChanged(section, there, event, wanted);
  if (!doc.root) return withRoot(text, { hooks: { [event.event]: [element] } }, doc.eol);
  if (!hooks) return appendValue(doc, doc.root, { [event.event]: [element] }, "hooks");
  const list = lists.get(event.event);
  if (list) return appendValue(doc, list, element, undefined);
  if (propertyOf(hooks, event.event)) throw new Error(`hooks.${event.event} is not a list`);
  return appendValue(doc, hooks, [element], event.event);
}

function withChanged(
  { doc }: HooksSection,
  there: OrcsEntry,
  event: WantedEvent,
  wanted: WantedEntries,
): string {
  const before = valueOf(there.element) as JsonObject;
  if (wanted.keepsChanges || !there.isAlone) {
    const entry = valueOf(there.node) as JsonObject;
    const after = wanted.keepsChanges
      ? { ...withoutCall(entry, wanted.host), ...callFor(event, wanted) }
      : entryFor(event, wanted);
    return isDeepStrictEqual(entry, after) ? doc.text : replaceNode(doc, there.node, after);
  }
  const after = elementFor(event, wanted);
  return isDeepStrictEqual(before, after) ? doc.text : replaceNode(doc, there.element, after);
}

function elementFor(event: WantedEvent, wanted: WantedEntries): JsonObject {
  const entry = entryFor(event, wanted);
  return HOSTS[wanted.host].isGrouped ? { matcher: "*", hooks: [entry] } : entry;
}

function entryFor(event: WantedEvent, wanted: WantedEntries): JsonObject {
  const { entry, failClosed } = HOSTS[wanted.host];
  return { ...entry, ...callFor(event, wanted), ...(event.refusable && failClosed) };
}

/** An entry without its command and its timeout, whichever keys it has for them. */
function withoutCall(entry: JsonObject, host: HostName): JsonObject {
  const keys = [ENTRY_KEYS, HOSTS[host].machine?.keys].flatMap((each) => Object.values(each ?? {}));
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));
}

function callFor(event: WantedEvent, { host, scope, command, http }: WantedEntries): JsonObject {
  const { http: way, perSecond, machine } = HOSTS[host];
  if (http && way?.events.includes(event.event)) return httpEntry(host, http.port, event.seconds);
  const begins = http !== undefined && [...(way?.begins ?? []), way?.changes].includes(event.event);
  const keys = (scope === "machine" ? machine?.keys : undefined) ?? ENTRY_KEYS;
  return {
    [keys.command]: hookCommand(command, host, { ...event, begins }),
    [keys.timeout]: event.seconds * perSecond,
  };
}

/** Settings without content; comments stay on top. */
function withRoot(text: string, value: JsonObject, eol: string): string {
  const written = JSON.stringify(value, undefined, 2).replaceAll("\n", eol);
  const above = text.trimEnd();
  return `${above === "" ? "" : above + eol}${written}${eol}`;
}

/**
 * Settings without the entries of orcs, if somebody has changed them since; null when nothing is left of a file that
 * did not exist before.
 * @throws Error when the settings have another structure
 */
export function settingsWithoutOrcs(
  bytes: Buffer,
  record: InstallRecord | undefined,
  { host, programs, kept }: Pick<WantedEntries, "host" | "programs" | "kept">,
): Buffer | null {
  const { mark, text } = settingsText(bytes);
  let after = withoutEntries(text, { host, programs, kept });
  after = withoutToken(after, host, kept);
  if (record) after = withoutTopKeys(after, host, kept);
  const { root, comments } = readJsonc(after);
  const isEmpty = comments.length === 0 && (root?.children ?? []).length === 0;
  if (record?.original === null && isEmpty) return null;
  return Buffer.from(mark + after);
}

/** Without the top-level keys of orcs, unless hooks added since need them. */
function withoutTopKeys(text: string, host: HostName, kept: ReadonlySet<string>): string {
  let after = text;
  for (const [key, value] of Object.entries(topKeys(host, "machine"))) {
    const { doc, lists } = readHooksSection(after, host, []);
    const node = propertyOf(doc.root, key);
    const isNeeded = kept.has(key) || [...lists.keys()].some((event) => !kept.has(listPath(event)));
    if (node?.parent && isDeepStrictEqual(valueOf(node), value) && !isNeeded)
      after = removeNode(doc, node.parent);
  }
  return after;
}

/** Whether settings contain the token, as written by `withToken`. @throws Error when the text is not JSON */
export function hasToken(text: string, host: HostName): boolean {
  return propertyOf(variablesIn(text, host).variables, TOKEN_VARIABLE) !== undefined;
}

/**
 * Settings with which the agent finds the token in its environment.
 * @throws Error when the settings have another structure
 */
export function withToken(text: string, host: HostName, token: string): string {
  const { doc, key, variables } = variablesIn(text, host);
  if (key === undefined || !doc.root) return text;
  if (!variables) return appendValue(doc, doc.root, { [TOKEN_VARIABLE]: token }, key);
  if (variables.type !== "object") throw new Error(`${key} is not an object`);
  const there = propertyOf(variables, TOKEN_VARIABLE);
  if (!there) return appendValue(doc, variables, token, TOKEN_VARIABLE);
  return there.value === token ? text : replaceNode(doc, there, token);
}

/** Settings without the token. @param kept paths of empty containers to keep */
function withoutToken(text: string, host: HostName, kept: ReadonlySet<string>): string {
  const { doc, variables } = variablesIn(text, host);
  const token = propertyOf(variables, TOKEN_VARIABLE);
  if (!token?.parent) return text;
  const after = removeNode(doc, token.parent);
  const { doc: left, key, variables: others } = variablesIn(after, host);
  const isEmpty = others?.parent && others.children?.length === 0;
  return isEmpty && !kept.has(key ?? "") ? removeNode(left, others.parent) : after;
}

function variablesIn(text: string, host: HostName) {
  const doc = readJsonc(text);
  const key = HOSTS[host].http?.variables;
  return { doc, key, variables: key === undefined ? undefined : propertyOf(doc.root, key) };
}
