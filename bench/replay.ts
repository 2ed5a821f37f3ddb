import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createOrcs } from "orcs";
import type { Row } from "./report.ts";

const EVENTS = 1_000_000;
/** So many say what one costs, and what it costs when there is no record to read, and no hook to run. */
const SAMPLE = 100_000;
const COMMANDS = [
  "ls -la src",
  "npm test -- --run",
  "git status --short",
  "git push --force origin main",
  "rm -rf build",
  "cat package.json",
];
/** The hooks of the sample: two write a line for each call, one refuses, others look on. */
const CONFIG = fileURLToPath(new URL("../../orcs.toml", import.meta.url));

/** What is measured of `build/workbench/replay/replay.js`, which is no part of the package's face. */
interface ReplayModule {
  readonly replay: (options: {
    file: string;
    set: { config: string; overrides: object; logger: typeof QUIET };
    differs: (difference: unknown) => void;
    progress?: (events: number) => void;
  }) => Promise<{ events: number; differ: number; not_compared: object }>;
}

/** A slow moment of the machine is no fault of a hook's. */
const PATIENT = { lua: { max_run_ms: 10_000, max_chain_ms: 20_000 } };
const QUIET = { debug: none, info: none, warn: none, error: none, hears: () => false };

interface Event {
  readonly point: string;
  readonly payload: { tool_name: string; args: object };
}

/** A million recorded events in one go, against reading them and dispatching them alone. */
export async function replayRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  try {
    const [sample, all] = [join(folder, "sample.jsonl"), join(folder, "all.jsonl")];
    write(sample, SAMPLE);
    write(all, EVENTS);
    const module = new URL("../../build/workbench/replay/replay.js", import.meta.url);
    const { replay } = (await import(module.href)) as ReplayModule;
    const took: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < 3; round++) {
      took.push((await replayed(replay, sample)).us);
      alone.push(read(sample) + (await dispatched(sample)));
    }
    const [us, baseline] = [Math.min(...took), Math.min(...alone)];
    let early: number | undefined;
    const million = await replayed(replay, all, (events) => {
      if (events >= EVENTS / 10) early ??= memory();
    });
    const late = memory();
    return [
      {
        key: "replay",
        what: "a recorded event that happens again, against reading and dispatching it",
        us,
        baseline,
        ratio: us / baseline,
      },
      {
        key: "replay_per_event",
        what: "one of a million in one go, in µs: 20 are 50,000 a second",
        us: million.us,
        ratio: million.us,
      },
      {
        key: "replay_memory",
        what: `memory after a million events (${megabytes(late)} MB) against 100,000 (${megabytes(early ?? late)} MB)`,
        us: million.us,
        ratio: late / (early ?? late),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws Error when anything differs: then something else was measured */
async function replayed(
  replay: ReplayModule["replay"],
  file: string,
  progress?: (events: number) => void,
): Promise<{ us: number }> {
  const set = { config: CONFIG, overrides: PATIENT, logger: QUIET };
  const started = spent();
  const { events, differ, not_compared } = await replay({
    file,
    set,
    differs: none,
    ...(progress && { progress }),
  });
  if (differ > 0 || Object.keys(not_compared).length > 0) {
    throw new Error(`${differ} differ, not compared: ${JSON.stringify(not_compared)}`);
  }
  return { us: (spent() - started) / events };
}

/** Microseconds of an event, read and parsed and nothing else. */
function read(file: string): number {
  const started = spent();
  let events = 0;
  for (const text of lines(file)) if (JSON.parse(text)) events++;
  return (spent() - started) / events;
}

/** Microseconds of a dispatch, of events that were read before. */
async function dispatched(file: string): Promise<number> {
  const events = [...lines(file)].slice(1).map((text) => JSON.parse(text) as Event);
  const orcs = await createOrcs({
    config: CONFIG,
    overrides: PATIENT,
    logger: QUIET,
    output: none,
  });
  const started = spent();
  for (const { point, payload } of events) {
    const outcome = orcs.registry.dispatch(point, payload, { component: "lua::main" });
    if (outcome instanceof Promise) await outcome;
  }
  const us = (spent() - started) / events.length;
  await orcs.close();
  return us;
}

function* lines(file: string): Generator<string, void, undefined> {
  const from = openSync(file, "r");
  const block = Buffer.alloc(2 ** 20);
  let rest = "";
  for (;;) {
    const length = readSync(from, block);
    if (length === 0) break;
    // All of it is ASCII.
    const parts = (rest + block.toString("latin1", 0, length)).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  closeSync(from);
}

/** A record of calls before and after they ran, one in twelve of them refused. */
function write(file: string, events: number): void {
  const into = openSync(file, "w");
  const begun = Date.UTC(2026, 0, 1);
  const time = new Date(begun).toISOString();
  let text = `${JSON.stringify({ orcs: "record", version: 1, time, whole: true })}\n`;
  for (let i = 0; i < events; i++) {
    text += `${JSON.stringify(event(i, begun))}\n`;
    if (text.length < 2 ** 20 && i < events - 1) continue;
    writeSync(into, text);
    text = "";
  }
  closeSync(into);
}

function event(i: number, begun: number): object {
  const command = COMMANDS[i % COMMANDS.length] ?? "";
  const isPost = i % 2 === 0;
  const refused = !isPost && command.includes("--force");
  return {
    at: begun + i,
    point: isPost ? "tool.post_execute" : "tool.pre_execute",
    component: "lua::main",
    channel: "main",
    principal: { type: "Host", id: "main" },
    payload: {
      tool_name: "exec",
      args: { command, timeout_ms: 30_000 },
      capabilities: 127,
      sandbox_root: "/work/project",
      tool: "exec",
      ...(isPost && { result: { ok: true, stdout: `line ${i}\n`, stderr: "", code: 0 } }),
      ...(isPost && { elapsed_ms: 12 }),
    },
    outcome: refused ? REFUSED : { action: "continue", edits: [] },
    duration_ms: 0.05,
  };
}

const REFUSED = {
  action: "abort",
  reason: "force pushes lose work of others; use --force-with-lease",
  hook: "no-force-push",
  edits: [],
};

/** What this process has had of the processor, in microseconds: in seconds of work, neighbours count otherwise. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function memory(): number {
  // What nobody has collected yet says nothing.
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  // Blocks that were read lie about until somebody collects them.
  return heapUsed + external - arrayBuffers;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function none(): void {
  // Nobody wants to hear of what is repeated a million times.
}
