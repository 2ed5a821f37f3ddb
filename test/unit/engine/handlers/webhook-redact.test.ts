import { afterEach, describe, expect, it } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import { HANDLER_PROTOCOLS } from "../../../../src/formats/handler-protocols.ts";
import { SECRETS } from "../../guards/redact/secrets.ts";
import { ask, Servers, webhook } from "./webhook-rig.ts";

const servers = new Servers();
afterEach(() => servers.close());

const redactor = createRedactor();
const token = SECRETS["GitHub token"] ?? "";
const payload = {
  tool_name: "exec",
  args: { command: `TOKEN=${token} deploy`, list: [`a ${token}`, "b"], password: "hunter2", n: 1 },
};

/** What the service got, and what was reported of its answer to it. */
async function exchange(
  answer: (sent: string) => string,
  more: Parameters<typeof webhook>[1] = {},
): Promise<{ got: string; report: unknown }> {
  let got = "";
  const server = await servers.http((response, nth) => {
    got = server.got[nth - 1]?.body ?? "";
    response.end(answer(got));
  });
  const protocol = HANDLER_PROTOCOLS.orcs;
  const report = await ask(webhook(server.url, { protocol, redactor, ...more }), {}, payload);
  return { got, report };
}

describe("secrets in a webhook request", () => {
  it("are masked", async () => {
    const { got } = await exchange(() => "null");
    expect(got).not.toContain(token);
    expect(got).not.toContain("hunter2");
    expect(JSON.parse(got)).toMatchObject({
      payload: { args: { command: "TOKEN=[redacted] deploy", password: "[redacted]", n: 1 } },
    });
  });

  it("are sent with redact = false", async () => {
    const { got } = await exchange(() => "null", { redactor: undefined });
    expect(JSON.parse(got)).toMatchObject({ payload });
  });

  it("are restored: a response with the whole context changes nothing", async () => {
    const { report } = await exchange((sent) => sent);
    expect(report).toEqual({ answer: undefined, edits: [] });
  });

  it("are restored within changed values", async () => {
    const { report } = await exchange((sent) => {
      const ctx = JSON.parse(sent) as { payload: typeof payload };
      ctx.payload.args.command += " --dry-run";
      ctx.payload.args.list.push("c");
      ctx.payload.args.n = 2;
      return JSON.stringify({ action: "continue", ctx: { payload: ctx.payload } });
    });
    expect(report).toMatchObject({
      edits: [
        { path: ["payload", "args", "command"], value: `TOKEN=${token} deploy --dry-run` },
        { path: ["payload", "args", "list"], value: [`a ${token}`, "b", "c"] },
        { path: ["payload", "args", "n"], value: 2 },
      ],
    });
  });

  it("are restored in Claude Code's updatedInput", async () => {
    const input = { command: "TOKEN=[redacted] deploy", password: "[redacted]", n: 3 };
    const output = { hookEventName: "PreToolUse", updatedInput: input };
    const { got, report } = await exchange(() => JSON.stringify({ hookSpecificOutput: output }), {
      protocol: HANDLER_PROTOCOLS["claude-code"],
    });
    expect(got).not.toContain(token);
    expect(report).toMatchObject({
      edits: [
        {
          path: ["payload", "args"],
          value: { command: payload.args.command, password: "hunter2", n: 3 },
        },
      ],
    });
  });

  it("are restored in a replaced result", async () => {
    const server = await servers.http((response) =>
      response.end(JSON.stringify({ action: "replace", result: "said [redacted], twice" })),
    );
    const runner = webhook(server.url, { protocol: HANDLER_PROTOCOLS.orcs, redactor });
    const after = { tool_name: "exec", args: {}, result: `said ${token}` };
    const report = await ask(runner, { point: "tool.post_execute" }, after);
    expect(server.got[0]?.body).not.toContain(token);
    expect(report).toMatchObject({ answer: { action: "replace", result: `said ${token}, twice` } });
  });
});
