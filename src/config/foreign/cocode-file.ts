import { type MatchSpec, POINT_ALIASES, type PointSpec, pointSet } from "../../core/index.ts";
import type { ConfigError, KeyPath } from "../config-error.ts";
import { describeValue } from "../schema-parts.ts";
import { isTable, type Table, valueOf } from "../table.ts";

/** A `hooks.toml` of cocode. Source: seed 003, "Configuration" and `load_hooks_from_config`. */

const HOOK_KEYS = [
  "event",
  "if",
  "name",
  "once",
  "shell",
  "timeout_sec",
  "tool_matcher",
  "webhook",
];
const SHELL_KEYS = ["command", "pass_context", "parse_result"];
const WEBHOOK_KEYS = ["url", "method", "headers"];

/** Seconds: `timeout_sec.unwrap_or(600)`. */
const TIMEOUT_SEC = 600;

/**
 * Whether a configuration is certainly cocode's without saying so: it has nothing that cocode does not know, and
 * something that means nothing in a file of orcs.
 */
export function isCocodeFile(tree: unknown): boolean {
  if (!isTable(tree) || !hasOnly(tree, ["hooks"])) return false;
  const hooks: readonly unknown[] = Array.isArray(tree["hooks"]) ? tree["hooks"] : [];
  return hooks.every(isCocodeHook) && hooks.some(isUnmistakable);
}

function isCocodeHook(hook: unknown): boolean {
  if (!isTable(hook) || !hasOnly(hook, HOOK_KEYS)) return false;
  const { event, shell, webhook } = hook;
  if (typeof event !== "string" || !Object.hasOwn(POINT_ALIASES, event)) return false;
  return shell === undefined
    ? isTable(webhook) && hasOnly(webhook, WEBHOOK_KEYS)
    : webhook === undefined && isTable(shell) && hasOnly(shell, SHELL_KEYS);
}

/**
 * In a file of orcs, commands get the context and are asked for a result anyway, methods are in upper case, variables
 * `HOOK_…` do not exist, and `${NAME}` without `allow_env` is an error, and so is `if`. One of the two keys of a
 * command alone is no evidence.
 */
