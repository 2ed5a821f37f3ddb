import { readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { call, folder, open } from "../unit/engine/orcs/engine.ts";

/** The examples of docs/reference/handlers.md that need another program: the blocks of the page themselves run. */

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/reference/handlers.md"), "utf8");

/** The blocks of a section, by language. */
function blocksOf(section: string): Record<string, string> {
  const [, rest = ""] = PAGE.split(`### ${section}\n`);
  const [text = ""] = rest.split(/\n##+ /);
  const found = text.matchAll(/^```(\w+).*\n([\s\S]*?)^```$/gm);
  return Object.fromEntries(Array.from(found, ([, language = "", code = ""]) => [language, code]));
}

async function run(orcs: Orcs, tool: string, command: string): Promise<string> {
  const outcome = await orcs.dispatch("tool.pre_execute", call(tool, { command }));
  return outcome.action === "abort" ? outcome.reason : outcome.action;
}

test("Cedar decides in a process that lives on", async () => {
  const { js = "", toml = "" } = blocksOf("Cedar");
  const cwd = folder({ "cedar.mjs": js, "orcs.toml": toml });
  symlinkSync(join(ROOT, "node_modules"), join(cwd, "node_modules"));
  const orcs = await open({ cwd, config: "orcs.toml" });
  expect(await run(orcs, "exec", "git push")).toBe("continue");
  expect(await run(orcs, "exec", "git push --force")).toBe("a policy forbids it");
  expect(await run(orcs, "read", "--force")).toBe("continue");
});

/** What the rules of the page say, as OPA's webhook API returns it: the body is the input, the response is the value. */
test("OPA decides over its REST API", async () => {
  const { rego = "", toml = "" } = blocksOf("OPA");
  const [, denied = ""] = /command == "(\w+)"/.exec(rego) ?? [];
  const [, reason = ""] = /"reason": "([^"]+)"/.exec(rego) ?? [];
  const [, path = ""] = /8181(\/[\w/]+)"/.exec(toml) ?? [];
  expect(path).toBe(`/v0/data/${/^package (\w+)/m.exec(rego)?.[1] ?? ""}/rpc`);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(parts).toString()) as {
      id: string;
      method: string;
      params: { payload?: { args: { command: string } } };
    };
    response.setHeader("content-type", "application/json");
    if (request.method !== "POST" || request.url !== path) {
      // As documented for a path without a value.
      const error = { code: "undefined_document", message: "document missing or undefined" };
      return void response.writeHead(404).end(JSON.stringify(error));
    }
    const isDenied = method === "hook" && params.payload?.args.command === denied;
    const otherwise = method === "handshake" ? { protocol_version: "1.0", name: "opa" } : null;
    const result = isDenied ? { action: "abort", reason } : otherwise;
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const here = toml.replace("127.0.0.1:8181", at);
  const orcs = await open({ cwd: folder({ "orcs.toml": here }), config: "orcs.toml" });
  expect(await run(orcs, "exec", "deploy")).toBe("not on a Friday");
  expect(await run(orcs, "exec", "ls")).toBe("continue");
  const none = await open({
    cwd: folder({ "orcs.toml": here.replace("/orcs/rpc", "/orcs/none") }),
    config: "orcs.toml",
  });
  expect(await run(none, "exec", "ls")).toMatch(/ORCS4040: .*status 404/);
});
