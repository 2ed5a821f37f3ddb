import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, vi } from "vitest";
import { quickTest as test, repeatedTest, shareOf } from "../../../slow-test.ts";
import { PROTOCOL_NAMES } from "../../../../src/core/hosts.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import { Servers } from "../handlers/webhook-rig.ts";
import { call, errorOf, folder, Lines, open, isRunning } from "./engine.ts";

/** Configurations whose hooks run outside of Lua, through the whole engine: real processes and requests. */

const servers = new Servers();
afterEach(() => servers.close());

const PRE = "tool.pre_execute";

/** An engine with an `orcs.toml` and other files; scripts may be run. */
async function load(
  toml: string,
  files: Record<string, string> = {},
  options: CreateOrcsOptions = {},
) {
  const cwd = folder({ "orcs.toml": toml, ...files });
  for (const name of Object.keys(files))
    if (name.endsWith(".sh")) chmodSync(join(cwd, name), 0o755);
  const logger = new Lines();
  const orcs = await open({ cwd, config: "orcs.toml", logger, ...options });
  return { orcs, logger, cwd };
}

/** One `[[hooks]]` at `tool.pre_execute`. */
const hook = (lines: string): string => `[[hooks]]\npoint = "${PRE}"\n${lines}\n`;
const text = (...path: string[]): string => readFileSync(join(...path), "utf8");

/** The process id that a command writes to a file, once it is there. */
function pidIn(file: string): Promise<number> {
  return vi.waitFor(
    () => {
      const found = readFileSync(file, "utf8");
      expect(found).toMatch(/^\d+\n$/);
      return Number(found);
    },
    { timeout: 10_000 },
  );
}

describe("a chain of Lua, module, shell and webhook handlers", () => {
  const trail = (ctx: { payload: Record<string, unknown> }): { trail: string } =>
    ctx.payload["args"] as { trail: string };

  /** A hook of each kind that adds its name to the trail, with priorities from `first` on. */
  async function mixed(priority: (n: number) => number) {
    const server = await servers.http((response, nth) => {
      const { payload } = JSON.parse(server.got[nth - 1]?.body ?? "") as {
        payload: { args: { trail: string } };
      };
      payload.args.trail += ">webhook";
      response.end(JSON.stringify({ action: "continue", ctx: { payload } }));
    });
    const sed = `sed 's/"trail":"\\([^"]*\\)"/"trail":"\\1>NAME"/'`;
    const lines = [
      `handler_inline = 'ctx.payload.args.trail = ctx.payload.args.trail .. ">inline"'`,
      `shell = """${sed.replace("NAME", "shell").replaceAll("\\", "\\\\")}"""`,
      `module = "./hook.mjs"`,
      `script = "trail.lua"`,
      `webhook = { url = "${server.url}", allow_hosts = ["${server.host}"] }`,
      `type = "command"\nhandler = "./massgen.sh"`,
    ];
    const toml = lines.map((line, n) => hook(`priority = ${priority(n)}\n${line}`)).join("");
    const { orcs } = await load(toml, {
      "hook.mjs": `export default (ctx) => { ctx.payload.args.trail += ">module"; };`,
      "hooks/trail.lua": `return function(ctx) ctx.payload.args.trail = ctx.payload.args.trail .. ">script" end`,
      "massgen.sh": `#!/bin/sh\nprintf '{"updated_input":{"trail":"%s>massgen"}}' "$(sed 's/.*"trail":"\\([^"]*\\)".*/\\1/')"\n`,
    });
    orcs.hook({
      point: PRE,
      priority: priority(lines.length),
      handler: (ctx) => void (trail(ctx).trail += ">code"),
    });
    return orcs;
  }
  const NAMES = ["inline", "shell", "module", "script", "webhook", "massgen", "code"];

  test("runs by priority, and each handler sees the changes of those before it", async () => {
    const up = await mixed((n) => 10 * n);
    const { ctx } = await up.dispatch(PRE, call("t", { trail: "" }));
    expect(trail(ctx).trail).toBe(NAMES.map((name) => `>${name}`).join(""));
    const down = await mixed((n) => -10 * n);
    const reversed = await down.dispatch(PRE, call("t", { trail: "" }));
    expect(trail(reversed.ctx).trail).toBe(
      NAMES.toReversed()
        .map((name) => `>${name}`)
        .join(""),
    );
  });

  test("with equal priority runs in file order, whatever loads first", async () => {
    const orcs = await mixed(() => 100);
    const { ctx } = await orcs.dispatch(PRE, call("t", { trail: "" }));
    expect(trail(ctx).trail).toBe(NAMES.map((name) => `>${name}`).join(""));
  });

  test("passes metadata through all handlers", async () => {
    const { orcs } = await load(
      hook(`shell = """echo '{"action":"continue","ctx":{"metadata":{"by":["shell"]}}}'"""`) +
        hook(`handler_inline = 'table.insert(ctx.metadata.by, "lua")'`) +
        hook(`module = "./m.mjs"`),
      { "m.mjs": `export default (ctx) => { ctx.metadata.by.push("module"); };` },
    );
    const { ctx } = await orcs.dispatch(PRE, call("t"));
    expect(ctx.metadata).toEqual({ by: ["shell", "lua", "module"] });
  });
});

