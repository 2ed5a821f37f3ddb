import { getOwn, isPlainObject, POINT_ALIASES, quoteWord } from "../../core/index.ts";
import type { ErrorCode, HostName, MatchSpec, PointName } from "../../core/index.ts";
import { ruleConditions } from "../../config/index.ts";
import { HOSTS, type HostEvent } from "../../formats/index.ts";
import { leavesBackground } from "../../matching/index.ts";
import { readOrcsCommand } from "../install/entry-command.ts";
import { readHooks, type AgentHook } from "./agent-settings.ts";
import { translateMatcher } from "./translate-matcher.ts";
import type { CommandContext, TranslatedCommand } from "./translate-command.ts";
import { IN_BASH, translateCommand } from "./translate-command.ts";
import { isTomlValue, type TomlTable } from "./write-toml.ts";

/** A hook of an agent's settings as a `[[hooks]]` table, or the reason why it cannot be one. */
export interface Imported {
  readonly event: string;
  /** What it runs, for people. */
  readonly runs: string;
  readonly table: TomlTable | undefined;
  readonly reason: string | undefined;
  /** What is different here, each a clause. */
  readonly differs: readonly string[];
  /** Its command as the agent runs it; undefined if it has none. */
  readonly original: string | undefined;
}

/** The agent and the place of the settings. */
interface ImportOptions {
  readonly host: HostName;
  readonly events: Readonly<Record<string, HostEvent>>;
  readonly place: CommandContext;
  /** Other commands that start orcs: its own entries are not imported. */
  readonly programs: readonly string[];
}

/**
 * Convert the hooks of settings, in order, without the entries of orcs.
 * @throws Error when the settings have another structure
 */
export function importHooks(settings: unknown, options: ImportOptions): Imported[] {
  const { host, programs, events } = options;
  const isOurs = ({ entry: { command, url } }: AgentHook): boolean => {
    if (typeof command === "string") return readOrcsCommand(command, host, programs) !== undefined;
    if (typeof url !== "string" || !URL.canParse(url)) return false;
    const { hostname, pathname } = new URL(url);
    return hostname === "127.0.0.1" && pathname === `/hooks/${host}`;
  };
  return readHooks(settings, host, true, events)
    .filter((hook) => !isOurs(hook))
    .map((hook, at, all) => {
      const { event, entry } = hook;
      const isBehind = all.slice(0, at).some((other) => other.event === event);
      const table = tableOf(hook, options);
      const runs = [entry["command"], entry["url"], entry["prompt"], entry["type"]].find(
        (text) => typeof text === "string",
      );
      const isTable = typeof table !== "string";
      return {
        event,
        original: lineOf(entry, options)?.original,
        runs: typeof runs === "string" ? runs : "",
        table: isTable ? table : undefined,
        reason: isTable ? undefined : table,
        differs: isTable ? differencesOf(hook, table, isBehind, host) : [],
      };
    });
}

/** A text is the reason why there is none. */
function tableOf(hook: AgentHook, options: ImportOptions): TomlTable | string {
  const { host, events } = options;
  const { event, entry, isOff, matcher } = hook;
  const row = getOwn(events, event);
  if (!row) return `${host} has no event of this name that orcs knows`;
  if (row.installed === false && !HOSTS[host].importing.takesUninstalled)
    return "the agent's own behavior would be lost if orcs replaced this hook";
  const matching = translateMatcher(host, event, row.point, matcher);
  if ("reason" in matching) return matching.reason;
  const point = pointName(event, row.point);
  const rule = conditionsOf(entry["if"], matching.match);
  if (typeof rule === "string") return rule;
  const match = {
    ...matching.match,
    ...rule,
    ...(point === "host.pre_event" && { event }),
  };
  const handler = handlerOf(entry, options);
  if (typeof handler === "string") return handler;
  if (!isTomlValue(handler)) return "it contains half a surrogate pair, which TOML cannot express";
  return {
    point,
    ...(Object.keys(match).length > 0 && { match }),
    ...handler,
    timeout_ms: timeoutOf(entry["timeout"], row, host),
    ...(isOff && { enabled: false }),
    ...((entry["async"] === true || entry["asyncRewake"] === true) && {
      async: true,
      observe: true,
    }),
    ...(entry["once"] === true && { once: true }),
    ...((entry["onFailure"] === "block" || entry["failClosed"] === true) && { on_error: "closed" }),
  };
}

