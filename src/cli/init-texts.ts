import { OrcsError } from "../core/errors.ts";
import { offeredLines, policyLines } from "./init-policies.ts";
import { isToml } from "../config/toml-file.ts";
import { SCHEMA_FILE, TYPES_DIR } from "./type-files.ts";

const DIRECTIVE = `#:schema ./${TYPES_DIR}/${SCHEMA_FILE}`;

/**
 * A configuration with the guard.
 * @param policies names of those that are put in force
 */
export function newConfig(policies: readonly string[] = []): string {
  return [
    DIRECTIVE,
    "# Hooks of this project: orcs list shows them, orcs test tests them, orcs check finds mistakes.",
    "",
    "[[hooks]]",
    'script = "guard.lua"        # in hooks/',
    ...policies.flatMap((name) => ["", ...policyLines(name)]),
    ...offeredLines(policies),
    "",
  ].join("\n");
}

/**
 * A configuration that is there, with the guard, the policies and the schema that it lacks.
 * @throws OrcsError ORCS5002 when a hook cannot simply be added to it
 */
export function configWith(written: string, policies: readonly string[] = []): string {
  // What stands above it would be in front of a byte order mark.
  const text = written.replace(/^\uFEFF/, "");
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const hasSchema = /^#:schema /m.test(text);
  const hasGuard = /^\s*script\s*=\s*["'](?:\.\/)?(?:hooks\/)?guard\.lua["']/m.test(text);
  const added = [
    ...(hasGuard ? [] : [["[[hooks]]", 'script = "hooks/guard.lua"']]),
    ...policies.filter((name) => !hasScript(text, `orcs:${name}`)).map(policyLines),
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

function hasScript(text: string, script: string): boolean {
  return text
    .split(/\r?\n/)
    .some((line) => /^\s*script\s*=/.test(line) && line.includes(`"${script}"`));
}

/** A tool that one of the names stands for. */
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
  return `-- Refuses force pushes before they run. Change it and say: orcs test
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

const REASON = "a force push loses work of others; use --force-with-lease";
