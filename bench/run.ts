import { chainRows, luaRows } from "./dispatch.ts";
import { patternRows } from "./patterns.ts";
import { report } from "./report.ts";
import { loadRows, memoryRows } from "./steady.ts";

const rows = [
  ...(await luaRows()),
  ...(await chainRows()),
  ...(await patternRows()),
  ...(await loadRows()),
  ...(await memoryRows()),
];
const broken = report(rows);
if (broken.length > 0) {
  process.stderr.write(`${broken.length} rows are beyond their budget (bench/budget.json)\n`);
  process.exitCode = 1;
}
