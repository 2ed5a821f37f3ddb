import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "../serve/install/shell-words.ts";

/** This very orcs, as a shell starts it from anywhere, with nothing on its path. */
export function ownProgram(): { readonly program: string; readonly script: string } {
  const script = shellWord(fileURLToPath(new URL("../../bin/orcs.cjs", import.meta.url)));
  return { program: `${shellWord(process.execPath)} ${script}`, script };
}

/** What may keep a program from being started: most hosts let everything pass then. */
export function programNotes(program: string): string[] {
  if (/[/\\]_npx[/\\]/.test(program)) {
    return [
      "orcs runs from the cache of npx, which may be emptied: install it, and run this once more",
    ];
  }
  if (program !== "orcs" || isOnPath("orcs")) return [];
  return [
    "orcs is not on the PATH here: where the host does not find it, no hook runs; --command says what starts it",
  ];
}

function isOnPath(name: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => {
    try {
      const file = join(folder, name);
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}
