import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Orcs } from "orcs";
import { createOrcs } from "orcs";
import { median, timed } from "./measure.ts";
import type { Row } from "./report.ts";

// A call of each kind of handler, against what the pipe to another process costs by itself, in the same run.

const ALONE = 3_000;
const PER_EVENT = 20;
/** The subjects take turns, so that a slow moment of the machine hits all of them. */
const ROUNDS = 5;
const PIPELINED = 20_000;
const AT_ONCE = 500;
const POINT = "tool.pre_execute";
const PAYLOAD = { tool_name: "exec", args: { command: "git log", cwd: "/", timeout_ms: 1000 } };

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

/** Listens as a handler at a socket and at a URL, in a process of its own. */
const SERVER = `const answer = (text) => {
  const { id, method } = JSON.parse(text);
  const result = method === "handshake" ? { protocol_version: "1.0" } : null;
  return JSON.stringify({ jsonrpc: "2.0", id, result });
};
require("node:net").createServer((socket) => {
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\\n");
    rest = lines.pop();
    for (const line of lines) socket.write(answer(line) + "\\n");
  });
}).listen(process.argv[2]);
const server = require("node:http").createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  request.on("end", () => response.end(request.url === "/hook" ? "null" : answer(text)));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

/** A request as orcs writes it. */
const LINE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: "0b2b1dfe-d18f-4a83-a0b1-59e2dd2bbd6d",
  method: "hook",
  params: {
    hook: "h",
    timeout_ms: 30_000,
    hook_point: POINT,
    component_id: "host::main",
    channel_id: "main",
    principal: { type: "Host", id: "main" },
    timestamp_ms: 1_764_208_000_000,
    payload: { ...PAYLOAD, tool: "exec" },
    metadata: {},
  },
})}\n`;

/** Kinds of handlers, in the order of what a call costs. */
interface Kind {
  readonly key: string;
  readonly what: string;
  readonly hook: object;
  readonly times: number;
}

export async function liveRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  const file = join(folder, "handler.cjs");
  writeFileSync(file, HANDLER);
  writeFileSync(join(folder, "server.cjs"), SERVER);
  writeFileSync(join(folder, "module.mjs"), "export default () => undefined;\n");
  const node = process.execPath;
  const socket = join(folder, "h.sock");
  const server = spawn(node, [join(folder, "server.cjs"), socket], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve) =>
    server.stdout.once("data", (text: Buffer) => resolve(String(text).trim())),
  );
  const base = `http://127.0.0.1:${port}`;
  const local = { allow_hosts: ["127.0.0.1"] };
  const handler = (of: object): object => ({ handler: { protocol: "jsonrpc", ...of } });
  const kinds: readonly Kind[] = [
    {
      key: "kind_lua",
      what: "Lua",
      hook: { handler_inline: "return nil" },
      times: ALONE,
    },
    { key: "kind_module", what: "a module", hook: { module: "./module.mjs" }, times: ALONE },
    {
      key: "kind_process",
      what: "a process that lives on",
      hook: handler({ process: [node, file] }),
      times: ALONE,
    },
    { key: "kind_socket", what: "a socket", hook: handler({ socket }), times: ALONE },
    { key: "kind_url", what: "a URL", hook: handler({ url: `${base}/`, ...local }), times: ALONE },
    {
      key: "kind_webhook",
      what: "a webhook",
      hook: { webhook: { url: `${base}/hook`, ...local } },
      times: ALONE / 10,
    },
    { key: "kind_shell", what: "a command", hook: { shell: `'${node}' -e 0` }, times: PER_EVENT },
  ];
  const engines = await Promise.all(
    kinds.map(({ hook }) =>
      createOrcs({ cwd: folder, config: { hooks: [{ id: "h", point: POINT, ...hook }] } }),
    ),
  );
  const bare = spawn(node, [file], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const floor = timed(overPipe(bare));
    const runs = engines.map((orcs) => timed(() => ask(orcs)));
    await floor(ALONE / 3);
    for (const [i, run] of runs.entries()) await run((kinds[i]?.times ?? 0) / 3);
    const medians = kinds.map((): number[] => []);
    const floors: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      floors.push(await floor(ALONE / ROUNDS));
      for (const [i, run] of runs.entries()) {
        medians[i]?.push(await run((kinds[i]?.times ?? 0) / ROUNDS));
      }
    }
    const baseline = median(floors);
    const us = medians.map(median);
    const at = (key: string): number => us[kinds.findIndex((kind) => kind.key === key)] ?? NaN;
    const live = at("kind_process");
    const each = await pipelinedUs(engines[kinds.findIndex(({ key }) => key === "kind_process")]);
    return [
      ...kinds.map(({ key, what }, i) => {
        const own = us[i] ?? NaN;
        const called = `a dispatch, ${what}`;
        return { key, what: called, us: own, baseline, ratio: own / baseline, absolute: own };
      }),
      {
        key: "live_process",
        what: "a process per call against one that lives on",
        us: at("kind_shell"),
        baseline: live,
        ratio: at("kind_shell") / live,
      },
      {
        key: "live_pipelined",
        what: `a process that lives on, ${AT_ONCE} calls at once, for each`,
        us: each,
        baseline: live,
        ratio: each / live,
        absolute: each,
      },
    ];
  } finally {
    server.kill("SIGKILL");
    bare.kill("SIGKILL");
    await Promise.all(engines.map((orcs) => orcs.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The floor: the same program, asked through a bare pipe. */
function overPipe({ stdin, stdout }: ChildProcessByStdio<Writable, Readable, null>) {
  let settle: () => void = () => undefined;
  let text = "";
  stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    if (!text.endsWith("\n")) return;
    JSON.parse(text);
    text = "";
    settle();
  });
  return (): Promise<void> =>
    new Promise((resolve) => {
      settle = resolve;
      stdin.write(LINE);
    });
}

async function ask(orcs: Orcs): Promise<void> {
  const { action } = await orcs.dispatch(POINT, PAYLOAD);
  if (action !== "continue") throw new Error(`the handler has failed: ${action}`);
}

/** The time of one call while many wait. */
async function pipelinedUs(orcs: Orcs | undefined): Promise<number> {
  if (!orcs) throw new Error("there is no engine");
  let left = PIPELINED;
  const start = performance.now();
  const work = async (): Promise<void> => {
    while (left-- > 0) await ask(orcs);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ((performance.now() - start) * 1000) / PIPELINED;
}
