import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DoctorReport } from "../../src/workbench/doctor/report.ts";
import { trusted } from "../trusted.ts";
import { folder, MAIN, orcs, PATIENT, ROOT, writeFiles } from "./orcs.ts";
import { served } from "./processes.ts";

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

const GUARD = `[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { tool = "exec" }
handler_inline = '''
orcs.state.incr("calls")
if ctx.payload.args.command ~= "true" then return orcs.deny("no") end
'''
${PATIENT}`;

/** A home and a project in it, with nothing on the path but a shell and Node. */
async function machine(
  files: Readonly<Record<string, string>> = { "project/orcs.toml": GUARD },
  how: Parameters<typeof trusted>[2] = {},
) {
  const root = folder({
    "bin/.keep": "",
    "home/.keep": "",
    "run/.keep": "",
    "tmp/.keep": "",
    ...files,
  });
  chmodSync(join(root, "run"), 0o700);
  symlinkSync(process.execPath, join(root, "bin/node"));
  for (const name of ["sh", "sleep"]) symlinkSync(join("/bin", name), join(root, "bin", name));
  const env = {
    HOME: join(root, "home"),
    PATH: join(root, "bin"),
    XDG_RUNTIME_DIR: join(root, "run"),
    XDG_STATE_HOME: "",
    XDG_CONFIG_HOME: "",
    CLAUDE_CONFIG_DIR: "",
    CODEX_HOME: "",
    // Where scratch is looked for.
    TMPDIR: join(root, "tmp"),
  };
  const cwd = join(root, "project");
  const run = (...args: string[]) => orcs(args, { cwd, env });
  /** Trust the project as it is by now. */
  const trust = () => trusted(cwd, join(root, "home/.local/state"), how);
  if (files["project/orcs.toml"] !== undefined) await trust();
  return { root, cwd, env, run, trust };
}

type Machine = Awaited<ReturnType<typeof machine>>;

async function report({ run }: Machine, ...args: string[]) {
  const { code, stdout } = await run("doctor", "--json", ...args);
  return { code, ...(JSON.parse(stdout) as DoctorReport) };
}

/** Every problem and note of a report, whichever part it is of. */
function texts(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const own = "kind" in part && "text" in part ? [String(part.text)] : [];
  return [...own, ...Object.values(part).flatMap(texts)];
}

/** Every file below a folder with what it holds and when it was changed. */
function tree(root: string): string[] {
  return (
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .sort()
      // What was in it for a while is gone.
      .filter((name) => name !== "tmp")
      .map((name) => {
        const found = statSync(join(root, name), { throwIfNoEntry: false });
        const text =
          found?.isFile() && found.size < 1e6 ? readFileSync(join(root, name), "utf8") : "";
        return `${name} ${found?.mode} ${found?.mtimeMs} ${text}`;
      })
  );
}

/** Let every entry of the user's Claude Code start another program. */
function startedBy({ root }: Machine, script: string, timeout?: number): void {
  const file = "home/.claude/settings.json";
  writeFiles(root, { "bin/orcs": `#!/bin/sh\n${script}\n` });
  chmodSync(join(root, "bin/orcs"), 0o755);
  const before = readFileSync(join(root, file), "utf8");
  // By its path: a login, whose environment an agent has, knows nothing of this folder.
  const program = join(root, "bin/orcs");
  const command = `"${program} hook --host claude-code --timeout ${timeout ?? 60}"`;
  const after = before
    .replaceAll(/(?<="command": )".*"/g, command)
    .replaceAll(/(?<="timeout": )600/g, String(timeout ?? 60));
  writeFiles(root, { [file]: after });
}

test("orcs doctor without a coding agent says so with the next step", async () => {
  const { run } = await machine();
  const { code, stdout } = await run("doctor");
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /no coding agent was found: .*Claude Code, Codex, Gemini CLI, Cursor, GitHub Copilot CLI, Qwen Code, opencode/,
  );
  expect(stdout).toMatch(/→ .*orcs install --host NAME/);
});

test("orcs doctor with an agent found by its program, orcs not installed", async () => {
  const each = await machine({ "project/orcs.toml": GUARD, "bin/codex": "#!/bin/sh\ntouch ran\n" });
  chmodSync(join(each.root, "bin/codex"), 0o755);
  const { code, hosts, findings } = await report(each);
  expect(code).toBe(1);
  expect(hosts).toMatchObject([{ host: "codex", program: join(each.root, "bin/codex") }]);
  expect(texts(findings)).toEqual(["orcs is not installed in any coding agent: no hook runs"]);
  // Its program is not started.
  expect(readdirSync(each.cwd)).toEqual(["orcs.toml"]);
});

