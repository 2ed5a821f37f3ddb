import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { VerdictTable } from "../../../bench/mutants/verdict-table.ts";

/** The file with each sentence that a policy says, and the first line of its tables that it says it of. */
export function textsFile(policy: string): string {
  return fileURLToPath(new URL(`refusals/${policy}.txt`, import.meta.url));
}

/** The part of a reason that says what is stopped and why, without the advice behind it. */
export function firstSentence(reason: string): string {
  return /^[^]*?[.?](?= [A-Z]|$)/.exec(reason)?.[0] ?? reason;
}

/** A sentence without what it names of a line: the command, the place. Lines that one rule stops say the same. */
export function sentenceOf(told: string): string {
  return told
    .replace(/".*"/, '"…"')
    .replace(/(?<=read or send |takes all of |removes ).*?(?=, which|, and| with all)/, "…")
    .replace(/ \([^()]*\)\.$/, " (…).");
}

/** Whether places of this machine were cut, or depend on whether they are there. */
function isOfMachine(reason: string): boolean {
  return /…|\.\.\."|\$\(.*@HOME@/.test(reason);
}

/** A text without what is of this machine. @param dir the project that lines are judged in */
export function withoutPlaces(text: string, dir: string): string {
  return text
    .replaceAll("\n", "⏎")
    .replaceAll(dir, "@PROJECT@")
    .replaceAll(dirname(dir), "@PARENT@")
    .replaceAll(homedir(), "@HOME@");
}

/** Tables whose rows have the texts of the files as well, where these are the same on all machines. */
export function withTexts(tables: readonly VerdictTable[]): VerdictTable[] {
  const policies = new Set(tables.map(({ script }) => basename(script, ".lua")));
  const files = [...policies].map(textsFile).filter((file) => existsSync(file));
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const texts = new Map(lines.map((line) => line.split("\t") as [string, string]));
  return tables.map((table) => ({
    ...table,
    rows: table.rows.map((row) => {
      const { key, dir } = keyOf(table, row.payload);
      const text = texts.get(key);
      // The text has the id of the rule, if the row has it.
      if (text === undefined || isOfMachine(text)) return row;
      return { ...row, reason: withPlaces(text, dir) };
    }),
  }));
}

/** The text with the places of this machine. */
function withPlaces(text: string, dir: string): string {
  return text
    .replaceAll("⏎", "\n")
    .replaceAll("@PROJECT@", dir)
    .replaceAll("@PARENT@", dirname(dir))
    .replaceAll("@HOME@", homedir());
}

/** The name of a call in the file: its table, and its command or arguments. */
export function keyOf(
  table: VerdictTable,
  { tool_name, args, cwd }: VerdictTable["rows"][0]["payload"],
) {
  const dir = typeof cwd === "string" ? cwd : "/work/project";
  const { command, ...more } = (args ?? {}) as { command?: unknown };
  const isLine =
    tool_name === "exec" && typeof command === "string" && Object.keys(more).length === 0;
  const shown = isLine ? command : JSON.stringify({ tool_name, args });
  return { key: withoutPlaces(`${table.name}: ${shown}`, dir), dir };
}
