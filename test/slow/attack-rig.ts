import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { AS_USER, inOwnEtc } from "./own-etc.ts";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** What an unprivileged user does before an event, to loosen what the machine enforces. */
export interface Attack {
  /** The user's configuration. */
  readonly user?: string;
  /** That of the project. */
  readonly project?: string;
  /** Variables before the command. */
  readonly env?: string;
  /** Lines of sh, run as the unprivileged user before the event. */
  readonly before?: string;
  /** Lines of sh, run as root before. */
  readonly root?: string;
  /** Further arguments of `orcs hook`. */
  readonly args?: string;
}

/** What the machine enforces. */
export interface Policy {
  /** The content of its `orcs.toml`; `$D` is the folder of the test. */
  readonly toml: (dir: string) => string;
  /** Further files in the folder of the test. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Lines of sh, run as the unprivileged user at first. */
  readonly first?: string;
}

const EVENT = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "s",
  cwd: "/tmp",
  tool_name: "Bash",
  tool_input: { command: "git push --force" },
});

/** How the event reaches the hooks. */
export type Way = "alone" | "by a service";

/**
 * The command of the entry that `orcs install --machine` writes for Claude Code. It is the same for every policy with a
 * hook at PreToolUse.
 */
export function installedCommand({ toml }: Policy): string {
  const dir = temporary();
  writeFileSync(join(dir, "policy.toml"), toml(dir));
  inOwnEtc(
    dir,
    `mkdir -m 755 /etc/orcs
install -m 644 ${dir}/policy.toml /etc/orcs/orcs.toml
HOME=${dir} '${process.execPath}' '${CLI}' install --machine --host claude-code --yes
cp /etc/claude-code/managed-settings.d/orcs.json ${dir}/entries`,
  );
  const { hooks } = JSON.parse(readFileSync(join(dir, "entries"), "utf8")) as {
    hooks: { PreToolUse: [{ hooks: [{ command: string }] }] };
  };
  rmSync(dir, { recursive: true });
  return hooks.PreToolUse[0].hooks[0].command;
}

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), "orcs-attack-"));
  chmodSync(dir, 0o777);
  return dir;
}

/**
 * Send an event through an installed entry, with the policy in an /etc of its own.
 * @param command from `installedCommand`
 * @returns what everything has printed, with the exit code
 */
export function attacked(
  attack: Attack,
  policy: Policy,
  command: string,
  way: Way = "alone",
): string {
  const { user = "", project = "", env = "", before = "", root = "", args = "" } = attack;
  const dir = temporary();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const files = {
    ...policy.files,
    "policy.toml": policy.toml(dir),
    "user.toml": user,
    "project.toml": project,
    "event.json": EVENT,
    command,
    "attack.sh": `cd ${dir}
mkdir -p home/.config/orcs p run
chmod 700 run
export HOME=${dir}/home ORCS_SERVE_AUTO=0 XDG_RUNTIME_DIR=${dir}/run
unset XDG_CONFIG_HOME XDG_STATE_HOME
orcs() { '${process.execPath}' '${CLI}' "$@"; }
${policy.first ?? ""}
cd ${dir}
[ -s user.toml ] && cp user.toml home/.config/orcs/orcs.toml
[ -s project.toml ] && cp project.toml p/orcs.toml
${before}
cd ${dir}/p
${way === "by a service" ? serviceFor(env) : ""}
${env} sh -c "$(cat ../command) ${args}" < ../event.json
echo "code $?"
${way === "by a service" ? 'kill "$PID"; wait "$PID"; grep -rl "\\"pid\\":$PID," $HOME/.local/state 2> /dev/null | sed "s/.*/decided by the service/"' : ""}
`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
  return inOwnEtc(
    dir,
    `mkdir -m 755 /etc/orcs
install -m 644 ${dir}/policy.toml /etc/orcs/orcs.toml
${root}
exec ${AS_USER} sh ${dir}/attack.sh`,
  );
}

/** Starts a service with these variables, and waits until it serves or has ended. */
function serviceFor(env: string): string {
  return `${env} '${process.execPath}' '${CLI}' serve --json > ../said 2> ../log &
PID=$!
for i in $(seq 600); do [ -s ../said ] && break; kill -0 "$PID" 2> /dev/null || break; sleep 0.1; done`;
}

const HOOK = `[[hooks]]\nid = "guard"\npoint = "tool.pre_execute"\nhandler_inline = "return nil"\n`;

const setting = (text: string): Attack => ({ user: text });
/** Attacks on a hook with the id `guard`, wherever it comes from. */
export const ATTACKS: readonly (readonly [string, Attack])[] = [
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
