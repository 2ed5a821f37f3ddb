import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../../src/core/hosts.ts";
import { HOSTS } from "../../../src/formats/hosts.ts";
import { readHooksSection, valueOf } from "../../../src/agents/install/hooks-section.ts";
import { settingsPath } from "../../../src/agents/install/settings-places.ts";
import { unwrapCommand } from "../../../src/agents/install/entry-command.ts";
import { EVENTS, Machine, used } from "./install-rig.ts";
import { settingsArbitrary } from "./settings-arbitrary.ts";

const CALL = "node /opt/o/main.js hook --host";
const text = (path: string): string => readFileSync(path, "utf8");
/** Settings with the calls of orcs alone: each stands behind a fallback. */
function calls(path: string): unknown {
  return JSON.parse(JSON.stringify(json(path)), (key, value: unknown) => {
    if (key !== "command") return value;
    expect(unwrapCommand(String(value)).script).not.toBe("");
    return unwrapCommand(String(value)).call;
  });
}
const json = (path: string): unknown => parse(text(path).replace(/^\uFEFF/, ""));

describe("install writes", () => {
  const WRITTEN: Record<(typeof HOST_NAMES)[number], { file: string; settings: unknown }> = {
    "claude-code": {
      file: "home/.claude/settings.json",
      settings: {
        hooks: {
          Before: [
            {
              matcher: "*",
              hooks: [
                {
                  type: "command",
                  command: `${CALL} claude-code --timeout 600`,
                  timeout: 600,
                  onFailure: "block",
                },
              ],
            },
          ],
          End: [
            {
              matcher: "*",
              hooks: [{ type: "command", command: `${CALL} claude-code --timeout 1`, timeout: 1 }],
            },
          ],
        },
      },
    },
    codex: {
      file: "home/.codex/hooks.json",
      settings: {
        hooks: {
          Before: [
            {
              matcher: "*",
              hooks: [{ type: "command", command: `${CALL} codex --timeout 600`, timeout: 600 }],
            },
          ],
          End: [
            {
              matcher: "*",
              hooks: [{ type: "command", command: `${CALL} codex --timeout 1`, timeout: 1 }],
            },
          ],
        },
      },
    },
    gemini: {
      file: "home/.gemini/settings.json",
      settings: {
        hooks: {
          Before: [
            {
              matcher: "*",
              hooks: [
                {
                  name: "orcs",
                  type: "command",
                  command: `${CALL} gemini --timeout 600`,
                  timeout: 600_000,
                },
              ],
            },
          ],
          End: [
            {
              matcher: "*",
              hooks: [
                {
                  name: "orcs",
                  type: "command",
                  command: `${CALL} gemini --timeout 1`,
                  timeout: 1_000,
                },
              ],
            },
          ],
        },
      },
    },
    cursor: {
      file: "home/.cursor/hooks.json",
      settings: {
        version: 1,
        hooks: {
          Before: [{ command: `${CALL} cursor --timeout 600`, timeout: 600, failClosed: true }],
          End: [{ command: `${CALL} cursor --timeout 1`, timeout: 1 }],
        },
      },
    },
    copilot: {
      file: "home/.copilot/hooks/orcs.json",
      settings: {
        version: 1,
        hooks: {
          Before: [{ type: "command", command: `${CALL} copilot --timeout 600`, timeout: 600 }],
          End: [{ type: "command", command: `${CALL} copilot --timeout 1`, timeout: 1 }],
        },
      },
    },
    qwen: {
      file: "home/.qwen/settings.json",
      settings: {
        hooks: {
          Before: [
            {
              matcher: "*",
              hooks: [
                {
                  name: "orcs",
                  type: "command",
                  command: `${CALL} qwen --timeout 600`,
                  timeout: 600,
                },
              ],
            },
          ],
          End: [
            {
              matcher: "*",
              hooks: [
                { name: "orcs", type: "command", command: `${CALL} qwen --timeout 1`, timeout: 1 },
              ],
            },
          ],
        },
      },
    },
  };

  test.each(HOST_NAMES)("%s: one entry for each event with hooks", async (host) => {
    const machine = new Machine();
    machine.uses[""] = used("tool.pre_execute", "session.on_end", "bus.pre_broadcast");
    const before = machine.snapshot();
    const done = await machine.install(host);
    expect(done).toMatchObject({ status: "created", events: ["Before", "End"] });
    expect(done.notes).toEqual([
      expect.stringContaining("bus.pre_broadcast: on-bus.pre_broadcast"),
    ]);
    const { file, settings } = WRITTEN[host];
    expect(calls(join(machine.root, file))).toEqual(settings);
    expect(await machine.install(host)).toMatchObject({ status: "unchanged" });
    expect(await machine.sync(host)).toMatchObject({ status: "unchanged" });
    expect(machine.uninstall(host)).toMatchObject({ status: "removed" });
    expect(machine.snapshot()).toEqual(before);
    expect(machine.uninstall(host)).toBeUndefined();
  });

  test("the timeout that the longest hook needs, up to the agent's maximum", async () => {
    const machine = new Machine();
    machine.uses[""] = [
      { point: "tool.pre_execute", hooks: ["slow"], longestMs: 900_000 },
      { point: "prompt.pre_submit", hooks: ["slower"], longestMs: 900_000 },
      { point: "tool.post_execute", hooks: ["quick"], longestMs: 1_000 },
    ];
    await machine.install("codex");
    const { hooks } = json(machine.path("codex")) as Record<string, Record<string, never[]>>;
    expect(hooks?.["Before"]).toMatchObject([{ hooks: [{ timeout: 905 }] }]);
    expect(hooks?.["After"]).toMatchObject([{ hooks: [{ timeout: 600 }] }]);
    expect(hooks?.["Prompt"]).toMatchObject([{ hooks: [{ timeout: 30 }] }]);
  });

  test("nothing and creates no file if no event has hooks", async () => {
    const machine = new Machine();
    machine.uses[""] = used("bus.pre_broadcast");
    const before = machine.snapshot();
    expect(await machine.install("gemini")).toMatchObject({ status: "unchanged", events: [] });
    expect(machine.snapshot()).toEqual(before);
    expect(existsSync(machine.around.records)).toBe(false);
  });

  test("the explicit configuration in each entry, quoted", async () => {
    const machine = new Machine();
    machine.uses["it's mine/orcs.toml"] = used("tool.post_execute");
    await machine.install("cursor", { config: "it's mine/orcs.toml" });
    expect(calls(machine.path("cursor"))).toMatchObject({
      hooks: {
        After: [{ command: `${CALL} cursor --timeout 600 --config 'it'\\''s mine/orcs.toml'` }],
      },
    });
    machine.uses["it's mine/orcs.toml"] = used("prompt.pre_submit");
    expect(await machine.sync("cursor")).toMatchObject({ events: ["Prompt"] });
    expect(text(machine.path("cursor"))).toContain("--config 'it'");
  });

  test("its record readable by the user only", async () => {
    const machine = new Machine();
    machine.write("home/.codex/hooks.json", '{"env":{"TOKEN":"s3cret"}}');
    await machine.install("codex");
    const { records } = machine.around;
    const [name = ""] = readdirSync(records);
    expect(statSync(join(records, name)).mode & 0o777).toBe(0o600);
    expect(statSync(records).mode & 0o777).toBe(0o700);
    machine.uninstall("codex");
    expect(readdirSync(records)).toEqual([]);
  });

  test("to directories named by environment variables", () => {
    const place = {
      env: {
        CLAUDE_CONFIG_DIR: "/c",
        CODEX_HOME: "x",
        COPILOT_HOME: "z",
        QWEN_HOME: "/q",
        GEMINI_HOME: "/no",
      },
      home: "/h",
      project: "/p",
    };
    const paths = HOST_NAMES.flatMap((host) => [
      settingsPath(host, "user", place),
      settingsPath(host, "project", place),
    ]);
    expect(paths).toEqual([
      "/c/settings.json",
      "/p/.claude/settings.json",
      "/p/x/hooks.json",
      "/p/.codex/hooks.json",
      "/h/.gemini/settings.json",
      "/p/.gemini/settings.json",
      "/h/.cursor/hooks.json",
      "/p/.cursor/hooks.json",
      "/p/z/hooks/orcs.json",
      "/p/.github/hooks/orcs.json",
      "/q/settings.json",
      "/p/.qwen/settings.json",
    ]);
  });
});

