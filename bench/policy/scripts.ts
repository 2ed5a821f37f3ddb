import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { distinct } from "./corpus.ts";
import type { Line } from "./corpus.ts";

/** The command lines of a checkout and its installed packages: scripts of npm, Dockerfiles and CI workflows. */
export function scriptLines(root: string): Line[] {
  const folders = [root, ...packagesOf(join(root, "node_modules"))];
  const found = [
    ...folders.flatMap((folder) => npmScripts(join(folder, "package.json"))),
    ...folders.flatMap((folder) => filesIn(folder, /^Dockerfile/).flatMap(dockerLines)),
    ...folders.flatMap((folder) =>
      filesIn(join(folder, ".github/workflows"), /\.ya?ml$/).flatMap(workflowLines),
    ),
  ];
  return distinct(
    found.map((line) => ({ corpus: "scripts", line, wants: "allow", source: "scripts" })),
  );
}

/** The folders of installed packages, those of scopes, too. */
function packagesOf(modules: string): string[] {
  return namesIn(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => {
      const folder = join(modules, name);
      return name.startsWith("@") ? namesIn(folder).map((part) => join(folder, part)) : [folder];
    });
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}

/** The texts of the files of a folder whose names match. */
function filesIn(folder: string, name: RegExp): string[] {
  return namesIn(folder)
    .filter((file) => name.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"));
}

function npmScripts(path: string): string[] {
  try {
    const { scripts } = JSON.parse(readFileSync(path, "utf8")) as { scripts?: object };
    return Object.values(scripts ?? {}).filter((line) => typeof line === "string" && line !== "");
  } catch {
    // Not every folder of node_modules is a package.
    return [];
  }
}

/** What RUN runs, with continued lines. */
export function dockerLines(text: string): string[] {
  return [...text.matchAll(/^RUN\s+((?:.*\\\r?\n)*.*)$/gim)]
    .map(([, line]) => (line ?? "").replaceAll(/--\w+=\S+\s+/g, "").trim())
    .filter((line) => line !== "" && !line.startsWith("["));
}

/** What the steps of a workflow run, each step as one line. */
export function workflowLines(text: string): string[] {
  const rows = text.split("\n");
  return rows.flatMap((row, index) => {
    const [, indent, line = ""] = /^(\s*(?:- )?)run:\s*(.*)$/.exec(row) ?? [];
    if (indent === undefined) return [];
    if (!/^[|>]/.test(line)) return line === "" ? [] : [line];
    const rest = rows.slice(index + 1);
    const end = rest.findIndex((next) => next.trim() !== "" && next.search(/\S/) <= indent.length);
    const block = rest.slice(0, end < 0 ? undefined : end).map((next) => next.trim());
    return [block.join("\n").trim()];
  });
}