describe.each(["claude-code", "codex", "gemini", "cursor"])(
  "orcs doctor after installing for %s",
  (host) => {
    test("reports no problem, runs the hooks, and writes nothing", async () => {
      const each = await machine();
      const installed = await each.run("install", "--host", host, "--yes");
      expect(installed).toMatchObject({ code: 0 });
      const before = tree(each.root);
      const { code, ok, hosts, configurations } = await report(each);
      expect(tree(each.root)).toEqual(before);
      expect(texts(hosts).filter((text) => !text.includes("/hooks"))).toEqual([]);
      expect([code, ok]).toEqual([0, true]);
      expect(hosts).toMatchObject([{ host, hooks: 1, idle: [] }]);
      const entries = hosts.flatMap(({ settings }) => settings.flatMap((file) => file.entries));
      expect(entries.length).toBeGreaterThan(0);
      for (const { tried, works } of entries) {
        expect(works).toBe(true);
        expect(tried?.answer).toMatch(/nothing|object/);
        expect(tried?.ms).toBeGreaterThan(0);
      }
      expect(configurations).toMatchObject([
        { file: join(each.cwd, "orcs.toml"), how: "found", loads: true, hooks: 1 },
      ]);
      expect(configurations[0]?.service).toMatchObject({ pid: null, ms: null });
    });
  },
);

describe.each(["user", "project"])("orcs doctor after installing for opencode, %s", (scope) => {
  const install = ["install", "--host", "opencode", `--${scope}`, "--yes"];
  const opencode = async () => {
    const each = await machine();
    // The plugin of a project loads the orcs that the project depends on.
    writeFiles(each.cwd, {
      "node_modules/orcs/package.json": '{ "type": "module" }',
      "node_modules/orcs/dist/adapters/opencode.js": `export * from "${ROOT}/dist/adapters/opencode.js";`,
    });
    return each;
  };
  const plugin = ({ root }: Machine) =>
    join(root, scope === "user" ? "home/.config/opencode" : "project/.opencode", "plugin/orcs.js");

  test("loads the plugin, writes nothing; uninstall leaves nothing", async () => {
    const each = await opencode();
    const files = () =>
      [join(each.root, "home"), each.cwd]
        .flatMap((at) => readdirSync(at, { recursive: true, encoding: "utf8" }))
        .filter((name) => !name.startsWith(".local"));
    const before = files();
    expect((await each.run(...install)).stdout).toMatch(/^created {2}.*plugin\/orcs\.js/);
    expect((await each.run(...install)).stdout).toMatch(/^up to date/);
    const installed = tree(each.root);
    const { code, hosts } = await report(each);
    expect(tree(each.root)).toEqual(installed);
    expect(texts(hosts)).toEqual([]);
    expect(code).toBe(0);
    expect(hosts).toMatchObject([{ host: "opencode", hooks: 1, idle: [] }]);
    const entries = hosts.flatMap(({ settings }) => settings.flatMap((file) => file.entries));
    expect(entries).toMatchObject([
      { fail_closed: true, works: true, tried: { answer: "nothing" } },
    ]);
    expect(await each.run("uninstall", "--host", "opencode", "--yes")).toMatchObject({ code: 0 });
    expect(files()).toEqual(before);
  });

  test("reports a plugin that is gone, replaced, or that orcs has moved away from", async () => {
    const each = await opencode();
    await each.run(...install);
    const file = plugin(each);
    const text = readFileSync(file, "utf8");
    const found = async (content: string | undefined) => {
      if (content === undefined) rmSync(file);
      else writeFileSync(file, content);
      const { code, hosts } = await report(each);
      expect(code).toBe(1);
      return texts(hosts);
    };
    const moved = text.replaceAll("adapters/", "gone/");
    expect(await found(moved)).toEqual([expect.stringMatching(/not find|not installed/)]);
    expect(await found(moved.replace("await load()", "load("))).toEqual([
      expect.stringMatching(/^it does not load: /),
    ]);
    const lost = "orcs was installed in this file, which";
    expect(await found("export default async () => ({});\n")).toEqual([
      `${lost} no longer loads it`,
    ]);
    expect(await found(undefined)).toEqual([`${lost} is gone`]);
  });
});

