import {
  AGENT_TOOL_NAMES,
  EFFECT_CONDITIONS,
  HOST_NAMES,
  MATCH_KEYS,
  nearest,
  TOOLS,
} from "../../core/index.ts";
import type { Diagnostic, Hook } from "../../core/index.ts";
import type { SeenHook } from "../../engine/index.ts";
import { isNarrowerPattern } from "../../matching/index.ts";

/** A hook, and what its handler is known to do. */
interface OrderedHook {
  readonly hook: Hook;
  readonly seen: SeenHook | undefined;
}

/**
 * Hooks that never run or never decide, because of their own conditions or of another hook: contradicting conditions,
 * an earlier hook that denies all their operations, or a later one that denies what they allow or ask about. Only hooks
 * whose handler is a constant result are known to deny.
 * @param hooks in the order in which they run
 * @param seen findings about a handler, by its place
 */
export function checkOrder(
  hooks: readonly Hook[],
  isEnabled: (id: string) => boolean,
  seen: (hook: Hook) => SeenHook | undefined,
): Diagnostic[] {
  const byPoint = new Map<string, OrderedHook[]>();
  for (const hook of hooks) {
    if (!isEnabled(hook.id)) continue;
    const chain = byPoint.get(hook.point.name) ?? [];
    byPoint.set(hook.point.name, chain);
    chain.push({ hook, seen: seen(hook) });
  }
  return [...byPoint.values()].flatMap(checkChain);
}

function checkChain(chain: readonly OrderedHook[]): Diagnostic[] {
  const found = chain.map((each) => ({ each, why: contradiction(each.hook) }));
  const neverRun = new Set(found.flatMap(({ each, why }) => (why ? each : [])));
  const contradicting = found.flatMap(({ why }) => why ?? []);
  const patterns = chain.flatMap(({ hook }) => [...luaPatterns(hook), ...slashedRegex(hook)]);
  const commands = chain.flatMap(({ hook }) => commandsAsRegex(hook));
  const misspelt = chain.flatMap(({ hook }) => misspeltTools(hook));
  return [
    ...contradicting,
    ...patterns,
    ...commands,
    ...misspelt,
    ...shadowed(chain, neverRun),
    ...overruled(chain, neverRun),
  ];
}

/** Two conditions of a hook that are never true together. */
function contradiction(hook: Hook): Diagnostic | undefined {
  const { match, matcher } = hook;
  const tools = matcher?.tools;
  if (match?.tool === undefined || !tools) return undefined;
  const isNone = tools.every(
    (name) => matcher.failing({ tool_name: name, args: {} }) === "tool_regex",
  );
  const key = OF_COMMANDS.find((each) => match[each] !== undefined);
  const isNoCommand = key !== undefined && tools.every(hasNoCommand);
  if (!isNone && !isNoCommand) return undefined;
  const why = isNone
    ? "match.tool_regex matches none of the tools in match.tool"
    : `match.${key} needs a command, and none of the tools in match.tool has one`;
  const message = `the hook ${JSON.stringify(hook.id)} never runs: ${why}`;
  const hint = "remove one of the two conditions, or use two hooks";
  return { ...at(hook), code: "ORCS1109", severity: "warning", message, hint };
}

const OF_COMMANDS = ["command", "runs"] as const;

/** Whether it is a tool of ours without commands; tools of agents and programs can have any argument. */
function hasNoCommand(tool: string): boolean {
  const known = Object.hasOwn(TOOLS, tool) ? TOOLS[tool as keyof typeof TOOLS] : undefined;
  return known !== undefined && !Object.hasOwn(known.args, "command");
}

/** A class of Lua with a quantifier (`%s+`) or in a set, or an escape (`%.`). */
const LUA_CLASS = /(?<=\[[^\]]*)%[acdlpsuwx]|%[acdlpsuwx][-+*?]|%[-.()[\]+*?^$]/i;

/** Conditions that are written as Lua patterns, so that they match a percent sign. */
function luaPatterns(hook: Hook): Diagnostic[] {
  return (["command", "tool_regex"] as const).flatMap((key): Diagnostic[] => {
    const [written] = LUA_CLASS.exec(hook.match?.[key] ?? "") ?? [];
    if (written === undefined) return [];
    const message = `match.${key} is a regular expression, where ${JSON.stringify(written)} of a Lua pattern matches a percent sign`;
    const hint = "write \\s, \\d, \\w or [A-Za-z] for a class, and \\ before a sign (RE2 syntax)";
    return [{ ...at(hook), code: "ORCS1115", severity: "warning", message, hint }];
  });
}

/** A regular expression as JavaScript writes it: no name of a tool has slashes. */
function slashedRegex(hook: Hook): Diagnostic[] {
  const written = hook.match?.tool_regex ?? "";
  if (!/^\/.*\/$/.test(written)) return [];
  const message = `match.tool_regex is a regular expression without slashes around it: ${JSON.stringify(written)} matches no tool`;
  const hint = `write ${JSON.stringify(written.slice(1, -1))}`;
  return [{ ...at(hook), code: "ORCS1115", severity: "warning", message, hint }];
}

/** What only a regular expression has. */
const REGEX_SIGN = /\\[sdwb]|^\^|\w\.[*+]/i;

