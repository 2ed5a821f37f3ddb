import { resolve } from "node:path";
import { statusOf, writeAtomically } from "./atomic-writes.ts";
import { EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printJson } from "./output.ts";
import { typeFiles, TYPES_DIR } from "./type-files.ts";
import { flag, verbCommand } from "./verb-command.ts";

/** `orcs init --types`: write the files that describe hooks and orcs.toml to an editor. */
export const typesCommand = verbCommand("init --types", {
  refine: (dir) => dir.default(TYPES_DIR),
  options: {
    check: flag("write nothing; exit with 1 when a file is out of date"),
    json: JSON_OUTPUT,
  },
  run: ({ check = false, json = false }, dir: string) => {
    const root = process.cwd();
    const changes = typeFiles(root, resolve(root, dir));
    const files = changes.map((change) => ({ path: change.path, status: statusOf(change) }));
    const isStale = files.some(({ status }) => status !== "unchanged");
    if (check && isStale) process.exitCode = EXIT.findings;
    if (!check) writeAtomically(changes);
    if (json) printJson({ ok: !check || !isStale, files });
    else {
      const words = check
        ? NEEDED
        : { created: "created", changed: "changed", unchanged: "unchanged" };
      for (const { path, status } of files) print(`${words[status]}  ${path}`);
    }
  },
});

const NEEDED = { created: "missing", changed: "out of date", unchanged: "up to date" } as const;
