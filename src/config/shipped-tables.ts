import { isSamePath, keysOf, newline, tomlBody } from "./toml-edit.ts";
import { isToml } from "./toml-file.ts";

/** Stands above the tables that `withShipped` adds. */
const HEADING =
  "# Guards of every coding agent of yours, in every folder. orcs on adds them, orcs off removes them.";

/**
 * The text of a configuration with a `[[hooks]]` table for each script that it does not name yet.
 * @param text undefined for a new one
 * @param scripts such as `orcs:shell-guard`
 * @returns the text, and the scripts that were added; undefined when a table cannot be added at its end
 */
export function withShipped(
  text: string | undefined,
  scripts: readonly string[],
): { readonly text: string; readonly added: readonly string[] } | undefined {
  const before = text ?? "";
  const added = scripts.filter((script) => !namesScript(before, script));
  if (added.length === 0) return { text: before, added };
  const end = newline(before);
  const gap = before === "" ? "" : before.endsWith("\n") ? end : end + end;
  const tables = added.map((script) => ["[[hooks]]", `script = "${script}"`, ""].join(end));
  const after = before + gap + HEADING + end + tables.join(end);
  return isToml(after) ? { text: after, added } : undefined;
}

/** Whether a configuration names a script, as far as its lines show. */
export function namesScript(text: string, script: string): boolean {
  return text
    .split(/\r?\n/)
    .some((line) => /^\s*script\s*=/.test(line) && line.includes(`"${script}"`));
}

/** The text without the tables that `withShipped` added; one to which somebody has added a key stays. */
export async function withoutShipped(text: string, scripts: readonly string[]): Promise<string> {
  let after = text;
  for (const script of scripts) {
    for (const node of await tomlBody(after)) {
      if (node.type !== "TOMLTable" || node.resolvedKey[0] !== "hooks") continue;
      const [pair, ...others] = node.body;
      if (!pair || others.length > 0 || !isSamePath(keysOf(pair), ["script"])) continue;
      if (pair.value.type !== "TOMLValue" || pair.value.value !== script) continue;
      // With its line end, and the blank line that parted it from its neighbour.
      const before = after.slice(0, node.range[0]).replace(/(?<=\n)\r?\n$/, "");
      const isParted = before.length < node.range[0];
      const rest = after.slice(pair.range[1]).replace(/^[ \t]*(?:\r?\n)?/, "");
      after = before + (isParted ? rest : rest.replace(/^\r?\n/, ""));
      break;
    }
  }
  const left = after.split(/(?<=\n)/).filter((line) => line.trimEnd() !== HEADING);
  return left.join("");
}
