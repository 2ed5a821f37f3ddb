import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { INSTALL_COMMAND } from "../../src/core/install-command.ts";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { HostName } from "../../src/core/hosts.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { settingsPath } from "../../src/agents/install/settings-places.ts";
import { trusted } from "../trusted.ts";
import { HAS_TERMINAL, orcsAtTerminal } from "../dist/at-terminal.ts";
import { CALLS, GATES } from "../dist/hook-rig.ts";
import { folder, orcs, PATIENT, ROOT, start, writeFiles } from "../dist/orcs.ts";
import type { Ended } from "../dist/orcs.ts";
import { isWholeRun, partOf } from "../slow-test.ts";

/** A guard of the user's own at every kind of event. */
const USER = `[serve]
auto = false
[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { tool = "exec", command = "rm -rf" }
handler_inline = 'return orcs.deny("not that")'
${["auth.pre_check", "agent.pre_stop", "prompt.pre_submit", "session.on_start", "tool.post_execute"]
  .map((point) => `[[hooks]]\nid = "${point}"\npoint = "${point}"\nhandler_inline = "ctx"\n`)
  .join("")}${PATIENT}`;

/** The shells that hosts hand their entries to, as far as they are here. */
const SHELLS = (
  [
    ["sh", "-c"],
    ["bash", "-c"],
    ["bash", "-lc"],
    ["dash", "-c"],
    ["zsh", "-lc"],
    ["fish", "-c"],
  ] as const
).filter(([shell]) => spawnSync(shell, ["-c", "true"]).status === 0);

/** The home of somebody who has a configuration of the own, and a project without any. */
function machine(user: string = USER) {
  const home = folder({ ".config/orcs/orcs.toml": user });
  const cwd = folder();
  const env: Record<string, string> = {
    HOME: home,
    XDG_CONFIG_HOME: "",
    XDG_STATE_HOME: "",
    XDG_RUNTIME_DIR: join(home, "run"),
    CLAUDE_CONFIG_DIR: "",
    CODEX_HOME: "",
    SHELL: "/bin/sh",
  };
  mkdirSync(join(home, "run"), { mode: 0o700 });
  const state = join(home, ".local/state/orcs");
  const run = (...args: string[]): Promise<Ended> => orcs(args, { cwd, env });
  const path = (host: HostName, scope: "user" | "project" = "user"): string =>
    settingsPath(host, scope, { env: {}, home, project: cwd });
  return { home, cwd, env, state, run, path };
}

type Machine = ReturnType<typeof machine>;

/** Install for one host; the settings as they are then. */
async function installed(each: Machine, host: HostName, ...args: string[]): Promise<string> {
  expect(await each.run("install", "--host", host, "--yes", ...args)).toMatchObject({ code: 0 });
  const scope = args.includes("--project") ? "project" : "user";
  return readFileSync(each.path(host, scope), "utf8");
}

function commandAt(settings: string, event: string): string {
  const { hooks } = JSON.parse(settings) as {
    hooks: Record<string, ({ command?: string; hooks?: { command: string }[] } | undefined)[]>;
  };
  const [entry] = hooks[event] ?? [];
  return entry?.command ?? entry?.hooks?.[0]?.command ?? `no entry at ${event}`;
}

/** Installed for one host: its settings, the command before a call of a tool, and a call that nothing stops. */
async function entryOf(host: HostName, each = machine()) {
  const settings = await installed(each, host);
  return { each, settings, command: commandAt(settings, GATES[host]), event: CALLS[host]("ls") };
}

interface Around {
  readonly shell?: readonly [string, string];
  readonly env?: Readonly<Record<string, string>>;
  readonly event?: object;
}

/** Run a command as a host does, with nothing on the PATH but the system's. */
function asked(each: Machine, command: string, around: Around = {}): Promise<Ended> {
  const { shell = ["/bin/sh", "-c"], env = {}, event = CALL } = around;
  return start(shell[0], [shell[1], command], {
    cwd: each.cwd,
    env: { ...each.env, PATH: "/nowhere:/usr/bin:/bin", CLAUDE_PROJECT_DIR: each.cwd, ...env },
    stdin: JSON.stringify(event),
  });
}

