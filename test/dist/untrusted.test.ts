import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, afterAll, describe, expect, it, test } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { hostileProject, TOKEN } from "../hostile-project.ts";
import type { HostileProject } from "../hostile-project.ts";
import { CALLS } from "./hook-rig.ts";
import { call, FAKE } from "./mcp/session.ts";
import { folder, orcs as run, writeFiles } from "./orcs.ts";
import { ask, dispatchAt, serving } from "./service.ts";

// R1 through every verb, as processes: of a project that nobody has trusted, nothing runs.

let project: HostileProject;
let dir: string;
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  project = await hostileProject(folder());
  dir = folder({
    ...project.files,
    "sub/x": "",
    "program.lua": "print('of the user') orcs.exec('true')\n",
  });
  home = folder({ "config/orcs/orcs.toml": "[serve]\nauto = false\n[lua]\nmax_run_ms = 5000\n" });
  mkdirSync(join(home, "run"), { mode: 0o700 });
  env = {
    ...project.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_RUNTIME_DIR: join(home, "run"),
    CLAUDE_PROJECT_DIR: "",
    GEMINI_PROJECT_DIR: "",
    CURSOR_PROJECT_DIR: "",
  };
});
afterAll(() => project.close());

const orcs = (args: readonly string[], stdin?: string, cwd = dir) =>
  run(args, { cwd, env, ...(stdin !== undefined && { stdin }) });

/** That nothing has acted, and nothing of it was shown that must not be. */
async function expectInert({ stdout, stderr }: { stdout: string; stderr: string }): Promise<void> {
  expect(`${stdout}${stderr}`).not.toMatch(/evil (lua|test|module) ran/);
  expect(`${stdout}${stderr}`).not.toContain(TOKEN);
  expect(await project.acted()).toEqual([]);
}

describe("with a hostile untrusted project, every command runs none of its code", () => {
  const EVENT = ["tool.pre_execute", "tool=x"];
  it.each<[readonly string[], number, RegExp]>([
    [["eval", ...EVENT], 0, /^continue/],
    [["eval", ...EVENT, "--json", "--fail"], 0, /"action":"continue"/],
    [["eval", "--explain", ...EVENT], 0, /no hooks at this point/],
    [["eval", "--explain", ...EVENT, "--json"], 0, /"action":"continue"/],
    [["list"], 0, /^no hooks/],
    [["list", "--json"], 0, /^\[\]/],
    [["run", "program.lua"], 0, /of the user/],
    [["run", "program.lua", "--json"], 0, /of the user/],
    [["check"], 2, /^0 hooks active/],
    [["check", "--json"], 2, /"hooks":0/],
    [["check", "--print"], 2, /^/],
    [["check", "--print", "--json"], 2, /^/],
    [["test"], 2, /^$/],
    [["test", "--json"], 2, /^\{"error":\{"code":"ORCS8001"/],
    [["test", "hooks/evil_test.lua"], 2, /^$/],
    [["test", "--bench", "--json"], 2, /"ORCS5001: there are no hooks to measure"/],
    [["test", "--fuzz", "--never", "git push"], 2, /^/],
    [["trust", "--show"], 1, /not trusted, it is not in the trust store/],
    [["trust", "--show", "--json"], 1, /"state":"unknown"/],
    [["trust", "--list"], 0, /nothing is trusted/],
    [["trust", "--revoke", "--yes"], 1, /was not trusted/],
    [["trust"], 2, /^$/],
    [["audit", "show"], 0, /^/],
  ])("%j", async (args, code, says) => {
    for (const cwd of [dir, join(dir, "sub")]) {
      if (args[0] === "run" && cwd !== dir) continue;
      if (args[1]?.startsWith("hooks/") === true && cwd !== dir) continue;
      const all = await orcs(args, undefined, cwd);
      await expectInert(all);
      if (args[0] !== "audit") expect(all).toMatchObject({ code });
      if (["check", "eval", "list", "run", "test"].includes(args[0] ?? "")) {
        const told = all.stderr
          .split("\n")
          .filter((line) => /are not trusted|not in the trust store/.test(line));
        expect(told).toEqual([expect.stringContaining(`orcs trust ${dir}`)]);
      }
      if (args.includes("--json")) {
        for (const line of all.stdout.trimEnd().split("\n")) JSON.parse(line);
      }
      // Programs print on stderr.
      expect(args[0] === "run" ? all.stderr : all.stdout).toMatch(says);
    }
  });

  it.each([["test", "--bench"], ["doctor"], ["install", "claude-code", "--show"]])(
    "%s",
    async (...args) => {
      const all = await orcs(args);
      expect(all.code).not.toBeNull();
      await expectInert(all);
    },
  );

  it.each(HOST_NAMES)("hook --host %s answers the call with a notice", async (host) => {
    const event = { ...CALLS[host]("ls"), session_id: `s-${host}`, conversation_id: `s-${host}` };
    const first = await orcs(["hook", "--host", host], JSON.stringify(event));
    await expectInert(first);
    expect(first.code).toBe(0);
    expect(first.stdout + first.stderr).toContain(`the hooks of ${dir} are inactive`);
    // Where nothing else is certain to be seen, the notice is a denial.
    const denies = HOSTS[host].noticeDenies === true;
    expect(/"?(deny|block|reject)/.test(first.stdout)).toBe(denies);
  });

  it("mcp passes calls on", async () => {
    const lines = [call(1, "echo", { a: 1 })].map((each) => `${JSON.stringify(each)}\n`).join("");
    const all = await orcs(["mcp", "--", process.execPath, FAKE, ""], lines);
    await expectInert(all);
    expect(all.stdout).toContain('"id":1');
    expect(all.stdout).not.toContain("isError");
    expect(all.stderr).toContain("ORCS8001");
  });

  it("serve answers", async () => {
    const { child, at, stderr, ended } = await serving(dir, [], env);
    expect(await ask(at.socket, dispatchAt({}))).toContain('"action":"continue"');
    child.kill("SIGTERM");
    await ended;
    await expectInert({ stdout: JSON.stringify(at), stderr: stderr() });
  });
});

test("a project trusted without inspection cannot have trusted itself", async () => {
  // What the verbs have left in the user's state is a copy of their own configuration, and trust in no project.
  const store = join(home, "state/orcs/trust.json");
  const left = existsSync(store) ? (JSON.parse(readFileSync(store, "utf8")) as object) : {};
  expect(left).not.toHaveProperty(["projects", dir]);
  expect(Object.values((left as { projects?: object }).projects ?? {})).toEqual([]);
  writeFiles(dir, {
    "trust.json": JSON.stringify({ version: 1, trusted: { [dir]: { dev: true, at: "" } } }),
  });
  writeFileSync(join(dir, "orcs.local.toml"), "[trust]\ndev = true\n");
  const all = await orcs(["list"]);
  expect(all).toMatchObject({ code: 0, stdout: "no hooks\n" });
  expect(readFileSync(join(dir, "trust.json"), "utf8")).toContain(dir);
  await expectInert(all);
});