describe("matchers on handlers outside the process", () => {
  test("decide whether a command runs", async () => {
    const lines = [`tool = "Bash"`, `path = "src/**"`, `command = "^git push"`, `session = "s-1"`];
    const toml = lines.map((line, n) => hook(`match = { ${line} }\nshell = "echo ${n} >> ran"`));
    const { orcs, cwd } = await load(toml.join(""));
    const calls = [
      call("Bash", { command: "ls" }),
      call("Read", { path: "src/a/b.ts" }),
      call("exec", { command: "git push --force" }),
      { ...call("Other"), session_id: "s-1" },
      call("Other", { path: "lib/a.ts", command: "echo git push" }),
    ];
    for (const payload of calls) await orcs.dispatch(PRE, payload);
    expect(text(cwd, "ran")).toBe("0\n1\n2\n3\n");
  });
});

describe("a shell guard", () => {
  test("denies a tool: the tool does not run, and the error names the hook and reason", async () => {
    const guard = `id = "guard"\nmatch = { tool = "deploy" }\nshell = "echo not on Fridays >&2; exit 2"`;
    const { orcs } = await load(hook(guard));
    const run = vi.fn<() => string>(() => "deployed");
    const deploy = orcs.wrapTool("deploy", run);
    const error = await errorOf(deploy());
    expect(error.code).toBe("ORCS2001");
    expect(error.fields).toMatchObject({ hook: "guard", reason: "not on Fridays" });
    expect(await orcs.get("deploy")).toMatchObject({
      ok: false,
      error: "denied by hook guard: not on Fridays",
    });
    expect(run).not.toHaveBeenCalled();
  });
});