const CALL = CALLS["claude-code"]("rm -rf build");
/** Denied by the entry itself: by exit code, or in a response where another hook could overrule the code. */
function expectDenied(host: HostName, { code, stdout, stderr }: Ended, line: string): void {
  const hint = `${INSTALL_COMMAND} && orcs install --host ${host}`;
  if (!HOSTS[host].notDeniedByExit.includes(GATES[host])) {
    expect([line, code, stdout]).toEqual([line, 2, ""]);
    expect(stderr).toContain(hint);
    return;
  }
  expect([line, code]).toEqual([line, 0]);
  const { hookSpecificOutput: own, ...answer } = JSON.parse(stdout) as Record<string, unknown>;
  if (host === "copilot") {
    const permissionDecisionReason = expect.stringContaining(hint) as string;
    expect(answer).toEqual({ permissionDecision: "deny", permissionDecisionReason });
    return;
  }
  expect(own).toMatchObject({ permissionDecision: "deny" });
  expect(answer).toEqual({ continue: false, stopReason: expect.stringContaining(hint) as string });
}
/** A copy of this orcs that can be lost. */
function copyOf(): string {
  const dir = folder();
  cpSync(join(ROOT, "bin"), join(dir, "bin"), { recursive: true });
  cpSync(join(ROOT, "dist"), join(dir, "dist"), { recursive: true });
  for (const name of ["node_modules", "package.json", "hooks", "lua"]) {
    symlinkSync(join(ROOT, name), join(dir, name));
  }
  return dir;
}

/** A program in the place of orcs, in each of the commands. */
function replacedBy(each: Machine, command: string, script: string): string {
  const program = join(each.home, "bin/orcs");
  writeFiles(each.home, { "bin/orcs": `#!/bin/sh\n${script}\n` });
  chmodSync(program, 0o755);
  return command.replace(/(?<= )\S*node \S*orcs\.cjs(?= hook )/, program);
}

const ALLOW = '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"allow"}}';

