import { onTestFinished } from "vitest";
import type { HookReport } from "../../../../../src/core/hook.ts";
import { openProcess } from "../../../../../src/engine/handlers/live/stream-links.ts";
import { LiveClient } from "../../../../../src/engine/handlers/live/live-client.ts";
import { LiveRunner } from "../../../../../src/engine/handlers/live/live-runner.ts";
import type { OpenLink } from "../../../../../src/engine/handlers/live/link.ts";
import { LIVE_PROTOCOLS } from "../../../../../src/formats/handler-protocols.ts";
import { ProcessSet } from "../../../../../src/machine/spawn/processes.ts";
import { Lines } from "../../orcs/engine.ts";
import type { WebhookRunner } from "../../../../../src/engine/handlers/webhook.ts";
import type { HookWords } from "../../registry/hooks.ts";
import { ask } from "../webhook-rig.ts";

/** The beginning of a handler in JavaScript: `on(method, id, params)` is called for each request. */
const PRELUDE = `
import { createInterface } from "node:readline";
const write = (text) => process.stdout.write(text);
const answer = (id, result) => write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
const hello = (id) => answer(id, { protocol_version: "1.0", name: "test" });
const DENY = { action: "abort", reason: "no" };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "handshake") hello(id);
  else on(id, params);
});
`;

/** A handler whose process runs this code. */
export function scripted(code: string, more: { maxPending?: number; maxLineBytes?: number } = {}) {
  const processes = new ProcessSet();
  const open: OpenLink = (events) =>
    openProcess(
      {
        argv: [process.execPath, "--input-type=module", "-e", PRELUDE + code],
        cwd: import.meta.dirname,
        env: { PATH: process.env["PATH"] ?? "" },
        maxLineBytes: more.maxLineBytes ?? 1 << 20,
        processes,
        stderr: (chunk) => logger.debug(chunk.toString()),
      },
      events,
    );
  const logger = new Lines();
  const protocol = LIVE_PROTOCOLS.jsonrpc;
  const client = new LiveClient({
    name: "it",
    protocol,
    handshake: true,
    open,
    maxPending: more.maxPending ?? 1_000,
    maxBacklogBytes: 1 << 24,
    logger,
    version: "0",
  });
  onTestFinished(() => client.close("the test is over", 0));
  const runner = new LiveRunner({
    running: new Map(),
    clientFor: () => ({
      key: "",
      secrets: [],
      use: () => ({ client, release: () => client.retire() }),
    }),
    environment: { variables: {} },
    protocol,
    isShared: false,
  });
  const run = (payload: Record<string, unknown> = {}, words: HookWords = {}): Promise<HookReport> =>
    ask(
      runner as unknown as WebhookRunner,
      { timeoutMs: 30_000, ...words },
      {
        tool_name: "exec",
        args: payload,
      },
    );
  return { client, run, logger, processes };
}

/** What a report says, in one line. */
export function shown(report: HookReport): string {
  if ("failure" in report) return `${report.failure.kind}: ${report.failure.message}`;
  return report.answer === undefined ? "continue" : JSON.stringify(report.answer);
}
