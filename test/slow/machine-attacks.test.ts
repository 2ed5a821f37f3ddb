import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { AS_USER, canIsolate, inOwnEtc } from "./own-etc.ts";

// An unprivileged user tries to loosen what the machine enforces. Each attack has an /etc of its own.

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const POLICY = `enforced = true
[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { runs = ["git push --force"] }
handler_inline = 'return orcs.deny("the machine says no")'
`;
const HOOK = `[[hooks]]\nid = "guard"\npoint = "tool.pre_execute"\nhandler_inline = "return nil"\n`;

interface Attack {
  readonly user?: string;
  readonly project?: string;
  readonly env?: string;
  /** Lines of sh, run as the unprivileged user before the event. */
  readonly before?: string;
  /** Lines of sh, run as root before. */
  readonly root?: string;
  readonly args?: string;
}

const EVENT = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "s",
  cwd: "/tmp",
  tool_name: "Bash",
  tool_input: { command: "git push --force" },
});

function attacked({
  user = "",
  project = "",
  env = "",
  before = "",
  root = "",
  args = "",
}: Attack) {
  const dir = mkdtempSync(join(tmpdir(), "orcs-attack-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, 0o777);
  writeFileSync(join(dir, "policy.toml"), POLICY);
  writeFileSync(join(dir, "user.toml"), user);
  writeFileSync(join(dir, "project.toml"), project);
  writeFileSync(join(dir, "event.json"), EVENT);
  writeFileSync(
    join(dir, "attack.sh"),
    `cd ${dir}
mkdir -p home/.config/orcs p
[ -s user.toml ] && cp user.toml home/.config/orcs/orcs.toml
[ -s project.toml ] && cp project.toml p/orcs.toml
export HOME=${dir}/home ORCS_SERVE_AUTO=0
unset XDG_CONFIG_HOME XDG_STATE_HOME
orcs() { '${process.execPath}' '${CLI}' "$@"; }
${before}
cd ${dir}/p
${env} '${process.execPath}' '${CLI}' hook --host claude-code ${args} < ../event.json
echo "code $?"
`,
  );
  return inOwnEtc(
    dir,
    `mkdir -m 755 /etc/orcs
install -m 644 ${dir}/policy.toml /etc/orcs/orcs.toml
${root}
exec ${AS_USER} sh ${dir}/attack.sh`,
  );
}

const setting = (text: string): Attack => ({ user: text });
const ATTACKS: readonly (readonly [string, Attack])[] = [
  ["does nothing", {}],
  ["replaces the hook by its id", setting(HOOK)],
  ["replaces it in a trusted project", { project: HOOK, before: "(cd p; orcs trust --yes)" }],
  [
    "replaces it in a dev-trusted project",
    { project: HOOK, before: "(cd p; orcs trust --dev --yes)" },
  ],
  ["turns it off", setting(`${HOOK}enabled = false\n`)],
  ["puts it in shadow", setting(`${HOOK}mode = "audit"\n`)],
  ["puts everything in shadow", setting('[engine]\nmode = "audit"\n')],
  ["lets everything warn", setting('mode = "warn"\n[engine]\nmode = "warn"\n')],
  [
    "fails open with low limits",
    setting('[engine]\non_error = "open"\nload_ms = 1\n[lua]\nmax_run_ms = 1\nmemory_mb = 1\n'),
  ],
  [
    "stops the chain first",
    setting(
      '[[hooks]]\nid = "first"\npoint = "tool.pre_execute"\npriority = -2147483648\nhandler_inline = \'return { action = "continue", decision = "allow", stop = true }\'\n',
    ),
  ],
  [
    "excepts an agent",
    setting(
      `[agents.main]\noverride = ["tool.pre_execute"]\n[[agents.main.hooks]]\nid = "guard"\npoint = "tool.pre_execute"\nhandler_inline = "return nil"\n`,
    ),
  ],
  ["enforces a configuration of its own", setting(`enforced = true\n${HOOK}enforced = true\n`)],
  ["breaks its own configuration", setting("this is not TOML")],
  ["names a bundle", setting('[bundle]\nurl = "/nowhere"\non_error = "open"\n')],
  [
    "sets a variable of a setting",
    { env: "ORCS_ENGINE_MODE=audit ORCS_ENFORCED=0 ORCS_ENGINE_ON_ERROR=open" },
  ],
  [
    "sets limits by variables",
    { env: "ORCS_LUA_MAX_RUN_MS=1 ORCS_LUA_MEMORY_MB=1 ORCS_ENGINE_MAX_DEPTH=1" },
  ],
  [
    "moves its folders",
    { env: "ORCS_CONFIG_HOME=/tmp/none ORCS_STATE_HOME=/tmp/none XDG_CONFIG_HOME=/tmp/none" },
  ],
  [
    "names another machine folder",
    { env: "ORCS_MACHINE=/tmp ORCS_MACHINE_HOME=/tmp ProgramData=/tmp" },
  ],
  ["names another configuration", { args: "--config /tmp/none.toml" }],
  ["names an empty configuration", { before: ": > p/empty.toml", args: "--config empty.toml" }],
  [
    "writes the file",
    {
      before:
        "echo '' > /etc/orcs/orcs.toml; rm -rf /etc/orcs; mv /etc/orcs /tmp/x; chmod 777 /etc/orcs",
    },
  ],
  ["finds a folder open to all", { root: "chmod 777 /etc/orcs", before: ": > /etc/orcs/new.lua" }],
  [
    "finds a file of its own there",
    { root: "chown 65534 /etc/orcs/orcs.toml", before: ": > /etc/orcs/orcs.toml" },
  ],
  ["is not allowed to read it", { root: "chmod 600 /etc/orcs/orcs.toml" }],
];

describe.skipIf(!canIsolate)("an unprivileged user", () => {
  it.each(ATTACKS)("%s, and the call is denied", (_what, attack) => {
    const said = attacked(attack);
    expect(said).toMatch(/"permissionDecision":"deny"|code 2\n/);
  });

  it("may push without force", () => {
    const said = attacked({ before: "sed -i s/--force/origin/ event.json" });
    expect(said).toContain("code 0");
    expect(said).not.toContain("deny");
  });
});
