import { beforeAll, describe, expect, it } from "vitest";
import { generateKeyPairSync } from "node:crypto";
import { publicKeyOf } from "../../src/fleet/bundles/keys.ts";
import { files, signed, STRANGER } from "../unit/fleet/bundles/rig.ts";
import { isWholeRun } from "../slow-test.ts";
import type { Attack, Policy, Way } from "./attack-rig.ts";
import { ATTACKS, attacked, installedCommand } from "./attack-rig.ts";
import { canIsolate } from "./own-etc.ts";

// An unprivileged user tries to loosen the bundle that the configuration of the machine enforces.

const { privateKey } = generateKeyPairSync("ed25519");
const KEY = publicKeyOf(privateKey).text;
const LIMITS = "[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n";

const GUARD = `[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { runs = ["git push --force"] }
script = "guard.lua"
[[hooks]]
id = "counted"
point = "tool.pre_execute"
match = { tool = "exec", command = "counted" }
handler_inline = 'if orcs.state.incr("calls", 1) > 1 then return orcs.deny("the bundle has counted") end'
`;
const SCRIPT = `local text = require("words")
return function() return orcs.deny(text) end
`;

function bundle(revision: number, toml: string): Buffer {
  const content = files({
    "orcs.toml": toml,
    "hooks/guard.lua": SCRIPT,
    "hooks/words.lua": 'return "the bundle says no"\n',
  });
  return signed({ revision, not_before: null, expires: null }, content, privateKey);
}

const FREE = GUARD.replace('script = "guard.lua"', 'handler_inline = "return nil"');
const CURRENT = bundle(7, LIMITS + GUARD);

const POLICY: Policy = {
  toml: (dir) => `enforced = true
[bundle]
url = "${dir}/policy.orcsbundle"
keys = ["${KEY}"]
`,
  files: {
    "policy.orcsbundle": CURRENT,
    "older.orcsbundle": bundle(6, LIMITS + FREE),
    "other.orcsbundle": signed(
      { revision: 9, not_before: null, expires: null },
      files({ "orcs.toml": FREE }),
      STRANGER,
    ),
  },
  first: "orcs bundle pull",
};

const OTHER_KEY = publicKeyOf(STRANGER).text;
const STORE = "$HOME/.local/state/orcs/bundle";
const first = (id: string, code: string): string =>
  `[[hooks]]\nid = "${id}"\npoint = "tool.pre_execute"\npriority = -2147483648\nhandler_inline = '${code}'\n`;
const STOP = 'return { action = "continue", decision = "allow", stop = true }';

