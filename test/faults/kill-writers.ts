import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { heard, ROOT } from "../dist/processes.ts";

/**
 * Asks an engine with an audit log on end, four at a time, and says of each answer which one it was. Every call is
 * refused by a hook, with a reason that names the call.
 */
const WRITER = `
import { writeSync } from "node:fs";
import { createOrcs } from ${JSON.stringify(pathToFileURL(join(ROOT, "dist/index.js")).href)};
const [auditDir, name] = process.argv.slice(2);
const handler = (ctx) => ({ action: "abort", reason: "no " + ctx.payload.args.call });
const orcs = await createOrcs({
  config: false,
  auditDir,
  overrides: { audit: { max_mb: 1 } },
  hooks: [{ id: "refuses", point: "tool.pre_execute", handler }],
});
const ask = async (lane) => {
  for (let i = 0; ; i++) {
    const call = name + "." + lane + "." + i;
    const outcome = await orcs.dispatch("tool.pre_execute", {
      tool_name: "exec", tool: "exec", args: { call }, capabilities: 127,
    });
    const isAnswer = outcome.action === "abort" && outcome.hook === "refuses";
    writeSync(1, (isAnswer ? call : "failed: " + JSON.stringify(outcome.reason)) + "\\n");
  }
};
await Promise.all([0, 1, 2, 3].map(ask));
`;

/** What came of it. */
export interface WriterKilling {
  readonly kills: number;
  /** The calls that were answered. */
  readonly answered: readonly string[];
  /** What writers said instead, on either stream. */
  readonly complaints: readonly string[];
}

const AT_A_TIME = 3;
/** From a writer's first answer until it is killed. */
const MAX_LIFE_MS = 300;

/**
 * Let processes write one audit log at the same time, each until it is killed; another one takes its place.
 * @param dir of the log
 * @param state where the last line known of the log is kept, as `XDG_STATE_HOME`
 * @param random below 1
 */
export async function killWriters(
  dir: string,
  state: string,
  rounds: number,
  random: () => number,
): Promise<WriterKilling> {
  const answered: string[] = [];
  const complaints: string[] = [];
  let kills = 0;
  let names = 0;
  const lane = async (): Promise<void> => {
    while (kills < rounds && complaints.length === 0) {
      const writer = start(dir, state, `w${names++}`);
      await writer.begun;
      await pause(random() * MAX_LIFE_MS);
      writer.child.kill("SIGKILL");
      kills++;
      await writer.ended;
      for (const line of writer.lines()) {
        if (line.startsWith("failed")) complaints.push(line);
        else answered.push(line);
      }
      if (writer.said() !== "") complaints.push(writer.said());
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return { kills, answered, complaints };
}

interface Writer {
  readonly child: ChildProcess;
  /** When it has answered once, or ended. */
  readonly begun: Promise<unknown>;
  readonly ended: Promise<unknown>;
  lines(): string[];
  said(): string;
}

function start(dir: string, state: string, name: string): Writer {
  const args = ["--input-type=module", "-", dir, name];
  const child = spawn(process.execPath, args, {
    stdio: "pipe",
    env: { ...process.env, XDG_STATE_HOME: state },
  });
  const [text, said] = [heard(child.stdout), heard(child.stderr)];
  child.stdin.end(WRITER);
  const ended = once(child, "close");
  const begun = Promise.race([once(child.stdout, "data"), ended]);
  return { child, begun, ended, lines: () => text().split("\n").slice(0, -1), said };
}