describe("install and then uninstall", () => {
  const points = fc.subarray(Object.values(EVENTS).map(({ point }) => point as string));

  test.each(HOST_NAMES)("restores any settings of %s byte for byte", async (host) => {
    const texts = settingsArbitrary(host, Object.keys(EVENTS));
    await fc.assert(
      fc.asyncProperty(
        texts,
        points,
        points,
        fc.constantFrom(0o600, 0o644),
        async (given, one, two, mode) => {
          const machine = new Machine();
          const path = machine.write(machine.path(host).slice(machine.root.length + 1), given.text);
          chmodSync(path, mode);
          const before = machine.snapshot();
          machine.uses[""] = used(...one);
          await machine.install(host);
          expect(statSync(path).mode & 0o777).toBe(mode);
          machine.uses[""] = used(...two);
          await machine.sync(host);
          machine.uninstall(host);
          expect(machine.snapshot()).toEqual(before);
          rmSync(machine.root, { recursive: true });
        },
      ),
      { numRuns: 25 },
    );
  });

  test.each(HOST_NAMES)("keeps later edits by others to %s", async (host) => {
    const texts = settingsArbitrary(host, Object.keys(EVENTS));
    const edit = (path: string, value: object): void => {
      const marked = text(path);
      const mark = marked.startsWith("\uFEFF") ? "\uFEFF" : "";
      const root = parse(marked.replace(/^\uFEFF/, "")) as object;
      writeFileSync(path, mark + JSON.stringify({ ...root, ...value }, undefined, 3));
    };
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), async ({ text: given, value }, syncs) => {
        const machine = new Machine();
        const path = machine.write(machine.path(host).slice(machine.root.length + 1), given);
        await machine.install(host);
        edit(path, { theirs: [1] });
        if (syncs) {
          machine.uses[""] = used("tool.post_execute");
          await machine.sync(host);
        }
        machine.uninstall(host);
        expect(json(path)).toEqual({ ...(value as object), theirs: [1] });
        expect(text(path).startsWith("\uFEFF")).toBe(given.startsWith("\uFEFF"));
        rmSync(machine.root, { recursive: true });
      }),
      { numRuns: 25 },
    );
  });

  const ODD: [name: string, content: string][] = [
    ["an empty file", ""],
    ["a byte order mark alone", "\uFEFF"],
    ["white space", " \r\n\t\r\n"],
    ["a comment", "// mine\n"],
    ["an empty object", "{}"],
    ["an empty object with a mark and returns", "\uFEFF{\r\n}\r\n"],
    ["hooks that are empty", '{ "hooks": { } }'],
    ["an event that is empty", '{"hooks": {"Before": [ ]}}'],
    ["a group that is empty", '{"hooks": {"Before": [{"matcher": "*", "hooks": []}]}}'],
    ["commas at the ends", '{\n\t"hooks": {\n\t\t"Before": [\n\t\t],\n\t},\n}'],
    ["a comment after the last", '{\n  "a": 1 // one\n  // two\n}'],
    ["a comment without an end of line", '{"a": [] // x\n}// end'],
    ["what other programs keep there", '{"hooks": {"enabled": true, "Before": [null, 7, "x"]}}'],
  ];
  test.each(ODD)("%s", async (_name, content) => {
    for (const host of HOST_NAMES) {
      const machine = new Machine();
      const path = machine.write(machine.path(host).slice(machine.root.length + 1), content);
      const before = machine.snapshot();
      expect(await machine.install(host)).toMatchObject({ status: "changed" });
      expect(json(path)).toMatchObject({ hooks: { Before: expect.any(Array) as never } });
      expect(text(path).replaceAll("\r\n", "")).not.toContain(
        content.includes("\r\n") ? "\n" : "\r",
      );
      machine.uninstall(host);
      expect(machine.snapshot()).toEqual(before);
    }
  });

  test("without the record, removes the entries and containers left empty", async () => {
    const machine = new Machine();
    const content = '{\n  // mine\n  "model": "m"\n}\n';
    const path = machine.write("home/.claude/settings.json", content);
    await machine.install("claude-code");
    rmSync(machine.around.records, { recursive: true });
    machine.uninstall("claude-code");
    expect(text(path)).toBe(content);
  });

  test("with a broken record works as without one", async () => {
    const machine = new Machine();
    const path = machine.write("home/.codex/hooks.json", '{"hooks":{}}');
    await machine.install("codex");
    const { records } = machine.around;
    const [name = ""] = readdirSync(records);
    for (const broken of [
      "",
      "{",
      "[]",
      '{"path":1}',
      text(join(records, name)).replace(/"uses".*/s, '"uses":1}'),
    ]) {
      writeFileSync(join(records, name), broken);
      expect(await machine.install("codex")).toMatchObject({ status: "unchanged" });
    }
    machine.uninstall("codex");
    expect(json(path)).toEqual({});
  });

  test("works when the settings file was deleted meanwhile", async () => {
    const machine = new Machine();
    const before = machine.snapshot();
    await machine.install("cursor");
    rmSync(machine.path("cursor"));
    expect(machine.uninstall("cursor")).toMatchObject({ status: "unchanged" });
    expect(machine.snapshot()).toEqual(before);
  });

  test("keeps a created folder that has other files by then", async () => {
    const machine = new Machine();
    await machine.install("cursor", { scope: "project" });
    machine.write("project/.cursor/rules", "x");
    machine.uninstall("cursor", "project");
    expect(readdirSync(join(machine.root, "project/.cursor"))).toEqual(["rules"]);
  });
});