describe("orcs doctor in a discovered project", () => {
  async function seen(each: Machine) {
    const { code, ok, configurations, hosts } = await report(each);
    const { trust, hooks, findings, loads, diagnostics } = configurations[0] ?? {};
    return { code, ok, trust, hooks, loads, findings, diagnostics, hosts };
  }

  test("reports changed, untrusted and dev-trusted projects", async () => {
    const each = await machine();
    await each.run("install", "--host", "claude-code", "--yes");
    expect(await seen(each)).toMatchObject({ code: 0, ok: true, trust: "trusted", hooks: 1 });

    writeFiles(each.cwd, { "orcs.toml": `${GUARD}# more\n` });
    const changed = await seen(each);
    expect(changed).toMatchObject({ code: 0, ok: true, trust: "trusted", loads: true, hooks: 1 });
    // What was trusted is what runs.
    expect(changed.findings).toEqual([
      {
        kind: "note",
        text: expect.stringMatching(
          /^the hooks of .* are active as you trusted them on .*changed since then: orcs\.toml/,
        ) as string,
        hint: `orcs trust ${each.cwd}`,
      },
    ]);
    // Its entries are tried all the same, see the same trust, and are not called idle.
    expect(texts(changed.hosts)).toEqual([]);
    expect(changed.hosts[0]?.settings[0]?.entries[0]).toMatchObject({ works: true });

    await each.run("trust", "--revoke", "--yes");
    const unknown = await seen(each);
    expect(unknown).toMatchObject({ code: 1, trust: "unknown", hooks: 0 });
    expect(unknown.findings).toEqual([
      {
        kind: "problem",
        text: expect.stringMatching(/^none of its hooks is active: /) as string,
        hint: `orcs trust ${each.cwd}`,
      },
    ]);

    await each.run("trust", "--dev", "--yes");
    const dev = await seen(each);
    expect(dev).toMatchObject({ code: 0, ok: true, trust: "dev", hooks: 1 });
    expect(dev.findings).toEqual([
      {
        kind: "note",
        text: expect.stringContaining("dev-trusted") as string,
        hint: expect.any(String) as string,
      },
    ]);
  });

  test("reports a project that cannot be trusted", async () => {
    const each = await machine();
    writeFiles(each.root, { "outside.lua": "return function() end" });
    writeFiles(each.cwd, {
      "orcs.toml": `[[hooks]]\npoint = "Stop"\nscript = "../outside.lua"\n`,
    });
    const { code, trust, hooks, findings, diagnostics } = await seen(each);
    expect([code, trust, hooks]).toEqual([2, "trusted", 1]);
    // What keeps it from being trusted; and what was trusted stays active.
    expect(JSON.stringify(diagnostics)).toMatch(/outside\.lua/);
    expect(texts(findings)).toEqual([
      expect.stringMatching(
        /^the hooks of .* are active as you trusted them on .*orcs\.toml/,
      ) as string,
    ]);
  });

  test.skipIf(process.getuid?.() === undefined)(
    "reports a trust store that is damaged or accessible to others",
    async () => {
      const each = await machine();
      const file = join(each.root, "home/.local/state/orcs/trust.json");
      chmodSync(file, 0o644);
      const open = await seen(each);
      // Every call is denied.
      expect(open).toMatchObject({ code: 2, trust: "store", hooks: 0, loads: false });
      expect(texts(open.findings)).toEqual([
        expect.stringMatching(/accessible to other users/) as string,
      ]);
      writeFiles(each.root, { "home/.local/state/orcs/trust.json": "{" });
      chmodSync(file, 0o600);
      expect(texts((await seen(each)).findings)).toEqual([
        expect.stringMatching(/is damaged/) as string,
      ]);
      // Where no project says so, either.
      const elsewhere = { ...each.env };
      const ended = await orcs(["doctor", "--json"], { cwd: each.root, env: elsewhere });
      const { findings } = JSON.parse(ended.stdout) as DoctorReport;
      expect(texts(findings).join()).toMatch(/ORCS8002.*is damaged/);
    },
  );
});

