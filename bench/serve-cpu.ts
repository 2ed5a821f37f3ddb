import type { ChildProcess } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quantile } from "./measure.ts";
import type { Row } from "./report.ts";
import { EVENT, SCRIPT, serviceKeyIn, started, startedService, TEN_HOOKS } from "./serve.ts";

const WARM_MS = 800;
const MEASURE_MS = 1200;
/** The subjects take turns, so that a slow moment of the machine hits all of them; the best round counts. */
const ROUNDS = 3;
const MANY = 64;

/** Lines over a socket, JSON in, JSON out: what no service in Node can do without. */
const BARE = `
const answer = JSON.stringify({ code: 0, downgrades: [] }) + "\\n";
require("node:net").createServer({ allowHalfOpen: true }, (socket) => {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (part) => {
    const lines = (text + part).split("\\n");
    text = lines.pop();
    for (const line of lines) { JSON.parse(JSON.parse(line).event); socket.write(answer); }
  });
  socket.on("end", () => socket.end());
  socket.on("error", () => undefined);
}).listen(process.argv[1], () => console.log(JSON.stringify({ pid: process.pid })));
`;

export interface Subject {
  readonly pid: number;
  readonly socket: string;
  readonly line: string;
  /** What every answer holds. */
  readonly expected: string;
}

interface Load {
  /** Processor time of the service for each event, in microseconds. */
  readonly cpu: number;
  /** In milliseconds. */
  readonly p99: number;
}

/**
 * Processor time of the service for each event, a connection for each, as `orcs hook` asks: by itself, and with
 * hooks; against a server that only reads and writes lines.
 */
export async function serveCpuRows(): Promise<Row[]> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-bench-")));
  const children: ChildProcess[] = [];
  const event = (command: string): string =>
    JSON.stringify({ ...(JSON.parse(EVENT) as object), tool_input: { command } });
  const service = async (
    name: string,
    {
      hooks = "# none\n",
      guard = true,
      command = "git status --short",
      expected = '"code":0',
    } = {},
  ): Promise<Subject> => {
    const at = join(dir, name);
    mkdirSync(join(at, "user", "orcs"), { recursive: true });
    if (!guard) writeFileSync(join(at, "user", "orcs", "orcs.toml"), "self_guard = false\n");
    writeFileSync(join(at, "orcs.toml"), hooks);
    for (let i = 0; i < 10; i++) writeFileSync(join(at, `hook${i}.lua`), SCRIPT);
    const service = await startedService(children, at);
    const line = { v: 1, key: serviceKeyIn(at), host: "claude-code", event: event(command) };
    return {
      ...service,
      line: `${JSON.stringify(line)}\n`,
      expected,
    };
  };
  try {
    const path = join(dir, "bare.sock");
    const { pid } = await started(children, dir, ["-e", BARE, path]);
    const line = `${JSON.stringify({ v: 1, key: "", host: "claude-code", event: event("git status --short") })}\n`;
    const bare = { pid: Number(pid), socket: path, line, expected: '"code":0' };
    const subjects = [
      bare,
      await service("alone", { guard: false }),
      await service("guard"),
      await service("ten", { hooks: TEN_HOOKS }),
      await service("denied", {
        hooks: TEN_HOOKS,
        guard: false,
        command: "git push --force",
        expected: '"deny"',
      }),
    ];
    const lone = await loads(subjects, 1);
    const many = await loads(subjects, MANY);
    const cpu = (all: readonly Load[], at: number, key: string, what: string): Row => {
      const [{ cpu: baseline = NaN } = {}, { cpu: us = NaN } = {}] = [all[0], all[at]];
      return { key, what, us, baseline, ratio: us / baseline };
    };
    const p99 = (at: number, key: string, what: string): Row => {
      const [us = NaN, baseline = NaN] = [many[at], many[0]].map((one) => (one?.p99 ?? NaN) * 1000);
      return { key, what, us, baseline, ratio: us / baseline, absolute: us };
    };
    return [
      cpu(
        lone,
        1,
        "serve_cpu",
        "processor time of an event, the service alone, against a bare server",
      ),
      cpu(many, 1, "serve_cpu_many", `the same, ${MANY} at a time`),
      cpu(many, 2, "serve_cpu_guard", "the same, with self-guard, as installed"),
      cpu(many, 3, "serve_cpu_ten", "the same, with ten small Lua hooks besides"),
      cpu(many, 4, "serve_cpu_denied", "ten small Lua hooks, denied and written to the audit log"),
      p99(
        1,
        "serve_p99",
        `99 of 100 answers of the service alone, ${MANY} at a time, against a bare server`,
      ),
      p99(3, "serve_p99_ten", "the same with ten small Lua hooks and self-guard"),
    ];
  } finally {
    for (const child of children) child.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Of each subject the best of several rounds. */
async function loads(subjects: readonly Subject[], atATime: number): Promise<Load[]> {
  const rounds: Load[][] = subjects.map(() => []);
  for (const subject of subjects) await load(subject, atATime, WARM_MS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, subject] of subjects.entries()) {
      rounds[i]?.push(await load(subject, atATime, MEASURE_MS));
    }
  }
  return rounds.map((all) => ({
    cpu: Math.min(...all.map(({ cpu }) => cpu)),
    p99: Math.min(...all.map(({ p99 }) => p99)),
  }));
}

async function load(subject: Subject, atATime: number, ms: number): Promise<Load> {
  const times: number[] = [];
  const before = cpuOf(subject.pid);
  const until = performance.now() + ms;
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const began = performance.now();
      await ask(subject);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atATime }, lane));
  return { cpu: (cpuOf(subject.pid) - before) / times.length, p99: quantile(times, 0.99) };
}

function ask({ socket, line, expected }: Subject): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    let text = "";
    connection.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (!text.includes("\n")) return;
      connection.end();
      if (text.includes(expected)) resolve();
      else reject(new Error(`answered ${text}`));
    });
    connection.on("error", reject);
    connection.write(line);
  });
}

/** Microseconds of processor time that the threads of a process have had. `/proc/PID/stat` counts in steps of 10 ms. */
export function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]),
  );
  return ns.reduce((sum, each) => sum + each, 0) / 1000;
}
