import { describe, expect, test, vi } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import type { ToolAnswer } from "../../../../src/core/ports.ts";
import { folder, open, openWith } from "./engine.ts";

describe("orcs.get returns a result instead of throwing", () => {
  test("the tool's result with ok = true", async () => {
    const orcs = await open({ cwd: folder({ "a.txt": "hello" }) });
    expect(await orcs.get("read", "a.txt")).toEqual({ ok: true, content: "hello", size: 5 });
    expect(await orcs.get("read", { path: "a.txt" })).toMatchObject({ ok: true });
  });

  test("a result that is not an object is under `result`", async () => {
    const orcs = await open();
    orcs.wrapTool("number", () => 5);
    orcs.wrapTool("nothing", () => undefined);
    expect(await orcs.get("number")).toEqual({ ok: true, result: 5 });
    expect(await orcs.get("nothing")).toEqual({ ok: true, result: null });
  });

  test("a denial names the hook and the reason", async () => {
    const orcs = await openWith('orcs.deny("no")');
    expect(await orcs.get("read", "a.txt")).toEqual({ ok: false, error: "denied by hook h: no" });
  });

  test("a tool that throws gives ok = false with its message", async () => {
    const orcs = await open();
    orcs.wrapTool("broken", () => {
      throw new Error("kaput");
    });
    expect(await orcs.get("broken")).toEqual({ ok: false, error: "kaput" });
  });

  test("an unknown tool gives ok = false", async () => {
    const orcs = await open();
    expect(await orcs.get("nope")).toEqual({ ok: false, error: 'unknown tool "nope"' });
  });

  test("an aborted signal gives ok = false, before or during the run", async () => {
    const orcs = await open({ cwd: folder() });
    const cancelled = {
      ok: false,
      error: "exec: the command was cancelled",
      stdout: "",
      stderr: "",
    };
    expect(await orcs.get("exec", "sleep 60", { signal: AbortSignal.abort() })).toEqual(cancelled);
    const controller = new AbortController();
    const running = orcs.get("exec", "sleep 60", { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(await running).toEqual(cancelled);
  });

  test("capabilities missing in the configuration or removed by a hook deny the call", async () => {
    const cwd = folder({ "a.txt": "hello" });
    const less = await open({ cwd, config: { permissions: { capabilities: ["WRITE"] } } });
    expect(await less.get("read", "a.txt")).toEqual({
      ok: false,
      error: "read needs the capability READ; this call has WRITE",
    });
    const narrow = await open({
      cwd,
      config: {
        permissions: { capabilities: ["READ", "WRITE"] },
        hooks: [
          {
            point: "tool.pre_execute",
            handler_inline: "ctx.payload.capabilities = ctx.payload.capabilities & ~1",
          },
        ],
      },
    });
    expect(await narrow.get("read", "a.txt")).toMatchObject({ ok: false });
  });

  test("a hook cannot add capabilities to a call", async () => {
    const orcs = await open({
      cwd: folder({ "a.txt": "hello" }),
      config: {
        permissions: { capabilities: ["WRITE"] },
        hooks: [{ point: "tool.pre_execute", handler_inline: "ctx.payload.capabilities = 127" }],
      },
    });
    expect(await orcs.get("read", "a.txt")).toMatchObject({
      ok: false,
      error: expect.stringContaining("payload.capabilities may only lose capability bits"),
    });
  });

  test("[permissions] root and env limit where tools work and which variables commands see", async () => {
    const cwd = folder({ "inner/a.txt": "hello", "outer.txt": "x" });
    vi.stubEnv("ORCS_TEST_SHOWN", "shown");
    vi.stubEnv("ORCS_TEST_HIDDEN", "hidden");
    const orcs = await open({
      cwd,
      config: { permissions: { root: "inner", env: ["ORCS_TEST_SHOWN"] } },
    });
    expect(await orcs.get("read", "a.txt")).toMatchObject({ ok: true });
    expect(await orcs.get("read", "../outer.txt")).toMatchObject({ ok: false });
    expect(await orcs.get("exec", "echo $ORCS_TEST_SHOWN$ORCS_TEST_HIDDEN")).toMatchObject({
      stdout: "shown\n",
    });
  });
});

describe("orcs.get in a script returns tool errors instead of raising them", () => {
  const binary = new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1]);
  const mistakes: [string, string, Json, RegExp][] = [
    ["an argument that leaves the sandbox", "read", "/etc/passwd", /outside the sandbox root/],
    ["one that climbs out", "write", { path: "../x", content: "" }, /outside the sandbox root/],
    ["one that is moved out", "mv", { from: "a.txt", to: "/tmp/x" }, /outside the sandbox root/],
    ["a directory to run in outside", "exec", { command: "ls", cwd: "/" }, /outside the sandbox/],
    ["a link that leads out", "read", "link", /outside the sandbox root/],
    ["a missing file", "read", "nothing.txt", /no such file or directory/],
    ["a missing directory", "scan_dir", "nothing", /no such file or directory/],
    ["a directory where a file is wanted", "read", "sub", /it is a directory/],
    ["a binary file", "read", "binary", /it is a binary file/],
    ["output above the limit", "exec", "yes", /stdout is over the limit of 1048576 bytes/],
    ["a command that fails", "exec", "exit 3", /exited with code 3/],
    ["a pattern that is not valid", "grep", { pattern: "(", path: "." }, /not valid/],
    ["an argument that is missing", "grep", { pattern: "x" }, /argument "path" is missing/],
    ["an unknown argument", "read", { pth: "a.txt" }, /did you mean path\?/],
    ["an argument of another type", "read", { path: 5 }, /expected a path/],
    ["a URL that is none", "http", "file:///etc/passwd", /is not http: or https:/],
    ["a tool that is not there", "nope", {}, /unknown tool "nope"/],
  ];

  test("for each kind of tool error", async () => {
    const cwd = folder({
      "a.txt": "hello",
      binary,
      "sub/b.txt": "",
      "agent.lua": `
        local calls = orcs.json_decode(orcs.read("calls.json").content)
        local answers = {}
        for i, call in ipairs(calls) do answers[i] = orcs.get(call.tool, call.arg) end
        return answers
      `,
      "calls.json": JSON.stringify(mistakes.map(([, tool, arg]) => ({ tool, arg }))),
    });
    const { symlinkSync } = await import("node:fs");
    symlinkSync("/etc/passwd", `${cwd}/link`);
    const orcs = await open({ cwd });
    const answers = (await orcs.run("agent.lua")) as unknown as ToolAnswer[];
    expect(answers).toHaveLength(mistakes.length);
    for (const [i, [name, , , message]] of mistakes.entries())
      expect(answers[i], name).toMatchObject({ ok: false, error: expect.stringMatching(message) });
  });
});