describe("orcs doctor with Claude Code", () => {
  const SETTINGS = "home/.claude/settings.json";
  const settings = ({ root }: Machine): string => readFileSync(join(root, SETTINGS), "utf8");

  async function installed(toml = GUARD, how?: Parameters<typeof trusted>[2]): Promise<Machine> {
    const each = await machine({ "project/orcs.toml": toml }, how);
    expect(await each.run("install", "--host", "claude-code", "--yes")).toMatchObject({ code: 0 });
    return each;
  }

  test("prints readable text without unwanted colors and control characters", async () => {
    const each = await installed();
    const fine = await each.run("doctor");
    expect(fine).toMatchObject({ code: 0, stderr: "" });
    expect(fine.stdout).toMatch(/✓ PreToolUse {2}600 s, fail-closed, no decision \(\d+ ms\)/);
    expect(fine.stdout).toMatch(/✓ 1 hook of 1 run/);
    expect(fine.stdout).toMatch(/✓ no problems found\n$/);
    const text = settings(each).replace('"*"', '"\\u001b[2J"');
    writeFiles(each.root, { [SETTINGS]: text });
    const { code, stdout } = await each.run("doctor");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /it runs only where .*\[2J.* matches, and other calls pass guard unchecked/,
    );
    expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  type Row = [what: string, arrange: (each: Machine) => unknown, text: RegExp, host?: object];
  test.each<Row>([
    [
      "a setting that disables all hooks",
      ({ cwd }) =>
        writeFiles(cwd, { ".claude/settings.local.json": '{ "disableAllHooks": true }' }),
      /^disableAllHooks is true in .*local\.json/,
      { hooks: 0, idle: [{ id: "guard" }] },
    ],
    [
      "a double install for user and project",
      async ({ run }) => {
        const command = ["--command", `${process.execPath} ${MAIN}`];
        const args = ["install", "--host", "claude-code", "--project", "--yes", ...command];
        expect(await run(...args)).toMatchObject({ code: 0 });
      },
      /^hooks run twice at PreToolUse/,
    ],
    [
      "an entry command that does not exist",
      (each) => {
        startedBy(each, "exit 0");
        chmodSync(join(each.root, "bin/orcs"), 0o644);
      },
      /bin\/orcs: .*(cannot be executed|was not found)/,
      { hooks: 0, settings: [{ entries: [{ tried: null, works: false }] }, { exists: false }] },
    ],
    [
      "an entry command that is found from this shell only",
      (each) => {
        startedBy(each, `echo ${version}`);
        const text = settings(each).replaceAll(join(each.root, "bin/orcs"), "orcs");
        writeFiles(each.root, { [SETTINGS]: text });
      },
      /^orcs: the command was not found.*; it is found from this shell, but not with the PATH of an agent: /,
      { hooks: 0 },
    ],
    [
      "an entry command that is another orcs version",
      (each) => startedBy(each, `if [ "$1" = --version ]; then echo 0.0.1; fi`),
      new RegExp(`^/.*/bin/orcs is orcs 0\\.0\\.1, but this is ${version}$`),
    ],
  ])("reports %s", async (_, arrange, text, host = {}) => {
    const each = await installed();
    await arrange(each);
    const { code, hosts } = await report(each);
    expect([code, texts(hosts)]).toEqual([1, [expect.stringMatching(text)]]);
    expect(hosts[0]).toMatchObject(host);
  });

  test("reports a socket folder open to others", async () => {
    const each = await installed();
    writeFiles(each.root, { "run/orcs/.keep": "" });
    chmodSync(join(each.root, "run/orcs"), 0o755);
    const { code, findings } = await report(each);
    expect([code, texts(findings)]).toEqual([1, [expect.stringMatching(/^ORCS7006/)]]);
  });

  test("reports a hook at an event without an entry, which --sync fixes", async () => {
    const each = await installed();
    const more = '[[hooks]]\nid = "more"\npoint = "Stop"\nhandler_inline = "return nil"\n';
    writeFiles(each.cwd, { "orcs.toml": `${more}${GUARD}` });
    await each.trust();
    const { code, hosts } = await report(each);
    expect(code).toBe(1);
    expect(hosts[0]?.findings).toEqual([
      {
        kind: "problem",
        text: "no entry at Stop, where more should run",
        hint: "orcs install --sync",
      },
    ]);
    expect(await each.run("install", "--sync")).toMatchObject({ code: 0 });
    expect(await report(each)).toMatchObject({ code: 0, ok: true });
  });

  test("reports a configuration error", async () => {
    const each = await installed(GUARD, { dev: true });
    writeFiles(each.cwd, { "orcs.toml": '[[hooks]]\npoint = "tool.pre_exekute"\n' });
    const { code, ok, configurations, hosts } = await report(each);
    expect([code, ok]).toEqual([2, false]);
    expect(configurations[0]).toMatchObject({ loads: false, state: null });
    expect(JSON.stringify(configurations[0]?.diagnostics)).toMatch(/ORCS1005.*"line":2/);
    // The command says so, too: it refuses.
    expect(hosts[0]?.settings[0]?.entries[0]).toMatchObject({ works: false });
    expect(texts(hosts)).toEqual([expect.stringMatching(/^ORCS1015/)]);
    const { stdout } = await each.run("doctor");
    expect(stdout).toMatch(/orcs\.toml:2:\d+: error ORCS1005/);
  });

  test("reports --config that no entry uses", async () => {
    const each = await installed();
    writeFiles(each.cwd, { "other.toml": GUARD });
    const { code, hosts, configurations } = await report(each, "--config", "other.toml");
    expect(code).toBe(1);
    expect(texts(hosts)).toEqual([expect.stringMatching(/^no entry uses .*other\.toml/)]);
    expect(configurations.map(({ how }) => how)).toEqual(["named", "found"]);
    expect(await report(each, "--config", "orcs.toml")).toMatchObject({ code: 0 });
  });

  test("an entry command that does more than run orcs is not executed", async () => {
    const each = await installed();
    startedBy(each, `echo ${version}`);
    const text = settings(each).replaceAll(/"(?=[^"]*bin\/orcs hook)/g, '"touch ran; ');
    writeFiles(each.root, { [SETTINGS]: text });
    const { hosts } = await report(each);
    expect(texts(hosts)).toEqual([
      expect.stringMatching(/^it was not tested: .* so a denial may not deny$/),
    ]);
    expect(readdirSync(each.cwd)).toEqual(["orcs.toml"]);
  });

  test("a denial that the entry loses is a problem", async () => {
    const each = await installed();
    const text = settings(each);
    for (const [lost, why] of [
      [text.replace(/(?<="command": "[^\n]*)",\n/, ' || true",\n'), /a denial may not deny/],
      [text.replace("exit $c", "exit 0"), /may not deny|a denial does not deny|not tested/],
    ] as const) {
      expect(lost).not.toBe(text);
      writeFiles(each.root, { [SETTINGS]: lost });
      const { code, hosts } = await report(each);
      expect([code, texts(hosts).join("\n")]).toEqual([1, expect.stringMatching(why)]);
    }
  });

  test("knows orcs as a plugin of the agent", async () => {
    const each = await installed();
    rmSync(join(each.root, SETTINGS));
    const installPath = join(each.root, "home/.claude/plugins/cache/orcs/orcs/1");
    const bin = join(each.root, "plugin-bin");
    cpSync(join(ROOT, "plugins/claude-code"), installPath, { recursive: true });
    mkdirSync(bin);
    symlinkSync(join(ROOT, "bin/orcs-hook"), join(bin, "orcs-hook"));
    const list = { version: 2, plugins: { "orcs@orcs": [{ scope: "user", installPath }] } };
    writeFiles(each.root, {
      "home/.claude/plugins/installed_plugins.json": JSON.stringify(list),
      "home/.profile": `PATH=${bin}:$PATH\n`,
    });
    const { hosts } = await report(each);
    expect(texts(hosts).filter((each) => /no hook runs|twice|not installed/.test(each))).toEqual(
      [],
    );
    expect(hosts[0]?.hooks).toBe(1);
  });

  test("a hook that denies the trial event is no problem", async () => {
    const toml = GUARD.replace('~= "true"', '== "true" and orcs.state.get("calls") == 1');
    const each = await installed(toml);
    for (let i = 0; i < 2; i++) {
      const { code, hosts } = await report(each);
      expect(code).toBe(0);
      expect(hosts[0]?.settings[0]?.entries[0]?.tried?.answer).toBe("refusal");
    }
  });

  test("reports a running service and leaves its state unchanged", async () => {
    const each = await installed();
    const { cwd, env, root } = each;
    const { child } = await served(cwd, env);
    const { code, configurations } = await report(each);
    expect(code).toBe(0);
    expect(configurations[0]?.service).toMatchObject({ pid: child.pid });
    expect(configurations[0]?.service?.ms).toBeGreaterThan(0);
    expect(tree(root).filter((line) => line.includes("state.jsonl"))).toEqual([]);
    child.kill("SIGTERM");
    await once(child, "exit");
  });
});
