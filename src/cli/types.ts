import { resolve } from "node:path";
import { Command } from "commander";
import { statusOf, writeAtomically } from "./atomic-writes.ts";
import { EXIT } from "./options.ts";
import { typeFiles, TYPES_DIR } from "./type-files.ts";
import { verbCommand } from "./verb-command.ts";

/** `orcs types`: write the files that describe hooks and orcs.toml to an editor. */
export function typesCommand(): Command {
  return verbCommand("types", (dir) => dir.default(TYPES_DIR))
    .option("--check", "write nothing; exit with 1 when a file is out of date")
    .option("--json", "print JSON")
    .action((dir: string, { check = false, json = false }: { check?: boolean; json?: boolean }) => {
      const root = process.cwd();
      const changes = typeFiles(root, resolve(root, dir));
      const files = changes.map((change) => ({ path: change.path, status: statusOf(change) }));
      const isStale = files.some(({ status }) => status !== "unchanged");
      if (check && isStale) process.exitCode = EXIT.findings;
      if (!check) writeAtomically(changes);
      if (json) process.stdout.write(`${JSON.stringify({ ok: !check || !isStale, files })}\n`);
      else {
        const words = check
          ? NEEDED
          : { created: "created", changed: "changed", unchanged: "unchanged" };
        for (const { path, status } of files) process.stdout.write(`${words[status]}  ${path}\n`);
      }
    });
}

const NEEDED = { created: "missing", changed: "out of date", unchanged: "up to date" } as const;
