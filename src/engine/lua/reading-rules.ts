import type { Json, JsonObject, ReadingCall } from "../../core/index.ts";

/**
 * Compile what a guard looks at in a call that only reads.
 * @param given lists of texts: `programs` by their names, with subcommands; `given`: the same, if a word stands behind
 * the first operand; `says`: texts anywhere in the call; `names`: rules of `orcs.name_rules` for what it reads
 * @returns whether the guard has to look at a call; undefined if the lists are none
 */
export function readingRules(given: JsonObject): ((call: ReadingCall) => boolean) | undefined {
  const { programs = [], given: ofGiven = [], says = [], names = [], ...others } = given;
  if (!isTexts(programs) || !isTexts(ofGiven) || !isTexts(says) || !isTexts(names))
    return undefined;
  if (Object.keys(others).length > 0) return undefined;
  const [isProgram, isGiven] = [namesTest(programs), namesTest(ofGiven)];
  const parts = [...says.map(quoted), ...names.map(partOf)];
  const said = parts.length === 0 ? /(?!)/ : new RegExp([...new Set(parts)].join("|"));
  return (call) =>
    call.programs.some(isProgram) || call.given.some(isGiven) || said.test(call.said);
}

/** A test for one of some names, which may end in `*`. */
function namesTest(names: readonly string[]): (name: string) => boolean {
  const whole = new Set(names);
  const begins = names.flatMap((name) => (name.endsWith("*") ? [name.slice(0, -1)] : []));
  return (name) => whole.has(name) || begins.some((begin) => name.startsWith(begin));
}

/**
 * An expression for a text that stands in every path that a rule matches: of several folders, the first, since a folder
 * above the others counts as well; of an absolute path, the last.
 */
function partOf(rule: string): string {
  const segments = rule
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "");
  const one = segments.at(rule.startsWith("/") ? -1 : 0) ?? rule;
  const parts = one.split("*");
  const part = parts.reduce((longest, each) => (each.length > longest.length ? each : longest), "");
  // Only where the rule ends a name with it, it has to end there.
  return quoted(part) + (parts.at(-1) === part ? "(?![a-z0-9_])" : "");
}

function quoted(text: string): string {
  return text.toLowerCase().replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function isTexts(value: Json): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