describe("the fallback of an installed entry", { concurrent: true }, () => {
  test("a response that cannot be written denies", async () => {
    const each = machine();
    const settings = await installed(each, "claude-code");
    const denied = commandAt(settings, "PreToolUse");
    const crashed = replacedBy(each, commandAt(settings, "PermissionRequest"), "exit 9");
    for (const command of [denied, crashed]) {
      expect(await asked(each, `{ ${command}; } > /dev/full`)).toMatchObject({ code: 2 });
    }
  });

  test.each(partOf(SHELLS, 2))(
    "%s %s: the output of orcs is passed on byte for byte",
    async (...shell) => {
      const { each, command } = await entryOf("claude-code");
      const { code, stdout, stderr } = await asked(each, command, { shell });
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^\{.*"permissionDecision":"deny".*not that.*\}\n$/);
      const fine = CALLS["claude-code"]("ls");
      const silent = await asked(each, command, { shell, event: fine });
      expect(silent).toEqual({ code: 0, stdout: "", stderr: "" });
      // A refusal by exit code stays one, and stdin is whole.
      const own = replacedBy(each, command, "wc -c; echo no >&2; exit 2");
      const refused = await asked(each, own, { shell });
      expect(refused.code).toBe(2);
      expect(refused.stdout.trim()).toBe(String(JSON.stringify(CALL).length));
      expect(refused.stderr).not.toContain("orcs failed");
    },
  );

  const FAULTS: readonly [name: string, script: string][] = [
    ["exit 1 with half an answer", `printf '{"decision":"al'; exit 1`],
    ["exit 1 with an approval", `echo '${ALLOW}'; exit 1`],
    ["killed with an approval written", `echo '${ALLOW}'; kill -9 $$`],
    ["a fault of Node", "exit 9"],
    ["out of memory", "kill -ABRT $$"],
    ["a segmentation fault", "exit 139"],
    ["ended by a signal", "kill -TERM $$"],
  ];
  // What is written is the host's, and how it is read the shell's: CI tries each of both, and not every pair.
  const pairs = SHELLS.flatMap((shell, i) =>
    HOST_NAMES.filter((_, n) => isWholeRun || i === 0 || n % 3 === i % 3).map(
      (host) => [host, shell] as const,
    ),
  );
  test.each(pairs)(
    "%s, %j: when orcs is missing or crashes, a tool call is denied",
    async (host, shell) => {
      const { each, command } = await entryOf(host);
      const gone = command.replace("bin/orcs.cjs", "gone/bin/orcs.cjs");
      const noNode = command.replace(/(?<= )\S*node (?=\S*orcs\.cjs hook )/, "/nowhere/node ");
      expect(gone).not.toBe(command);
      expect(noNode).not.toBe(command);
      const lines = [gone, noNode, ...FAULTS.map(([, script]) => script)];
      for (const [i, line] of lines.entries()) {
        const faulty = i < 2 ? line : replacedBy(each, command, line);
        expectDenied(host, await asked(each, faulty, { shell }), line);
      }
    },
  );

  test("when orcs is killed by SIGKILL, a tool call is denied", async () => {
    const slow = `[serve]\nauto = false\n[[hooks]]\npoint = "tool.pre_execute"
shell = { command = "kill -9 $PPID; sleep 9" }\n`;
    const { each, command } = await entryOf("codex", machine(slow));
    const { code, stdout, stderr } = await asked(each, command);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("orcs install --host codex");
  });

  const USUAL = ["Stop", "UserPromptSubmit", "SessionStart", "PostToolUse"];
  test.each<[HostName, string[]]>([
    ["claude-code", USUAL],
    ["codex", USUAL],
    ["gemini", ["AfterAgent", "BeforeAgent", "SessionStart", "AfterTool"]],
    ["cursor", ["stop", "beforeSubmitPrompt", "sessionStart", "postToolUse"]],
  ])("%s: without orcs, other events continue with a message to the user", async (host, events) => {
    const each = machine();
    const gone = (await installed(each, host)).replaceAll("bin/orcs.cjs", "gone.cjs");
    const told = expect.stringContaining(`orcs install --host ${host}`) as string;
    for (const event of events) {
      const { code, stdout, stderr } = await asked(each, commandAt(gone, event));
      expect([event, code, stdout + stderr]).toEqual([event, 0, told]);
      if (host !== "cursor") expect(JSON.parse(stdout)).toEqual({ systemMessage: told });
    }
  });

  test("a permission request is denied in the agent's format", async () => {
    const each = machine();
    const claude = commandAt(await installed(each, "claude-code"), "PermissionRequest");
    for (const line of [
      claude.replace("bin/orcs.cjs", "gone.cjs"),
      // Exit code 2 is no denial there, so it may not be passed on.
      replacedBy(each, claude, "echo crashed >&2; exit 2"),
    ]) {
      const { code, stdout } = await asked(each, line);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        hookSpecificOutput: {
          hookEventName: "PermissionRequest",
          decision: {
            behavior: "deny",
            message: expect.stringContaining("orcs install") as string,
          },
        },
      });
    }
    const codex = commandAt(await installed(each, "codex"), "PermissionRequest");
    const gone = await asked(each, codex.replace("bin/orcs.cjs", "gone.cjs"));
    expect(gone).toMatchObject({ code: 2, stdout: "" });
  });

  test("when orcs is removed, calls are denied; when it is back, it works again", async () => {
    const each = machine();
    const dir = copyOf();
    const program = `${process.execPath} ${join(dir, "bin/orcs.cjs")}`;
    const settings = await installed(each, "claude-code", "--command", program);
    const command = commandAt(settings, "PreToolUse");
    const event = CALLS["claude-code"]("ls");
    expect(await asked(each, command, { event })).toMatchObject({ code: 0, stdout: "" });
    renameSync(join(dir, "dist"), join(dir, "away"));
    expect(await asked(each, command, { event })).toMatchObject({ code: 2 });
    renameSync(join(dir, "bin"), join(dir, "bin-away"));
    expect(await asked(each, command, { event })).toMatchObject({ code: 2 });
    renameSync(join(dir, "bin-away"), join(dir, "bin"));
    renameSync(join(dir, "away"), join(dir, "dist"));
    expect(await asked(each, command, { event })).toMatchObject({ code: 0, stdout: "" });
  });

  test("invalid NODE_OPTIONS deny a tool call", async () => {
    const { each, command } = await entryOf("gemini");
    const env = { NODE_OPTIONS: "--no-such-option" };
    expect(await asked(each, command, { env })).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("the folders in a user entry", { concurrent: true }, () => {
  test("are used whatever the environment has", async () => {
    const { each, command } = await entryOf("claude-code");
    expect(command).toContain(`--config-dir ${each.home}/.config/orcs --state-dir ${each.state}`);
    const evil = folder({ ".config/orcs/orcs.toml": "", "orcs/orcs.toml": "" });
    for (const env of [
      { HOME: evil },
      { XDG_CONFIG_HOME: evil, XDG_STATE_HOME: evil },
      { ORCS_CONFIG_HOME: join(evil, "orcs"), ORCS_STATE_HOME: evil },
      { ORCS_PATHS_AUDIT: evil, ORCS_PATHS_STATE: evil, ORCS_AUDIT_LEVEL: "off" },
      { HOME: evil, XDG_CONFIG_HOME: evil, ORCS_CONFIG_HOME: evil, ORCS_ENGINE_ON_ERROR: "open" },
      { ORCS_TRIAL_DIR: evil },
    ]) {
      const { stdout } = await asked(each, command, { env });
      expect([env, stdout]).toEqual([env, expect.stringContaining("not that")]);
    }
    expect(existsSync(join(evil, "state"))).toBe(false);
    expect(existsSync(join(evil, "audit"))).toBe(false);
    const log = spawnSync("grep", ["-rlc", '"guard"', each.state], { encoding: "utf8" });
    expect(log.stdout).toContain("audit");
  });

  test("decide which trust store is used, with and without a service", async () => {
    const GUARD = `[[hooks]]\nid = "p"\npoint = "tool.pre_execute"\nhandler_inline = 'return orcs.deny("project")'\n`;
    const each = machine(USER.replace("auto = false", "auto = true\nidle_minutes = 0.05"));
    writeFiles(each.cwd, { "orcs.toml": GUARD + PATIENT });
    await trusted(each.cwd, join(each.home, ".local/state"));
    const command = commandAt(await installed(each, "claude-code"), "PreToolUse");
    const evil = folder();
    const env = { HOME: evil, XDG_STATE_HOME: evil, XDG_CONFIG_HOME: evil };
    const event = CALLS["claude-code"]("ls");
    for (let i = 0; i < 4; i++) {
      const { stdout } = await asked(each, command, { event, env });
      expect(stdout).toContain("project");
    }
  });

  test("are kept by sync, also after a time without hooks", async () => {
    const each = machine();
    const before = await installed(each, "cursor", "--strict");
    expect(commandAt(before, "preToolUse")).toMatch(/ --id \S+ --strict$/);
    writeFiles(each.home, {
      ".config/orcs/orcs.toml": "self_guard = false\n[serve]\nauto = false\n",
    });
    // Without hooks, the last ones stay active until a person says so.
    await each.run("install", "--sync");
    expect(readFileSync(each.path("cursor"), "utf8")).toContain("hook --host");
    await each.run("trust", "--user", "--yes");
    await each.run("install", "--sync");
    expect(
      existsSync(each.path("cursor")) && readFileSync(each.path("cursor"), "utf8"),
    ).not.toContain("hook --host");
    writeFiles(each.home, { ".config/orcs/orcs.toml": USER });
    await each.run("install", "--sync");
    expect(JSON.parse(readFileSync(each.path("cursor"), "utf8"))).toEqual(JSON.parse(before));
  });

  test("an entry of an older version is recognized and replaced by install", async () => {
    const each = machine();
    const program = `${process.execPath} ${join(ROOT, "bin/orcs.cjs")}`;
    const old = `${program} hook --host codex --timeout 60`;
    const hooks = { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: old }] }] };
    writeFiles(each.home, { ".codex/hooks.json": JSON.stringify({ hooks }) });
    const command = commandAt(await installed(each, "codex"), "PreToolUse");
    expect(command).toMatch(/^\/bin\/sh -c .* --config-dir .* --id /);
    const settings = readFileSync(each.path("codex"), "utf8");
    expect(settings.match(/hook --host/g)).toHaveLength(
      Object.keys((JSON.parse(settings) as { hooks: object }).hooks).length,
    );
  });
});

