import { liveRows } from "./live.ts";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { adapterRows } from "./adapters.ts";
import { rivalRows, timeSubject } from "./apart.ts";
import { auditRows } from "./audit.ts";
import { bundleRows } from "./bundle.ts";
import {
  functionRows,
  lengthRows,
  luaCountRows,
  luaRows,
  passRows,
  workerRows,
} from "./dispatch.ts";
import { floorRows } from "./floor.ts";
import { grepRows } from "./grep.ts";
import { functionKindRows, hookCountRows, scriptStartRows } from "./growth.ts";
import { busyRows, loopRows } from "./limits.ts";
import { mcpLargeRows, mcpRows } from "./mcp.ts";
import { otelRows } from "./otel.ts";
import { redactRows } from "./redact.ts";
import { recordingRows } from "./recording.ts";
import { reloadRows } from "./reload.ts";
import { replayRows } from "./replay.ts";
import { pageGroups, writePage } from "./page.ts";
import { brokenRows, report } from "./report.ts";
import type { Row } from "./report.ts";
import { channelRows } from "./channels.ts";
import { runtimeRows } from "./runtime.ts";
import { serveCpuRows } from "./serve-cpu.ts";
import { serveRows } from "./serve.ts";
import { shadowRows } from "./shadow.ts";
import { shellRows } from "./shell.ts";
import { startRows } from "./start.ts";
import { loadRows, memoryRows } from "./steady.ts";
import { uiRows } from "./ui.ts";
import { wireRows } from "./wire.ts";

/** Each group is measured in a process of its own: what ran before decides how the compiler treats the next. */
const GROUPS: Readonly<Record<string, () => Promise<Row[]>>> = {
  rivals: rivalRows,
  lua: luaRows,
  functions: functionRows,
  kinds: functionKindRows,
  pass: passRows,
  many: hookCountRows,
  scripts: scriptStartRows,
  counts: luaCountRows,
  length: lengthRows,
  loop: loopRows,
  busy: busyRows,
  worker: workerRows,
  floor: floorRows,
  adapters: adapterRows,
  load: loadRows,
  redact: redactRows,
  reload: reloadRows,
  grep: grepRows,
  memory: memoryRows,
  recording: recordingRows,
  runtime: runtimeRows,
  channels: channelRows,
  audit: auditRows,
  bundle: bundleRows,
  serve: serveRows,
  serve_cpu: serveCpuRows,
  start: async () => startRows(),
  mcp: mcpRows,
  mcp_large: mcpLargeRows,
  replay: replayRows,
  shell: shellRows,
  shadow: shadowRows,
  otel: otelRows,
  ui: uiRows,
  wire: wireRows,
  live: liveRows,
};

/** The rows of one group, from a fresh process. */
function measured(name: string): Row[] {
  process.stderr.write(`measuring ${name}\n`);
  const self = fileURLToPath(import.meta.url);
  const rows = execFileSync(process.execPath, ["--expose-gc", self, "--group", name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(rows) as Row[];
}

// npm run bench -- [--json] [--page] [GROUP…]: print each figure beside its budget, and exit 1 where one is beyond it.
// With --page and no group, the tables of docs/explanation/performance.md are measured and written, all in one go.
// ORCS_BENCH_BEFORE names the archive of an older package, which is measured in the same run as far as it starts as a
// process.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    // What this program calls itself with.
    group: { type: "string" },
    subject: { type: "string" },
  },
});
for (const name of positionals) {
  if (!GROUPS[name])
    throw new Error(`no group ${name}; there are ${Object.keys(GROUPS).join(", ")}`);
}
if (values.subject !== undefined) {
  process.stdout.write(String(await timeSubject(values.subject)));
} else if (values.group !== undefined) {
  process.stdout.write(JSON.stringify(await GROUPS[values.group]?.()));
} else {
  const all = values.page ? pageGroups() : Object.keys(GROUPS);
  const names = positionals.length > 0 ? positionals : all;
  const groups = Object.fromEntries(names.map((name) => [name, measured(name)]));
  const rows = Object.values(groups).flat();
  const broken = brokenRows(rows);
  if (values.json) process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
  else report(rows);
  if (values.page) writePage(groups);
  if (broken.length > 0) {
    process.stderr.write(`${broken.length} rows are beyond their budget (bench/budget.json)\n`);
    process.exitCode = 1;
  }
}
