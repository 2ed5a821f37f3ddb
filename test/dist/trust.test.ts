import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { HAS_TERMINAL, orcsAtTerminal } from "./at-terminal.ts";
import { folder, orcs, PATIENT, writeFiles } from "./orcs.ts";
import type { Ended } from "./orcs.ts";

const HOOK = `[[hooks]]
id = "say"
point = "tool.pre_execute"
handler_inline = 'return orcs.deny("said")'
`;
const WHOLE = `${PATIENT}
[permissions]
capabilities = ["READ"]
grants = ["git status"]
${HOOK}
[[hooks]]
id = "guard"
point = "tool.pre_execute"
script = "guard.lua"
[[hooks]]
id = "check"
point = "tool.post_execute"
shell = { command = "./check.sh --all", env = ["GITHUB_TOKEN"] }
[[hooks]]
id = "tell"
point = "session.on_start"
webhook = { url = "https://example.com/in", headers = { Authorization = "Bearer \${API_KEY}" }, allow_env = ["API_KEY"], allow_hosts = ["10.0.0.7"] }
[[hooks]]
id = "js"
point = "tool.pre_execute"
module = "./audit.mjs#onTool"
[[agents.reviewer.hooks]]
id = "theirs"
point = "tool.pre_execute"
script = "guard.lua"
`;
const FILES = {
  "orcs.toml": WHOLE,
  "hooks/guard.lua": 'require("mod")\nreturn function() end\n',
  "hooks/mod.lua": "return 1\n",
  "check.sh": "exit 0\n",
  "audit.mjs": "export const onTool = () => undefined;\n",
};

