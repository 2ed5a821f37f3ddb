import { getNodeValue, type Node } from "jsonc-parser";
import { SERVICE_ROUTES, type HostName, type JsonObject } from "../../core/index.ts";
import { ENTRY_KEYS, HOSTS } from "../../formats/index.ts";
import { readOrcsCommand, type OrcsCommand } from "./entry-command.ts";
import { readJsonc, type JsoncText } from "./jsonc.ts";
import { TOKEN_VARIABLE } from "./settings-places.ts";

/** An entry of orcs in an agent's settings. */
export interface OrcsEntry extends OrcsCommand {
  readonly event: string;
  /** The object with the command. */
  readonly node: Node;
  /** The element of the event's list: the entry, or its group. */
  readonly element: Node;
  /** Whether the group contains nothing else. */
  readonly isAlone: boolean;
  /** Whether it is sent over HTTP: then it has no program. */
  readonly isRequest: boolean;
}

/** Parsed settings of an agent. */
export interface HooksSection {
  readonly doc: JsoncText;
  /** The value of `hooks`. */
  readonly hooks: Node | undefined;
  /** The list of each event. */
  readonly lists: ReadonlyMap<string, Node>;
  /** In the order of the text. */
  readonly entries: readonly OrcsEntry[];
}

/**
 * Find the hooks in settings, and the entries of orcs among them.
 * @param programs other commands that start orcs
 * @throws Error when the text is not JSON or has another structure
 */
export function readHooksSection(
  text: string,
  host: HostName,
  programs: readonly string[],
): HooksSection {
  const doc = readJsonc(text);
  const { root } = doc;
  if (root && root.type !== "object") throw new Error("it is not an object");
  expectUniqueKeys(root, "it");
  const hooks = propertyOf(root, "hooks");
  if (hooks && hooks.type !== "object") throw new Error("hooks is not an object");
  expectUniqueKeys(hooks, "hooks");
  const { machine } = HOSTS[host];
  const keys = [ENTRY_KEYS.command, ...(machine?.keys ? [machine.keys.command] : [])];
  const lists = new Map<string, Node>();
  const entries: OrcsEntry[] = [];
  for (const [event, list] of propertiesOf(hooks)) {
    // Other tools have settings of their own beside the events, such as a switch.
    if (list.type !== "array") continue;
    lists.set(event, list);
    for (const element of list.children ?? []) {
      const group = propertyOf(element, "hooks");
      const items = group?.type === "array" ? (group.children ?? []) : [];
      const nodes = HOSTS[host].isGrouped ? items : [element];
      for (const node of nodes) {
        const found = { event, node, element, isAlone: nodes.length === 1 };
        const command = keys.map((key) => textOf(propertyOf(node, key))).find(Boolean);
        const read = command === undefined ? undefined : readOrcsCommand(command, host, programs);
        if (read) entries.push({ ...read, ...found, isRequest: false });
        else if (isOrcsUrl(textOf(propertyOf(node, "url")), host)) {
          entries.push({ program: "", config: undefined, http: true, ...found, isRequest: true });
        }
      }
    }
  }
  return { doc, hooks, lists, entries };
}

/** Whether a text can contain an entry of orcs; if not, it need not even be JSON. */
export function mayHaveEntries(bytes: Buffer | undefined): boolean {
  return bytes?.includes("--host") === true || bytes?.includes(TOKEN_VARIABLE) === true;
}

/** Whether the content of settings has the token of the HTTP side, not just the name of its variable. */
export function holdsToken(bytes: Buffer): boolean {
  return new RegExp(`"${TOKEN_VARIABLE}"\\s*:`).test(bytes.toString("latin1"));
}

function textOf(node: Node | undefined): string | undefined {
  return node?.type === "string" ? String(node.value) : undefined;
}

/** The value of a property; undefined when there is none, or the node is not an object. */
export function propertyOf(node: Node | undefined, key: string): Node | undefined {
  return propertiesOf(node).findLast(([name]) => name === key)?.[1];
}

/** The value of a node, as from `JSON.parse`. */
export function valueOf(node: Node): unknown {
  // The parser's objects have no prototype, so they equal no others.
  return structuredClone(getNodeValue(node) as unknown);
}

/** Programs read the last of two equal keys: a value written to the other one is ignored. */
function expectUniqueKeys(node: Node | undefined, what: string): void {
  const names = new Set<string>();
  for (const [name] of propertiesOf(node)) {
    if (names.has(name)) throw new Error(`${what} has ${JSON.stringify(name)} twice`);
    names.add(name);
  }
}

function propertiesOf(node: Node | undefined): [string, Node][] {
  if (node?.type !== "object") return [];
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key && value ? [[String(key.value), value] as [string, Node]] : [],
  );
}

/** The other keys of an entry that is sent over HTTP. */
export function httpEntry(host: HostName, port: number, seconds: number): JsonObject {
  const path = `${SERVICE_ROUTES.hook.path}${host}`;
  return {
    type: "http",
    url: `http://127.0.0.1:${port}${path}?timeout=${seconds}`,
    headers: { Authorization: ["Bearer", `$${TOKEN_VARIABLE}`].join(" ") },
    allowedEnvVars: [TOKEN_VARIABLE],
    timeout: seconds * HOSTS[host].perSecond,
  };
}

/** Whether a URL belongs to an entry of orcs. */
export function isOrcsUrl(url: string | undefined, host: HostName): boolean {
  if (url === undefined || HOSTS[host].http === undefined) return false;
  const [, path] = /^http:\/\/127\.0\.0\.1:\d+(\/[^?#]*)\?timeout=\d+$/.exec(url) ?? [];
  return path === `${SERVICE_ROUTES.hook.path}${host}`;
}
