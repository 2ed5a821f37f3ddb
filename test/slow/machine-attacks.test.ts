import { beforeAll, describe, expect, it } from "vitest";
import type { Policy } from "./attack-rig.ts";
import { ATTACKS, attacked, installedCommand } from "./attack-rig.ts";
import { canIsolate } from "./own-etc.ts";

// An unprivileged user tries to loosen what the machine enforces. Each attack has an /etc of its own.

const POLICY: Policy = {
  toml: () => `enforced = true
[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { runs = ["git push --force"] }
handler_inline = 'return orcs.deny("the machine says no")'
`,
};

describe.skipIf(!canIsolate)("an unprivileged user", () => {
  let command = "";
  beforeAll(() => {
    command = installedCommand(POLICY);
  });

  it.each(ATTACKS)("%s, and the call is denied", (_what, attack) => {
    const said = attacked(attack, POLICY, command);
    expect(said).toMatch(/"permissionDecision":"deny"|code 2\n/);
  });

  it("may push without force", () => {
    const said = attacked({ before: "sed -i s/--force/origin/ event.json" }, POLICY, command);
    expect(said).toContain("code 0");
    expect(said).not.toContain("deny");
  });
});