describe("a shell command that names a script beside orcs.toml", () => {
  const REFUSE = `#!/bin/sh\necho "$1 beside" >&2; exit 2\n`;
  /** What stands in the directory that the payload names must not be taken for it. */
  const impostor = () => {
    const cwd = folder({ "check.sh": "#!/bin/sh\nexit 0\n", "my checks/it's.sh": "exit 0\n" });
    chmodSync(join(cwd, "check.sh"), 0o755);
    chmodSync(join(cwd, "my checks/it's.sh"), 0o755);
    return cwd;
  };

  test("runs that script, however its name is written", async () => {
    const reasons: Record<string, string | undefined> = {
      "./check.sh": "beside",
      "./check.sh strict": "strict beside",
      "  ./check.sh strict": "strict beside",
      "./check.sh strict; exit 0": undefined,
      "'./check.sh' strict": "strict beside",
      '"./check.sh" strict': "strict beside",
      [`"./my checks/it's.sh" strict`]: "strict beside",
      "./my\\ checks/it\\'s.sh strict": "strict beside",
      [`./my" "checks/it"'"s.sh strict`]: "strict beside",
      "NAME=check; ./$NAME.sh strict": undefined,
      "../rules/check.sh up": "up beside",
    };
    const commands = Object.keys(reasons);
    const toml = commands.map((command, n) =>
      hook(`match = { tool = "t${n}" }\nshell = ${JSON.stringify(command)}`),
    );
    const cwd = folder({
      "rules/orcs.toml": toml.join(""),
      "rules/check.sh": REFUSE,
      "rules/my checks/it's.sh": REFUSE,
    });
    chmodSync(join(cwd, "rules/check.sh"), 0o755);
    chmodSync(join(cwd, "rules/my checks/it's.sh"), 0o755);
    const orcs = await open({ cwd, config: "rules/orcs.toml" });
    const seen: Record<string, string | undefined> = {};
    const from = impostor();
    for (const [n, command] of commands.entries()) {
      const outcome = await orcs.dispatch(PRE, { ...call(`t${n}`), cwd: from });
      seen[command] = outcome.action === "abort" ? outcome.reason : undefined;
    }
    expect(seen).toEqual(reasons);
  });

  test("keeps the directory's slash when the shell expands the rest of the name", async () => {
    const cwd = folder({
      "orcs.toml": hook(`shell = './checks/"$HOOK_TOOL_NAME".sh'`).replace(
        /shell = (.*)/,
        "shell = { command = $1, protocol = 'cocode' }",
      ),
      "checks/deploy.sh": "#!/bin/sh\necho found >&2; exit 1\n",
    });
    chmodSync(join(cwd, "checks/deploy.sh"), 0o755);
    const orcs = await open({ cwd, config: "orcs.toml" });
    expect(await orcs.dispatch(PRE, call("deploy"))).toMatchObject({
      reason: "Hook failed: found",
    });
  });

  test("runs in the payload's cwd, else in the tools' root", async () => {
    const { orcs, cwd } = await load(hook(`shell = "./where.sh"`), {
      "where.sh": '#!/bin/sh\npwd -P >> "$(dirname "$0")/where"\n',
    });
    const other = folder();
    await orcs.dispatch(PRE, call("t"));
    await orcs.dispatch(PRE, { ...call("t"), cwd: other });
    expect(text(cwd, "where")).toBe(`${cwd}\n${other}\n`);
  });
});

