import { chainRows, luaRows } from "./dispatch.ts";
import { report } from "./report.ts";

const rows = [...(await luaRows()), ...(await chainRows())];
const broken = report(rows);
if (broken.length > 0) {
  process.stderr.write(`${broken.length} rows are beyond their budget (bench/budget.json)\n`);
  process.exitCode = 1;
}
