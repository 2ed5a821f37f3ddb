import { createServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { Orcs } from "../../../../../src/engine/orcs/orcs.ts";
import { call, folder, open } from "../../orcs/engine.ts";
import { Servers } from "../webhook-rig.ts";

/** Handlers at a socket and at a URL, and harnesses of AHP, through the whole engine. */

const servers = new Servers();
afterEach(() => servers.close());

const PRE = "tool.pre_execute";

interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: { payload: { args: { command: string } } } & Record<string, unknown>;
}

/** What the guard of these tests answers. */
function guard({ id, method, params }: Request): string {
  const result =
    method === "handshake"
      ? { protocol_version: "1.0", name: "guard" }
      : params.payload.args.command.includes("rm")
        ? { action: "abort", reason: `not ${params.payload.args.command}` }
        : null;
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

async function load(handler: string, files: Record<string, string> = {}): Promise<Orcs> {
  const toml = `[[hooks]]\nid = "guard"\npoint = "${PRE}"\nhandler = ${handler}\n`;
  return open({ cwd: folder({ "orcs.toml": toml, ...files }), config: "orcs.toml" });
}

async function run(orcs: Orcs, command: string): Promise<string> {
  const outcome = await orcs.dispatch(PRE, call("exec", { command }));
  return outcome.action === "abort" ? outcome.reason : outcome.action;
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    createInterface({ input: socket }).on("line", (line) => {
      const request = JSON.parse(line) as Request;
      if (line.includes("hang up")) socket.destroy();
      else socket.write(`${guard(request)}\n`);
    });
  });
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

describe("a socket", () => {
  test("decides, and is connected again after it hung up", async () => {
    const path = join(folder(), "guard.sock");
    await listen(path);
    const orcs = await load(`{ socket = "${path}", protocol = "jsonrpc" }`);
    expect(await run(orcs, "ls")).toBe("continue");
    expect(await run(orcs, "rm")).toBe("not rm");
    expect(await run(orcs, "hang up")).toMatch(/ORCS4041: the socket .*closed the connection/);
    expect(await run(orcs, "rm")).toBe("not rm");
  });

  test("nobody listens on denies, and is used once somebody does", async () => {
    const path = join(folder(), "guard.sock");
    const orcs = await load(`{ socket = "${path}", protocol = "jsonrpc" }`);
    expect(await run(orcs, "ls")).toMatch(/ORCS4040: the socket .*ENOENT/);
    await listen(path);
    expect(await run(orcs, "ls")).toBe("continue");
  });
});