describe("a module handler", () => {
  const MODULE = `
    export default (ctx) => ({ action: "abort", reason: "default of " + ctx.hook_point });
    export const named = async () => { throw new Error("boom"); };
    export function calls(ctx, orcs) {
      return orcs.get("echo", { depth: ctx.depth }).then(({ depth }) => ({ inject: String(depth) }));
    }
    export const list = [];
    export class Guard {}
  `;

  test.each([
    ["./m.mjs", "default of tool.pre_execute"],
    ["m.mjs#default", "default of tool.pre_execute"],
    ["./m.mjs#named", "hook h failed: m.mjs:3: boom"],
    ["./m.mjs#Guard", /^hook h failed: .*Guard/],
  ])("%s: %s", async (spec, reason) => {
    const { orcs } = await load(hook(`id = "h"\nmodule = "${spec}"`), { "m.mjs": MODULE });
    const outcome = await orcs.dispatch(PRE, call("t"));
    expect(outcome.action === "abort" && outcome.reason).toMatch(reason);
  });

  test("gets the call-bound functions, like hooks in code", async () => {
    const match = `match = { tool = "asks" }`;
    const { orcs } = await load(hook(`${match}\nmodule = "./m.mjs#calls"`), { "m.mjs": MODULE });
    orcs.addTool("echo", (args, { ctx }) => ({ ok: true, ...args, depth: ctx.depth }));
    expect((await orcs.dispatch(PRE, call("asks"))).inject).toEqual(["1"]);
  });

  test("may have a path with spaces and characters that are special in TOML", async () => {
    const name = "my 'own' [hooks]/a b.mjs";
    const { orcs } = await load(hook(`module = "./${name}"`), { [name]: MODULE });
    expect((await orcs.dispatch(PRE, call("t"))).action).toBe("abort");
  });

  test.each([
    ["throws at once", `export default () => {\n  null.x;\n};`, "m.mjs:2: Cannot read"],
    [
      "fails later",
      `import { readFile } from "node:fs/promises";\nexport default async () => {\n  await readFile("/nope");\n};`,
      "m.mjs:3: ENOENT",
    ],
    ["throws a text", `export default () => {\n  throw "text";\n};`, "h failed: text"],
  ])("that %s fails with its line", async (_, module, message) => {
    const { orcs } = await load(hook(`id = "h"\nmodule = "./m.mjs"`), { "m.mjs": module });
    expect(await orcs.dispatch(PRE, call("t"))).toMatchObject({
      action: "abort",
      reason: expect.stringContaining(message) as string,
    });
  });

  test("load errors of all modules are reported together, each with its hook's position", async () => {
    const specs = [
      "./m.mjs#name",
      "./m.mjs#list",
      "./throws.mjs",
      "./syntax.mjs",
      "./needs.mjs",
      "./none.mjs",
      "./m.mjs#toString",
      "./m.mjs#named",
    ];
    const loading = load(
      specs.map((spec) => hook(`module = "${spec}"`)).join("") +
        hook('handler_inline = "return ("'),
      {
        "m.mjs": MODULE,
        "throws.mjs": `throw new Error("on import")`,
        "syntax.mjs": "export default (",
        "needs.mjs": `import "./not-there.mjs"; export default () => {};`,
        "none.mjs": "export const other = 1;",
      },
    );
    const { code, message, diagnostics } = await errorOf(loading);
    expect(code).toBe("ORCS1015");
    expect(message).toContain("8 errors");
    const modules = diagnostics.filter((mistake) => mistake.code === "ORCS1018");
    expect(modules.map(({ place }) => [place?.file, place?.line])).toEqual(
      [1, 4, 7, 10, 13, 16, 19].map((line) => ["orcs.toml", line]),
    );
    expect(modules.map((mistake) => mistake.message)).toEqual([
      expect.stringMatching(/m\.mjs has no export name; did you mean named\?$/),
      expect.stringMatching(/m\.mjs has no function list$/),
      expect.stringMatching(/throws\.mjs cannot be loaded: on import$/),
      expect.stringMatching(/syntax\.mjs cannot be loaded: ./),
      expect.stringMatching(/needs\.mjs cannot be loaded: .*not-there/),
      expect.stringMatching(/none\.mjs has no export default/),
      expect.stringMatching(/m\.mjs has no export toString/),
    ]);
    const lua = diagnostics.filter((mistake) => mistake.code !== "ORCS1018");
    expect(lua).toMatchObject([{ place: { file: "orcs.toml" } }]);
  });
});

describe("the trace of a caller", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const named = { tool_name: "exec", args: {} };

  test("is handed on to commands and webhooks, as it is", async () => {
    const server = await servers.http((response) =>
      response.end(JSON.stringify({ action: "continue" })),
    );
    const at = `url = "${server.url}", allow_hosts = ["${server.host}"]`;
    const { orcs, cwd } = await load(
      hook(`shell = 'printf "%s|%s;" "$TRACEPARENT" "$TRACESTATE" >> told'`) +
        hook(`webhook = { ${at} }`) +
        hook(`webhook = { ${at}, headers = { Traceparent = "own" } }`),
    );
    await orcs.dispatch(PRE, named, { traceparent, tracestate: "a=b" });
    await orcs.dispatch(PRE, named, { traceparent: "nonsense", tracestate: "a=b" });
    await orcs.dispatch(PRE, named);
    expect(text(cwd, "told")).toBe(`${traceparent}|a=b;|;|;`);
    const sent = server.got.map(({ headers }) => [headers["traceparent"], headers["tracestate"]]);
    expect(sent).toEqual([
      [traceparent, "a=b"],
      ["own", undefined],
      [undefined, undefined],
      ["own", undefined],
      [undefined, undefined],
      ["own", undefined],
    ]);
  });

  test("of the engine's own environment is not handed on by itself", async () => {
    vi.stubEnv("TRACEPARENT", traceparent);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { orcs, cwd } = await load(hook(`shell = 'printf "%s" "$TRACEPARENT" > told'`));
    await orcs.dispatch(PRE, named);
    expect(text(cwd, "told")).toBe("");
  });
});