describe("settings files that are symlinks", () => {
  test("install writes the link's target and keeps the link", async () => {
    const machine = new Machine();
    const real = machine.write("home/dotfiles/claude.json", '{"a":1}');
    mkdirSync(join(machine.root, "home/.claude"));
    symlinkSync("../dotfiles/claude.json", machine.path("claude-code"));
    const before = machine.snapshot();
    await machine.install("claude-code");
    expect(lstatSync(machine.path("claude-code")).isSymbolicLink()).toBe(true);
    expect(text(real)).toContain("hook --host claude-code");
    expect(readdirSync(dirname(real))).toEqual(["claude.json"]);
    machine.uninstall("claude-code");
    expect(machine.snapshot()).toEqual(before);
  });

  test("install creates the target of a dangling link", async () => {
    const machine = new Machine();
    mkdirSync(join(machine.root, "home/.codex"), { recursive: true });
    symlinkSync("../dotfiles/hooks.json", machine.path("codex"));
    const before = machine.snapshot();
    await machine.install("codex");
    expect(text(join(machine.root, "home/dotfiles/hooks.json"))).toContain("hook --host codex");
    machine.uninstall("codex");
    expect(machine.snapshot()).toEqual(before);
  });

  test("install works in a linked folder", async () => {
    const machine = new Machine();
    machine.write("home/dotfiles/gemini/settings.json", "{}");
    symlinkSync("dotfiles/gemini", join(machine.root, "home/.gemini"));
    const before = machine.snapshot();
    await machine.install("gemini");
    expect(text(machine.path("gemini"))).toContain("hook --host gemini");
    machine.uninstall("gemini");
    expect(machine.snapshot()).toEqual(before);
  });
});

