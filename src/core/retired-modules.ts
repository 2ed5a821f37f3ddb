/** Modules of the guards that ship, which hooks of others may require, and what says the same now. */
const RETIRED: Readonly<Record<string, string>> = {
  file_guard: "orcs.effects(ctx) lists the files that a call reads, writes and removes",
  self_guard:
    "orcs.effects(ctx) lists what a call does, and orcs.shell(line)[i].runs what code runs",
  shell_guard:
    "orcs.shell(line)[i].effects and .args list what a command does, and orcs.runs compares commands",
};
const WAS_REMOVED = "is not part of orcs any more";

/** Why a module cannot be required that is nowhere. */
export function missingModule(name: string): {
  readonly code: "ORCS1009" | "ORCS3008";
  readonly message: string;
} {
  const [group = ""] = name.split(".", 1);
  return Object.hasOwn(RETIRED, group)
    ? { code: "ORCS3008", message: `module '${name}' ${WAS_REMOVED}: ${RETIRED[group]}` }
    : { code: "ORCS1009", message: `module '${name}' not found in the script directories` };
}

/** Whether an error of Lua is about a module that is not part of orcs any more. */
export function isAboutRetired(message: string): boolean {
  return message.includes(`' ${WAS_REMOVED}: `);
}