test("an invalid webhook is reported with its position, and no secret is in the message", async () => {
  vi.stubEnv("SET_TOKEN", "s3cret-12345");
  vi.stubEnv("EMPTY_TOKEN", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const header = (name: string, allow = name): string =>
    `webhook = { url = "https://example.com", headers = { A = "\${${name}}" }, allow_env = ["${allow}"] }`;
  const lines = [
    header("UNSET_TOKEN"),
    header("EMPTY_TOKEN"),
    header("SET_TOKEN", "OTHER"),
    `webhook = { url = "ftp://example.com" }`,
    `webhook = { url = "https://u:p@example.com" }`,
    `webhook = { url = "https://\${SET_TOKEN}.com", allow_env = ["SET_TOKEN"] }`,
    `webhook = { url = "https://example.com", headers = { Host = "x" } }`,
    `webhook = { url = "https://example.com", headers = { A = "1", a = "2" } }`,
  ];
  const { diagnostics, message } = await errorOf(load(lines.map(hook).join("")));
  const codes = [...Array<string>(3).fill("ORCS1019"), ...Array<string>(4).fill("ORCS1004")];
  expect(diagnostics.map(({ code, place }) => [code, place?.line])).toEqual(
    [...codes, "ORCS1017"].map((code, n) => [code, 3 * n + 1]),
  );
  for (const name of ["UNSET_TOKEN is not set", "EMPTY_TOKEN is not set", "SET_TOKEN} is not"])
    expect(message).toContain(name);
  expect(message).not.toContain("s3cret");
});

describe("closing the engine with handlers outside the process", () => {
  test("kills a running command with its child processes, and denies the operation", async () => {
    const command = "sleep 300 & echo $! > child; echo $$ > parent; trap '' TERM; wait; sleep 300";
    const { orcs, cwd } = await load(hook(`shell = ${JSON.stringify(command)}`));
    const running = orcs.dispatch(PRE, call("t"));
    const pids = await Promise.all([pidIn(join(cwd, "child")), pidIn(join(cwd, "parent"))]);
    expect(pids.map(isRunning)).toEqual([true, true]);
    await orcs.close();
    expect(await running).toMatchObject({
      action: "abort",
      reason: expect.stringContaining("the engine is closing") as string,
    });
    await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]));
    expect((await errorOf(orcs.dispatch(PRE, call("t")))).code).toBe("ORCS2006");
  });

  /** One hook for each protocol, at a tool of its name. */
  const forEachProtocol = (lines: (protocol: string) => string): string =>
    PROTOCOL_NAMES.map((name) => hook(`match = { tool = "${name}" }\n${lines(name)}`)).join("");

  test("denies the operation with each protocol", async () => {
    const { orcs, cwd } = await load(
      forEachProtocol(
        (name) => `shell = { command = "echo $$ > ${name}; sleep 300", protocol = "${name}" }`,
      ),
    );
    const running = PROTOCOL_NAMES.map((name) => orcs.dispatch(PRE, call(name)));
    const pids = await Promise.all(PROTOCOL_NAMES.map((name) => pidIn(join(cwd, name))));
    await orcs.close();
    const actions = (await Promise.all(running)).map(({ action }) => action);
    expect(actions).toEqual(PROTOCOL_NAMES.map(() => "abort"));
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]));
  });

  test("aborts a webhook request with each protocol", async () => {
    let left = 0;
    const server = await servers.http((response) => {
      response.on("close", () => left++);
    });
    const { orcs } = await load(
      forEachProtocol(
        (name) =>
          `webhook = { url = "${server.url}", allow_hosts = ["${server.host}"], protocol = "${name}" }`,
      ),
    );
    const running = PROTOCOL_NAMES.map((name) => orcs.dispatch(PRE, call(name)));
    await vi.waitFor(() => expect(server.got.length).toBe(PROTOCOL_NAMES.length));
    await orcs.close();
    const actions = (await Promise.all(running)).map(({ action }) => action);
    expect(actions).toEqual(PROTOCOL_NAMES.map(() => "abort"));
    await vi.waitFor(() => expect(left).toBe(PROTOCOL_NAMES.length));
    expect((await errorOf(orcs.dispatch(PRE, call("orcs")))).code).toBe("ORCS2006");
  });

  test("the hooks after the ended one do not start", async () => {
    const { orcs, cwd } = await load(
      hook(`on_error = "open"\nshell = "echo $$ > pid; sleep 300"`) +
        hook(`shell = "touch behind"`),
    );
    const running = orcs.dispatch(PRE, call("t"));
    await pidIn(join(cwd, "pid"));
    await orcs.close();
    // The first is passed over as it says; the one behind can be run no more, and refuses.
    expect((await running).action).toBe("abort");
    expect(existsSync(join(cwd, "behind"))).toBe(false);
  });
});

