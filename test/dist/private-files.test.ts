import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ended, folder, MAIN, orcsAlone, PATIENT } from "./orcs.ts";
import type { Ended } from "./orcs.ts";

// Everything that orcs keeps, as most people's shells have it written: with the mask 022.

const GUARD = `${PATIENT}
[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = 'orcs.state.set("secret", "value") return orcs.deny("no")'
`;

/** Files with a secret, and what is in them. `*` stands for a part of a name that nobody knows before. */
const SECRETS: readonly (readonly [what: string, path: string])[] = [
  ["the token, in settings that all could read", "home/.claude/settings.json"],
  ["the token", "home/.local/state/orcs/http.json"],
  ["the settings as they were before", "home/.local/state/orcs/installs/*.json"],
  ["the key that signs", "policy.key"],
  ["the trust store", "home/.local/state/orcs/trust.json"],
  ["what is trusted", "home/.local/state/orcs/seals/*/files/orcs.toml"],
  ["the state", "home/.local/state/orcs/*/state.jsonl"],
  ["the audit log", "home/.local/state/orcs/*/audit/audit.jsonl"],
  ["the session", "home/.local/state/orcs/sessions/*.json"],
  ["the events", "record.jsonl"],
  ["the socket", "run/orcs/*.sock"],
  ["the token of the service", "run/orcs/*.json"],
  ["the log of the service", "run/orcs/*.log"],
];

test("no other user can read what orcs keeps", { timeout: 120_000 }, async () => {
  const mask = process.umask(0o022);
  onTestFinished(() => void process.umask(mask));
  const root = folder({ "project/orcs.toml": GUARD });
  const [home, run, dir] = [join(root, "home"), join(root, "run"), join(root, "project")];
  const settings = join(home, ".claude/settings.json");
  mkdirSync(join(home, ".claude"), { recursive: true });
  mkdirSync(run, { mode: 0o700 });
  writeFileSync(settings, '{ "env": { "KEY": "value" } }');
  chmodSync(settings, 0o644);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, XDG_RUNTIME_DIR: run, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" };
  const does = async (cwd: string, ...args: string[]) =>
    expect(await orcsAlone(args, { cwd, env })).toMatchObject({ code: 0 });
  await does(dir, "trust", "--yes");
  await does(dir, "install", "--host", "claude-code", "--transport", "http", "--yes");
  await does(root, "bundle", "keygen", "-o", "policy.key");
  const hook = (of: object, ...args: string[]): Promise<Ended> => {
    const program = [MAIN, "hook", "--host", "claude-code", ...args];
    const child = spawn(process.execPath, program, { cwd: dir, env });
    const event = { session_id: "s", transcript_path: "/t", cwd: dir, ...of };
    return ended(child, JSON.stringify(event));
  };
  const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
  await hook({ hook_event_name: "SessionStart", source: "startup" }, "--http");
  await hook(call, "--record", join(root, "record.jsonl"));
  await hook(call);
  onTestFinished(() => end(home));
  const isThere = (path: string): boolean => filesLike(root, path).length > 0;
  await expect
    .poll(() => SECRETS.filter(([, path]) => !isThere(path)), { timeout: 30_000 })
    .toEqual([]);

  for (const [what, path] of SECRETS)
    for (const file of filesLike(root, path))
      expect([what, file, othersMay(join(root, file))]).toEqual([what, file, false]);
  // And everything else beside it.
  const kept = [
    join(home, ".local/state/orcs"),
    join(run, "orcs"),
    join(home, ".claude/settings.json"),
  ];
  expect([...kept, ...kept.flatMap(below)].filter(othersMay)).toEqual([]);
  const token = (JSON.parse(readFileSync(settings, "utf8")) as { env: Record<string, string> }).env;
  expect(token).toMatchObject({ KEY: "value", ORCS_HTTP_TOKEN: expect.any(String) as string });

  // An older orcs left it as it was.
  chmodSync(settings, 0o644);
  const told = await orcsAlone(["doctor"], { cwd: dir, env });
  expect(told.stdout).toMatch(
    /other users can read the token for HTTP in it[^]*chmod 600 '\S+settings.json'/,
  );
  await does(dir, "install", "--host", "claude-code", "--transport", "http", "--yes");
  expect(othersMay(settings)).toBe(false);
});

/** End the services that were started for this home. */
function end(home: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const its = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      if (its.includes(`HOME=${home}`)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended, or is somebody else's.
    }
  }
}

function othersMay(path: string): boolean {
  const found = lstatSync(path);
  return !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
}

function below(path: string): string[] {
  if (!existsSync(path) || !lstatSync(path).isDirectory()) return [];
  return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
}

function filesLike(root: string, wanted: string): string[] {
  const pattern = new RegExp(`^${wanted.replaceAll(".", "\\.").replaceAll("*", "[^/]+")}$`);
  return below(root)
    .map((path) => relative(root, path))
    .filter((path) => pattern.test(path));
}
