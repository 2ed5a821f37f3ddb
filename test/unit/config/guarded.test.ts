import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, load } from "./folder.ts";

const HOOK = `[[hooks]]\nid = "guard"\npoint = "Stop"\nhandler_inline = "return nil"\n`;

/** What a project's settings come to under a user's configuration, and the keys that were ignored. */
async function under(user: string, project: string) {
  const dir = folder({ "user/orcs.toml": user, "p/orcs.toml": project });
  const { settings, warnings } = await load(join(dir, "p"), { userDir: join(dir, "user") });
  for (const { code, severity } of warnings)
    expect([code, severity]).toEqual(["ORCS1016", "warning"]);
  return { settings, ignored: warnings.map(({ message }) => message.split(":")[0]), dir, warnings };
}

describe("a discovered project's settings", () => {
  test("cannot change the failure mode and limits if the user has hooks", async () => {
    const project = `
[engine]
on_error = "open"
max_depth = 1
max_payload_mb = 1
[lua]
max_run_ms = 1
max_chain_ms = 1
memory_mb = 1
`;
    const guarded = await under(HOOK, project);
    expect(guarded.ignored).toEqual([
      "on_error",
      "max_depth",
      "max_payload_mb",
      "max_run_ms",
      "max_chain_ms",
      "memory_mb",
    ]);
    expect(guarded.settings.engine).toEqual({
      mode: "enforce",
      max_depth: 4,
      max_payload_mb: 16,
      load_ms: 5000,
    });
    expect(guarded.settings.lua.max_run_ms).toBe(100);
    expect(guarded.warnings[0]?.place).toEqual({ file: "orcs.toml", line: 3, column: 12 });

    const free = await under("", project);
    expect(free.ignored).toEqual([]);
    expect(free.settings.engine.on_error).toBe("open");
    expect(free.settings.lua.max_run_ms).toBe(1);
  });

  test("cannot change on_error of the user's hooks in either direction", async () => {
    for (const mode of ["open", "closed"]) {
      const { ignored, settings } = await under(HOOK, `engine.on_error = "${mode}"`);
      expect(ignored).toEqual(["on_error"]);
      expect(settings.engine.on_error).toBeUndefined();
    }
  });

  test("can tighten limits and permissions", async () => {
    const project = `
lua = { max_run_ms = 200, isolation = "worker" }
permissions = { root = "sub", capabilities = ["READ"] }
`;
    const { ignored, settings } = await under(HOOK, project);
    expect(ignored).toEqual([]);
    expect(settings.lua).toMatchObject({ max_run_ms: 200, isolation: "worker" });
    expect(settings.permissions.capabilities).toEqual(["READ"]);
  });

  test("cannot change the user's permissions, approval, state and isolation", async () => {
    const user = `
hil.mode = "deny"
paths.state = "state"
lua.isolation = "worker"
[permissions]
root = "/tmp/box"
capabilities = ["READ", "WRITE"]
env = ["PATH"]
`;
    const project = `
hil = { mode = "terminal", timeout_ms = 5 }
paths.state = "mine"
lua.isolation = "thread"
[permissions]
root = "/tmp/boxes"
capabilities = ["READ", "EXECUTE"]
env = ["PATH", "TOKEN"]
`;
    const { ignored, settings, dir } = await under(user, project);
    expect(new Set(ignored)).toEqual(
      new Set(["capabilities", "env", "isolation", "mode", "root", "state"]),
    );
    expect(settings).toMatchObject({
      hil: { mode: "deny", timeout_ms: 5 },
      paths: { state: join(dir, "user/state") },
      permissions: { root: "/tmp/box", capabilities: ["READ", "WRITE"], env: ["PATH"] },
    });
    const inside = await under(user, `[permissions]\nroot = "/tmp/box/src"\nenv = []\n`);
    expect(inside.ignored).toEqual([]);
    expect(inside.settings.permissions).toMatchObject({ root: "/tmp/box/src", env: [] });
  });

  const timeouts: [string, string, number, string[]][] = [
    ["longer than the user's", "hil.timeout_ms = 10", 10, ["timeout_ms"]],
    ["longer than none of the user's", "", 11, []],
    ["shorter", "hil.timeout_ms = 12", 11, []],
    ["the same", "hil.timeout_ms = 11", 11, []],
  ];
  test.each(timeouts)(
    "cannot raise the approval timeout: %s",
    async (_name, user, ms, expected) => {
      const { ignored, settings } = await under(user, "hil.timeout_ms = 11");
      expect(ignored).toEqual(expected);
      expect(settings.hil.timeout_ms).toBe(ms);
    },
  );

  const grants: [string, string | undefined, string | undefined, string[] | undefined, boolean][] =
    [
      ["none stated anywhere", undefined, undefined, undefined, false],
      ["a project may ask for asking", undefined, '["ls"]', ["ls"], false],
      ["and for being asked about all", undefined, "[]", [], false],
      [
        "what the user granted stays without a word of the project",
        '["ls"]',
        undefined,
        ["ls"],
        false,
      ],
      ["so does that nothing is granted", "[]", undefined, [], false],
      ["a grant that the user did not give", "[]", '["ls"]', [], true],
      ["one besides those that the user gave", '["ls"]', '["ls", "rm"]', ["ls"], true],
      ["a wider one", '["git status"]', '["git"]', ["git status"], true],
      ["one that only begins alike", '["git"]', '["gitx"]', ["git"], true],
      ["fewer", '["ls", "git"]', '["git"]', ["git"], false],
      ["a narrower one", '["git"]', '["git status"]', ["git status"], false],
      ["none of them", '["git"]', "[]", [], false],
    ];
  test.each(grants)("grants: %s", async (_name, user, project, expected, refused) => {
    const written = (list: string | undefined) =>
      list === undefined ? "" : `permissions.grants = ${list}`;
    const { ignored, settings } = await under(written(user), written(project));
    expect(settings.permissions.grants).toEqual(expected);
    expect(ignored).toEqual(refused ? ["grants"] : []);
  });

  test("in orcs.local.toml can restore what the project's file removed, and no more", async () => {
    const dir = folder({
      "user/orcs.toml": 'permissions.grants = ["git"]',
      "p/orcs.toml": "permissions.grants = []",
      "p/orcs.local.toml": 'permissions.grants = ["git status"]',
      "q/orcs.toml": "permissions.grants = []",
      "q/orcs.local.toml": 'permissions.grants = ["rm"]',
    });
    const grantsOf = async (project: string) => {
      const loaded = await load(join(dir, project), { userDir: join(dir, "user") });
      return loaded.settings.permissions.grants;
    };
    expect(await grantsOf("p")).toEqual(["git status"]);
    expect(await grantsOf("q")).toEqual([]);
  });

  test("can be overridden on the command line", async () => {
    const dir = folder({ "user/orcs.toml": HOOK, "p/x": "" });
    const { settings, warnings } = await load(join(dir, "p"), {
      userDir: join(dir, "user"),
      overrides: { engine: { on_error: "open" } },
    });
    expect(settings.engine.on_error).toBe("open");
    expect(warnings).toEqual([]);
  });
});

test("a project weakens its own hooks only", async () => {
  const own = HOOK.replace("guard", "theirs");
  for (const user of [HOOK, ""]) {
    const everything = await under(user, `[engine]\nmode = "audit"\n${own}`);
    expect(everything.ignored).toEqual(["mode"]);
    expect(everything.settings.engine.mode).toBe("enforce");
  }
  const dir = folder({ "user/orcs.toml": HOOK, "p/orcs.toml": `mode = "audit"\n${own}` });
  const { hooks } = await load(join(dir, "p"), { userDir: join(dir, "user") });
  expect(hooks.map(({ id, modeLimit }) => [id, modeLimit])).toEqual([
    ["guard", undefined],
    ["theirs", "audit"],
  ]);
});