describe("hooks of an agent in orcs.toml", () => {
  const toml = `
[[hooks]]
id = "global-pre"
event = "PreToolUse"
shell = "true"

[[hooks]]
id = "global-post"
event = "PostToolUse"
shell = "touch global"

[[hooks]]
id = "global-hook"
event = "AfterTool"
webhook = { url = "https://example.com" }

[[agents.quiet.hooks]]
id = "own"
event = "tool.post_execute"
module = "./own.mjs"

[agents.quiet]
override = ["PostToolUse"]
`;
  const files = { "own.mjs": `export default () => ({ inject: "own" });` };

  test("override removes the global commands and webhooks at its points", async () => {
    const { orcs, cwd } = await load(toml, files, { agent: "quiet" });
    const outcome = await orcs.dispatch("PostToolUse", { ...call("t"), result: 1 });
    expect(outcome.inject).toEqual(["own"]);
    expect(existsSync(join(cwd, "global"))).toBe(false);
  });

  const run = { ...call("t"), result: 1 };
  const offline = toml.replace(/\[\[hooks\]\]\nid = "global-hook"[^[]*/, "");

  test.each([undefined, "other", "toString"])("do not apply to agent %s", async (agent) => {
    const { orcs, cwd } = await load(offline, files, { agent });
    const payload = agent === undefined ? run : { ...run, agent_id: agent };
    expect((await orcs.dispatch("PostToolUse", payload)).inject).toEqual([]);
    expect(existsSync(join(cwd, "global"))).toBe(true);
  });

  test("are chosen by the agent_id of each call, before the engine's own agent", async () => {
    const { orcs, cwd } = await load(offline, files);
    const quiet = orcs.session({ agent_id: "quiet" });
    expect((await quiet.dispatch("PostToolUse", run)).inject).toEqual(["own"]);
    expect(existsSync(join(cwd, "global"))).toBe(false);
    expect((await orcs.dispatch("PostToolUse", run)).inject).toEqual([]);
    expect(existsSync(join(cwd, "global"))).toBe(true);
  });

  test("an agent_id that is the name of no agent leaves the engine's own agent", async () => {
    const { orcs } = await load(offline, files, { agent: "quiet" });
    const outcome = await orcs.dispatch("PostToolUse", { ...run, agent_id: "a1b2" });
    expect(outcome.inject).toEqual(["own"]);
  });

  test("a hook of the same id takes the place of the global one, for its agent only", async () => {
    const { orcs } = await load(`
[[hooks]]
id = "greet"
point = "tool.pre_execute"
handler_inline = 'orcs.inject("all")'

[[agents.a.hooks]]
id = "greet"
point = "tool.pre_execute"
handler_inline = 'orcs.inject("a")'

[[agents.b.hooks]]
id = "greet"
point = "tool.pre_execute"
handler_inline = 'orcs.inject("b")'
`);
    const greeted = async (agent_id?: string) =>
      (await orcs.dispatch(PRE, call("t"), agent_id === undefined ? {} : { agent_id })).inject;
    expect(await greeted()).toEqual(["all"]);
    expect(await greeted("a")).toEqual(["a"]);
    expect(await greeted("b")).toEqual(["b"]);
    const ids = orcs.registry.list().map(({ id }) => id);
    expect(ids).toEqual(["greet", "agents.a.greet", "agents.b.greet"]);
  });

  test("a script for two agents loads for both, and states its hooks' ids once", async () => {
    const { orcs } = await load(
      `[[agents.a.hooks]]\nscript = "s.lua"\n[[agents.b.hooks]]\nscript = "s.lua"\n`,
      {
        "s.lua": `orcs.hook{ id = "x", point = "tool.pre_execute", handler = function() return orcs.deny("x") end }`,
      },
    );
    const denied = async (agent_id: string) =>
      (await orcs.dispatch(PRE, call("t"), { agent_id })).action;
    expect([await denied("a"), await denied("b"), await denied("c")]).toEqual([
      "abort",
      "abort",
      "continue",
    ]);
  });

  test("a trace tells for which agent a hook is", async () => {
    const { orcs } = await load(offline, files);
    const { trace = [] } = await orcs.dispatch("PostToolUse", run, { trace: "values" });
    expect(trace.find(({ id }) => id === "own")).toMatchObject({
      status: "not_matched",
      failing: "agent",
      mismatch: { pattern: "quiet" },
    });
  });
});

describe("enabled and once", () => {
  test.each([
    ["shell", `shell = "cat > /dev/null; echo ran >> log"`],
    ["a module", `module = "./m.mjs"`],
  ])("once: a %s hook runs for one of many dispatches", async (_, lines) => {
    const module = `
      import { appendFileSync } from "node:fs";
      export default async (ctx) => { appendFileSync(ctx.payload.cwd + "/log", "ran\\n"); };`;
    const { orcs, cwd } = await load(hook(`once = true\n${lines}`), { "m.mjs": module });
    const payload = { ...call("t"), cwd: folder() };
    await Promise.all(Array.from({ length: 5 }, () => orcs.dispatch(PRE, payload)));
    await orcs.dispatch(PRE, payload);
    expect(text(payload.cwd, "log")).toBe("ran\n");
    expect(orcs.registry.size).toBe(0);
    expect(existsSync(join(cwd, "log"))).toBe(false);
  });
});

/**
 * What becomes of an operation when its hook fails: the protocol's word where the system has one, else the
 * phase's; the hook's own before either. Written out from protocols.md §7 and §1 and design.md §4; `+` goes
 * on, `-` is refused, in the order of `PROTOCOL_NAMES`: orcs, claude-code, codex, gemini, cursor,
 * copilot, qwen, cocode, massgen.
 */
const FAILURES: Record<string, Record<string, string>> = {
  "time is up": {
    "": "- + + + + + + + +",
    'on_timeout = "closed"': "- - - - - - - - -",
    'on_timeout = "open"': "+ + + + + + + + +",
    'on_error = "closed"': "- - - - - - - - -",
    'on_error = "open"': "+ + + + + + + + +",
    'on_error = "open"\non_timeout = "closed"': "- - - - - - - - -",
    'on_error = "closed"\non_timeout = "open"': "+ + + + + + + + +",
  },
  "it ends with code 1": {
    "": "- + + + + - + - +",
    'on_error = "closed"': "- - - - - - - - -",
    // For cocode that is no failure but a rejection.
    'on_error = "open"': "+ + + + + + + - +",
    'on_timeout = "closed"': "- + + + + - + - +",
    'on_timeout = "open"': "- + + + + - + - +",
  },
  "it cannot be started": {
    "": "- + + + + + + - -",
    'on_error = "closed"': "- - - - - - - - -",
    'on_error = "open"': "+ + + + + + + + +",
    'on_timeout = "open"': "- + + + + + + - -",
  },
  "it is killed by another": {
    "": "- - - - - - - - -",
    'on_error = "open"': "+ + + + + + + + +",
    'on_error = "closed"': "- - - - - - - - -",
  },
};
const COMMANDS: Record<string, string> = {
  "time is up": "sleep 300",
  "it ends with code 1": "exit 1",
  "it cannot be started": "true",
  "it is killed by another": "kill -9 $$",
};

repeatedTest.each(Object.entries(FAILURES))("when %s", async (what, rows) => {
  const columns = "orcs claude-code codex gemini cursor copilot qwen cocode massgen";
  expect(PROTOCOL_NAMES.join(" ")).toBe(columns);
  const root = folder();
  const limit = what === "time is up" ? 300 : 20_000;
  const hooks = Object.keys(rows).flatMap((lines, row) =>
    PROTOCOL_NAMES.map((protocol) =>
      hook(`match = { tool = "${protocol}-${row}" }
timeout_ms = ${limit}
${lines}
shell = { command = ${JSON.stringify(COMMANDS[what])}, protocol = "${protocol}" }`),
    ),
  );
  const { orcs } = await load(`[permissions]\nroot = "${root}"\n${hooks.join("")}`);
  // Without its directory no process can start.
  if (what === "it cannot be started") rmSync(root, { recursive: true });
  const seen: Record<string, string> = {};
  const due: Record<string, string> = {};
  await Promise.all(
    Object.entries(rows).flatMap(([lines, signs], row) => {
      // Where the hook says what becomes of it, the protocols are much like each other.
      const tried = lines === "" ? PROTOCOL_NAMES : shareOf(PROTOCOL_NAMES, 3);
      return tried.map(async (protocol) => {
        const { action } = await orcs.dispatch(PRE, call(`${protocol}-${row}`));
        seen[`${lines} ${protocol}`] = action === "abort" ? "-" : "+";
        due[`${lines} ${protocol}`] = signs.split(" ")[PROTOCOL_NAMES.indexOf(protocol)] ?? "";
      });
    }),
  );
  expect(seen).toEqual(due);
});

test("a failure at a post point does not deny, with any protocol", async () => {
  const root = folder();
  mkdirSync(join(root, "sub"));
  const server = await servers.http(() => undefined);
  await servers.close();
  const all = PROTOCOL_NAMES.flatMap((protocol) => [
    `shell = { command = "exit 1", protocol = "${protocol}" }`,
    `shell = { command = "kill -9 $$", protocol = "${protocol}" }`,
    `shell = { command = "/no/such/program", protocol = "${protocol}" }`,
    `max_retries = 0\nwebhook = { url = "${server.url}", allow_hosts = ["${server.host}"], protocol = "${protocol}" }`,
  ]);
  const heard = all.filter((lines) => /no\/such.*gemini/.test(lines));
  const handlers = all.filter((lines) => !heard.includes(lines));
  const toml = handlers.map(
    (lines, n) => `[[hooks]]\nid = "h${n}"\npoint = "tool.post_execute"\n${lines}\n`,
  );
  const { orcs } = await load(toml.join(""));
  const outcome = await orcs.dispatch(
    "tool.post_execute",
    { ...call("t"), result: 1 },
    { trace: true },
  );
  const statuses = outcome.trace?.map(({ id, status }) => `${id} ${status}`);
  expect(statuses).toEqual(handlers.map((_, n) => `h${n} failed`));
  expect(outcome.action).toBe("continue");
  // Gemini takes what a shell says with code 127 for a refusal: it withholds the result.
  const said = await load(
    `[[hooks]]\nid = "h"\npoint = "tool.post_execute"\n${heard.join("\n")}\n`,
  );
  const denied = await said.orcs.dispatch("tool.post_execute", { ...call("t"), result: 1 });
  expect(denied).toMatchObject({ action: "abort", hook: "h" });
});

test("[engine] on_error applies when neither hook nor protocol sets one", async () => {
  const hooks = PROTOCOL_NAMES.map((protocol) =>
    hook(
      `match = { tool = "${protocol}" }\nshell = { command = "kill -9 $$", protocol = "${protocol}" }`,
    ),
  );
  const { orcs } = await load(`[engine]\non_error = "open"\n${hooks.join("")}`);
  for (const protocol of PROTOCOL_NAMES)
    expect((await orcs.dispatch(PRE, call(protocol))).action).toBe("continue");
});

test("a change to a hook's shell script on disk applies to the next call", async () => {
  const { orcs, cwd } = await load(hook(`shell = "./check.sh"`), {
    "check.sh": "#!/bin/sh\nexit 0\n",
  });
  expect((await orcs.dispatch(PRE, call("t"))).action).toBe("continue");
  writeFileSync(join(cwd, "check.sh"), "#!/bin/sh\nexit 2\n");
  expect((await orcs.dispatch(PRE, call("t"))).action).toBe("abort");
});