/** A project and somebody who may trust it. */
function place(files: Readonly<Record<string, string>> = { "orcs.toml": HOOK + PATIENT }) {
  const dir = folder(files);
  const home = folder();
  const env = { XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  const store = join(home, "state/orcs/trust.json");
  const run = (args: readonly string[], cwd = dir): Promise<Ended> => orcs(args, { cwd, env });
  const trust = (...args: string[]): Promise<Ended> => run(["trust", ...args]);
  /** Whether its hook is in force. */
  const acts = async (cwd = dir): Promise<boolean> => {
    const { stdout } = await run(["eval", "tool.pre_execute", "tool=x", "--json"], cwd);
    return stdout.includes('"reason":"said"');
  };
  return { dir, home, env, store, run, trust, acts };
}

describe("orcs trust shows", () => {
  test("what would run, who owns it and what it may use, without trusting it", async () => {
    const { dir, trust, acts } = place(FILES);
    const { code, stdout, stderr } = await trust("--show");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toContain(`${dir}: not trusted, it is not in the trust store`);
    for (const line of [
      /^say +tool\.pre_execute +orcs\.toml:\d+ +lua return orcs\.deny\("said"\) +the sandbox$/m,
      /^guard +tool\.pre_execute +orcs\.toml:\d+ +lua guard\.lua +the sandbox$/m,
      /^check +tool\.post_execute +orcs\.toml:\d+ +command '.*\/check\.sh' --all +your account, \$GITHUB_TOKEN$/m,
      /^tell +session\.on_start +orcs\.toml:\d+ +webhook POST https:\/\/example\.com\/in +\$API_KEY, private host 10\.0\.0\.7$/m,
      /^js +tool\.pre_execute +orcs\.toml:\d+ +javascript .*\/audit\.mjs#onTool +your account$/m,
      /^theirs +tool\.pre_execute +orcs\.toml:\d+ \(agent reviewer\) +lua guard\.lua/m,
      /^ +lua\.max_run_ms = 5000$/m,
      /^settings +permissions\.capabilities = \["READ"\]$/m,
      /^tools +READ in .*; commands: git status$/m,
      /^files +[0-9a-f]{12} {2}audit\.mjs$/m,
      /[0-9a-f]{12} {2}hooks\/mod\.lua$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(await acts()).toBe(false);
  });

  test("the same as JSON", async () => {
    const { dir, trust } = place(FILES);
    const { code, stdout } = await trust("--show", "--json");
    expect(code).toBe(1);
    const shown = JSON.parse(stdout) as Record<string, unknown>;
    expect(shown).toMatchObject({
      directory: dir,
      state: "unknown",
      digest: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      sealed: false,
      permissions: { capabilities: ["READ"], grants: ["git status"] },
      problems: [],
    });
    expect(Object.keys(shown["files"] as object).sort()).toEqual(Object.keys(FILES).sort());
    expect(
      (shown["hooks"] as { id: string; kind: string }[]).map(({ id, kind }) => [id, kind]),
    ).toEqual([
      ["say", "lua"],
      ["guard", "lua"],
      ["check", "command"],
      ["tell", "webhook"],
      ["js", "javascript"],
      ["theirs", "lua"],
    ]);
  });

  test("what has changed since it was trusted", async () => {
    const { dir, trust } = place(FILES);
    expect((await trust("--yes")).code).toBe(0);
    expect((await trust("--show")).code).toBe(0);
    writeFileSync(join(dir, "hooks/mod.lua"), "return 2\n");
    rmSync(join(dir, "check.sh"));
    writeFileSync(join(dir, "orcs.local.toml"), "");
    const { code, stdout } = await trust("--show");
    expect(code).toBe(1);
    expect(stdout).toContain(
      `${dir}: trusted, changed since then: orcs.local.toml, check.sh, hooks/mod.lua\n`,
    );
    expect(stdout).toMatch(/^ +[0-9a-f]{12} {2}hooks\/mod\.lua {2}\(changed\)$/m);
    expect(stdout).toMatch(/^ +orcs\.local\.toml|[0-9a-f]{12} {2}orcs\.local\.toml {2}\(new\)$/m);
    expect(stdout).toMatch(/^ +check\.sh {2}\(gone\)$/m);
    const { changed } = JSON.parse((await trust("--show", "--json")).stdout) as {
      changed: unknown;
    };
    expect(changed).toEqual([
      { name: "check.sh", is: "gone" },
      { name: "hooks/mod.lua", is: "changed" },
      { name: "orcs.local.toml", is: "new" },
    ]);
  });

  test("settings that a project must not have", async () => {
    const { home, trust } = place({
      "orcs.toml": `${HOOK}[trust]\ndev = true\n[permissions]\ncapabilities = ["READ", "WRITE"]\n`,
    });
    writeFiles(home, { "config/orcs/orcs.toml": '[permissions]\ncapabilities = ["READ"]\n' });
    const { stdout } = await trust("--show");
    expect(stdout).toMatch(
      /^ignored +orcs\.toml:\d+ .*cannot declare itself trusted; run orcs trust$/m,
    );
    expect(stdout).toContain("ignored: a project cannot loosen your own settings");
    expect(stdout).toMatch(/^tools +READ in/m);
  });

  test("a folder name with control characters escaped", async () => {
    const evil = "\u001b[2J\u001b[31m\u202egnihton\u200b\u2028\u009b1m";
    const dir = join(folder(), `p${evil}`);
    const home = folder();
    const env = { XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
    const quoted = JSON.stringify(evil)
      .replaceAll("\u009b", "\\u009b")
      .replaceAll("\u202e", "\\u202e");
    mkdirSync(dir);
    writeFiles(dir, {
      "orcs.toml": `[[hooks]]\nid = ${quoted}\npoint = "tool.pre_execute"\nshell = ${JSON.stringify(
        `echo "$ORCS_CONFIG_DIR/${evil}"; echo ok`,
      )
        .replaceAll("\u009b", "\\u009b")
        .replaceAll("\u202e", "\\u202e")}\n[engine]\ntrace = false\n`,
      [evil]: "",
    });
    for (const args of [
      ["--show"],
      ["--yes"],
      ["--list"],
      ["--show"],
      ["--revoke", "--yes"],
      ["--show", "--json"],
    ]) {
      const { stdout, stderr } = await orcs(["trust", ...args], { cwd: dir, env });
      const all = stdout + stderr;
      expect(all.length).toBeGreaterThan(0);
      const bad = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u;
      expect(bad.exec(all)?.[0], args.join(" ")).toBeUndefined();
    }
    const { stdout } = await orcs(["trust", "--show"], { cwd: dir, env });
    expect(stdout).toContain("\\u001b[2J");
    expect(stdout).toContain("\\u{202e}");
    // A file that begins like the list of them, with a mistake in it.
    writeFileSync(join(dir, "orcs.toml"), `x = "${evil}`);
    const broken = await orcs(["trust", "--yes"], { cwd: dir, env });
    expect(broken.code).toBe(2);
    expect(/(?![\n\t])\p{Cc}/u.exec(broken.stderr)?.[0]).toBeUndefined();
  });
});

describe("orcs trust", () => {
  test("trusts the current content; a change is active once trusted again", async () => {
    const { dir, run, trust, acts, store } = place();
    expect(await acts()).toBe(false);
    const { code, stdout } = await trust("--yes");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `trusted  ${dir}\n` });
    expect(statSync(store).mode & 0o777).toBe(0o600);
    expect(await acts()).toBe(true);
    writeFileSync(join(dir, "orcs.toml"), PATIENT);
    expect(await acts()).toBe(true);
    expect((await run(["eval", "tool.pre_execute", "tool=x"])).stderr).toContain(
      `changed since then: orcs.toml`,
    );
    const { stderr } = await trust("--yes", ".");
    expect(stderr).toContain("orcs.toml  (changed)");
    expect(await acts()).toBe(false);
  });

  test("--dev trusts a folder with any content, with a message at each run", async () => {
    const { dir, trust, acts, run } = place();
    expect(await trust("--dev", "--yes")).toMatchObject({
      code: 0,
      stdout: `dev-trusted  ${dir}\n`,
    });
    writeFileSync(join(dir, "orcs.toml"), `${HOOK}${PATIENT}\n# more\n`);
    expect(await acts()).toBe(true);
    const { stderr } = await run(["list"]);
    expect(stderr).toContain(
      `${dir} is dev-trusted: every saved change is active at once; to end this, run: orcs trust --revoke ${dir}`,
    );
    expect((await trust("--show")).code).toBe(0);
    writeFileSync(join(dir, "orcs.toml"), PATIENT);
    expect(await acts()).toBe(false);
    // Trusted as it is, it is held to that again.
    writeFileSync(join(dir, "orcs.toml"), `${HOOK}${PATIENT}`);
    expect((await trust("--yes")).code).toBe(0);
    writeFileSync(join(dir, "orcs.toml"), PATIENT);
    expect(await acts()).toBe(true);
  });

  test("--revoke ends trust, also of a deleted folder", async () => {
    const { dir, trust, acts, run, home } = place();
    await trust("--yes");
    expect(await trust("--revoke", "--yes")).toMatchObject({
      code: 0,
      stdout: `not trusted any more  ${dir}\n`,
    });
    expect(await acts()).toBe(false);
    expect(await trust("--revoke", "--yes")).toMatchObject({
      code: 1,
      stdout: `was not trusted  ${dir}\n`,
    });
    await trust("--yes");
    writeFileSync(join(dir, "orcs.toml"), "[[[");
    expect((await trust("--revoke", "--yes")).code).toBe(0);
    writeFileSync(join(dir, "orcs.toml"), HOOK);
    await trust("--yes");
    rmSync(dir, { recursive: true });
    const gone = await run(["trust", "--revoke", "--yes", "--json", dir], home);
    expect(gone.code).toBe(0);
    expect(JSON.parse(gone.stdout)).toEqual({ ok: true, directory: dir, state: "unknown" });
    expect((await run(["trust", "--list"], home)).stdout).toBe("nothing is trusted\n");
  });

  test("--revoke does not read the project", async () => {
    const { dir, trust } = place();
    await trust("--yes");
    rmSync(join(dir, "orcs.toml"));
    symlinkSync("/dev/zero", join(dir, "orcs.toml"));
    expect(await trust("--revoke", "--yes")).toMatchObject({ code: 0 });
  });

  test("--list lists trusted projects", async () => {
    const { dir, trust, run } = place();
    expect((await trust("--list")).stdout).toBe("nothing is trusted\n");
    expect(JSON.parse((await trust("--list", "--json")).stdout)).toEqual([]);
    const other = folder({ "orcs.toml": "" });
    await trust("--yes");
    await run(["trust", "--dev", "--yes", other]);
    const all = JSON.parse((await trust("--list", "--json")).stdout) as object[];
    expect(all).toEqual([
      {
        directory: dir,
        folders: [dir],
        is_gone: false,
        state: "trusted",
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        branch: null,
        digest: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      },
      { directory: other, folders: [other], is_gone: false, state: "dev", at: expect.any(String) },
    ]);
    expect((await trust("--list")).stdout).toMatch(new RegExp(`^dev +\\S+ +${other}$`, "m"));
  });

  test("works from a subfolder, through a symlink, and for a given folder", async () => {
    const { dir, home, run, acts } = place({ "orcs.toml": HOOK + PATIENT, "a/b/x": "" });
    symlinkSync(dir, join(home, "link"));
    for (const [args, cwd] of [
      [[], join(dir, "a/b")],
      [[], join(home, "link/a")],
      [[join(home, "link")], home],
      [[dir], home],
      [["a/b"], dir],
    ] as const) {
      expect(await run(["trust", "--yes", ...args], cwd)).toMatchObject({
        stdout: `trusted  ${dir}\n`,
      });
      expect(await acts(join(dir, "a"))).toBe(true);
      expect(await run(["trust", "--revoke", "--yes", ...args], cwd)).toMatchObject({ code: 0 });
      expect(await acts()).toBe(false);
    }
  });

  test("--json prints what it has written", async () => {
    const { dir, trust } = place();
    for (const [args, state] of [
      [["--yes"], "trusted"],
      [["--yes", "--dev"], "dev"],
    ] as const) {
      const { code, stdout, stderr } = await trust(...args, "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject({ directory: dir, state });
    }
  });
});

describe("orcs trust fails for", () => {
  it.each<[string, string[]]>([
    ["nobody to ask", []],
    ["nobody to ask whether it may hold anything", ["--dev"]],
    ["nobody to ask where JSON is wanted", ["--json"]],
    ["nobody to ask whether to take it back", ["--revoke"]],
  ])("%s", async (_name, args) => {
    const { trust, acts } = place();
    const { code, stdout, stderr } = await trust(...args);
    expect(code).toBe(2);
    if (args.includes("--json")) {
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: "ORCS5001" } });
    } else expect(stdout).toBe("");
    expect(stderr).toContain("use --yes");
    expect(await acts()).toBe(false);
  });

  it.each([
    ["--yes", "--show"],
    ["--show", "--revoke"],
    ["--show", "--dev"],
    ["--dev", "--revoke"],
    ["--list", "--show"],
    ["--list", "--yes"],
    ["--what"],
    ["a", "b"],
  ])("%s %s", async (...args) => {
    const { trust, acts } = place();
    expect(await trust(...args.filter((arg) => arg !== undefined))).toMatchObject({
      code: 2,
      stdout: "",
    });
    expect(await acts()).toBe(false);
  });

  test("a folder without a configuration or a missing folder", async () => {
    const { home, run } = place();
    for (const dir of [home, join(home, "nowhere")]) {
      const { code, stderr } = await run(["trust", "--yes", dir], home);
      expect(code).toBe(2);
      expect(stderr).toContain(`no orcs.toml found in ${dir} or its parent directories`);
    }
  });

  test("the user's own configuration", async () => {
    const { home, run } = place();
    writeFiles(home, { "config/orcs/orcs.toml": HOOK });
    const { code, stderr } = await run(["trust", "--yes"], join(home, "config/orcs"));
    expect(code).toBe(2);
    expect(stderr).toContain(
      "contains your own configuration, which does not need to be trusted; see orcs trust --user",
    );
  });

  test("configuration errors, which are printed", async () => {
    const { dir, trust, store } = place({
      "orcs.toml": `${HOOK}pointt = "x"\n[[hooks]]\nscript = "nowhere.lua"\n`,
    });
    const { code, stderr } = await trust("--yes");
    expect(code).toBe(2);
    expect(stderr).toContain("pointt");
    expect(stderr).toContain("nowhere.lua");
    expect((await trust("--show")).stdout).toContain("pointt");
    const { problems } = JSON.parse((await trust("--show", "--json")).stdout) as {
      problems: { code: string }[];
    };
    expect(problems.map((each) => each.code)).toContain("ORCS1009");
    expect(() => statSync(store)).toThrow("ENOENT");
    // One that is to hold anything may also hold mistakes.
    expect((await trust("--yes", "--dev")).code).toBe(0);
    writeFileSync(join(dir, "orcs.toml"), HOOK);
  });

  test("an unusable trust store, which is left unchanged", async () => {
    const { run, trust, store } = place();
    await trust("--yes");
    writeFileSync(store, "{");
    for (const args of [["--yes"], ["--dev", "--yes"], ["--revoke", "--yes"], ["--list"]]) {
      const { code, stderr } = await trust(...args);
      expect(code, args.join(" ")).toBe(2);
      expect(stderr).toContain("ORCS8002");
    }
    const shown = await trust("--show");
    expect(shown).toMatchObject({ code: 2, stdout: "" });
    expect(shown.stderr).toContain("ORCS8002");
    expect(readFileSync(store, "utf8")).toBe("{");
    // Whether anything is trusted cannot be said: nothing is decided without it.
    const ended = await run(["eval", "tool.pre_execute", "tool=x"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("ORCS8002");
  });
});

describe.skipIf(!HAS_TERMINAL)("orcs trust at a terminal", () => {
  it.each([
    ["n", false],
    ["", false],
    ["no", false],
    ["yesterday", false],
    ["y", true],
    ["Yes", true],
  ])("answered %j", async (answer, isTrusted) => {
    const dir = folder({ "orcs.toml": HOOK + PATIENT });
    const steps = [["Let this run as it is now? [y/N]", `${answer}\n`]] as const;
    const shown = await orcsAtTerminal(["trust"], dir, steps);
    expect(shown.code).toBe(isTrusted ? 0 : 1);
    expect(shown.stdout).toBe(isTrusted ? `trusted  ${dir}\n` : "");
    expect(shown.terminal).toContain('lua return orcs.deny("said")');
    if (!isTrusted) expect(shown.terminal).toContain("Nothing was trusted.");
    const { code } = await orcs(["trust", "--show"], { cwd: dir });
    expect(code).toBe(isTrusted ? 0 : 1);
  });

  it("asks before dev-trusting", async () => {
    const dir = folder({ "orcs.toml": "" });
    const steps = [
      [`Let whatever ${dir} will hold run as you, until revoked? [y/N]`, "y\n"],
    ] as const;
    expect(await orcsAtTerminal(["trust", "--dev"], dir, steps)).toMatchObject({
      code: 0,
      stdout: `dev-trusted  ${dir}\n`,
    });
  });

  it("ends without an answer", async () => {
    const dir = folder({ "orcs.toml": "" });
    const steps = [["[y/N]", "\u0004"]] as const;
    const shown = await orcsAtTerminal(["trust"], dir, steps);
    expect(shown.code).not.toBe(0);
    expect(shown.restored).toBe(true);
    expect((await orcs(["trust", "--show"], { cwd: dir })).code).toBe(1);
  });
});