describe("hooks of other programs in the settings", () => {
  const THEIRS = [
    "orcs list --host claude-code",
    "orcs hook",
    "orcs hook --host codex",
    "my-orcs hook --host claude-code",
    "/opt/dorcs hook --host claude-code",
    "node /opt/other/dist/cli/main.js hook --host claude-code",
    "guard hook --host claude-code",
    "echo orcs-hook --host claude-code",
  ];
  const OURS = [
    "orcs hook --host claude-code",
    "orcs hook --host=claude-code --timeout=5",
    "/usr/local/bin/orcs hook --host claude-code --timeout 60",
    "npx orcs hook --host claude-code",
    "'/my home/node' '/x y/node_modules/orcs/dist/cli/main.js' hook --host claude-code",
    "/other/node /opt/o/main.js hook --host claude-code --timeout 1",
    "A=1 orcs hook  --host claude-code || exit 2",
  ];
  const settings = (commands: readonly string[]): string =>
    JSON.stringify({
      hooks: { After: commands.map((command) => ({ hooks: [{ type: "command", command }] })) },
    });

  test.each(THEIRS)("not recognized as ours: %s", async (command) => {
    const machine = new Machine();
    const path = machine.write("home/.claude/settings.json", settings([command]));
    expect(machine.uninstall("claude-code")).toBeUndefined();
    await machine.install("claude-code");
    expect(json(path)).toMatchObject(JSON.parse(settings([command])) as object);
  });

  test.each(OURS)("recognized as ours and removed: %s", async (command) => {
    const machine = new Machine();
    const path = machine.write("home/.claude/settings.json", settings([command, "theirs"]));
    machine.uninstall("claude-code");
    expect(text(path)).toBe(settings(["theirs"]));
  });

  test("in a shared group, only our entry is removed", async () => {
    const machine = new Machine();
    const group = (...commands: string[]): string =>
      JSON.stringify({
        hooks: {
          Before: [
            { matcher: "Bash", hooks: commands.map((command) => ({ type: "command", command })) },
          ],
        },
      });
    const path = machine.write(
      "home/.claude/settings.json",
      group("a", "orcs hook --host claude-code", "b"),
    );
    machine.uninstall("claude-code");
    expect(json(path)).toEqual(JSON.parse(group("a", "b")));
  });

  test("a custom launcher command is recognized by the record", async () => {
    const machine = new Machine();
    const path = machine.write("home/.codex/hooks.json", '{"hooks":{"Odd":[]}}');
    await machine.install("codex", { program: "mise exec -- hookd" });
    machine.write("home/.codex/hooks.json", text(path).replace("{", '{"x":1,'));
    machine.uninstall("codex");
    expect(json(path)).toEqual({ x: 1, hooks: { Odd: [] } });
  });
});

