import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import plugin, { orcsPlugin } from "../../../../src/agents/adapters/opencode.ts";
import type { OpencodeHooks } from "../../../../src/agents/adapters/opencode.ts";
import { PendingQuestions } from "../../../../src/agents/answers/pending-questions.ts";
import { home } from "../../config/trust/rig.ts";
import { folder, Lines } from "../../engine/orcs/engine.ts";

const BASH = { tool: "bash", sessionID: "s1", callID: "c1" };

/** The plugin as opencode starts it, with hooks of a program. */
async function started(
  hooks: readonly object[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<OpencodeHooks> {
  const directory = folder();
  const config = { lua: { max_run_ms: 5000 }, hooks, ...more };
  const made = await orcsPlugin({ config, logger: new Lines(), selfGuard: false })({ directory });
  onTestFinished(() => made.dispose());
  return made;
}

const hook = (point: string, handler_inline: string, more = {}) => ({
  id: "h",
  point,
  handler_inline,
  ...more,
});

/** A whole call: what the tool got, and what opencode does with its result. */
async function call(
  hooks: OpencodeHooks,
  args: Record<string, unknown>,
  result: Record<string, unknown>,
  of = BASH,
) {
  // opencode keeps these objects, and reads them afterwards.
  await hooks["tool.execute.before"](of, { args });
  await hooks["tool.execute.after"]({ ...of, args }, result);
  return { args, result };
}

describe("opencode: tool calls", () => {
  test("hooks see our names; a denial is an error with the reason", async () => {
    const hooks = await started([
      hook(
        "tool.pre_execute",
        'local p = ctx.payload return orcs.deny(p.tool_name .. " " .. (p.args.path or p.args.command) .. " " .. p.session_id .. " " .. p.tool_use_id)',
      ),
    ]);
    const before = hooks["tool.execute.before"];
    await expect(before(BASH, { args: { command: "ls" } })).rejects.toThrow(
      "denied by hook h: exec ls s1 c1",
    );
    const write = { ...BASH, tool: "write" };
    await expect(before(write, { args: { filePath: "/a.txt", content: "" } })).rejects.toThrow(
      "write /a.txt s1 c1",
    );
  });

  test("the calls of a subagent are those of its own session", async () => {
    const budget =
      'if orcs.state.incr(ctx.payload.session_id) > 1 then return orcs.deny("one call") end';
    const hooks = await started([hook("tool.pre_execute", budget)]);
    const before = hooks["tool.execute.before"];
    const args = { args: { command: "ls" } };
    await before(BASH, args);
    await before({ ...BASH, sessionID: "s1-subagent", callID: "c2" }, args);
    await expect(before({ ...BASH, callID: "c3" }, args)).rejects.toThrow("one call");
  });

  test("a stray key with our name does not hide the one that the tool reads", async () => {
    const hooks = await started([
      hook("tool.pre_execute", 'orcs.deny("no")', { match: { path: "*.lock" } }),
    ]);
    const args = { path: "harmless.txt", filePath: "a.lock" };
    const write = { ...BASH, tool: "write" };
    await expect(hooks["tool.execute.before"](write, { args })).rejects.toThrow("no");
  });

  const PATCH = "*** Begin Patch\n*** Update File: a.lock\n@@\n-x\n+y\n*** End Patch";
  const patching = { ...BASH, tool: "apply_patch" };

  test("a patch is an edit of the files that it touches", async () => {
    const hooks = await started([
      hook("tool.pre_execute", 'orcs.deny("generated")', {
        match: { tool: "edit", path: "*.lock" },
      }),
    ]);
    const args = { patchText: PATCH };
    await expect(hooks["tool.execute.before"](patching, { args })).rejects.toThrow("generated");
  });

  test("a rewritten patch reaches opencode; other changes of such a call are a denial", async () => {
    const rewrite = 'ctx.payload.args.patch = ctx.payload.args.patch:gsub("y", "z")';
    const hooks = await started([hook("tool.pre_execute", rewrite)]);
    const args = { patchText: PATCH };
    await hooks["tool.execute.before"](patching, { args });
    expect(args).toEqual({ patchText: PATCH.replace("+y", "+z") });
    const moves = await started([hook("tool.pre_execute", 'ctx.payload.args.path = "b.txt"')]);
    await expect(moves["tool.execute.before"](patching, { args })).rejects.toThrow(
      "cannot be passed",
    );
  });

  test("a rewrite is in the same object, with the names of opencode", async () => {
    const rewrite =
      'ctx.payload.args.path = "/b.txt"; ctx.payload.args.content = nil; ctx.payload.args.mode = 1';
    const hooks = await started([hook("tool.pre_execute", rewrite)]);
    const args = { filePath: "/a.txt", content: "x" };
    await hooks["tool.execute.before"]({ ...BASH, tool: "write" }, { args });
    expect(args).toEqual({ filePath: "/b.txt", mode: 1 });
  });

  test("a masked result is masked in the metadata, too, which opencode shows", async () => {
    const mask = 'orcs.replace((ctx.payload.result:gsub("sk%-%w+", "MASKED")))';
    const hooks = await started([hook("tool.post_execute", mask)]);
    const { result } = await call(
      hooks,
      { command: "cat token" },
      {
        title: "cat",
        output: "token=sk-123\n\n(a note)",
        metadata: { output: "token=sk-123\n", exit: 0 },
      },
    );
    expect(result).toMatchObject({ title: "cat", output: "token=MASKED\n\n(a note)" });
    expect(JSON.stringify(result)).not.toContain("sk-123");
  });

  test("a mask reaches every depth of what opencode stores", async () => {
    const mask = 'orcs.replace((ctx.payload.result:gsub("sk%-%w+", "MASKED")))';
    const hooks = await started([hook("tool.post_execute", mask)]);
    const read = {
      title: "a.env",
      output: "<content>\n1: A=1\n2: KEY=sk-123\n</content>",
      metadata: { display: { type: "file", text: "A=1\nKEY=sk-123" }, truncated: false },
    };
    const { result } = await call(hooks, { filePath: "a.env" }, read, { ...BASH, tool: "read" });
    expect(result).toMatchObject({ title: "a.env", metadata: { truncated: false } });
    expect(JSON.stringify(result)).not.toContain("sk-123");
  });

  test("while guards are inactive, each call is denied: opencode shows no notice", async () => {
    home();
    const directory = folder({ "orcs.toml": "[[hooks]]\nid = 'h'\npoint = 'Stop'\nshell = 'x'\n" });
    const made = await orcsPlugin({ logger: new Lines() })({ directory });
    onTestFinished(() => made.dispose());
    const before = made["tool.execute.before"](BASH, { args: { command: "ls" } });
    await expect(before).rejects.toThrow(/ORCS8001: .* not trusted; see: orcs trust/);
  });

  test("the result of an MCP tool is its content", async () => {
    const hooks = await started([
      hook(
        "tool.post_execute",
        'ctx.payload.result[1].text = "[masked]"; return orcs.inject("Be brief.")',
      ),
    ]);
    const mcp = { ...BASH, tool: "github_search" };
    const { result } = await call(hooks, {}, { content: [{ type: "text", text: "secret" }] }, mcp);
    expect(result).toEqual({
      content: [
        { type: "text", text: "[masked]" },
        { type: "text", text: "Be brief." },
      ],
    });
  });

  test("a denied result is withheld", async () => {
    const hooks = await started([hook("tool.post_execute", 'orcs.deny("secret")')]);
    const { result } = await call(hooks, {}, { output: "sk-123", metadata: { output: "sk-123" } });
    expect(result).toEqual({
      output: "denied by hook h: secret",
      metadata: { output: "denied by hook h: secret" },
    });
  });

  test("texts for the model are behind the result; metadata is shared by the hooks of a call", async () => {
    const hooks = await started([
      hook(
        "tool.pre_execute",
        'ctx.metadata.seen = ctx.payload.args.command; return orcs.inject("one")',
      ),
      { ...hook("tool.post_execute", "orcs.inject(ctx.metadata.seen)"), id: "i" },
    ]);
    const { result } = await call(hooks, { command: "ls" }, { output: "a.txt" });
    expect(result).toEqual({ output: "a.txt\n\none\n\nls" });
  });

  test("a question waits for who may answer it elsewhere", async () => {
    const { userDir } = home();
    mkdirSync(userDir, { recursive: true });
    writeFileSync(
      join(userDir, "orcs.toml"),
      `hil = { answer = ["terminal"], timeout_ms = 20000 }
[[hooks]]
id = "h"
point = "tool.pre_execute"
handler_inline = 'orcs.ask("sure?")'`,
    );
    const plugged = orcsPlugin({ logger: new Lines(), selfGuard: false });
    const hooks = await plugged({ directory: folder() });
    onTestFinished(() => hooks.dispose());
    for (const approved of [true, false]) {
      const before = hooks["tool.execute.before"](BASH, { args: { command: "ls" } });
      const done = before.then(
        () => "runs",
        (error: Error) => error.message,
      );
      const pending = new PendingQuestions();
      await vi.waitFor(() => expect(pending.list()).toHaveLength(1), 10_000);
      const [question] = pending.list();
      expect(question?.agent).toBe("opencode");
      pending.answer(question?.id ?? "", { approved, scope: "call", by: "terminal" });
      expect(await done).toMatch(approved ? /^runs$/ : /said no \(terminal\): sure\?/);
    }
  });

  test("a question is a denial, unless the configuration lets it pass", async () => {
    const asks = [hook("tool.pre_execute", 'orcs.ask("sure?")')];
    const args = { args: { command: "ls" } };
    const denies = await started(asks);
    await expect(denies["tool.execute.before"](BASH, args)).rejects.toThrow(
      "a hook returned ask, and the user cannot be asked: sure?",
    );
    const passes = await started(asks, { hosts: { ask: "pass" } });
    await passes["tool.execute.before"](BASH, args);
  });
});

describe("opencode: prompts, permissions and sessions", () => {
  test("a prompt is denied, or rewritten in the part that the user wrote", async () => {
    const denies = await started([hook("prompt.pre_submit", 'orcs.deny("not that")')]);
    const parts = () => [
      { type: "text", text: "added", synthetic: true },
      { type: "text", text: "hello" },
      { type: "file" },
    ];
    const input = { sessionID: "s1" };
    await expect(denies["chat.message"](input, { parts: parts() })).rejects.toThrow("not that");
    const rewrites = await started([
      hook(
        "prompt.pre_submit",
        'ctx.payload.prompt = ctx.payload.prompt:upper(); return orcs.inject("Be brief.")',
      ),
    ]);
    const given = parts();
    await rewrites["chat.message"](input, { parts: given });
    expect(given.map(({ text }) => text)).toEqual(["added", "HELLO\n\nBe brief.", undefined]);
  });

  test("the model is told once that hooks are not active because nobody trusts them", async () => {
    const directory = folder({
      "orcs.toml": '[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = \'orcs.deny("no")\'\n',
    });
    const hooks = await orcsPlugin({ logger: new Lines(), selfGuard: false })({ directory });
    onTestFinished(() => hooks.dispose());
    const said = async () => {
      const parts = [{ type: "text", text: "hello" }];
      await hooks["chat.message"]({ sessionID: "s1" }, { parts });
      return parts[0]?.text;
    };
    expect(await said()).toContain("not trusted");
    expect(await said()).toBe("hello");
  });

  test.each([
    ['orcs.deny("no")', "deny"],
    ["orcs.allow()", "allow"],
    ["return nil", "ask"],
    ['error("broken")', "deny"],
  ])("a permission, with %s: %s", async (code, status) => {
    const hooks = await started([hook("auth.pre_check", code)]);
    const output = { status: "ask" as const };
    await hooks["permission.ask"](
      { type: "bash", sessionID: "s1", metadata: { command: "ls" } },
      output,
    );
    expect(output).toEqual({ status });
  });

  test("a session that starts and ends", async () => {
    const log = new Lines();
    const hooks = [
      hook("session.on_start", 'orcs.log("start " .. ctx.payload.session_id)'),
      { ...hook("session.on_end", 'orcs.log("end")'), id: "i" },
    ];
    const made = await orcsPlugin({ config: { hooks }, logger: log, selfGuard: false })({
      directory: folder(),
    });
    onTestFinished(() => made.dispose());
    const event = (type: string) => ({ event: { type, properties: { info: { id: "s7" } } } });
    for (const type of ["session.created", "file.edited", "session.deleted"]) {
      await made.event(event(type));
    }
    expect(log.lines.filter((line) => line.startsWith("info"))).toEqual([
      "info: start s7",
      "info: end",
    ]);
  });
});

describe("opencode: a configuration that does not load", () => {
  test("denies calls and prompts and withholds results, until it is mended", async () => {
    const directory = folder({ "rules.toml": "[[hooks]]\npoint = 5\n" });
    const config = join(directory, "rules.toml");
    const options = { config, logger: new Lines(), selfGuard: false };
    const hooks = await orcsPlugin(options)({ directory });
    onTestFinished(() => hooks.dispose());
    const args = { command: "ls" };
    await expect(hooks["tool.execute.before"](BASH, { args })).rejects.toThrow("ORCS1015");
    await expect(
      hooks["chat.message"]({ sessionID: "s1" }, { parts: [{ type: "text", text: "x" }] }),
    ).rejects.toThrow("ORCS1015");
    const result = { output: "secret" };
    await hooks["tool.execute.after"](BASH, result);
    expect(result.output).toContain("the result is withheld");
    await hooks.event({ event: { type: "session.created" } });
    writeFileSync(config, "");
    await hooks["tool.execute.before"](BASH, { args });
  });

  test("the default export is the plugin with the discovered configuration", async () => {
    const directory = folder();
    const hooks = await plugin({ directory });
    rmSync(directory, { recursive: true });
    await hooks.dispose();
    expect(Object.keys(hooks)).toContain("tool.execute.before");
  });
});
