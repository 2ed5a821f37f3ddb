import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { auditRows } from "./audit.ts";
import { functionRows, luaCountRows, luaRows, passRows, workerRows } from "./dispatch.ts";
import { floorRows } from "./floor.ts";
import { grepRows } from "./grep.ts";
import { mcpRows } from "./mcp.ts";
import { hookRows } from "./hook.ts";
import { patternRows } from "./patterns.ts";
import { redactRows } from "./redact.ts";
import { recordingRows } from "./recording.ts";
import { reloadRows } from "./reload.ts";
import { replayRows } from "./replay.ts";
import { report } from "./report.ts";
import type { Row } from "./report.ts";
import { channelRows } from "./channels.ts";
import { runtimeRows } from "./runtime.ts";
import { serveRows } from "./serve.ts";
import { shellRows } from "./shell.ts";
import { loadRows, memoryRows } from "./steady.ts";

/** Each group is measured in a process of its own: what ran before decides how the compiler treats the next. */
const GROUPS: Readonly<Record<string, () => Promise<Row[]>>> = {
  lua: luaRows,
  functions: functionRows,
  pass: passRows,
  counts: luaCountRows,
  worker: workerRows,
  floor: floorRows,
  patterns: patternRows,
  load: loadRows,
  redact: redactRows,
  reload: reloadRows,
  grep: grepRows,
  memory: memoryRows,
  recording: recordingRows,
  runtime: runtimeRows,
  channels: channelRows,
  audit: auditRows,
  serve: serveRows,
  hook: hookRows,
  mcp: mcpRows,
  replay: replayRows,
  shell: shellRows,
};

/** The rows of one group, from a fresh process. */
function measured(name: string): Row[] {
  process.stderr.write(`measuring ${name}\n`);
  const self = fileURLToPath(import.meta.url);
  const rows = execFileSync(process.execPath, ["--expose-gc", self, name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(rows) as Row[];
}

const [wanted] = process.argv.slice(2);
if (wanted === undefined) {
  const broken = report(Object.keys(GROUPS).flatMap(measured));
  if (broken.length > 0) {
    process.stderr.write(`${broken.length} rows are beyond their budget (bench/budget.json)\n`);
    process.exitCode = 1;
  }
} else {
  const group = GROUPS[wanted];
  if (!group) throw new Error(`no group ${wanted}; there are ${Object.keys(GROUPS).join(", ")}`);
  process.stdout.write(JSON.stringify(await group()));
}