describe("sync of installed entries", () => {
  test("adds and removes events, and does nothing if not installed", async () => {
    const machine = new Machine();
    expect(await machine.sync("codex")).toBeUndefined();
    await machine.install("codex");
    machine.uses[""] = used("tool.post_execute", "prompt.pre_submit");
    expect(await machine.sync("codex")).toMatchObject({
      status: "changed",
      events: ["After", "Prompt"],
    });
    machine.uses[""] = [];
    expect(await machine.sync("codex")).toMatchObject({ status: "changed", events: [] });
    expect(text(machine.path("codex"))).not.toContain("orcs");
    machine.uses[""] = used("tool.pre_execute");
    expect(await machine.sync("codex")).toMatchObject({ status: "changed", events: ["Before"] });
    expect(machine.uninstall("codex")).toMatchObject({ status: "removed" });
  });

  test("does not restore entries that the user removed", async () => {
    const machine = new Machine();
    await machine.install("codex");
    machine.write("home/.codex/hooks.json", "{}");
    expect(await machine.sync("codex")).toBeUndefined();
    machine.uninstall("codex");
    expect(text(machine.path("codex"))).toBe("{}");
  });

  test("in user settings, keeps the events that other existing projects need", async () => {
    const machine = new Machine();
    await machine.install("claude-code");
    const first = machine.config;
    machine.config = machine.write("other/orcs.toml", "");
    machine.uses[""] = used("prompt.pre_submit");
    expect(await machine.sync("claude-code")).toMatchObject({ events: ["Before", "Prompt"] });
    machine.uses[""] = used("session.on_end");
    expect(await machine.sync("claude-code")).toMatchObject({ events: ["Before", "End"] });
    rmSync(first);
    expect(await machine.sync("claude-code")).toMatchObject({ events: ["End"] });
  });

  test("in user settings without the record, keeps events whose need is unknown", async () => {
    const machine = new Machine();
    await machine.install("claude-code");
    rmSync(machine.around.records, { recursive: true });
    machine.uses[""] = used("prompt.pre_submit");
    for (let i = 0; i < 2; i++) {
      expect(await machine.sync("claude-code")).toMatchObject({ events: ["Before", "Prompt"] });
    }
    expect(text(machine.path("claude-code"))).toContain("--timeout 600");
  });

  test("in project settings, keeps only that project's events", async () => {
    const machine = new Machine();
    await machine.install("claude-code", { scope: "project" });
    rmSync(machine.around.records, { recursive: true });
    machine.uses[""] = used("prompt.pre_submit");
    expect(await machine.sync("claude-code", "project")).toMatchObject({ events: ["Prompt"] });
  });

  test("keeps user edits in an entry; reinstalling resets them", async () => {
    const machine = new Machine();
    machine.uses[""] = used("tool.pre_execute", "prompt.pre_submit");
    await machine.install("claude-code");
    const path = machine.path("claude-code");
    const narrowed = text(path).replace('"*"', '"Bash"').replace("node /opt/o", "nice node /opt/o");
    writeFileSync(path, narrowed);
    await machine.sync("claude-code");
    expect(text(path)).toContain('"matcher": "Bash"');
    await machine.install("claude-code");
    expect(text(path)).not.toContain('"matcher": "Bash"');
    expect(text(path)).not.toContain("nice");
    expect(machine.uninstall("claude-code")).toMatchObject({ status: "removed" });
  });

  test("merges two entries for one event", async () => {
    const machine = new Machine();
    await machine.install("cursor");
    const path = machine.path("cursor");
    const { hooks } = json(path) as { hooks: { Before: object[] } };
    writeFileSync(
      path,
      JSON.stringify({ version: 1, hooks: { Before: [...hooks.Before, ...hooks.Before] } }),
    );
    await machine.sync("cursor");
    expect(json(path)).toMatchObject({ hooks: { Before: [{}] } });
  });
});

