import { join, resolve } from "node:path";
import { isToml, namesScript } from "../config/index.ts";
import { nearest, OrcsError } from "../core/index.ts";
import { type FileChange, fileChange } from "./atomic-writes.ts";
import { SCHEMA_FILE, typeFiles, TYPES_DIR } from "./type-files.ts";

/** The default tools of the guard. */
export const DEFAULT_TOOLS = "exec|Bash";

/**
 * The files that `orcs init` writes into a project. An existing guard stays unchanged; an orcs.toml gets what is
 * missing.
 * @param tools as in `match.tool`
 * @param policies names of the enabled ones
 * @param packs names of the packs of shell-guard to enable, if it is added
 * @throws OrcsError ORCS5001 for invalid tool names, ORCS5002
 */
export function initFiles(
  dir: string,
  tools: string,
  policies: readonly string[],
  packs: readonly string[] = [],
): FileChange[] {
  expectTools(tools);
  return [
    fileChange("orcs.toml", join(dir, "orcs.toml"), (text) =>
      text === undefined ? newConfig(policies, packs) : configWith(text, policies, packs),
    ),
    fileChange("hooks/guard.lua", join(dir, "hooks/guard.lua"), (text) => text ?? guardText(tools)),
    ...typeFiles(dir, resolve(dir, TYPES_DIR)),
  ];
}

/** Names and globs, separated by `|`, that need no quoting in Lua. */
const TOOLS = /^[\w.:*?/-]+(?:\|[\w.:*?/-]+)*$/;

/** @throws OrcsError ORCS5001 for invalid tool names */
export function expectTools(tools: string): void {
  if (TOOLS.test(tools)) return;
  const why = `the tools ${JSON.stringify(tools)} are not tool names such as ${DEFAULT_TOOLS}`;
  throw new OrcsError("ORCS5001", why, { tools });
}

const DIRECTIVE = `#:schema ./${TYPES_DIR}/${SCHEMA_FILE}`;

/**
 * A configuration with the guard.
 * @param policies names of the enabled ones
 * @param packs names of the packs of shell-guard to enable
 */
export function newConfig(policies: readonly string[] = [], packs: readonly string[] = []): string {
  return [
    DIRECTIVE,
    "# Hooks of this project: orcs list shows them, orcs test tests them, orcs check finds errors.",
    "",
    "[[hooks]]",
    'script = "guard.lua"        # in hooks/',
    ...policies.flatMap((name) => ["", ...policyLines(name, packs)]),
    ...offeredLines(policies),
    "",
  ].join("\n");
}

/**
 * An existing configuration with the missing guard, policies and schema added.
 * @throws OrcsError ORCS5002 when a hook cannot simply be added to it
 */