describe("the id in a user entry", { concurrent: true }, () => {
  test("when the trusted content was deleted from the state folder, calls are denied until it is trusted again", async () => {
    const { each, command, event } = await entryOf("claude-code");
    expect(await asked(each, command, { event })).toMatchObject({ code: 0, stdout: "" });
    for (const name of ["trust.json", "seals"]) {
      rmSync(join(each.state, name), { recursive: true, force: true });
    }
    const denied = await asked(each, command, { event });
    expect(denied.stdout).toMatch(/"permissionDecision":"deny".*ORCS8010.*orcs trust --user/);
    expect(await each.run("trust", "--user", "--yes")).toMatchObject({ code: 0 });
    const passed = await asked(each, command, { event });
    expect(passed.code).toBe(0);
    expect(passed.stdout).not.toContain("deny");
  });

  test.each(["", "{", "gone"])("a trust store of %j is put back", async (content) => {
    const { each, command, event } = await entryOf("claude-code");
    expect(await asked(each, command, { event })).toMatchObject({ code: 0, stdout: "" });
    const store = join(each.state, "trust.json");
    const before = readFileSync(store);
    if (content === "gone") rmSync(store);
    else writeFileSync(store, content);
    const told = await asked(each, command, { event });
    expect(told.code).toBe(0);
    expect(told.stdout).toContain("ORCS7025");
    expect(readFileSync(store)).toEqual(before);
    expect(await asked(each, command, { event })).toMatchObject({ code: 0, stdout: "" });
  });

  test("when the state folder was deleted, calls are denied until repaired", async () => {
    const { each, settings, command, event } = await entryOf("claude-code");
    expect(await asked(each, command, { event })).toMatchObject({ code: 0, stdout: "" });
    rmSync(each.state, { recursive: true });
    const evil = folder();
    for (const env of [{}, { HOME: evil }, { HOME: evil, XDG_STATE_HOME: evil }]) {
      const { stdout } = await asked(each, command, { event, env });
      expect(stdout).toMatch(/"permissionDecision":"deny".*orcs doctor --repair/);
    }
    const permission = await asked(each, commandAt(settings, "PermissionRequest"), {
      event: { ...event, hook_event_name: "PermissionRequest" },
    });
    expect(permission.stdout).toMatch(/"behavior":"deny".*orcs doctor --repair/);
    // What does not gate a call goes on; its user is told once in a session.
    const session = { ...event, hook_event_name: "SessionStart", source: "startup" };
    const began = await asked(each, commandAt(settings, "SessionStart"), { event: session });
    expect(began.stdout).toMatch(/systemMessage.*orcs doctor --repair/);
    const again = await asked(each, commandAt(settings, "SessionStart"), { event: session });
    expect(again.stdout).not.toContain("--repair");
    // Installing once more does not make up for it.
    const install = await each.run("install", "--host", "claude-code", "--yes");
    expect(install).toMatchObject({ code: 2, stdout: "" });
    expect(install.stderr).toMatch(/ORCS7008.*orcs doctor --repair/);
    expect((await each.run("doctor", "--json")).stdout).toContain("orcs doctor --repair");
    const nobody = await each.run("doctor", "--repair");
    expect(nobody).toMatchObject({ code: 1, stdout: "" });
    expect(nobody.stderr).toMatch(/the list of projects that you trust.*use --yes/s);
    expect((await asked(each, command, { event })).stdout).toContain("--repair");
    expect(await each.run("doctor", "--repair", "--yes")).toMatchObject({ code: 0 });
    expect(await asked(each, command, { event })).toMatchObject({ code: 0, stdout: "" });
    expect((await each.run("doctor", "--repair", "--yes")).stdout).toMatch(/Nothing to repair/);
  });

  test("when only its own record is lost or damaged", async () => {
    const { each, command } = await entryOf("gemini");
    for (const content of ["{", "null", '{"version":1,"machine":"x","ids":[]}']) {
      writeFiles(each.state, { "installations.json": content });
      const { stdout } = await asked(each, command, { event: CALLS.gemini("ls") });
      expect(stdout).toMatch(/"deny".*orcs doctor --repair/);
    }
  });

  test("of another machine: a notice once per session until installed here", async () => {
    const each = machine();
    const settings = await installed(each, "codex");
    const [, id = ""] = /--id (\S+)/.exec(commandAt(settings, "PreToolUse")) ?? [];
    // As if the settings had come from a machine with another name and another home.
    const foreign = settings
      .replaceAll(id, "0123456789abcdef.0123456789abcdef0123456789abcdef")
      .replaceAll(each.home, "/home/somebody-else");
    writeFileSync(each.path("codex"), foreign);
    const command = commandAt(foreign, "PreToolUse");
    const bad = CALLS.codex("rm -rf build");
    const first = await asked(each, command, { event: bad });
    expect(first.stdout).toMatch(/"deny".*not that/);
    expect(first.stdout).toMatch(/another machine.*orcs install --host codex/);
    const second = await asked(each, command, { event: bad });
    expect(second.stdout).toContain("not that");
    expect(second.stdout).not.toContain("another machine");
    const other = await asked(each, command, { event: { ...CALLS.codex("ls"), session_id: "o" } });
    expect(other.stdout).toContain("another machine");
    expect(other.stdout).not.toContain("deny");
    const adopted = commandAt(await installed(each, "codex"), "PreToolUse");
    expect(adopted).toContain(`--id ${id}`);
    expect(adopted).toContain(`--state-dir ${each.state}`);
  });

  test.runIf(HAS_TERMINAL)("repair at a terminal needs the answer yes", async () => {
    const { each, command } = await entryOf("claude-code");
    rmSync(each.state, { recursive: true });
    const ask = "no longer deny tool calls? [y/N] ";
    const no = await orcsAtTerminal(["doctor", "--repair"], each.cwd, [[ask, "n\n"]], each.env);
    expect(no.code).toBe(1);
    expect((await asked(each, command)).stdout).toContain("--repair");
    const yes = await orcsAtTerminal(["doctor", "--repair"], each.cwd, [[ask, "y\n"]], each.env);
    expect(yes.code).toBe(0);
    expect((await asked(each, command)).stdout).not.toContain("--repair");
  });
});