describe("unusable settings fail with ORCS7004 and stay unchanged", () => {
  const BAD: [name: string, content: string | Uint8Array, why: RegExp][] = [
    ["half an object", '{"hooks": {', /close brace expected at line 1, column 12/],
    ["not JSON", "hooks = 1\n", /it is not JSON/],
    ["two values", "{} {}", /end of file expected/],
    ["a control character", '{"a": "\u0001"}', /invalid character/],
    ["a list", "[]", /it is not an object/],
    ["null", "null", /it is not an object/],
    ["hooks that are a list", '{"hooks": []}', /hooks is not an object/],
    ["hooks that are null", '{"hooks": null}', /hooks is not an object/],
    ["an event that is an object", '{"hooks": {"Before": {}}}', /hooks\.Before is not a list/],
    ["an event that is false", '{"hooks": {"Before": false}}', /hooks\.Before is not a list/],
    ["hooks twice", '{"hooks": {}, "hooks": {"Before": []}}', /it has "hooks" twice/],
    ["an event twice", '{"hooks": {"Before": [], "Before": []}}', /hooks has "Before" twice/],
    ["Latin-1", Buffer.from('{"a": "\u00e9"}', "latin1"), /it is not UTF-8/],
    ["UTF-16", Buffer.from("\uFEFF{}", "utf16le"), /it is not UTF-8/],
    ["very deep", "[".repeat(200_000), /cannot be parsed|not JSON|not an object/],
  ];
  test.each(BAD)("%s", async (_name, content, why) => {
    const machine = new Machine();
    machine.write("home/.codex/hooks.json", content);
    const before = machine.snapshot();
    const failed = machine.install("codex");
    await expect(failed).rejects.toThrow(why);
    await expect(failed).rejects.toMatchObject({ code: "ORCS7004" });
    expect(machine.snapshot()).toEqual(before);
    expect(existsSync(machine.around.records)).toBe(false);
  });

  test("a directory in place of the file", async () => {
    const machine = new Machine();
    machine.write("home/.codex/hooks.json/x", "");
    await expect(machine.install("codex")).rejects.toThrow("it is not a regular file");
  });

  test("a file in place of the directory", async () => {
    const machine = new Machine();
    machine.write("home/.codex", "");
    await expect(machine.install("codex")).rejects.toMatchObject({ code: "ORCS7004" });
    expect(readdirSync(join(machine.root, "home"))).toContain(".codex");
  });

  test("a symlink loop", async () => {
    const machine = new Machine();
    mkdirSync(join(machine.root, "home/.codex"), { recursive: true });
    symlinkSync("hooks.json", machine.path("codex"));
    await expect(machine.install("codex")).rejects.toMatchObject({ code: "ORCS7004" });
  });

  test("a record that cannot be written", async () => {
    const machine = new Machine();
    machine.write("home/.codex/hooks.json", "{}");
    machine.write("home/.local/state/orcs", "a file");
    await expect(machine.install("codex")).rejects.toThrow("cannot store the original settings");
    expect(text(machine.path("codex"))).toBe("{}");
  });

  test.skipIf(process.getuid?.() === 0)("a read-only file or directory", async () => {
    for (const [name, mode] of [
      ["home/.codex/hooks.json", 0o400],
      ["home/.codex", 0o500],
    ] as const) {
      const machine = new Machine();
      machine.write("home/.codex/hooks.json", "{}");
      chmodSync(join(machine.root, name), mode);
      await expect(machine.install("codex")).rejects.toMatchObject({ code: "ORCS7004" });
      expect(text(machine.path("codex"))).toBe("{}");
      expect(readdirSync(machine.around.records)).toEqual([]);
      chmodSync(join(machine.root, name), 0o700);
    }
  });

  test("settings that change while the user is asked", async () => {
    const { planInstall } = await import("../../../src/agents/install/plan.ts");
    const machine = new Machine();
    const path = machine.write("home/.codex/hooks.json", "{}");
    const target = { host: "codex", scope: "user", path } as const;
    const needs = {
      events: EVENTS,
      used: () => Promise.resolve({ config: "", points: used("tool.pre_execute") }),
    };
    const command = { program: "orcs", config: undefined };
    const plan = await planInstall(target, command, needs, machine.around);
    writeFileSync(path, '{"mine": 1}');
    expect(() => machine.carryOut(plan)).toThrow("it was changed in the meantime");
    expect(text(path)).toBe('{"mine": 1}');
    expect(readdirSync(dirname(path))).toEqual(["hooks.json"]);
    expect(readdirSync(machine.around.records)).toEqual([]);
  });
});