export function configWith(
  written: string,
  policies: readonly string[] = [],
  packs: readonly string[] = [],
): string {
  // Text added on top would precede a byte order mark.
  const text = written.replace(/^\uFEFF/, "");
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const hasSchema = /^#:schema /m.test(text);
  const hasGuard = /^\s*script\s*=\s*["'](?:\.\/)?(?:hooks\/)?guard\.lua["']/m.test(text);
  const added = [
    ...(hasGuard ? [] : [["[[hooks]]", 'script = "hooks/guard.lua"']]),
    ...policies
      .filter((name) => !namesScript(text, `orcs:${name}`))
      .map((name) => policyLines(name, packs)),
  ];
  if (hasSchema && added.length === 0) return written;
  const begun = hasSchema ? text : `${DIRECTIVE}${end}${text}`;
  if (added.length === 0) return begun;
  const gap = begun.endsWith("\n") ? end : end + end;
  const whole = begun + gap + added.map((lines) => [...lines, ""].join(end)).join(end);
  if (!isToml(whole)) {
    const lines = added.map(([, script]) => script).join(", ");
    const why = `orcs.toml is left as it is, for a hook cannot be added at its end; add it yourself: ${lines}`;
    throw new OrcsError("ORCS5002", why, { path: "orcs.toml" });
  }
  return whole;
}

/** A tool that matches one of the names. */
export function exampleTool(tools: string): string {
  const [first = tools] = tools.split("|");
  return first.replaceAll(/[*?]/g, "x");
}

/** A guard against force pushes, with its tests. */
export function guardText(tools: string): string {
  const tool = exampleTool(tools);
  const test = (name: string, command: string, expect: string): string =>
    [
      `    { "${name}",`,
      `      event = { tool = "${tool}", args = { command = "${command}" } },`,
      `      expect = { ${expect} } },`,
    ].join("\n");
  return `-- Denies force pushes before they run. After a change, run: orcs test
local REASON = "${REASON}"

---@type orcs.hook.tool.pre_execute
return {
  id = "no-force-push",
  point = "tool.pre_execute",
  priority = 10,
  match = { tool = "${tools}", runs = { "git push --force" } },
  handler = function(ctx)
    orcs.log("warn", "refused: " .. ctx.payload.args.command)
    return orcs.deny(REASON)
  end,
  tests = {
${test("denies a force push", "git push --force", `action = "abort", reason = REASON`)}
${test("lets other pushes pass", "git push origin main", `action = "continue"`)}
${test("lets a push with a lease pass", "git push --force-with-lease", `action = "continue"`)}
  },
}
`;
}

/** What the first guard tells the agent. */
export const REASON = "a force push loses work of others; use --force-with-lease";

/** A shipped policy, as offered by `orcs init`. */
interface Policy {
  readonly name: string;
  readonly does: string;
  /** Required options, as TOML. */
  readonly options?: string;
}

/** The shipped policies. docs/reference/policies.md describes what each denies. */
export const POLICIES: readonly Policy[] = [
  { name: "shell-guard", does: "denies commands that lose work or run unseen code" },
  { name: "undo", does: "keeps what calls remove or overwrite, for orcs undo" },
  { name: "secret-guard", does: "denies reading and sending keys, credentials and .env files" },
  { name: "path-guard", does: "denies writes outside of the project and to protected files" },
  {
    name: "keep-checks",
    does: "asks before linters, tests' settings, CI and git's hooks are changed",
  },
  { name: "mask-secrets", does: "masks secrets in results and prompts" },
  { name: "loop-guard", does: "stops an agent that makes the same call again and again" },
  { name: "budget", does: "bounds calls, time, tokens and money" },
  {
    name: "approve",
    does: "asks a person, once per session, before what is listed",
    options: '{ rules = [{ runs = ["git push", "npm publish"] }] }',
  },
];

/**
 * Names of policies from a list such as `shell-guard,budget`; also `all` and `none`.
 * @throws OrcsError ORCS5001 for an unknown name
 */
export function policyNames(list: string): readonly string[] {
  const known = POLICIES.map(({ name }) => name);
  const given = list
    .split(/[\s,]+/)
    .map((name) => name.replace(/^orcs:/, ""))
    .filter((name) => name !== "" && name !== "none");
  if (given.includes("all")) return known;
  const stray = given.find((name) => !known.includes(name));
  if (stray === undefined) {
    // What can be given back need not be denied.
    return [...new Set(given.includes("shell-guard") ? [...given, "undo"] : given)];
  }
  const meant = nearest(stray, known);
  const hint = meant === undefined ? `; there are ${known.join(", ")}` : `; did you mean ${meant}?`;
  throw new OrcsError("ORCS5001", `there is no policy ${JSON.stringify(stray)}${hint}`, {
    policy: stray,
  });
}

/** The hook of a policy in orcs.toml, as lines. */
function policyLines(name: string, packs: readonly string[]): readonly string[] {
  const list = packs.map((pack) => JSON.stringify(pack)).join(", ");
  const options =
    name === "shell-guard" && packs.length > 0
      ? `{ enable = [${list}] }`
      : POLICIES.find((policy) => policy.name === name)?.options;
  return [
    "[[hooks]]",
    `script = "orcs:${name}"`,
    ...(options === undefined ? [] : [`options = ${options}`]),
  ];
}

/** The other policies, as comments that describe what they deny. */
function offeredLines(inForce: readonly string[]): readonly string[] {
  const offered = POLICIES.filter(({ name }) => !inForce.includes(name));
  if (offered.length === 0) return [];
  const width = Math.max(...offered.map(({ name }) => name.length));
  return [
    "",
    "# Policies that ship with orcs (orcs init --policies NAME,NAME puts them here):",
    ...offered.map(({ name, does }) => `#   orcs:${name.padEnd(width)}  ${does}`),
  ];
}