describe("a project entry", { concurrent: true }, () => {
  const PROJECT = `[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = "ctx"\n${PATIENT}`;
  async function project() {
    const each = machine();
    writeFiles(each.cwd, { "orcs.toml": PROJECT });
    await trusted(each.cwd, join(each.home, ".local/state"));
    return each;
  }

  test.each(HOST_NAMES)(
    "%s: without orcs, calls are denied or not, as chosen at install",
    async (host) => {
      const each = await project();
      const denied = commandAt(await installed(each, host, "--project"), GATES[host]);
      expect(denied).toMatch(/ orcs hook --host \S+ --timeout \d+ --strict$/);
      expect(denied).not.toMatch(/--id|--state-dir|\/home/);
      expectDenied(host, await asked(each, denied), denied);
      const args = ["--project", "--missing", "allow", "--no-strict"];
      const allowed = commandAt(await installed(each, host, ...args), GATES[host]);
      expect(allowed).not.toContain("--strict");
      expect(await asked(each, allowed)).toMatchObject({ code: 0, stdout: "" });
      // One that crashes is not missing.
      const crashing = folder({ orcs: "#!/bin/sh\nexit 1\n" });
      chmodSync(join(crashing, "orcs"), 0o755);
      const env = { PATH: `${crashing}:/usr/bin:/bin` };
      expectDenied(host, await asked(each, allowed, { env }), allowed);
      await each.run("install", "--sync", "--host", host);
      const synced = readFileSync(each.path(host, "project"), "utf8");
      expect(commandAt(synced, GATES[host])).toBe(allowed);
    },
  );

  test("install notes where the agent does not read it", async () => {
    const each = await project();
    for (const [host, told] of [
      ["claude-code", true],
      ["gemini", true],
      ["cursor", true],
      ["codex", false],
      ["copilot", false],
      ["qwen", true],
    ] as const) {
      const { stderr } = await each.run("install", "--host", host, "--project", "--yes");
      expect([host, stderr.includes("only when it is started in")]).toEqual([host, told]);
    }
    mkdirSync(join(each.cwd, "sub"));
    const below = await orcs(["doctor", "--json"], { cwd: join(each.cwd, "sub"), env: each.env });
    const { hosts } = JSON.parse(below.stdout) as { hosts: { host: string; findings: object[] }[] };
    const claude = hosts.find(({ host }) => host === "claude-code");
    expect(claude?.findings).toContainEqual(
      expect.objectContaining({
        kind: "problem",
        text: expect.stringContaining("does not read") as string,
      }),
    );
  });

  test("doctor tries it with the agent's PATH, not its own", async () => {
    const each = await project();
    await installed(each, "claude-code", "--project");
    const shims = folder();
    mkdirSync(join(shims, ".nvm/bin"), { recursive: true });
    symlinkSync(join(ROOT, "bin/orcs.cjs"), join(shims, ".nvm/bin/orcs"));
    const env = { ...each.env, PATH: `${shims}/.nvm/bin:${process.env["PATH"]}` };
    const here = await orcs(["doctor"], { cwd: each.cwd, env });
    expect(here.code).toBe(1);
    expect(here.stdout).toMatch(/not found.*found from this shell, but not with the PATH/);
    // Where a login finds it, agents do.
    const bin = join(each.home, "bin");
    mkdirSync(bin);
    symlinkSync(join(ROOT, "bin/orcs.cjs"), join(bin, "orcs"));
    writeFiles(each.home, { ".profile": `PATH=${bin}:${join(process.execPath, "..")}:$PATH\n` });
    const found = await orcs(["doctor"], { cwd: each.cwd, env });
    expect(found.stdout).toContain("no problems found");
    expect(found.code).toBe(0);
  });
});

