import { createOrcs } from "../../src/engine/create-orcs.ts";

/** A rule of shell-guard, as its tables list it. */
export interface ShellRule {
  readonly id: string;
  /** The lowest level that switches it on; "off" if none does. */
  readonly level: "default" | "strict" | "paranoid" | "off";
  /** What it denies. */
  readonly what: string;
  /** Words of the commands that it denies, as its rows have them; none for the rules of the guard's own code. */
  readonly runs: readonly string[];
}

/** A pack of rules. */
export interface ShellPack {
  readonly name: string;
  readonly about: string;
  /** Whether it is of the guard itself, not of other programs. */
  readonly own: boolean;
  readonly rules: readonly ShellRule[];
}

/** Returns the packs as JSON, for the reason of a denial. */
const LIST = `
local packs, rules = require "shell_guard.packs", require "shell_guard.rules"
local found = {}
local function add(name, about)
  local list, known, own = {}, {}, rules.are_own(name)
  rules.each(name, function(id, level, what, row)
    local rule = own and known[id] or { id = id, level = level, what = what, runs = orcs.array() }
    if rule ~= known[id] then list[#list + 1] = rule end
    known[id] = rule
    for _, words in ipairs(row and (own and row.what and { row.what } or row.runs) or {}) do
      table.insert(rule.runs, words)
    end
  end)
  found[#found + 1] = { name = name, about = about, own = own, rules = list }
end
for _, pack in ipairs(rules.packs) do add(pack[1], pack[2]) end
for _, name in ipairs(packs.names) do add(name, packs.load(name).about) end
return orcs.deny(orcs.json_encode(found))
`;

/** For loading every pack in one call, on a machine that does other work. */
const PATIENT = { lua: { max_run_ms: 20_000, max_chain_ms: 20_000 } };

/** All packs of shell-guard: those of its own code, then those of other programs by name. */
export async function shellPacks(): Promise<readonly ShellPack[]> {
  const hook = { id: "list", point: "tool.pre_execute", handler_inline: LIST };
  const orcs = await createOrcs({ config: { hooks: [hook] }, overrides: PATIENT });
  try {
    const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
    const text = "reason" in outcome ? outcome.reason : undefined;
    if (!text?.startsWith("[")) throw new Error(`shell-guard's rules cannot be listed: ${text}`);
    return JSON.parse(text) as readonly ShellPack[];
  } finally {
    await orcs.close();
  }
}

/** The lists of rules, by pack. A rule's level stands with it unless it is that of most of its kind. */
export function shellRuleLists(packs: readonly ShellPack[]): string {
  return packs
    .map(({ name, about, rules }) =>
      [
        `### ${name}`,
        `${about.charAt(0).toUpperCase()}${about.slice(1)}.`,
        rules
          .map(({ id, what, runs, level }) => {
            const shown = level === "default" || level === "off" ? "" : ` (${level})`;
            return `- \`${id}\`${shown}: ${what}${runs.length > 0 ? ` (${commandsOf(runs)})` : ""}`;
          })
          .join("\n"),
      ].join("\n\n"),
    )
    .join("\n\n");
}

/** How many of a rule's commands are listed. */
const MOST = 3;

function commandsOf(runs: readonly string[]): string {
  const shown = runs.slice(0, MOST).map((words) => `\`${words}\``);
  return runs.length > MOST ? `${shown.join(", ")}, …` : shown.join(", ");
}
