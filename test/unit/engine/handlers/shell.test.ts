import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProtocolName } from "../../../../src/core/hosts.ts";
import { PROTOCOL_FAILURES } from "../../../../src/formats/handler-protocol.ts";
import { HANDLER_PROTOCOLS } from "../../../../src/formats/handler-protocols.ts";
import { ProcessSet } from "../../../../src/machine/spawn/processes.ts";
import { bench, hook } from "../registry/hooks.ts";
import { PATH, runShell, shell } from "./shell-rig.ts";

/** Milliseconds, roomy for a machine under load; what would go wrong otherwise takes a minute. */
const PROMPT = 10_000;

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-shell-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A script of the test's own, and how to call it. */
function script(text: string, mode = 0o755): string {
  const file = join(dir, "script.sh");
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, mode);
  return file;
}
const saved = (name: string): string => readFileSync(join(dir, name), "utf8");
async function timed<T>(run: () => Promise<T>): Promise<[T, number]> {
  const started = performance.now();
  return [await run(), performance.now() - started];
}
/** Whether a process is running; a zombie is not. */
function alive(pid: number): boolean {
  try {
    return !/^\S+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
async function dead(pid: number): Promise<boolean> {
  for (let i = 0; i < 1000 && alive(pid); i++) await sleep(10);
  return !alive(pid);
}

describe("a shell handler's input", () => {
  it("has the context on stdin", async () => {
    await runShell("cat > told", { cwd: dir });
    expect(JSON.parse(saved("told"))).toEqual({
      hook_point: "tool.pre_execute",
      component_id: "host::main",
      channel_id: "main",
      principal: { type: "Host", id: "main" },
      timestamp_ms: 0,
      payload: { tool_name: "exec", tool: "exec", args: { command: "ls" } },
      metadata: {},
    });
  });

  it("has an empty stdin with pass_context = false", async () => {
    await runShell("wc -c > told", { cwd: dir, passContext: false });
    expect(saved("told").trim()).toBe("0");
  });

  it("runs it in the payload's cwd, relative to its own directory", async () => {
    mkdirSync(join(dir, "sub"));
    for (const cwd of [join(dir, "sub"), "sub", "./sub/."]) {
      await runShell(
        `pwd -P > '${dir}/where'`,
        { cwd: dir },
        {},
        { tool_name: "exec", args: {}, cwd },
      );
      expect(saved("where")).toBe(`${join(dir, "sub")}\n`);
    }
  });

  it.each(["/no/such/dir", "a file", "", "a\0b"])(
    "runs it in its own directory if the payload's cwd is %j",
    async (cwd) => {
      writeFileSync(join(dir, "a file"), "");
      await runShell("pwd -P > where", { cwd: dir }, {}, { tool_name: "exec", args: {}, cwd });
      expect(saved("where")).toBe(`${dir}\n`);
    },
  );

  it.skipIf(process.getuid?.() === 0)(
    "runs it in its own directory if the payload's cwd is not accessible",
    async () => {
      mkdirSync(join(dir, "locked"), { mode: 0 });
      const payload = { tool_name: "exec", args: {}, cwd: "locked" };
      await runShell("pwd -P > where", { cwd: dir }, {}, payload);
      expect(saved("where")).toBe(`${dir}\n`);
    },
  );

  it("H1: has the default variables and those that the hook lists, no others", async () => {
    process.env["ORCS_TEST_SECRET"] = "s3cret-of-the-process";
    const environment = {
      PATH,
      HOME: "/home/dev",
      LANG: "C",
      API_KEY: "s3cret",
      WANTED: "yes",
      TMPDIR: "/tmp",
    };
    await runShell("env > env", {
      cwd: dir,
      environment: { variables: environment },
      env: ["WANTED", "MISSING", "constructor"],
    });
    delete process.env["ORCS_TEST_SECRET"];
    const names = saved("env")
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    // A shell adds some of its own.
    const own = ["PWD", "OLDPWD", "SHLVL", "_"];
    const given = new Set(names.filter((name) => !own.includes(name ?? "")));
    expect(given).toEqual(
      new Set(["HOME", "LANG", "ORCS_CONFIG_DIR", "ORCS_DIR", "PATH", "WANTED"]),
    );
    expect(saved("env")).not.toContain("s3cret");
  });

  it("has the protocol's variables, overridden by the hook's own", async () => {
    const words = {
      cwd: dir,
      protocol: HANDLER_PROTOCOLS.cocode,
      environment: { variables: { PATH, HOOK_EVENT: "mine" } },
    };
    await runShell('echo "$HOOK_EVENT $HOOK_TOOL_NAME" > env', words);
    expect(saved("env")).toBe("PreToolUse exec\n");
    await runShell('echo "$HOOK_EVENT" > env', { ...words, env: ["HOOK_EVENT"] });
    expect(saved("env")).toBe("mine\n");
  });

  it.each([
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "\n touch pwned\n",
    "a\0b\u2028\\",
    "--\n{}",
  ])("H2: a payload is never executed: %j", async (text) => {
    const words = { cwd: dir, protocol: HANDLER_PROTOCOLS.orcs };
    const payload = { tool_name: "exec", args: { command: text, [text]: [text] } };
    const { outcome } = await runShell("cat", words, {}, payload);
    expect(existsSync(join(dir, "pwned"))).toBe(false);
    expect(outcome.action).toBe("continue");
    expect(outcome.ctx.payload["args"]).toEqual(payload.args);
  });

  it("H2: a tool name in the environment is never executed", async () => {
    const name = "x$(touch pwned)';`touch pwned`\n";
    const words = { cwd: dir, protocol: HANDLER_PROTOCOLS.cocode };
    await runShell('printf %s "$HOOK_TOOL_NAME" > name', words, {}, { tool_name: name, args: {} });
    expect(saved("name")).toBe(name);
    expect(existsSync(join(dir, "pwned"))).toBe(false);
  });

  it("denies a tool name that no variable can hold", async () => {
    const words = { cwd: dir, protocol: HANDLER_PROTOCOLS.cocode };
    const { outcome, status } = await runShell("true", words, {}, { tool_name: "a\0b", args: {} });
    expect([status, outcome.action]).toEqual(["failed", "abort"]);
  });

  const cycle: Record<string, unknown> = {};
  cycle["again"] = cycle;
  const hostile: [string, Record<string, unknown>][] = [
    ["a cycle", cycle],
    [
      "a getter that throws",
      Object.defineProperty({}, "x", {
        enumerable: true,
        get: () => {
          throw new Error("boom");
        },
      }),
    ],
    [
      "a depth beyond the limit",
      { deep: JSON.parse("[".repeat(100) + "]".repeat(100)) as unknown },
    ],
  ];
  it.each(hostile)("fails for %s in the payload without running anything", async (_, args) => {
    for (const protocol of Object.values(HANDLER_PROTOCOLS)) {
      const words = { cwd: dir, protocol };
      const ran = await runShell("touch ran", words, {}, { tool_name: "exec", args });
      expect([ran.status, ran.outcome.action]).toEqual(["failed", "abort"]);
      expect(existsSync(join(dir, "ran"))).toBe(false);
    }
  });

  class Point {
    readonly x = 1;
    get y(): never {
      throw new Error("not asked");
    }
  }
  it.each<[string, unknown, unknown]>([
    ["a BigInt", 1n, "1"],
    ["a function", { toJSON: () => ({ harmless: true }) }, { toJSON: null }],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an instance", new Point(), { x: 1 }],
    ["NaN", NaN, null],
  ])("has %s in the payload as hooks read it, in every protocol", async (_, value, read) => {
    for (const protocol of Object.values(HANDLER_PROTOCOLS)) {
      const words = { cwd: dir, protocol };
      const payload = { tool_name: "exec", args: { deep: value } };
      expect((await runShell("cat > told", words, {}, payload)).status).toBe("ran");
      const told: unknown[] = [];
      JSON.parse(saved("told"), (key, each: unknown) => {
        if (key === "deep") told.push(each);
        return each;
      });
      expect(told.length).toBeGreaterThan(0);
      for (const each of told) expect(each).toEqual(read);
    }
  });

  it("is not affected when the caller changes its objects meanwhile", async () => {
    const args = { command: "ls" };
    const { registry } = bench();
    registry.register(hook(shell("sleep 0.2; cat"), { point: "tool.pre_execute" }));
    const waiting = registry.dispatch("tool.pre_execute", { tool_name: "exec", args });
    args.command = "changed by the host";
    const outcome = await waiting;
    expect(outcome.action).toBe("continue");
    expect(outcome.ctx.payload.args).toEqual({ command: "changed by the host" });
  });
});

describe("a shell handler's end", () => {
  it.each([
    ["exit 0", "continue", undefined],
    ["exit 1", "abort", /exited with code 1$/],
    ["echo why >&2; exit 3", "abort", /exited with code 3: why$/],
    ["exit 137", "abort", /killed by signal 9$/],
    ["true; sh -c 'kill -9 $$'", "abort", /killed by signal 9$/],
    ["kill -9 $$", "abort", /killed by SIGKILL$/],
    ["kill -TERM $$", "abort", /killed by SIGTERM$/],
    ["/no/such/program", "abort", /exited with code 127: .*not found/],
    ["if", "abort", /exited with code 2|syntax error|end of file/i],
    ["echo no >&2; exit 2", "abort", /^no$/],
    [`echo '{"action":"abort","reas'`, "abort", /output is not JSON/],
  ] as const)("H5: %s", async (command, action, reason) => {
    const { outcome } = await runShell(command);
    expect(outcome.action).toBe(action);
    if (reason) expect(outcome.action === "abort" && outcome.reason).toMatch(reason);
  });

  it("H5: a script that is not executable or has no interpreter fails", async () => {
    const locked = await runShell(script("exit 0", 0o644));
    expect(locked.errors[0]).toMatch(/exited with code 126/);
    writeFileSync(join(dir, "odd.sh"), "#!/no/such/interpreter\n", { mode: 0o755 });
    const odd = await runShell(join(dir, "odd.sh"));
    expect(odd.errors[0]).toMatch(/exited with code 12[67]/);
    expect([locked.outcome.action, odd.outcome.action]).toEqual(["abort", "abort"]);
  });

  const unstartable: [keyof typeof HANDLER_PROTOCOLS, string, string][] = [
    ["orcs", "abort", "continue"],
    ["claude-code", "continue", "continue"],
    ["cocode", "abort", "continue"],
    ["massgen", "abort", "continue"],
  ];
  it.each(unstartable)(
    "when it cannot start, %s returns %s before and %s after the operation",
    async (name, pre, post) => {
      const words = { protocol: HANDLER_PROTOCOLS[name], cwd: join(dir, "gone") };
      const before = await runShell("true", words);
      const after = await runShell("true", words, { point: "tool.post_execute" });
      expect([before.status, after.status]).toEqual(["failed", "failed"]);
      expect([before.outcome.action, after.outcome.action]).toEqual([pre, post]);
      expect(before.errors[0]).toMatch(/could not be started: .*ENOENT/);
      // The hook's own word goes before the protocol's.
      const closed = await runShell("true", words, { onError: "closed" });
      const open = await runShell("true", words, { onError: "open" });
      expect([closed.outcome.action, open.outcome.action]).toEqual(["abort", "continue"]);
    },
  );

  it("at a timeout, its protocol decides, and on_timeout before it", async () => {
    const late = async (name: keyof typeof HANDLER_PROTOCOLS, onTimeout?: "closed") => {
      const words = { protocol: HANDLER_PROTOCOLS[name] };
      const hookWords = { timeoutMs: 200, ...(onTimeout && { onTimeout }) };
      const { status, outcome } = await runShell("sleep 60", words, hookWords);
      return `${status} ${outcome.action}`;
    };
    const names = ["orcs", "claude-code", "cocode", "massgen"] as const;
    const ran = await Promise.all(names.map((name) => late(name)));
    expect(ran).toEqual(["abort", "continue", "continue", "continue"].map((x) => `timed_out ${x}`));
    const closed = await Promise.all(names.map((name) => late(name, "closed")));
    expect(closed).toEqual(names.map(() => "timed_out abort"));
  });

  it("H4: it is killed at its timeout despite traps", async () => {
    const command = `trap '' TERM HUP INT; echo $$ > '${dir}/pid'; while :; do sleep 1; done`;
    const [ran, ms] = await timed(() => runShell(command, {}, { timeoutMs: 500 }));
    expect(ran.status).toBe("timed_out");
    expect(ms).toBeLessThan(PROMPT);
    expect(await dead(Number(saved("pid")))).toBe(true);
  });

  it("H3: it ends at its timeout although a grandchild keeps its output open", async () => {
    const command = `sleep 60 & echo $! > '${dir}/pid'; sleep 60`;
    const [ran, ms] = await timed(() => runShell(command, {}, { timeoutMs: 500 }));
    expect(ran.status).toBe("timed_out");
    expect(ms).toBeLessThan(PROMPT);
    expect(await dead(Number(saved("pid")))).toBe(true);
  });

  it("a daemon that it leaves behind is killed, and its result counts", async () => {
    const answer = `{"action":"abort","reason":"no"}`;
    const command = `sleep 60 & echo $! > '${dir}/pid'; echo '${answer}'`;
    const [ran, ms] = await timed(() => runShell(command));
    expect(ran.outcome).toMatchObject({ action: "abort", reason: "no" });
    expect(ms).toBeLessThan(PROMPT);
    expect(await dead(Number(saved("pid")))).toBe(true);
  });

  it.each(["exec <&-; sleep 0.1", "true", "head -c 1 > /dev/null"])(
    "H8: it may close stdin early: %s",
    async (command) => {
      const payload = { tool_name: "exec", args: { text: "x".repeat(2_000_000) } };
      const ran = await runShell(command, {}, {}, payload);
      expect([ran.status, ran.outcome.action]).toEqual(["ran", "continue"]);
    },
  );

  it.each(["stdout", "stderr"] as const)(
    "it is killed when its %s exceeds the limit",
    async (stream) => {
      const to = stream === "stderr" ? " >&2" : "";
      const command = `echo $$ > '${dir}/pid'; head -c 100000000 /dev/zero${to}; sleep 60`;
      for (const protocol of Object.values(HANDLER_PROTOCOLS)) {
        const [ran, ms] = await timed(() =>
          runShell(command, { protocol, maxOutputBytes: 10_000 }),
        );
        expect([ran.status, ran.outcome.action]).toEqual(["failed", "abort"]);
        expect(ran.errors[0]).toContain(`its ${stream} is over the limit of 10000 bytes`);
        expect(ms).toBeLessThan(PROMPT);
        expect(await dead(Number(saved("pid")))).toBe(true);
      }
    },
  );

  describe.each(Object.keys(PROTOCOL_FAILURES) as ProtocolName[])("with %s", (name) => {
    const protocol = HANDLER_PROTOCOLS[name];
    const usual = PROTOCOL_FAILURES[name].answer === "open" ? "continue" : "abort";

    it.each([
      ['{"continue":true}{"continue":true}', usual],
      ['{"continue":true}\n{"continue":true}', usual],
      ['{"decision":"block","reason":"x', usual],
      // Meant as a denial.
      ['{"decision":"refuse"}', ["codex", "copilot", "cocode"].includes(name) ? usual : "abort"],
    ])("%j is no response: %s, unless on_error says otherwise", async (text, action) => {
      const print = `printf '%s' '${text}'`;
      expect((await runShell(print, { protocol })).outcome.action).toBe(action);
      const { status, outcome } = await runShell(print, { protocol }, { onError: "closed" });
      // cocode reads any other output as continue.
      expect(outcome.action).toBe(status === "failed" ? "abort" : "continue");
      const open = await runShell(print, { protocol }, { onError: "open" });
      expect(open.outcome.action).toBe("continue");
    });
  });

  it("it fails only if its result is not UTF-8", async () => {
    for (const protocol of Object.values(HANDLER_PROTOCOLS)) {
      const ran = await runShell(String.raw`printf '{"reason":"\377"}'`, { protocol });
      const action = protocol.fails.answer === "open" ? "continue" : "abort";
      expect([ran.status, ran.outcome.action]).toEqual(["failed", action]);
      expect(ran.errors[0]).toContain("not valid UTF-8");
      const ignored = await runShell(String.raw`printf '\377'`, { protocol, parseResult: false });
      expect([ignored.status, ignored.outcome.action]).toEqual(["ran", "continue"]);
    }
    const refused = await runShell(String.raw`printf '\377'; printf 'n\377o' >&2; exit 2`);
    expect(refused.outcome).toMatchObject({ action: "abort", reason: "n\ufffdo" });
  });

  it("it is killed when the engine closes", async () => {
    const processes = new ProcessSet();
    const waiting = runShell(`echo $$ > '${dir}/pid'; sleep 60`, { processes });
    while (!existsSync(join(dir, "pid")) || saved("pid") === "") await sleep(10);
    processes.close();
    const ran = await waiting;
    expect([ran.status, ran.outcome.action]).toEqual(["failed", "abort"]);
    expect(await dead(Number(saved("pid")))).toBe(true);
    expect((await runShell("true", { processes })).status).toBe("failed");
  });

  it("edits apply; a failed handler's edits do not, and the next hook runs", async () => {
    const { registry } = bench({ trace: true });
    const words = { point: "tool.pre_execute", onError: "open" } as const;
    registry.register(hook(shell("sed 's/ls/rm/'; exit 1"), { ...words, id: "a" }));
    registry.register(hook(shell("sed 's/ls/pwd/'"), { ...words, id: "b" }));
    registry.register(hook(shell("sed 's/main/other/'"), { ...words, id: "c" }));
    const outcome = await registry.dispatch("tool.pre_execute", {
      tool_name: "exec",
      args: { command: "ls", cwd: "." },
    });
    expect(outcome.trace?.map(({ status, changed = [] }) => [status, ...changed])).toEqual([
      ["failed"],
      ["ran", "/payload/args/command"],
      ["failed"],
    ]);
    expect(outcome.ctx.payload.args).toEqual({ command: "pwd", cwd: "." });
  });
});
