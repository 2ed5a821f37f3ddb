import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ALONE, GUARD, HookRig } from "../dist/hook-rig.ts";
import { folder, MAIN } from "../dist/orcs.ts";
import { partOf } from "../slow-test.ts";
import { canIsolate, inOwnEtc } from "./own-etc.ts";

// Whatever has the name of a file that an event needs: `orcs hook` answers.

const KINDS: Readonly<Record<string, (path: string) => void>> = {
  "a FIFO": (path) => void execFileSync("mkfifo", [path]),
  "an endless device": (path) => symlinkSync("/dev/zero", path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a directory": (path) => mkdirSync(path),
};

/** Files below the folder of a test, and whether a call is denied that its own guard would pass. */
const PLACES: Readonly<Record<string, boolean>> = {
  "config/orcs/orcs.toml": true,
  "p/orcs.local.toml": false,
  "p/hooks/g.lua": false,
  "p/check.sh": false,
  "state/orcs/trust.json": true,
  "state/orcs/installations.json": false,
  "state/orcs/seals/.store": false,
  "run/orcs": false,
  "p/.git/HEAD": false,
  ".claude/settings.json": false,
};

const CONFIG = `${ALONE}${GUARD}[[hooks]]
id = "script"
point = "tool.pre_execute"
script = "g.lua"
[[hooks]]
id = "command"
point = "tool.pre_execute"
match = { tool = "nothing" }
shell = { command = "./check.sh" }
`;
const FILES = {
  "p/orcs.toml": CONFIG,
  "p/hooks/g.lua": "return function() end\n",
  "p/check.sh": "#!/bin/sh\n",
};

async function asked(command: string, around: (root: string) => Readonly<Record<string, string>>) {
  const rig = new HookRig(FILES);
  const cwd = join(rig.dir, "p");
  const env = {
    HOME: rig.dir,
    XDG_CONFIG_HOME: join(rig.dir, "config"),
    XDG_STATE_HOME: join(rig.dir, "state"),
    XDG_RUNTIME_DIR: join(rig.dir, "run"),
  };
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  execFileSync(process.execPath, [MAIN, "trust", "--yes"], {
    cwd,
    env: { ...process.env, ...env },
    stdio: "ignore",
  });
  const changed = around(rig.dir);
  // It is killed where it hangs.
  return rig.command("claude-code", command, { cwd, env: { ...env, ...changed } });
}

const CASES = Object.keys(PLACES).flatMap((place) =>
  Object.keys(KINDS).map((kind) => ({ place, kind })),
);

test.each(partOf(CASES, 5))("$kind at $place", async ({ place, kind }) => {
  const { code, stdout, stderr } = await asked("ls", (root) => {
    const path = join(root, place);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    KINDS[kind]?.(path);
    return {};
  });
  expect(code).not.toBeNull();
  if (PLACES[place] !== true) return;
  expect(stdout).toContain('"permissionDecision":"deny"');
  expect(stdout + stderr).toContain(place);
});

test.each(partOf(["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR"], 2))(
  "%s=/proc",
  async (name) => {
    const { code, stderr } = await asked("ls", () => ({ [name]: "/proc" }));
    expect([code, stderr.includes("ORCS9")]).toEqual([0, false]);
  },
);

test.runIf(canIsolate)("a FIFO in place of the machine's configuration", () => {
  const event = JSON.stringify({
    session_id: "s",
    cwd: "/",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "t",
  });
  const dir = folder({ event });
  const said = inOwnEtc(
    dir,
    `mkdir /etc/orcs
mkfifo -m 600 /etc/orcs/orcs.toml
cd ${dir}
XDG_STATE_HOME=${dir}/s XDG_CONFIG_HOME=${dir}/c XDG_RUNTIME_DIR=${dir} \
  timeout -s KILL 60 ${process.execPath} ${MAIN} hook --host claude-code <event`,
  );
  expect(said).toContain('"permissionDecision":"deny"');
  expect(said).toContain("/etc/orcs/orcs.toml");
});
