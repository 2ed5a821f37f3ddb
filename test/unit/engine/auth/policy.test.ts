import { describe, expect, it } from "vitest";
import { GrantBook } from "../../../../src/engine/auth/grants.ts";
import {
  checkCommand,
  hardLimits,
  narrowed,
  readPermission,
} from "../../../../src/engine/auth/policy.ts";
import type { Authority } from "../../../../src/core/permission.ts";
import {
  ALL_CAPABILITIES,
  CAPABILITIES,
  PERMISSION_STATUSES,
} from "../../../../src/core/permission.ts";

const ROOT = "/work/box";

function authority(
  given: Partial<Authority> & { elevated?: boolean; granted?: string[] },
): Authority {
  const { elevated = false, granted = [], ...rest } = given;
  const grants = new GrantBook();
  for (const pattern of granted) grants.add(pattern, "persistent");
  return {
    capabilities: ALL_CAPABILITIES,
    sandboxRoot: ROOT,
    session: { id: "s", elevated },
    grants,
    ...rest,
  };
}

describe("command permission: capabilities", () => {
  const withoutExecute = ALL_CAPABILITIES & ~CAPABILITIES.EXECUTE;

  it.each([
    [0, "none"],
    [CAPABILITIES.READ, "READ"],
    [CAPABILITIES.READ | CAPABILITIES.SPAWN, "READ, SPAWN"],
    [withoutExecute, "READ, WRITE, DELETE, SPAWN, LLM, HTTP"],
    [256, "none"],
  ])("%i is not enough, with or without elevation and grants", (capabilities, named) => {
    for (const elevated of [false, true]) {
      const who = authority({ capabilities, elevated, granted: ["git"] });
      const permission = checkCommand("git status", who);
      expect(permission).toEqual({
        status: "denied",
        reason: `"git status" needs the capability EXECUTE; the caller has ${named}`,
      });
      expect(hardLimits("git status", who)).toEqual(permission);
    }
  });

  it("EXECUTE is sufficient", () => {
    const who = authority({ capabilities: CAPABILITIES.EXECUTE, granted: ["git"] });
    expect(checkCommand("git status", who)).toEqual({ status: "allowed" });
    expect(hardLimits("git status", who)).toBeUndefined();
  });
});

describe("command permission: sandbox", () => {
  const INSIDE = [
    undefined,
    "",
    ".",
    "a",
    "./a/../b",
    "a/b/..",
    ROOT,
    `${ROOT}/`,
    `${ROOT}/a`,
    "..a",
    "...",
    "a/../../box/c",
    "/work/./box",
  ];
  const OUTSIDE = [
    "..",
    "../",
    "a/../..",
    "/",
    "/work",
    "/work/box2",
    "/work/box/..",
    "../box2",
    "/etc",
    "a/../../boxes",
    `${ROOT}/../x`,
  ];

  it.each(INSIDE)("%j is inside", (cwd) => {
    expect(hardLimits("git", authority({}), cwd)).toBeUndefined();
    expect(hardLimits("git", authority({ sandboxRoot: `${ROOT}/` }), cwd)).toBeUndefined();
    expect(checkCommand("git", authority({ granted: ["git"] }), cwd).status).toBe("allowed");
    expect(checkCommand("rm", authority({ granted: ["git"] }), cwd).status).toBe(
      "requires_approval",
    );
  });

  it.each(OUTSIDE)("%j is outside, also for elevated sessions", (cwd) => {
    for (const elevated of [false, true]) {
      const who = authority({ elevated, granted: ["git"] });
      const permission = checkCommand("git", who, cwd);
      expect(permission).toEqual({
        status: "denied",
        reason: `"git" would run in ${JSON.stringify(cwd)}, outside the sandbox root ${ROOT}`,
      });
      expect(hardLimits("git", who, cwd)).toEqual(permission);
    }
  });

  it("the root may be /", () => {
    for (const cwd of ["/", "/etc", "..", "a"])
      expect(hardLimits("git", authority({ sandboxRoot: "/" }), cwd)).toBeUndefined();
  });
});

