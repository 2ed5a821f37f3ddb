import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OrcsClient } from "orcs/client";
import { median, timed } from "./measure.ts";
import type { Timed } from "./measure.ts";
import type { Row } from "./report.ts";
import { envOf, MAIN, SCRIPT, started } from "./serve.ts";

const WARM = 1500;
const COUNT = 1500;
/** The subjects take turns, so that a slow moment of the machine hits all of them. */
const ROUNDS = 4;
const PAYLOAD = { tool_name: "exec", args: { command: "git status --short" } };
const CLIENT = fileURLToPath(new URL("../../clients/python", import.meta.url));

/** What the socket itself costs: a line of JSON in, a line out. */
const ECHO = `
require("node:net").createServer((socket) => {
  let text = "";
  socket.setEncoding("utf8").on("data", (part) => {
    const lines = (text + part).split("\\n");
    text = lines.pop();
    for (const line of lines) socket.write(JSON.stringify(JSON.parse(line)) + "\\n");
  });
}).listen(process.argv[1], () => console.log("{}"));
`;
/** Times requests each time that it reads a line, and prints the median in microseconds. */
const PYTHON = `
import statistics, sys, time
sys.path.insert(0, sys.argv[1])
from orcs_hooks import Client
client = Client(service=sys.argv[2])
for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        began = time.perf_counter()
        outcome = client.dispatch("tool.pre_execute", {"tool_name": "exec", "args": {"command": "git status --short"}})
        times.append((time.perf_counter() - began) * 1e6)
        assert outcome.action == "continue", outcome
    print(statistics.median(times), flush=True)
`;

/** Round trips of each kind of client to a service with self-guard and one Lua hook, one request at a time. */
export async function wireRows(): Promise<Row[]> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-bench-")));
  const children: ChildProcess[] = [];
  const clients: OrcsClient[] = [];
  try {
    const hook = '[[hooks]]\npoint = "tool.pre_execute"\nscript = "hook.lua"\n';
    writeFileSync(join(dir, "orcs.toml"), `[serve]\nport = 0\n[scripts]\ndirs = ["."]\n${hook}`);
    writeFileSync(join(dir, "hook.lua"), SCRIPT);
    const trust = spawnSync(process.execPath, [MAIN, "trust", "--yes"], {
      cwd: dir,
      env: envOf(dir),
    });
    if (trust.status !== 0) throw new Error(`trust: ${String(trust.stderr)}`);
    await started(children, dir, ["-e", ECHO, join(dir, "echo.sock")]);
    const at = await started(children, dir, [MAIN, "serve", "--json"]);
    const service = String(at["socket"]).replace(/sock$/, "json");
    const over = (transport: "socket" | "http"): Timed => {
      const client = new OrcsClient({ service, transport });
      clients.push(client);
      return timed(async () => {
        const { action } = await client.dispatch("tool.pre_execute", PAYLOAD);
        if (action !== "continue") throw new Error(`it was answered ${action}`);
      });
    };
    const subjects: [key: string, what: string, run: Timed][] = [
      ["", "", timed(overEcho(join(dir, "echo.sock")))],
      ["wire_ts_socket", "a dispatch, TypeScript client, socket", over("socket")],
      ["wire_ts_http", "the same over HTTP", over("http")],
      ...pythonSubject(children, service),
    ];
    for (const [, , run] of subjects) await run(WARM);
    const medians = subjects.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, [, , run]] of subjects.entries()) medians[i]?.push(await run(COUNT));
    }
    const [baseline = NaN, ...times] = medians.map(median);
    return times.map((us, i) => {
      const [key = "", what = ""] = subjects[i + 1] ?? [];
      return { key, what, us, baseline, ratio: us / baseline, absolute: us };
    });
  } finally {
    for (const client of clients) client.close();
    for (const child of children) child.kill("SIGKILL");
    for (const each of [dir, `${dir}-state`]) rmSync(each, { recursive: true, force: true });
  }
}

function overEcho(path: string): () => Promise<void> {
  const socket = connect(path);
  const line = `${JSON.stringify({ v: 1, op: "dispatch", point: "tool.pre_execute", payload: PAYLOAD })}\n`;
  let settle: () => void = () => undefined;
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    if (!text.endsWith("\n")) return;
    JSON.parse(text);
    text = "";
    settle();
  });
  return () =>
    new Promise((resolve) => {
      settle = resolve;
      socket.write(line);
    });
}

/** None where Python is missing. */
function pythonSubject(children: ChildProcess[], service: string): [string, string, Timed][] {
  if (spawnSync("python3", ["--version"]).status !== 0) return [];
  const child = spawn("python3", ["-c", PYTHON, CLIENT, service], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const run: Timed = (count) =>
    new Promise((resolve, reject) => {
      child.once("exit", () => reject(new Error("the Python client has ended")));
      child.stdout.once("data", (text: Buffer) => resolve(Number(String(text))));
      child.stdin.write(`${count}\n`);
    });
  return [["wire_python", "the same, Python client, socket", run]];
}
