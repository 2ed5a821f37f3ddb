import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createOrcs, openOrcs } from "../../../../src/engine/create-orcs.ts";
import type { EngineOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { TrustStore } from "../../../../src/config/trust/trust-store.ts";
import { say } from "../../config/trust/rig.ts";
import { folder, Lines } from "./engine.ts";

/** What the reason of a denial by an enforced hook ends with. */
const OF_MACHINE = "This is the policy of this machine: only its administrator can change it.";

const LIMITS = "[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n";
const GUARD = `enforced = true
${LIMITS}
[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = 'if (ctx.payload.args.command or ""):find("--force", 1, true) then return orcs.deny("machine") end'
`;

interface Files {
  readonly machine?: string;
  readonly user?: string;
  readonly project?: string;
}

async function opened({ machine = GUARD, user, project }: Files, options: EngineOptions = {}) {
  const home = folder({
    "machine/orcs.toml": machine,
    ...(user !== undefined && { "config/orcs/orcs.toml": user }),
  });
  const directory = join(home, "machine");
  const dir = folder(project === undefined ? {} : { "orcs.toml": project });
  vi.stubEnv("XDG_CONFIG_HOME", join(home, "config"));
  vi.stubEnv("XDG_STATE_HOME", join(home, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  if (project !== undefined) say(new TrustStore(), dir, "dev");
  const logger = new Lines();
  const orcs = await openOrcs({
    cwd: dir,
    logger,
    machine: { directory, owner: process.getuid?.() ?? 0 },
    ...options,
  });
  onTestFinished(() => orcs.close());
  return { orcs, dir, directory, lines: logger.lines };
}

function pre(orcs: Orcs, command: string) {
  return orcs.dispatch("tool.pre_execute", { tool_name: "exec", tool: "exec", args: { command } });
}

const hook = (code: string, more = "") =>
  `${LIMITS}[[hooks]]\nid = "own"\npoint = "tool.pre_execute"\n${more}\nhandler_inline = '${code}'\n`;
const FORCE = 'ctx.payload.args.command = "git push --force"';

describe("hooks that the machine enforces", () => {
  it("run before all others, whatever their priority", async () => {
    const stop = hook('return orcs.result("mine")', "priority = -2147483648");
    const { orcs } = await opened({ user: stop, project: hook("return nil").replace("own", "p") });
    expect(orcs.registry.list("tool.pre_execute").map(({ id }) => id)).toEqual([
      "guard",
      "own",
      "p",
    ]);
    expect(await pre(orcs, "git push --force")).toMatchObject({ action: "abort", hook: "guard" });
  });

  it.each([
    ["the user's", { user: hook(FORCE) }],
    [
      "one that stops the chain",
      { user: hook(`${FORCE} return { action = "continue", stop = true }`) },
    ],
    ["the project's", { project: hook(FORCE) }],
    [
      "the user's, in its second run",
      {
        user: hook(
          `if ctx.payload.args.command == "second" then ${FORCE} return { action = "continue", stop = true } end`,
        ),
        project: hook('ctx.payload.args.command = "second"').replace("own", "p"),
      },
    ],
    ["an object of a program", {}, { config: { hooks: [inline(FORCE)] } }],
  ] as [string, Files, EngineOptions?][])(
    "check again what %s hook has changed",
    async (_whose, files, options) => {
      const { orcs } = await opened(files, options);
      expect(await pre(orcs, "ls")).toMatchObject({
        action: "abort",
        hook: "guard",
        reason: `machine. ${OF_MACHINE}`,
      });
    },
  );

  it("check again what a project's late hooks have changed, after a first second run", async () => {
    const user = hook('ctx.payload.args.command = ctx.payload.args.command .. " x"');
    const { orcs } = await opened(
      { user, project: hook(FORCE).replace("own", "p") },
      { projectLoads: "asked" },
    );
    expect(await pre(orcs, "ls")).toMatchObject({ action: "abort", hook: "guard" });
  });

  it("run once where nothing was changed, and twice where it was", async () => {
    const count = `enforced = true\n${LIMITS}[[hooks]]\nid = "guard"\npoint = "tool.pre_execute"\nhandler_inline = 'if ctx.payload.args.command == "tell" then return orcs.deny(tostring(orcs.state.get("n"))) end local n = orcs.state.incr("n")'\n`;
    const runs = async (user: string) => {
      const { orcs } = await opened({ machine: count, user });
      await pre(orcs, "ls");
      return (await pre(orcs, "tell")) as unknown;
    };
    expect(await runs(hook("return nil"))).toMatchObject({ reason: `1. ${OF_MACHINE}` });
    expect(await runs(hook('ctx.payload.args.command = "x"'))).toMatchObject({
      reason: `2. ${OF_MACHINE}`,
    });
  });

  it("keep what they count from the user's hooks", async () => {
    const machine = `enforced = true\n${LIMITS}[[hooks]]\nid = "guard"\npoint = "tool.pre_execute"\nhandler_inline = 'if orcs.state.incr("n") > 1 then return orcs.deny("enough") end'\n`;
    const { orcs } = await opened({ machine, user: hook('local gone = orcs.state.delete("n")') });
    expect((await pre(orcs, "ls")).action).toBe("continue");
    expect(await pre(orcs, "ls")).toMatchObject({
      action: "abort",
      reason: `enough. ${OF_MACHINE}`,
    });
  });

  it.each(["thread", "worker"])(
    "do not offer orcs rules allow for what they refuse, in the %s",
    async (isolation) => {
      const guard = `${LIMITS}isolation = "${isolation}"\n[[hooks]]\nscript = "orcs:shell-guard"\n`;
      const refusal = async (files: Files) => {
        const { orcs } = await opened(files);
        const outcome = await orcs.dispatch("tool.pre_execute", {
          tool_name: "Bash",
          tool: "exec",
          args: { command: "git push --force" },
          cwd: "/work",
          session_id: "s",
          host: { name: "claude-code" },
        });
        return outcome.action === "abort" ? outcome.reason : undefined;
      };
      const enforced = await refusal({ machine: `enforced = true\n${guard}` });
      expect(enforced).toMatch(/^shell-guard \(git\.push-force\): .* only its administrator/);
      expect(enforced).not.toContain("orcs rules allow");
      expect(await refusal({ machine: guard })).toMatch(/orcs rules allow \w{8}$/);
      expect(await refusal({ machine: LIMITS, user: guard })).toMatch(/orcs rules allow \w{8}$/);
    },
  );

  it("are there without any other configuration, and for a program that has none", async () => {
    for (const config of [undefined, false, {}] as const) {
      const { orcs } = await opened({}, config === undefined ? {} : { config });
      expect(await pre(orcs, "x --force")).toMatchObject({ action: "abort" });
    }
  });

  it("bring self-guard, whatever the user says", async () => {
    const { orcs, directory } = await opened({ user: "self_guard = false" }, { selfGuard: true });
    expect(orcs.registry.get("orcs:self-guard")).toMatchObject({ rank: -2 });
    expect(
      await orcs.dispatch("tool.pre_execute", {
        tool_name: "exec",
        tool: "exec",
        args: { command: `rm -rf ${directory}` },
      }),
    ).toMatchObject({
      decision: "ask",
      hook: "orcs:self-guard",
    });
  });

  it("come from the service again as soon as their file is saved", async () => {
    const { orcs, directory } = await opened({}, { watch: true });
    writeFileSync(join(directory, "orcs.toml"), GUARD.replace("--force", "--hard"));
    await vi.waitFor(async () => expect((await pre(orcs, "reset --hard")).action).toBe("abort"), {
      timeout: 30_000,
    });
  });
});

function inline(code: string) {
  return { id: "own", point: "tool.pre_execute", handler_inline: code };
}

describe("a configuration of the machine that others could have written", () => {
  const bad: [string, (directory: string) => void][] = [
    ["file", (dir) => chmodSync(join(dir, "orcs.toml"), 0o666)],
    ["group's file", (dir) => chmodSync(join(dir, "orcs.toml"), 0o664)],
    ["folder", (dir) => chmodSync(dir, 0o777)],
    [
      "script",
      (dir) => {
        mkdirSync(join(dir, "hooks"));
        writeFileSync(join(dir, "hooks/x.lua"), "");
        chmodSync(join(dir, "hooks/x.lua"), 0o666);
      },
    ],
    [
      "target of a link",
      (dir) => {
        const other = folder({ "x.toml": GUARD });
        chmodSync(other, 0o777);
        rmSync(join(dir, "orcs.toml"));
        symlinkSync(join(other, "x.toml"), join(dir, "orcs.toml"));
      },
    ],
    [
      "file that is gone",
      (dir) => {
        rmSync(join(dir, "orcs.toml"));
        symlinkSync("/nowhere/orcs.toml", join(dir, "orcs.toml"));
      },
    ],
  ];

  it.each(bad)("is refused at the start: %s", async (_what, spoil) => {
    const home = folder({ "machine/orcs.toml": GUARD });
    const directory = join(home, "machine");
    spoil(directory);
    const machine = { directory, owner: process.getuid?.() ?? 0 };
    await expect(openOrcs({ machine, config: false })).rejects.toMatchObject({ code: "ORCS9320" });
  });

  it("denies tool calls from the reload on, until it is repaired", async () => {
    const { orcs, directory } = await opened({});
    chmodSync(directory, 0o777);
    await expect(orcs.reload()).rejects.toMatchObject({ code: "ORCS9320" });
    expect(await pre(orcs, "ls")).toMatchObject({ action: "abort" });
    chmodSync(directory, 0o755);
    await orcs.reload();
    expect((await pre(orcs, "ls")).action).toBe("continue");
  });

  it("includes code elsewhere that its hooks load", async () => {
    const elsewhere = folder({ "x.lua": "return function() end" });
    chmodSync(join(elsewhere, "x.lua"), 0o666);
    const machine = `[[hooks]]\nid = "x"\npoint = "Stop"\nscript = "${elsewhere}/x.lua"\n`;
    await expect(opened({ machine })).rejects.toMatchObject({ code: "ORCS9320" });
  });

  it("does not count where it belongs to another user", async () => {
    const home = folder({ "machine/orcs.toml": GUARD });
    const machine = { directory: join(home, "machine"), owner: 12_345 };
    const opening = openOrcs({ machine, config: false });
    if (process.getuid?.() === 0) await (await opening).close();
    else await expect(opening).rejects.toMatchObject({ code: "ORCS9320" });
  });
});

describe("a program", () => {
  it("cannot remove, disable or replace what the machine enforces, by the API of its engine", async () => {
    const { orcs, directory } = await opened({ user: hook("return nil") });
    const { registry } = orcs;
    const refused = expect.objectContaining({ code: "ORCS8011" });
    for (const attempt of [
      () => registry.unregister("guard"),
      () => registry.setEnabled("guard", false),
      () => registry.replace(["guard"], []),
    ])
      expect(attempt).toThrow(refused);
    expect(registry.setEnabled("own", false)).toBe(true);
    expect(registry.unregister("own")).toBe(true);
    expect(await pre(orcs, "git push --force")).toMatchObject({ action: "abort", hook: "guard" });
    writeFileSync(join(directory, "orcs.toml"), GUARD.replaceAll('"guard"', '"other"'));
    await orcs.reload();
    expect(registry.list("tool.pre_execute").map(({ id }) => id)).toEqual(["other"]);
  });

  it("cannot have disabled beforehand what the machine enforces later", async () => {
    const { orcs, directory } = await opened({
      machine: LIMITS,
      user: hook("return nil").replace('"own"', '"guard"'),
    });
    orcs.registry.setEnabled("guard", false);
    writeFileSync(join(directory, "orcs.toml"), GUARD);
    await orcs.reload();
    expect(await pre(orcs, "git push --force")).toMatchObject({ action: "abort", hook: "guard" });
  });

  it("has no option to leave it out", async () => {
    const dir = folder({ "orcs.toml": hook('return orcs.deny("mine")') });
    const more: object = {
      machine: false,
      files: { directory: dir, codeDir: dir, files: new Map() },
    };
    const orcs = await createOrcs({ config: join(dir, "orcs.toml"), logger: new Lines(), ...more });
    onTestFinished(() => orcs.close());
    expect(await pre(orcs, "ls")).toMatchObject({ action: "abort", hook: "own" });
  });
});
