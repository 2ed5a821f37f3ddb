import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Orcs } from "orcs";
import { createOrcs } from "orcs";
import type { Row } from "./report.ts";

// A handler in another process: one that lives on, against a process per event, in the same run.

const ALONE = 3_000;
const PER_EVENT = 20;
const PIPELINED = 20_000;
const AT_ONCE = 500;
const POINT = "tool.pre_execute";

/** Answers as soon as something arrives. */
const HANDLER = `let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  process.stdout.write(lines.map((line) => {
    const { id, method } = JSON.parse(line);
    const result = method === "handshake" ? { protocol_version: "1.0" } : null;
    return JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n";
  }).join(""));
});`;

export async function liveRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  const file = join(folder, "handler.cjs");
  writeFileSync(file, HANDLER);
  const open = (handler: object): Promise<Orcs> =>
    createOrcs({ cwd: folder, config: { hooks: [{ id: "h", point: POINT, ...handler }] } });
  const node = process.execPath;
  const live = await open({ handler: { process: [node, file], protocol: "jsonrpc" } });
  const shell = await open({ shell: `'${node}' -e 0` });
  try {
    await medianUs(live, ALONE / 3);
    const us = await medianUs(live, ALONE);
    const baseline = await medianUs(shell, PER_EVENT);
    const each = await pipelinedUs(live);
    return [
      {
        key: "live_process",
        what: "a handler that lives on over stdio, against a process per event",
        us,
        baseline,
        ratio: baseline / us,
      },
      {
        key: "live_pipelined",
        what: `the same, ${AT_ONCE} calls at once, against one at a time`,
        us: each,
        baseline: us,
        ratio: us / each,
      },
    ];
  } finally {
    await Promise.all([live.close(), shell.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ask(orcs: Orcs): Promise<void> {
  const payload = { tool_name: "exec", args: { command: "git log", cwd: "/", timeout_ms: 1000 } };
  const { action } = await orcs.dispatch(POINT, payload);
  if (action !== "continue") throw new Error(`the handler has failed: ${action}`);
}

async function medianUs(orcs: Orcs, times: number): Promise<number> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await ask(orcs);
    found.push(performance.now() - start);
  }
  return (found.toSorted((a, b) => a - b)[times >> 1] ?? 0) * 1000;
}

/** The time of one call while many wait. */
async function pipelinedUs(orcs: Orcs): Promise<number> {
  let left = PIPELINED;
  const start = performance.now();
  const work = async (): Promise<void> => {
    while (left-- > 0) await ask(orcs);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ((performance.now() - start) * 1000) / PIPELINED;
}