/** Tools that a rule for `Edit` is about. */
const EDITS = "^(?:Edit|MultiEdit|Write|NotebookEdit)$";

/** The conditions of a permission rule, besides those of the matcher; a text is the reason why there are none. */
function conditionsOf(rule: unknown, { tool, tool_regex }: MatchSpec): TomlTable | string {
  if (rule === undefined) return {};
  const read = typeof rule === "string" ? ruleConditions(rule) : { reason: "it is no text" };
  if ("reason" in read) return `its condition \`if\`: ${read.reason}`;
  const { tool_regex: own = "", ...others } = read.match;
  const regex = own === "^Edit$" ? EDITS : own;
  // What the matcher names is named by the rule as well, or the hook never runs.
  const isSame = tool !== undefined || tool_regex === undefined || tool_regex === regex;
  if (!isSame && others.runs === undefined && others.path === undefined)
    return "it has a matcher and a condition `if`, which are both expressions";
  return { ...(isSame && { tool_regex: regex }), ...others };
}

/** What is not as in the agent. */
function differencesOf(
  { event, entry, isLoose }: AgentHook,
  { shell, async: isAsync }: TomlTable,
  isBehind: boolean,
  host: HostName,
): string[] {
  const { label, settings } = HOSTS[host];
  const { differs } = settings.matchers.parts?.[event] ?? {};
  const command = isPlainObject(shell) ? shell["command"] : undefined;
  const env = isPlainObject(shell) && Array.isArray(shell["env"]) ? (shell["env"] as string[]) : [];
  return [
    ...(differs === undefined ? [] : [differs]),
    ...(isLoose ? [`${label} itself reads no hook in this form`] : []),
    ...(command === undefined
      ? []
      : [`of its environment, it gets ${["PATH, HOME and the like", ...env].join(", ")}`]),
    ...(typeof command === "string" && command.startsWith(IN_BASH) && !isInBash(host)
      ? ["it runs in bash, whose syntax it has, also where sh is another shell"]
      : []),
    ...(isBehind ? ["it runs after the hooks above of this event, not beside them"] : []),
    ...(typeof command === "string" && leavesBackground(command)
      ? ["what it leaves in the background is ended with it, without background_s"]
      : []),
    ...(isAsync === true ? ["nobody waits for it, and it wakes no model"] : []),
    ...(entry["timeout"] === undefined || command === undefined
      ? []
      : ["at its deadline, the processes that it started end, too"]),
  ];
}

function handlerOf(entry: AgentHook["entry"], options: ImportOptions): TomlTable | string {
  const { host } = options;
  const { type = HOSTS[host].importing.typeIsOptional ? "command" : undefined } = entry;
  if (type === "http") {
    const webhook = importedWebhook(entry);
    return typeof webhook === "string" ? webhook : { webhook: { ...webhook, protocol: host } };
  }
  if (type !== "command") {
    return typeof type === "string" ? unconvertedType(type, entry) : "it has no type";
  }
  const line = lineOf(entry, options);
  const isPowershell = line === undefined && typeof entry["powershell"] === "string";
  if (isPowershell || entry["shell"] === "powershell") return "its command is for PowerShell";
  if (line === undefined) return "it has no command";
  return {
    shell: {
      command: line.command,
      protocol: host,
      ...(line.env.length > 0 && { env: line.env }),
    },
  };
}

function lineOf(
  { command, args, env }: AgentHook["entry"],
  { host, place }: ImportOptions,
): TranslatedCommand | undefined {
  if (typeof command !== "string" || command.trim() === "") return undefined;
  const words = Array.isArray(args) ? [command, ...args.map(String)].map(quoteArgument) : [command];
  return translateCommand(words.join(" "), host, validVariables(env), place);
}