describe("command permission: session and grants", () => {
  it("an elevated session needs no grant", () => {
    for (const command of ["rm -rf x", "a; b", "", "$x"])
      expect(checkCommand(command, authority({ elevated: true }))).toEqual({ status: "allowed" });
  });

  it("a check uses up nothing", () => {
    const grants = new GrantBook();
    grants.add("git", "one_time");
    const who = authority({ grants });
    for (let round = 0; round < 3; round++) expect(checkCommand("git", who).status).toBe("allowed");
    expect(grants.list()).toHaveLength(1);
  });

  it.each([
    ["git", "git"],
    ["git push", "git push"],
    ["git push --force x", "git push"],
    ["git  'push'", "git push"],
    ["git -C x status", "git"],
    ["git --version", "git"],
    ["npm run build:all", "npm run"],
    ["make build:all", "make build:all"],
    ["rm src/a.ts", "rm"],
    ["ls *.ts", "ls"],
    ["ls {a,b}", "ls"],
    ["ls ''", "ls"],
    ["ls 'a b'", "ls"],
    ["ls ../x", "ls"],
    ["ls .env", "ls"],
    ["/usr/bin/git status", "/usr/bin/git status"],
    ["'my tool' x", "'my tool' x"],
    ["'it'\\''s' x", "'it'\\''s' x"],
    ["'X=1' x", "'X=1' x"],
    ["'if' x", "'if' x"],
    ["'*' x", "'*' x"],
    ["\\#a x", "'#a' x"],
    ["é x", "'é' x"],
    ["'' x", "'' x"],
    ["git\u00a0x", "'git\u00a0x'"],
  ])("for %j suggests %j, which covers it", (command, pattern) => {
    const who = authority({ granted: ["other"] });
    const permission = checkCommand(command, who);
    expect(permission).toEqual({
      status: "requires_approval",
      reason: expect.stringContaining(JSON.stringify(pattern)),
      grant_pattern: pattern,
    });
    who.grants.add(pattern, "one_time");
    expect(checkCommand(command, who).status).toBe("allowed");
    expect(who.grants.use(command)).toBe(true);
    expect(checkCommand(command, who)).toEqual(permission);
  });

  it.each([
    "",
    "a; b",
    "git status && rm",
    "git $x",
    "git 'x",
    "X=1 git",
    "* x",
    "~/a",
    "if x",
    "a\nb",
  ])("no grant pattern is suggested for %j", (command) => {
    expect(checkCommand(command, authority({ granted: ["git status", "a"] }))).toEqual({
      status: "requires_approval",
      reason: expect.stringContaining("no grant can cover"),
      grant_pattern: "",
    });
  });

  it("reasons for long commands are short", () => {
    for (const command of ["x".repeat(60_000), `x;${"y".repeat(1e6)}`]) {
      for (const capabilities of [0, ALL_CAPABILITIES]) {
        const permission = checkCommand(command, authority({ capabilities }));
        expect(permission).toHaveProperty("reason");
        expect("reason" in permission && permission.reason.length).toBeLessThan(1_000);
      }
    }
  });
});