describe("the longest time that an agent allows", () => {
  const longest = async (host: (typeof HOST_NAMES)[number]) => {
    const { events } = await HOSTS[host].load();
    const machine = new Machine();
    machine.uses[""] = used(...new Set(Object.values(events).map(({ point }) => point)));
    await machine.install(host, { events });
    return readHooksSection(text(machine.path(host)), host, machine.around.programs);
  };

  test.each([
    ["claude-code", 600, { SessionEnd: 1 }],
    ["codex", 600, { SessionEnd: 3, Interrupt: 3 }],
    ["gemini", 600, {}],
    ["cursor", 600, {}],
    ["copilot", 600, {}],
    ["qwen", 60, { PostToolBatch: 15 }],
  ] as const)("%s: %i s, but %j", async (host, seconds, except) => {
    const { entries } = await longest(host);
    const { perSecond } = HOSTS[host];
    expect(entries.length).toBeGreaterThan(5);
    for (const { event, node } of entries) {
      const { timeout, command } = valueOf(node) as { timeout: number; command: string };
      const expected = (except as Record<string, number>)[event] ?? seconds;
      expect([event, timeout / perSecond]).toEqual([event, expected]);
      expect(command.endsWith(` --timeout ${expected}`)).toBe(true);
    }
  });
});