describe("a URL", () => {
  test("decides over one kept connection", async () => {
    const server = await servers.http((response, nth) => {
      response.end(guard(JSON.parse(server.got[nth - 1]?.body ?? "") as Request));
    });
    const orcs = await load(
      `{ url = "${server.url}", protocol = "jsonrpc", allow_hosts = ["127.0.0.1"] }`,
    );
    for (let i = 0; i < 5; i++) expect(await run(orcs, "rm")).toBe("not rm");
    expect(server.got).toHaveLength(6);
    expect(await server.connections()).toBe(1);
    expect(new Set(server.got.map(({ method }) => method))).toEqual(new Set(["POST"]));
  });

  test.each([
    ["a status", 503, "", /status 503/],
    [
      "the answer to another request",
      200,
      '{"jsonrpc":"2.0","id":"1","result":null}',
      /does not answer/,
    ],
    ["an empty body", 200, "", /does not answer/],
  ])("that responds with %s denies", async (_, status, body, message) => {
    const server = await servers.http((response, nth) => {
      const request = JSON.parse(server.got[nth - 1]?.body ?? "") as Request;
      if (request.method === "handshake") response.end(guard(request));
      else response.writeHead(status).end(body);
    });
    const orcs = await load(
      `{ url = "${server.url}", protocol = "jsonrpc", allow_hosts = ["127.0.0.1"] }`,
    );
    expect(await run(orcs, "ls")).toMatch(message);
  });

  test("that is not public and not allowed denies", async () => {
    const server = await servers.http((response) => void response.end());
    const orcs = await load(`{ url = "${server.url}", protocol = "jsonrpc" }`);
    expect(await run(orcs, "ls")).toMatch(/ORCS4040: .*127\.0\.0\.1/);
    expect(server.got).toEqual([]);
  });

  test("of OPA decides by a rule that speaks the protocol", async () => {
    // As OPA documents its webhook API: the body is the input, the value of the rule is the response; 404 without one.
    const server = await servers.http((response, nth, request) => {
      const input = JSON.parse(server.got[nth - 1]?.body ?? "") as Request;
      if (request.url !== "/v0/data/orcs/rpc") return void response.writeHead(404).end();
      const { id, method, params } = input;
      const isDeploy = method === "hook" && params.payload.args.command === "deploy";
      const otherwise = method === "handshake" ? { protocol_version: "1.0", name: "opa" } : null;
      const result = isDeploy ? { action: "abort", reason: "not on a Friday" } : otherwise;
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    const of = (path: string): string =>
      `{ url = "${server.url}${path}", protocol = "jsonrpc", allow_hosts = ["127.0.0.1"] }`;
    const orcs = await load(of("/v0/data/orcs/rpc"));
    expect(await run(orcs, "deploy")).toBe("not on a Friday");
    expect(await run(orcs, "ls")).toBe("continue");
    expect(await run(await load(of("/v0/data/orcs/none")), "ls")).toMatch(/ORCS4040: .*status 404/);
  });
});

describe("a harness of AHP", () => {
  /** A harness that answers `ahp/event` with this result. */
  const harness = (result: string): string => `
import { createInterface } from "node:readline";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "ahp/handshake"
    ? { protocol_version: "2.0", harness_info: { name: "h", version: "1", capabilities: [] } }
    : ${result};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});`;
  const AHP = `{ process = ["${process.execPath}", "h.mjs"], protocol = "ahp" }`;

  test.each([
    ["allow", `{ decision: "allow" }`, { action: "continue" }],
    ["block", `{ decision: "block", reason: "no" }`, { action: "abort", reason: "no" }],
    [
      "modify",
      `{ decision: "modify", modified_payload: { ...params.payload, arguments: { command: "ls" } } }`,
      { action: "continue", ctx: { payload: { args: { command: "ls" } } } },
    ],
    [
      "allow with the arguments alone",
      `{ decision: "allow", modified_payload: { command: "ls" } }`,
      { action: "continue", ctx: { payload: { args: { command: "ls" } } } },
    ],
    [
      "defer",
      `{ decision: "defer", retry_after_ms: 5, reason: "busy" }`,
      { action: "retry", delay_ms: 5, reason: "busy" },
    ],
    [
      "escalate",
      `{ decision: "escalate", reason: "ask" }`,
      { action: "continue", decision: "ask", reason: "ask" },
    ],
    ["no decision", `{ action: "continue" }`, { action: "abort" }],
    ["an unknown decision", `{ decision: "alow" }`, { action: "abort" }],
    [
      "what it was sent",
      `{ decision: "block", reason: [params.event_type, params.payload.tool_name, params.payload.tool, params.payload.action_type, params.payload.arguments.command, params.depth].join() }`,
      { action: "abort", reason: "pre_action,exec,exec,tool_call,rm,0" },
    ],
  ])("that returns %s", async (_, result, outcome) => {
    const orcs = await load(AHP, { "h.mjs": harness(result) });
    expect(await orcs.dispatch(PRE, call("exec", { command: "rm" }))).toMatchObject(outcome);
  });

  test("of version 1 is not used", async () => {
    const old = harness("{}").replace(`"2.0", harness_info`, `"1.0", harness_info`);
    expect(await run(await load(AHP, { "h.mjs": old }), "ls")).toMatch(
      /ORCS4040: .*version "1\.0"/,
    );
  });
});
