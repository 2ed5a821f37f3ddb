import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.ts";
import type { Row } from "./report.ts";

export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PER_SECOND = 1000;
const WARM_MS = 2000;
const MEASURE_MS = 4000;
/** The subjects take turns, so that a slow moment of the machine hits all of them. */
const ROUNDS = 3;

export const TEN_HOOKS = `[scripts]\ndirs = ["."]\n${Array.from(
  { length: 10 },
  (_, i) => `
[[hooks]]
point = "tool.pre_execute"
script = "hook${i}.lua"
`,
).join("")}`;
export const SCRIPT = `return function(ctx)
  if ctx.payload.args.command:find("--force", 1, true) then return orcs.deny("no force") end
end
`;
export const EVENT = JSON.stringify({
  session_id: "62a509e8",
  cwd: "/tmp",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "git status --short", description: "status" },
  tool_use_id: "toolu_1",
});
/** What HTTP itself costs: JSON in, JSON out. */
const ECHO = `
require("node:http").createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => response.end(JSON.stringify(JSON.parse(Buffer.concat(chunks)))));
}).listen(0, "127.0.0.1", function () { console.log(JSON.stringify({ port: this.address().port })); });
`;

/** Sends one request; resolves when it was answered. */
type Send = () => Promise<void>;

/** Round trips to a service with ten hooks of ten scripts, at 1,000 requests a second. */
export async function serveRows(): Promise<Row[]> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-bench-")));
  const children: ChildProcess[] = [];
  try {
    writeFileSync(join(dir, "orcs.toml"), TEN_HOOKS);
    for (let i = 0; i < 10; i++) writeFileSync(join(dir, `hook${i}.lua`), SCRIPT);
    const ended = spawnSync(process.execPath, [MAIN, "trust", "--yes"], {
      cwd: dir,
      env: envOf(dir),
    });
    if (ended.status !== 0) throw new Error(`trust: exit ${ended.status}: ${String(ended.stderr)}`);
    const echo = await started(children, dir, ["-e", ECHO]);
    const at = await started(children, dir, [MAIN, "serve", "--json", "--port", "0"]);
    const file = String(at["socket"]).replace(/sock$/, "json");
    const { token } = JSON.parse(readFileSync(file, "utf8")) as { token: string };
    const key = serviceKeyIn(dir);
    const senders: readonly Send[] = [
      overHttp(Number(echo["port"]), "/", ""),
      overHttp(Number(at["port"]), "/hooks/claude-code", token),
      overSocket(String(at["socket"]), { v: 1, key, host: "claude-code", event: EVENT }),
    ];
    const times: number[][] = senders.map(() => []);
    for (const send of senders) await underLoad(send, WARM_MS);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, send] of senders.entries()) {
        times[i]?.push(...(await underLoad(send, MEASURE_MS / ROUNDS)));
      }
    }
    const [bare = NaN, http = NaN, socket = NaN] = times.map(median);
    const row = (key: string, what: string, us: number): Row => {
      return { key, what, us, baseline: bare, ratio: us / bare, absolute: us };
    };
    return [
      row("serve_http", "an event over HTTP, ten Lua hooks, 1,000 a second", http),
      row("serve_socket", "the same over the socket", socket),
    ];
  } finally {
    for (const child of children) child.kill("SIGKILL");
    for (const each of [dir, `${dir}-state`]) rmSync(each, { recursive: true, force: true });
  }
}

/** Sockets are in the project, and whom somebody trusts is not. */
export function envOf(cwd: string): NodeJS.ProcessEnv {
  const others = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"];
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !others.includes(name))),
    XDG_CONFIG_HOME: join(cwd, "user"),
    XDG_RUNTIME_DIR: cwd,
    XDG_STATE_HOME: `${cwd}-state`,
  };
}

/** What the running service of a folder is known by, as it tells other programs. */
export function serviceKeyIn(cwd: string): string {
  const folder = join(cwd, "orcs");
  const known = readdirSync(folder).find((name) => name.endsWith(".json"));
  if (known === undefined) throw new Error(`no service runs in ${cwd}`);
  return (JSON.parse(readFileSync(join(folder, known), "utf8")) as { key: string }).key;
}

/** Trust the folder of a configuration and start its service. */
export async function startedService(
  children: ChildProcess[],
  at: string,
): Promise<{ readonly socket: string; readonly pid: number }> {
  const trusted = spawnSync(process.execPath, [MAIN, "trust", "--yes"], {
    cwd: at,
    env: envOf(at),
  });
  if (trusted.status !== 0) throw new Error(`trust: ${String(trusted.stderr)}`);
  const { socket, pid } = await started(children, at, [MAIN, "serve", "--json"]);
  return { socket: String(socket), pid: Number(pid) };
}

/** Start a program; gives the JSON that is its first line. */
export function started(
  children: ChildProcess[],
  cwd: string,
  args: readonly string[],
): Promise<Record<string, unknown>> {
  const env = envOf(cwd);
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`${args.join(" ")} ended`)));
    child.stdout.once("data", (line: Buffer) => {
      resolve(JSON.parse(line.toString("utf8")) as Record<string, unknown>);
    });
  });
}

/** Microseconds of each round trip: requests go out when they are due, whether or not others are answered. */
async function underLoad(send: Send, ms: number): Promise<number[]> {
  const times: number[] = [];
  const open: Promise<void>[] = [];
  const began = performance.now();
  for (let sent = 0; sent < (ms * PER_SECOND) / 1000; sent++) {
    const due = began + (sent * 1000) / PER_SECOND;
    while (performance.now() < due) await new Promise((resolve) => setImmediate(resolve));
    const started = performance.now();
    open.push(send().then(() => void times.push((performance.now() - started) * 1000)));
  }
  await Promise.all(open);
  return times;
}

function overHttp(port: number, path: string, token: string): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const options = { host: "127.0.0.1", port, path, method: "POST", headers, agent };
  return () =>
    new Promise((resolve, reject) => {
      const asked = request(options, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume().on("end", resolve);
      });
      asked.on("error", reject);
      asked.end(EVENT);
    });
}

/** Requests of one connection, each with an id. */
function overSocket(path: string, line: object): Send {
  const socket = connect(path);
  const waiting = new Map<number, () => void>();
  let text = "";
  let id = 0;
  socket.setEncoding("utf8").on("data", (part: string) => {
    const lines = (text + part).split("\n");
    text = lines.pop() ?? "";
    for (const each of lines) {
      const answer = JSON.parse(each) as { id: number; code?: number };
      if (answer.code !== 0) throw new Error(`answered ${each}`);
      waiting.get(answer.id)?.();
      waiting.delete(answer.id);
    }
  });
  return () =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      socket.write(`${JSON.stringify({ ...line, id })}\n`);
    });
}