/** Patterns of commands that are written as regular expressions, so that they hold for no command. */
function commandsAsRegex(hook: Hook): Diagnostic[] {
  return listOf(hook.match?.runs ?? []).flatMap((pattern): Diagnostic[] => {
    const [written] = REGEX_SIGN.exec(pattern) ?? [];
    if (written === undefined) return [];
    const message = `match.runs is a command, such as "rm -rf", where ${JSON.stringify(written)} of a regular expression is text`;
    const hint =
      "write its words and flags: more words and other spellings are found by themselves";
    return [{ ...at(hook), code: "ORCS1115", severity: "warning", message, hint }];
  });
}

/** Names in `match.tool` that no agent has, and that are much like one. A program's own tools may have any name. */
function misspeltTools(hook: Hook): Diagnostic[] {
  if (!HOST_NAMES.some((name) => hook.appliesTo({ component: `agent::${name}` }))) return [];
  const unknown = (hook.matcher?.tools ?? []).filter((name) => !TOOL_NAMES.includes(name));
  const place = at(hook);
  return unknown.flatMap((name) => {
    // Agents compare the whole name: a server alone is no tool.
    const isServer = /^mcp__(?:(?!__).)+$/.test(name);
    const listed = name.includes(",") ? name.replaceAll(/[,\s]+/g, "|") : undefined;
    const meant = listed ?? (isServer ? `${name}__*` : nearest(name, TOOL_NAMES));
    if (meant === undefined) return [];
    const message = `the hook ${JSON.stringify(hook.id)}: no agent has a tool ${JSON.stringify(name)}; did you mean ${meant}?`;
    return Object.assign({ code: "ORCS1117", severity: "warning", message } as const, place);
  });
}

const TOOL_NAMES: readonly string[] = [...Object.keys(TOOLS), ...AGENT_TOOL_NAMES];

/** Hooks behind one that denies all their operations. They are added to `neverRun`. */
function shadowed(chain: readonly OrderedHook[], neverRun: Set<OrderedHook>): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const [i, ender] of chain.entries()) {
    if (neverRun.has(ender) || !denies(ender)) continue;
    for (const later of chain.slice(i + 1)) {
      if (neverRun.has(later)) continue;
      if (covers(ender.hook, later.hook)) {
        neverRun.add(later);
        found.push(shadow(later.hook, ender.hook));
      } else if (mayChange(later, ender.hook)) break;
    }
  }
  return found;
}

function shadow(hook: Hook, ender: Hook): Diagnostic {
  const all = ender.match === undefined && ender.fql === "*::*";
  const what = all ? `every operation at ${hook.point.name}` : "all its operations";
  const message = `the hook ${JSON.stringify(hook.id)} never runs: ${JSON.stringify(ender.id)} denies ${what} before it`;
  return { ...at(hook), code: "ORCS1109", severity: "warning", message, hint: otherAt(ender) };
}

/** Hooks that only allow or ask about what a later one denies: a denial is stronger. */
function overruled(chain: readonly OrderedHook[], neverRun: Set<OrderedHook>): Diagnostic[] {
  return chain.flatMap((decider, i) => {
    const decision = decider.seen?.decides;
    if (decision === undefined || neverRun.has(decider) || decider.hook.async) return [];
    for (const later of chain.slice(i + 1)) {
      if (neverRun.has(later)) continue;
      if (denies(later) && covers(later.hook, decider.hook)) {
        const [id, denier] = [decider.hook.id, later.hook.id].map((each) => JSON.stringify(each));
        const message = `the decision of the hook ${id} (${decision}) never counts: ${denier} denies the same operations after it`;
        const hint = otherAt(later.hook);
        return { ...at(decider.hook), code: "ORCS1113", severity: "warning", message, hint };
      }
      if (mayChange(later)) return [];
    }
    return [];
  });
}

function denies({ hook, seen }: OrderedHook): boolean {
  const { point, async, once, agents } = hook;
  return seen?.refusesAll === true && point.phase === "pre" && !async && !once && !agents;
}

/**
 * Whether a hook between two others may change what `denier` is about. Constant results change nothing, and a hook
 * without conditions is about everything.
 */
function mayChange({ seen }: OrderedHook, denier?: Hook): boolean {
  if (denier && denier.match === undefined) return false;
  return seen?.refusesAll !== true && seen?.decides === undefined;
}

/** Whether one hook runs at least for all operations of the other: only what their texts show. */
function covers(wide: Hook, narrow: Hook): boolean {
  if (wide.fql !== "*::*" && wide.fql !== narrow.fql) return false;
  return MATCH_KEYS.every((key) => {
    const [condition, other] = [wide.match?.[key], narrow.match?.[key]];
    if (condition === undefined) return true;
    // A denial is a question if the effect is not sure.
    if (other === undefined || Object.hasOwn(EFFECT_CONDITIONS, key)) return false;
    if (JSON.stringify(other) === JSON.stringify(condition)) return true;
    if (key === "runs") {
      const wider = listOf(condition);
      return listOf(other).every((each) => wider.some((one) => isNarrowerPattern(each, one)));
    }
    const [tools, wideTools] = [narrow.matcher?.tools, wide.matcher?.tools];
    return key === "tool" && tools?.every((tool) => wideTools?.includes(tool)) === true;
  });
}

function listOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]) as readonly string[];
}

function at({ source }: Hook): Pick<Diagnostic, "place"> {
  return source ? { place: source } : {};
}

function otherAt({ source }: Hook): string {
  const { file = "", line = 1 } = source ?? {};
  return `the other hook is at ${file}:${line}`;
}
