import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { HostName } from "../../src/core/hosts.ts";
import { machineSettingsPath } from "../../src/agents/install/settings-places.ts";
import { CALLS } from "../dist/hook-rig.ts";
import { AS_USER, canIsolate, inOwnEtc } from "./own-etc.ts";
import { partOf } from "../slow-test.ts";

// `orcs install --machine` in an /etc of its own, and what it gives to an unprivileged user.

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const LIMITS = "[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n";
const POLICY = `enforced = true
${LIMITS}[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { runs = ["git push --force"] }
handler_inline = 'return orcs.deny("the machine says no")'
`;
const STOP = `[[hooks]]\nid = "own"\npoint = "agent.pre_stop"\nhandler_inline = "return nil"\n`;

const place = { env: {}, home: "/", project: "/" };
const MANAGED: readonly (readonly [HostName, string])[] = HOST_NAMES.flatMap((host) => {
  const path = machineSettingsPath(host, place);
  return path === undefined ? [] : [[host, path] as const];
});

interface World {
  readonly dir: string;
  /** What the lines have printed. */
  readonly said: string;
  /** The text of a file that they have written below `$D`. */
  readonly text: (name: string) => string;
}

/**
 * Run lines of sh as root, with an /etc of their own, `$D` for files, `orcs`, and `user` for an unprivileged user's
 * commands.
 */