/** A word of a program without a shell, in which agents replace variables of their own. */
function quoteArgument(word: string): string {
  const parts = word.split(/(\$\{(?:[A-Z]+_(?:PROJECT_DIR|PLUGIN_ROOT)|extensionPath)\})/);
  const quoted = parts.map((part, i) => (i % 2 === 1 ? `"${part}"` : part && quoteWord(part)));
  return quoted.join("") || "''";
}

/** Whether the agent itself uses bash. */
function isInBash(host: HostName): boolean {
  return HOSTS[host].shell("/bin/sh")[0] === "bash";
}

const CODE: ErrorCode = "ORCS7012";

/** Why a hook of another type stays where it is, and what to do instead. */
function unconvertedType(type: string, entry: AgentHook["entry"]): string {
  const what = Object.hasOwn(OTHER_TYPES, type) ? OTHER_TYPES[type]?.(entry) : undefined;
  const why = what === undefined ? "" : `, ${what}`;
  return (
    `${CODE}: nothing here runs hooks of the type ${type}${why}. It stays in the agent's settings, where it runs ` +
    "beside orcs; to move it, write a hook whose shell or webhook does the same"
  );
}

/** What hooks of other types do. */
const OTHER_TYPES: Readonly<Record<string, (entry: AgentHook["entry"]) => string>> = {
  mcp_tool: ({ server, tool }) => {
    const [name, of] = [server, tool].map((text) => (typeof text === "string" ? text : "?"));
    return `which calls the tool ${of} of the MCP server ${name}: orcs is a server of MCP, and no client`;
  },
  prompt: () => "which asks a model of the agent",
  agent: () => "which starts a subagent of the agent",
};

function validVariables(env: unknown): Record<string, string> {
  const entries = Object.entries(typeof env === "object" && env !== null ? env : {});
  return Object.fromEntries(
    entries.filter(
      (pair): pair is [string, string] =>
        /^[A-Za-z_]\w*$/.test(pair[0]) && typeof pair[1] === "string",
    ),
  );
}

/** The agent's own name if it is an alias of the point. */
function pointName(event: string, point: PointName): string {
  const aliases = Object.entries(POINT_ALIASES);
  const [, meant] = aliases.find(([alias]) => alias.toLowerCase() === event.toLowerCase()) ?? [];
  return meant === point ? event : point;
}

/** Longest timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds; if the settings do not state it, the agent's default. */
function timeoutOf(timeout: unknown, { timeoutMs }: HostEvent, host: HostName): number {
  // Some people write it as a text.
  const stated = typeof timeout === "string" ? Number(timeout) : timeout;
  if (typeof stated !== "number" || !(stated > 0)) return timeoutMs;
  const ms = Math.round((stated * 1000) / HOSTS[host].perSecond);
  return Math.min(Math.max(ms, 1), MAX_TIMER_MS);
}

/** Hosts outside the public internet, which must be allowed here. */
const PRIVATE_HOST =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[)|^[^.]+$|\.(?:local|internal|localhost)$/;

/** An HTTP hook of an agent, as a handler here. A text is the reason why it cannot be imported. */
function importedWebhook(entry: Readonly<Record<string, unknown>>) {
  const { url, headers, allowedEnvVars } = entry;
  if (typeof url !== "string" || !URL.canParse(url)) return "its url is invalid";
  if (url.includes("${"))
    return "its url contains ${, which orcs would replace from the environment";
  const { hostname, host } = new URL(url);
  const names: readonly unknown[] = Array.isArray(allowedEnvVars) ? allowedEnvVars : [];
  const used = new Set<string>();
  const filled = isPlainObject(headers)
    ? Object.entries(headers).map(([name, value]) => [name, inBraces(String(value), names, used)])
    : [];
  return {
    url,
    ...(filled.length > 0 && { headers: Object.fromEntries(filled) as Record<string, string> }),
    ...(used.size > 0 && { allow_env: [...used] }),
    ...(PRIVATE_HOST.test(hostname) && { allow_hosts: [host] }),
  };
}

/** `$NAME` is written `${NAME}` here; an unlisted variable is empty in the agent. */
function inBraces(value: string, names: readonly unknown[], used: Set<string>): string {
  return value.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    if (!names.includes(name)) return "";
    used.add(name);
    return `\${${name}}`;
  });
}
