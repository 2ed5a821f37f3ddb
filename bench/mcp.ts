import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median, quantile } from "./measure.ts";
import type { Row } from "./report.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAIN = join(ROOT, "dist/cli/main.js");
const SERVER = join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const WARM_UP = 500;
const ROUNDS = 40;
/** Calls of a round, one after the other. */
const CALLS = 50;

/** Ten hooks that look at what a call is and what came of it. */
const HOOKS = Array.from({ length: 10 }, (_, i) =>
  i % 2 === 0
    ? `[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = 'if ctx.payload.args.message:find("rm %-rf") then return orcs.deny("no") end'\n`
    : `[[hooks]]\npoint = "tool.post_execute"\nhandler_inline = 'local block = ctx.payload.result.content[1] if block.text:find("secret") then return orcs.replace("***") end'\n`,
).join("");

/** A tool call through `orcs mcp` with ten hooks, against the same server asked directly. */
export async function mcpRows(): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  writeFileSync(join(dir, "orcs.toml"), HOOKS);
  const server = [process.execPath, SERVER];
  const direct = new Asking(server, dir);
  const config = join(dir, "orcs.toml");
  const proxied = new Asking(
    [process.execPath, MAIN, "mcp", "--config", config, "--", ...server],
    dir,
  );
  try {
    const times: number[][] = [[], []];
    for (let i = 0; i < WARM_UP; i++) for (const side of [direct, proxied]) await side.call();
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, side] of [direct, proxied].entries()) {
        for (let n = 0; n < CALLS; n++) times[i]?.push(await side.call());
      }
    }
    const [baseline = NaN, us = NaN] = times.map(median);
    return [
      {
        key: "mcp_call",
        what: "a tool call over MCP with ten hooks, against none in between",
        us,
        baseline,
        ratio: us / baseline,
      },
      {
        key: "mcp_added_ms",
        what: "what the proxy adds to it, against 1 ms",
        us: us - baseline,
        baseline: 1000,
        ratio: (us - baseline) / 1000,
      },
    ];
  } finally {
    direct.end();
    proxied.end();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A result of 10 MB that no hook looks at: what passing it through the proxy costs. */
export async function mcpLargeRows(): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  const config = join(dir, "orcs.toml");
  writeFileSync(config, "# no hooks\n");
  writeFileSync(join(dir, "server.cjs"), LARGE_SERVER);
  const server = [process.execPath, join(dir, "server.cjs")];
  const proxy = [process.execPath, MAIN, "mcp", "--config", config, "--", ...server];
  const sides = [server, proxy].map((command) => new Asking(command, dir, LARGE));
  try {
    const times: number[][] = [[], []];
    for (let round = 0; round < 15; round++) {
      for (const [i, side] of sides.entries()) times[i]?.push(await side.call());
    }
    const [baseline = NaN, us = NaN] = times.map((all) => quantile(all, 0.25));
    const what = "a result of 10 MB over MCP that no hook looks at, against none in between";
    return [{ key: "mcp_10mb", what, us, baseline, ratio: us / baseline }];
  } finally {
    for (const side of sides) side.end();
    rmSync(dir, { recursive: true, force: true });
  }
}

const LARGE = "took 12 ms";
/** Answers each call with the same text of 10 MB. */
const LARGE_SERVER = `
const line = '2024-05-01T10:00:00Z INFO request id=42 path=/api/v1/users/42 ${LARGE}, "agent" Mozilla/5.0 (X11; é)\\n';
const text = line.repeat(Math.ceil(1e7 / line.length)).slice(0, 1e7);
const result = JSON.stringify({ content: [{ type: "text", text }] });
require("node:readline").createInterface({ input: process.stdin }).on("line", (asked) => {
  const { id, method } = JSON.parse(asked);
  if (id !== undefined) process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + (method === "tools/call" ? result : "{}") + "}\\n");
});
`;

/** A client of a server that runs as a process, with one call at a time. */
class Asking {
  readonly #child;
  #answered: (line: string) => void = () => undefined;
  #id = 0;

  readonly #expected: string;

  /** @param expected what each answer holds */
  constructor(
    [file = "", ...args]: readonly string[],
    home: string,
    expected = "Echo: how are you",
  ) {
    this.#expected = expected;
    this.#child = spawn(file, args, {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, XDG_STATE_HOME: home },
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      if (
        line.slice(0, 100).includes(`"id":${this.#id}`) ||
        line.slice(-100).includes(`"id":${this.#id}`)
      )
        this.#answered(line);
    });
    const clientInfo = { name: "bench", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    this.#child.stdin.write(line({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
  }

  /** Microseconds from the question to the answer. */
  async call(): Promise<number> {
    const id = ++this.#id;
    const params = { name: "echo", arguments: { message: "how are you" } };
    const answer = new Promise<string>((resolve) => (this.#answered = resolve));
    const started = performance.now();
    this.#child.stdin.write(line({ jsonrpc: "2.0", id, method: "tools/call", params }));
    const said = await answer;
    const us = (performance.now() - started) * 1000;
    if (!said.includes(this.#expected)) throw new Error(said.slice(0, 1000));
    return us;
  }

  end(): void {
    this.#child.stdin.end();
  }
}

function line(message: unknown): string {
  return `${JSON.stringify(message)}\n`;
}
