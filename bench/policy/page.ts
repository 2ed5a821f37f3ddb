import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

const PAGE = new URL("../../docs/explanation/guard-figures.md", import.meta.url);
const FIGURES = /(<!-- figures -->\n)[\s\S]*?(<!-- end of figures -->)/;

/** Write the tables of one run into docs/explanation/guard-figures.md. */
export function writePage(text: string): void {
  const day = new Date().toISOString().slice(0, 10);
  const run = `One run on ${day}: Node ${process.version}, ${cpus().length} cores.`;
  const before = readFileSync(PAGE, "utf8");
  writeFileSync(
    PAGE,
    before.replace(
      FIGURES,
      (_, begin: string, end: string) => `${begin}\n${run}\n\n${text}\n${end}`,
    ),
  );
}