describe("with an entry but no configuration", { concurrent: true }, () => {
  test.each(partOf(HOST_NAMES, 2))("%s: a notice once per session", async (host) => {
    const each = machine();
    // Before anything has been active: what was would stay so.
    rmSync(join(each.home, ".config"), { recursive: true });
    const command = commandAt(await installed(each, host), GATES[host]);
    const event = { ...CALLS[host]("ls"), hook_event_name: GATES[host] };
    const told = async (more: object = {}): Promise<boolean> => {
      const { stdout, stderr } = await asked(each, command, { event: { ...event, ...more } });
      return (stdout + stderr).includes("there is no orcs.toml");
    };
    expect(await told()).toBe(true);
    expect(await told()).toBe(false);
    expect(await told({ session_id: "new", conversation_id: "new" })).toBe(true);
  });
});

test("install from a temporary package cache is rejected", async () => {
  const each = machine();
  const at = join(folder(), "_npx/0a1b/node_modules/orcs");
  mkdirSync(join(at, ".."), { recursive: true });
  renameSync(copyOf(), at);
  for (const scope of ["--user", "--project"]) {
    const args = [join(at, "bin/orcs.cjs"), "install", "--host", "codex", scope, "--yes"];
    const ended = await start(process.execPath, args, { cwd: each.cwd, env: each.env });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/ORCS7007.*npm install --global \.\/orcs/);
    expect(existsSync(each.path("codex"))).toBe(false);
  }
});