function isUnmistakable(hook: unknown): boolean {
  const shell = valueOf(hook, "shell");
  const webhook = valueOf(hook, "webhook");
  const command = valueOf(shell, "command");
  return (
    valueOf(hook, "if") !== undefined ||
    (valueOf(shell, "pass_context") === true && valueOf(shell, "parse_result") === true) ||
    (typeof command === "string" && /\$\{?HOOK_(?:EVENT|TOOL_NAME|SESSION_ID)\b/.test(command)) ||
    ["Post", "Put"].some((method) => valueOf(webhook, "method") === method) ||
    textsOf(webhook).some(({ text }) => text.search(VARIABLE) !== -1)
  );
}

function hasOnly(table: Table, known: readonly string[]): boolean {
  return Object.keys(table).every((key) => known.includes(key));
}

/**
 * A hook of a file of cocode.
 * @param hook with the protocol of its handler
 * @param isStated whether the file says that it is cocode's. If it does not, nothing in it may become more permissive
 * than in a file of orcs: the failure mode and the time limit are those of orcs, and the output of each command is read
 * @param notes gets a warning for each variable without a value, and an error for a rule without conditions
 */
export function asCocode(
  hook: Table,
  path: KeyPath,
  isStated: boolean,
  notes: ConfigError[],
): Table {
  const { shell, webhook } = hook;
  const speaks = [shell, webhook].some((handler) => valueOf(handler, "protocol") === "cocode");
  if (!speaks) return hook;
  const point = pointOf(hook);
  const { if: rule, ...rest } = hook;
  const { tool_matcher: _, ...withoutMatcher } = rest;
  const hasTimeout = hook["timeout_sec"] !== undefined || hook["timeout_ms"] !== undefined;
  return {
    // An event without a tool ignores the matcher.
    ...(point?.known.has("tool_name") === false ? withoutMatcher : rest),
    ...(rule !== undefined && withRule(rule, hook, path, notes)),
    ...(isStated && !hasTimeout && { timeout_sec: TIMEOUT_SEC }),
    ...(!isStated && point?.phase === "pre" && { on_timeout: "closed" }),
    ...(!isStated &&
      isTable(shell) && { shell: { pass_context: true, parse_result: true, ...shell } }),
    ...(isTable(webhook) && {
      webhook: withoutVariables(webhook, { path: [...path, "webhook"], isStated, notes }),
    }),
  };
}

/** `if`, a permission rule, as conditions beside `tool_matcher`. */
function withRule(rule: unknown, hook: Table, path: KeyPath, notes: ConfigError[]): Table {
  const { match: given = {} } = hook;
  const read =
    typeof rule === "string"
      ? ruleConditions(rule)
      : { reason: `expected a permission rule, got ${describeValue(rule)}` };
  const conditions = "match" in read ? read.match : {};
  const twice = Object.keys(conditions).find((key) => valueOf(given, key) !== undefined);
  const reason =
    "reason" in read ? read.reason : twice && `its condition match.${twice} is already set`;
  if (reason !== undefined) {
    notes.push({ code: "ORCS1012", path: [...path, "if"], at: "value", message: reason });
  }
  return isTable(given) ? { match: { ...given, ...conditions } } : {};
}

function pointOf(hook: Table): PointSpec | undefined {
  const event = hook["event"] ?? hook["point"];
  return typeof event === "string" ? pointSet().resolve(event) : undefined;
}

const VARIABLE = /\$\{([A-Za-z_]\w*)\}/g;

interface Around {
  /** Of the webhook. */
  readonly path: KeyPath;
  readonly isStated: boolean;
  readonly notes: ConfigError[];
}

/** A webhook in which a variable that is not listed is empty. cocode sends such a request, too. */
function withoutVariables(webhook: Table, { path, isStated, notes }: Around): Table {
  const { allow_env: allowed, headers } = webhook;
  // cocode has no such key, so the file would not be recognized any more.
  const statement = isStated ? "" : 'write protocol = "cocode" at the top of the file, and ';
  const fill = ({ text, at }: WebhookText): string => {
    const missing = new Set<string>();
    const filled = text.replaceAll(VARIABLE, (written, name: string) => {
      if (Array.isArray(allowed) && allowed.includes(name)) return written;
      missing.add(name);
      return "";
    });
    for (const name of missing) {
      const what = at.length > 1 ? `the header ${at[1] ?? ""}` : "the URL";
      notes.push({
        code: "ORCS1019",
        severity: "warning",
        path: [...path, ...at],
        at: "value",
        message: `\${${name}} is not listed in allow_env, so it is empty: ${what} is sent as ${JSON.stringify(filled)}`,
        hint: `${statement}add allow_env = ["${name}"] to the webhook to send its value`,
      });
    }
    return filled;
  };
  const filled = textsOf(webhook).map(({ text, at }) => ({ at, text: fill({ text, at }) }));
  const url = filled.find(({ at }) => at.length === 1);
  const values = filled.flatMap(({ at: [, name], text }) =>
    name === undefined ? [] : [[name, text]],
  );
  return {
    ...webhook,
    ...(url && { url: url.text }),
    ...(isTable(headers) && { headers: { ...headers, ...(Object.fromEntries(values) as Table) } }),
  };
}

interface WebhookText {
  readonly text: string;
  /** `["url"]`, or `["headers", NAME]`. */
  readonly at: readonly string[];
}

/** The texts of a webhook that may contain variables. */
function textsOf(webhook: unknown): WebhookText[] {
  const url = valueOf(webhook, "url");
  const headers = valueOf(webhook, "headers");
  return [
    ...(typeof url === "string" ? [{ text: url, at: ["url"] }] : []),
    ...Object.entries(isTable(headers) ? headers : {}).flatMap(([name, text]) =>
      typeof text === "string" ? [{ text, at: ["headers", name] }] : [],
    ),
  ];
}

/** The conditions of a permission rule, or the reason why there are none. */
type RuleConditions =
  | { readonly match: Pick<MatchSpec, "tool_regex" | "runs" | "path"> }
  | { readonly reason: string };

const RULE = /^(?<tool>[A-Za-z_][\w-]*)(?:\((?<what>[^()]*)\))?$/;
/** All tools of an MCP server, or those whose names begin so. */
const SERVER = /^(?<start>mcp__(?:(?!__)[\w-])+(?<more>(?:__[\w-]*)?\*)?)$/;

/** Tools whose rules are about paths. */
const PATH_TOOLS: readonly string[] = ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit"];

/**
 * The conditions for a permission rule of Claude Code and cocode: `Bash(git *)`, `Edit(src/**)`, `Write`. A rule that
 * cannot be expressed is refused: a guard with a condition that never holds would be open.
 */
export function ruleConditions(rule: string): RuleConditions {
  const { start, more } = SERVER.exec(rule)?.groups ?? {};
  if (start !== undefined) {
    const names = more === undefined ? `${start}(?:__.*)?` : `${start.slice(0, -1)}.*`;
    return { match: { tool_regex: `^${names}$` } };
  }
  const { tool, what = "" } = RULE.exec(rule)?.groups ?? {};
  if (tool === undefined) {
    return { reason: "expected one permission rule, such as Bash(git *) or Edit(src/**)" };
  }
  const ofTool = { tool_regex: `^${tool}$` };
  if (what === "" || what === "*") return { match: ofTool };
  if (tool === "Bash") {
    // Further words may follow anyway. An exact rule holds for more commands than it says.
    const command = what.replace(/(?::| )\*$/, "");
    return /\*(?!$)/.test(command)
      ? { reason: "only a * at the end of a command is supported" }
      : { match: { ...ofTool, runs: command } };
  }
  if (!PATH_TOOLS.includes(tool)) return { reason: `orcs has no condition for ${tool}(…)` };
  if (/^(?:~|\/(?!\/))/.test(what)) {
    return { reason: "only paths relative to the working directory, and absolute ones as //path" };
  }
  return { match: { ...ofTool, path: what.replace(/^\/\//, "/").replace(/^\.\//, "") } };
}