describe("an event for notices", () => {
  test.each([
    // Before a call these agents only log what a hook prints.
    ["qwen", "tool.pre_execute", ["PreToolUse", "Stop"]],
    ["copilot", "tool.pre_execute", ["SessionStart", "PreToolUse"]],
    ["cursor", "tool.post_execute", ["preToolUse", "postToolUse"]],
    ["codex", "session.on_end", ["SessionStart", "SessionEnd"]],
    ["qwen", "agent.pre_stop", ["Stop"]],
    // It says what a call has changed in settings.
    ["claude-code", "tool.pre_execute", ["PreToolUse", "ConfigChange"]],
    ["codex", "tool.pre_execute", ["PreToolUse"]],
    ["gemini", "tool.pre_execute", ["BeforeTool"]],
    ["cursor", "tool.pre_execute", ["preToolUse", "beforeTabFileRead"]],
  ] as const)("%s, hooks at %s: %j", async (host, point, expected) => {
    const { events } = await HOSTS[host].load();
    const machine = new Machine();
    machine.uses[""] = used(point);
    const { events: installed } = await machine.install(host, { events });
    expect(new Set(installed)).toEqual(new Set(expected));
    machine.uses[""] = [];
    expect((await machine.sync(host, "user", events))?.events).toEqual([]);
  });
});

describe("in the settings of a machine", () => {
  test("Gemini CLI runs hooks whatever its user has switched off, and nothing is left behind", async () => {
    const machine = new Machine();
    const { events } = await HOSTS.gemini.load();
    await machine.install("gemini", { scope: "machine", events });
    const path = machine.path("gemini", "machine");
    expect(json(path)).toMatchObject({ hooksConfig: { enabled: true } });
    machine.uninstall("gemini", "machine");
    expect(existsSync(path)).toBe(false);
  });

  test("Copilot CLI has keys of its own: with others it denies every call", async () => {
    const machine = new Machine();
    const { events } = await HOSTS.copilot.load();
    const of = async () => {
      await machine.install("copilot", { scope: "machine", events });
      const { hooks } = json(machine.path("copilot", "machine")) as {
        hooks: Record<string, Record<string, unknown>[]>;
      };
      return hooks["PreToolUse"];
    };
    const bash = expect.stringContaining("hook --host copilot") as string;
    const entry = { type: "command", bash, timeoutSec: 600 };
    expect(await of()).toEqual([entry]);
    // What an older version has written is replaced, and not doubled.
    const path = machine.path("copilot", "machine");
    const older = text(path)
      .replaceAll('"bash"', '"command"')
      .replaceAll('"timeoutSec"', '"timeout"');
    writeFileSync(path, older);
    expect(await of()).toEqual([entry]);
    expect(machine.uninstall("copilot", "machine")).toBeDefined();
  });
});