const OF_BUNDLES: readonly (readonly [string, Attack])[] = [
  [
    "names a bundle of its own",
    { user: `[bundle]\nurl = "/nowhere"\nkeys = ["${OTHER_KEY}"]\non_error = "open"\n` },
  ],
  ["trusts another key", { user: `[bundle]\nkeys = ["${OTHER_KEY}"]\n` }],
  [
    "sets variables of the bundle",
    { env: "ORCS_BUNDLE_URL=/nowhere ORCS_BUNDLE_ON_ERROR=open ORCS_BUNDLE_MAX_AGE=1s" },
  ],
  ["removes the bundle", { before: `rm -rf ${STORE}` }],
  [
    "removes the bundle, and would go on without one",
    {
      before: `rm -rf ${STORE}`,
      user: '[bundle]\non_error = "open"\n',
      env: "ORCS_BUNDLE_ON_ERROR=open",
    },
  ],
  [
    "removes the bundle, and stops the chain first",
    { before: `rm -rf ${STORE}`, user: first("own", STOP) },
  ],
  [
    "removes the bundle, and has a hook with the id of the denial",
    { before: `rm -rf ${STORE}`, user: first("orcs:bundle", STOP) },
  ],
  [
    "removes the bundle, and everything is in shadow",
    { before: `rm -rf ${STORE}`, user: '[engine]\nmode = "audit"\n' },
  ],
  ["puts a changed bundle there", { before: `printf x >> ${STORE}/active.orcsbundle` }],
  ["puts another one's bundle there", { before: `cp other.orcsbundle ${STORE}/active.orcsbundle` }],
  ["puts an older bundle there", { before: `cp older.orcsbundle ${STORE}/active.orcsbundle` }],
  [
    "changes its unpacked files",
    {
      before: `chmod -R u+w ${STORE}; find ${STORE}/unpacked -name '*.lua' -exec sh -c 'echo "return {}" > "$1"' sh {} \\;; find ${STORE}/unpacked -name orcs.toml -exec sh -c ': > "$1"' sh {} \\;`,
    },
  ],
  [
    "has modules of the same names",
    {
      user: '[scripts]\ndirs = ["mods"]\n',
      before:
        "mkdir -p home/.config/orcs/mods home/.config/orcs/hooks; echo 'return 1' | tee home/.config/orcs/mods/words.lua home/.config/orcs/hooks/words.lua p/words.lua; echo 'return function() end' | tee home/.config/orcs/mods/guard.lua home/.config/orcs/hooks/guard.lua",
    },
  ],
  [
    "changes the call afterwards",
    {
      before: "sed -i s/--force/origin/ event.json",
      user: first("own", 'ctx.payload.args.command = "git push --force"'),
    },
  ],
  [
    "changes the call afterwards, in a trusted project",
    {
      before: "sed -i s/--force/origin/ event.json; (cd p; orcs trust --yes)",
      project: first("own", 'ctx.payload.args.command = "git push --force"'),
    },
  ],
  [
    "sets the counter of the bundle back",
    {
      before:
        'sed -i "s/git push --force/counted/" event.json; (cd p; sh -c "$(cat ../command)" < ../event.json)',
      user: `${first("own", 'orcs.state.set("calls", -9) orcs.state.delete("calls")')}[[hooks]]\nid = "late"\npoint = "tool.pre_execute"\nhandler_inline = 'orcs.state.set("calls", -9)'\n`,
    },
  ],
];

const WAYS: readonly Way[] = ["alone", "by a service"];
/** What root does to the file itself has nothing to do with a bundle. */
const GENERAL = ATTACKS.filter(([, { root }]) => root === undefined);
/** Then nothing is loaded, and the refusal names the user's own error. */
const ERRORS: ReadonlySet<string> = new Set([
  "breaks its own configuration",
  "names another configuration",
  "removes the bundle, and has a hook with the id of the denial",
]);

describe.skipIf(!canIsolate)("a bundle that the machine enforces", () => {
  let command = "";
  beforeAll(() => {
    command = installedCommand(POLICY);
  });

  function expectDenied(what: string, attack: Attack, way: Way): void {
    const said = attacked(attack, POLICY, command, way);
    expect(said).toMatch(/"permissionDecision":"deny"|code 2\n/);
    if (!ERRORS.has(what)) expect(said).toMatch(/of this machine|this machine enforces/);
  }

  it.runIf(isWholeRun).each(GENERAL)(
    "an unprivileged user %s, and the call is denied",
    (what, attack) => {
      expectDenied(what, attack, "alone");
    },
  );

  describe.each(WAYS)("%s", (way) => {
    // In CI, a quarter of them.
    const tried = OF_BUNDLES.filter((_, i) => isWholeRun || WAYS[i % 4] === way);
    it.each(tried)("an unprivileged user %s, and the call is denied", (what, attack) => {
      expectDenied(what, attack, way);
    });

    it("lets other calls pass, and is said to be of the machine", () => {
      const allowed = { before: "sed -i s/--force/origin/ event.json" };
      const other = attacked(allowed, POLICY, command, way);
      expect(other).toContain("code 0");
      expect(other).not.toContain("deny");
      const denied = attacked({}, POLICY, command, way);
      expect(denied).toContain(
        "the bundle says no. This is the policy of this machine: only its administrator can change it.",
      );
      if (way === "by a service") expect(denied).toContain("decided by the service");
    });
  });
});