function world(lines: string, files: Readonly<Record<string, string>> = {}): World {
  const dir = mkdtempSync(join(tmpdir(), "orcs-managed-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, 0o777);
  const all = { "policy.toml": POLICY, "home/x": "", "p/x": "", "root/x": "", ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const head = `D=${dir}
chown -R 65534 $D/home $D/p
export HOME=$D/root ORCS_SERVE_AUTO=0
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
mkdir -m 755 /etc/orcs
install -m 644 $D/policy.toml /etc/orcs/orcs.toml
orcs() { '${process.execPath}' '${CLI}' "$@" 2>&1 || echo "code $?"; }
user() { HOME=$D/home ${AS_USER} "$@" 2>&1 || echo "code $?"; }
cd $D/p
`;
  const said = inOwnEtc(dir, head + lines);
  return { dir, said, text: (name) => readFileSync(join(dir, name), "utf8") };
}

/** Lists what is in the folders that orcs writes to: modes, owners and content. */
const LISTED = `{ find /etc /var/lib \\( -path '*/ssl/*' -prune \\) -o -printf '%y %m %U %p\\n'; find /etc -type f -path '*c*' ! -path '*/ssl/*' -exec sha256sum {} +; } | sort`;

describe.skipIf(!canIsolate)("orcs install --machine", () => {
  it("is undone byte for byte, beside what an administrator has there", () => {
    const others = {
      gemini: '{\n  // ours\n  "ui": { "theme": "x" },\n}\n',
      cursor: '{ "version": 1, "hooks": { "stop": [{ "command": "/usr/bin/true" }] } }',
      claude: '{ "permissions": { "deny": ["WebFetch"] } }',
    };
    const { said, text } = world(
      `mkdir /etc/gemini-cli /etc/cursor /etc/claude-code
cp $D/gemini /etc/gemini-cli/settings.json
cp $D/cursor /etc/cursor/hooks.json
cp $D/claude /etc/claude-code/managed-settings.json
# Its cache of compiled code is not what the mask is for.
orcs uninstall --machine --host all --yes
${LISTED} > $D/before
umask 077
orcs install --machine --host all --yes
${MANAGED.map(([host, path]) => `stat -c '%a %U' "$(dirname ${path})" ${path}; cp ${path} $D/${host}.json`).join("\n")}
echo ==
orcs install --machine --host all --yes
orcs uninstall --machine --host all --yes
${LISTED} > $D/after
`,
      others,
    );
    const [first = "", second = ""] = said.split("==\n");
    expect(first.match(/^(?:created|changed) {2}/gm)).toHaveLength(MANAGED.length);
    expect(first.match(/^(?:755|644) root$/gm)).toHaveLength(2 * MANAGED.length);
    expect(second.match(/^up to date {2}/gm)).toHaveLength(MANAGED.length);
    expect(text("after")).toBe(text("before"));
    expect(text("before")).toContain("/etc/gemini-cli/settings.json");
    expect(text("gemini.json")).toMatch(/ours.*orcs\.cjs hook --host gemini/s);
    expect(text("cursor.json")).toMatch(/usr\/bin\/true.*orcs\.cjs hook --host cursor/s);
  });

  it("makes each agent deny for a user without any configuration", () => {
    const events = MANAGED.flatMap(([host]) => [
      [`${host}-push`, JSON.stringify({ ...CALLS[host]("git push --force"), cwd: "/tmp" })],
      [`${host}-other`, JSON.stringify({ ...CALLS[host]("git push"), cwd: "/tmp" })],
    ]);
    const lines = MANAGED.map(
      ([
        host,
        path,
      ]) => `'${process.execPath}' -e 'const at = JSON.parse(require("fs").readFileSync("${path}")).hooks;
const entry = at.PreToolUse ?? at.BeforeTool ?? at.preToolUse;
const [first] = entry[0].hooks ?? entry; console.log(first.command ?? first.bash)' > $D/command
echo == ${host}
user sh $D/command < $D/${host}-push
echo ==
user sh $D/command < $D/${host}-other
`,
    );
    const install = "orcs install --machine --host all --yes\n";
    const { said } = world(install + lines.join(""), Object.fromEntries(events));
    for (const [host] of MANAGED) {
      const [, of = ""] = said.split(`== ${host}\n`);
      const [denied = "", passed = ""] = of.split("==\n");
      expect(denied, host).toContain("the machine says no");
      expect(denied, host).toMatch(/deny|code 2\n/);
      expect(passed.split("== ")[0], host).not.toMatch(/the machine says no|deny|code/);
    }
  });

  const faults = [
    ["another user runs it", "ORCS9323", "user"],
    ["others can write the folder", "ORCS9324", "mkdir -m 777 /etc/codex; orcs"],
    [
      "others can write the file",
      "ORCS9324",
      "mkdir /etc/codex; echo '{}' > /etc/codex/hooks.json; chmod 666 /etc/codex/hooks.json; orcs",
    ],
    [
      "the file is another user's",
      "ORCS9324",
      "mkdir /etc/codex; echo '{}' > /etc/codex/hooks.json; chown 65534 /etc/codex/hooks.json; orcs",
    ],
    [
      "users cannot read the file",
      "ORCS9324",
      "mkdir /etc/codex; echo '{}' > /etc/codex/hooks.json; chmod 600 /etc/codex/hooks.json; orcs",
    ],
    ["the folder is a link to another user's", "ORCS9324", "ln -s $D/home /etc/codex; orcs"],
    [
      "the file is a link to nothing",
      "ORCS9324",
      "mkdir /etc/codex; ln -s $D/home/none /etc/codex/hooks.json; orcs",
    ],
    [
      "another user owns Node.js",
      "ORCS9325",
      `cp '${process.execPath}' $D/node; chown 65534 $D/node; $D/node`,
    ],
    [
      "others can write above Node.js",
      "ORCS9325",
      `mkdir -m 777 $D/open; cp '${process.execPath}' $D/open/node; chown 0 $D/open/node; $D/open/node`,
    ],
    [
      "the configuration of the machine has errors",
      "ORCS1015",
      "echo x > /etc/orcs/orcs.toml; orcs",
    ],
    ["others can write that configuration", "ORCS9320", "chmod 666 /etc/orcs/orcs.toml; orcs"],
  ] as const;
  test.each(partOf(faults, 2))("writes nothing where %s", (_what, code, before) => {
    const at = before.lastIndexOf(";") + 1;
    const prepared = before.slice(0, at);
    const start = before.slice(at).trim();
    const run =
      start === "orcs"
        ? "orcs"
        : `${start} ${start === "user" ? `'${process.execPath}'` : ""} '${CLI}'`;
    const { said, text } = world(
      `${prepared}
${LISTED} > $D/before
${run} install --machine --host codex --yes 2>&1 || true
${LISTED} > $D/after
`,
    );
    expect(said).toContain(`orcs: ${code}: `);
    expect(text("after")).toBe(text("before"));
  });

  it("leaves its events to the machine when a user installs beside it", () => {
    const { said, dir } = world(
      `orcs install --machine --host claude-code --yes > /dev/null
user '${process.execPath}' '${CLI}' install --host claude-code --yes
[ ! -e $D/home/.claude ] || echo WRITTEN
mkdir -p $D/home/.config/orcs
cp $D/own.toml $D/home/.config/orcs/orcs.toml
echo ==
user '${process.execPath}' '${CLI}' install --host claude-code --yes
cp $D/home/.claude/settings.json $D/own.json
`,
      { "own.toml": LIMITS + STOP },
    );
    const [first = "", second = ""] = said.split("==\n");
    expect(first).toContain("the settings of this machine already start orcs at PreToolUse");
    expect(first).toContain("Nothing to install: the settings of this machine have all entries.");
    expect(first).not.toMatch(/WRITTEN|^code /m);
    expect(second).toContain("orcs answers Stop, ConfigChange)");
    expect(
      Object.keys(
        (JSON.parse(readFileSync(join(dir, "own.json"), "utf8")) as { hooks: object }).hooks,
      ),
    ).toEqual(["Stop", "ConfigChange"]);
  });

  it("is told by doctor where it comes after a user's own installation, which a sync takes back", () => {
    const { said, dir } = world(
      `user '${process.execPath}' '${CLI}' install --host claude-code --yes
orcs install --machine --host claude-code --yes
user '${process.execPath}' '${CLI}' doctor --host claude-code
echo ==
user '${process.execPath}' '${CLI}' install --sync
user '${process.execPath}' '${CLI}' doctor --host claude-code
chmod o+w /etc/claude-code/managed-settings.d/orcs.json
user '${process.execPath}' '${CLI}' doctor --host claude-code
`,
    );
    const [twice = "", once = ""] = said.split("==\n");
    expect(twice).toContain("hooks run twice at PreToolUse");
    expect(twice).toContain("orcs install --sync");
    expect(once).not.toContain("hooks run twice");
    expect(once).toContain("orcs.json (machine): 1 entry of orcs");
    expect(once).toContain("no problems found");
    expect(once).toContain("managed-settings.d/orcs.json: others can write it");
    const own = readFileSync(join(dir, "home/.claude/settings.json"), "utf8");
    expect(own).not.toContain("orcs");
  });

  it("tells users to ask the administrator, where orcs or an event is missing", () => {
    const { said, text } = world(
      `orcs install --machine --host claude-code --yes > /dev/null
cp /etc/claude-code/managed-settings.d/orcs.json $D/entries.json
cat $D/stop.toml >> /etc/orcs/orcs.toml
user '${process.execPath}' '${CLI}' doctor --host claude-code
`,
      { "stop.toml": STOP },
    );
    expect(text("entries.json")).toContain(
      "its administrator has to install it again: sudo orcs install --machine --host claude-code",
    );
    expect(text("entries.json")).not.toContain("npm install");
    expect(said).toMatch(
      /no entry at Stop, where own should run\n +→ sudo orcs install --machine --host claude-code/,
    );
  });

  it("sends all events where a bundle can bring any hook", () => {
    const bundle = `${POLICY}[bundle]\nurl = "/opt/none"\nkeys = []\non_error = "open"\n`;
    const { said } = world("orcs install --machine --host codex --yes --json", {
      "policy.toml": bundle,
    });
    expect(said).toMatch(/"events":\[[^\]]*"SessionStart"[^\]]*"PreToolUse"[^\]]*"Stop"/);
  });
});
