import { nearest, OrcsError } from "../core/index.ts";
import { type OptionRow, type ProgramRow, programs } from "../matching/index.ts";

/** The text of `orcs help programs`: all names, or what the dictionary says of one program. */
export function programHelp(words: readonly string[], json: boolean): string {
  const { names, row } = programs();
  const all = names();
  if (words.length === 0) {
    const programs = all.filter((name) => !name.includes("/"));
    return json
      ? JSON.stringify(all)
      : `${programs.join(" ")}\n\nOne of them: orcs help programs NAME`;
  }
  const name = words.join("/");
  const found = row(name);
  if (!found) {
    const near = nearest(name, all);
    const hint = near === undefined ? "orcs help programs lists them" : `did you mean ${near}?`;
    const why = `the dictionary has no program ${JSON.stringify(name)}; ${hint}`;
    throw new OrcsError("ORCS9400", why, {
      topic: name,
      nearest: near === undefined ? [] : [near],
    });
  }
  const subcommands = all.filter(
    (each) => each.startsWith(`${name}/`) && !each.includes("/", name.length + 1),
  );
  return json
    ? JSON.stringify({ ...found, options: options(found), subcommands })
    : described(found, subcommands);
}

function options({
  options: known,
}: ProgramRow): readonly (OptionRow & { readonly names: readonly string[] })[] {
  const spelt = new Map<OptionRow, string[]>();
  for (const [name, option] of known) spelt.set(option, [...(spelt.get(option) ?? []), name]);
  return [...spelt].map(([{ name, takes, role, meaning }, names]) => ({
    name,
    takes,
    role,
    meaning,
    names,
  }));
}

function described(row: ProgramRow, subcommands: readonly string[]): string {
  const lines = [row.names.map((name) => name.replaceAll("/", " ")).join(", ")];
  for (const { when, most, operands } of row.shapes) {
    const roles = operands.map(
      ({ role, count }) => role + { one: "", maybe: "?", any: "...", none: "" }[count],
    );
    const conditions = when.map(({ meaning, isSet }) => `${isSet ? "with" : "without"} ${meaning}`);
    const number = most < Infinity ? `up to ${most}` : undefined;
    const given = [...conditions, number].filter((each) => each !== undefined).join(", ");
    lines.push(`  operands${given === "" ? "" : ` (${given})`}: ${roles.join(" ") || "none"}`);
  }
  for (const { names, takes, role, meaning } of options(row)) {
    const value = takes === undefined ? "" : takes === "joined" ? `[=${role}]` : `=${role}`;
    lines.push(`  ${names.join(", ")}${value}${meaning === undefined ? "" : ` (${meaning})`}`);
  }
  if (subcommands.length > 0)
    lines.push(`  subcommands: ${subcommands.map((each) => each.split("/").at(-1)).join(" ")}`);
  return lines.join("\n");
}