describe("narrowed authority", () => {
  it.each([
    [ALL_CAPABILITIES, ALL_CAPABILITIES, ALL_CAPABILITIES],
    [3, 6, 2],
    [3, 0, 0],
    [0, ALL_CAPABILITIES, 0],
    [5, -1, 5],
    [5, 255, 5],
    [5, Number.NaN, 0],
    [5, Number.POSITIVE_INFINITY, 0],
  ])("capabilities %i, requested %i: %i", (has, asked, gets) => {
    expect(narrowed(authority({ capabilities: has }), { capabilities: asked }).capabilities).toBe(
      gets,
    );
  });

  it.each([
    [true, undefined, true],
    [true, true, true],
    [true, false, false],
    [false, undefined, false],
    [false, false, false],
  ])("elevated %s, requested %s: %s", (has, elevated, gets) => {
    const child = narrowed(authority({ elevated: has }), { capabilities: 1, elevated });
    expect(child.session.elevated).toBe(gets);
  });

  it("elevation of a parent without it is an error", () => {
    const parent = authority({ elevated: false });
    expect(() =>
      narrowed(parent, { capabilities: 1, elevated: true, session: "lua::boss/c" }),
    ).toThrow("ORCS6015: lua::boss/c cannot be elevated: s is not");
  });

  it("keeps the sandbox and gets its own session", () => {
    const parent = authority({ granted: ["git"] });
    expect(narrowed(parent, { capabilities: 8 }).session.id).toBe("s");
    const child = narrowed(parent, { capabilities: 8, session: "t" });
    expect(child.session.id).toBe("t");
    expect(child.sandboxRoot).toBe(ROOT);
    child.grants.add("npm", "persistent");
    expect(checkCommand("npm", child).status).toBe("allowed");
    expect(checkCommand("git", child).status).toBe("allowed");
    expect(checkCommand("npm", parent).status).toBe("requires_approval");
  });
});

describe("readPermission of a hook's permission_result", () => {
  it.each<[unknown, unknown]>([
    ["allowed", { status: "allowed" }],
    [true, { status: "allowed" }],
    [{ status: "allowed", reason: "fine", grant_pattern: "git" }, { status: "allowed" }],
    [
      { status: "denied", reason: "no" },
      { status: "denied", reason: "no" },
    ],
    [
      { status: "denied", reason: "" },
      { status: "denied", reason: "" },
    ],
    [
      { status: "denied", reason: "no", more: 1 },
      { status: "denied", reason: "no" },
    ],
    [
      { status: "requires_approval", reason: "ask", grant_pattern: "git" },
      { status: "requires_approval", reason: "ask", grant_pattern: "git" },
    ],
  ])("accepts %j", (given, permission) => {
    expect(readPermission(given)).toEqual(permission);
  });

  it("fills in a missing reason and pattern", () => {
    const reason = expect.stringMatching(/./);
    for (const given of [
      "denied",
      false,
      { status: "denied" },
      { status: "denied", reason: null },
    ]) {
      expect(readPermission(given)).toEqual({ status: "denied", reason });
    }
    for (const given of ["requires_approval", { status: "requires_approval" }]) {
      expect(readPermission(given)).toEqual({
        status: "requires_approval",
        reason,
        grant_pattern: "",
      });
    }
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    [0],
    [1],
    [""],
    ["allow"],
    ["Allowed"],
    ["allowed "],
    ["true"],
    [[]],
    [["allowed"]],
    [{}],
    [{ status: true }],
    [{ status: null }],
    [{ status: ["allowed"] }],
    [{ status: "maybe" }],
    [{ reason: "no" }],
    [{ status: "denied", reason: 1 }],
    [{ status: "allowed", reason: {} }],
    [{ status: "requires_approval", grant_pattern: 1 }],
    [{ Status: "allowed" }],
    [Object.create({ status: "allowed" })],
    [
      new (class {
        status = "allowed";
      })(),
    ],
    [new String("allowed")],
    [() => "allowed"],
  ])("rejects %j", (given) => {
    expect(readPermission(given)).toBeUndefined();
  });

  it("round-trips every permission", () => {
    const permissions = [
      checkCommand("git", authority({ elevated: true })),
      checkCommand("git", authority({ capabilities: 0 })),
      checkCommand("git", authority({})),
    ];
    expect(permissions.map(({ status }) => status)).toEqual([...PERMISSION_STATUSES]);
    for (const permission of permissions) expect(readPermission(permission)).toEqual(permission);
  });
});
