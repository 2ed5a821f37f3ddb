import { expect, test } from "vitest";
import type { SettingsKind } from "../../../../src/agents/accepted/settings.ts";
import { isWeakened, restoredSettings } from "../../../../src/agents/accepted/settings.ts";

const CLAUDE: SettingsKind = { host: "claude-code", programs: ["/opt/orcs"], isToml: false };
const TOML: SettingsKind = { host: "codex", programs: [], isToml: true };
const OURS = {
  matcher: "*",
  hooks: [{ type: "command", command: "/opt/orcs hook --host claude-code", timeout: 60 }],
};
const OTHER = { matcher: "Edit", hooks: [{ type: "command", command: "prettier" }] };
const ACCEPTED = {
  model: "a",
  hooks: { PreToolUse: [OURS, OTHER], ConfigChange: [OURS] },
  env: { CI: "1" },
};

const bytes = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
const before = bytes(ACCEPTED);
type Settings = Record<string, unknown> & { hooks: Record<string, unknown> };
const changed = (edit: (settings: Settings) => void): Buffer => {
  const settings = structuredClone(ACCEPTED) as unknown as Settings;
  edit(settings);
  return bytes(settings);
};
const list = (settings: Settings): (typeof OURS & Record<string, unknown>)[] =>
  settings.hooks["PreToolUse"] as never;

/** Changes that take away, narrow or switch off, and nothing else. */
const DISARMED: Readonly<Record<string, (settings: Settings) => void>> = {
  "no hooks": (s) => delete (s as Record<string, unknown>)["hooks"],
  "empty hooks": (s) => (s.hooks = {}),
  "no list of an event": (s) => delete s.hooks["PreToolUse"],
  "no entry": (s) => list(s).shift(),
  "another matcher": (s) => (list(s)[0]!.matcher = "Read"),
  "no matcher": (s) => delete (list(s)[0] as Record<string, unknown>)["matcher"],
  "an if": (s) => ((list(s)[0]!.hooks[0] as Record<string, unknown>)["if"] = "Bash(ls)"),
  async: (s) => ((list(s)[0]!.hooks[0] as Record<string, unknown>)["async"] = true),
  "a timeout": (s) => (list(s)[0]!.hooks[0]!.timeout = 0.001),
  "another command": (s) => (list(s)[0]!.hooks[0]!.command = "true"),
  "a prefix": (s) => (list(s)[0]!.hooks[0]!.command = `true || ${OURS.hooks[0]?.command}`),
  "another type": (s) => (list(s)[0]!.hooks[0]!.type = "prompt"),
  disableAllHooks: (s) => (s["disableAllHooks"] = true),
  allowManagedHooksOnly: (s) => (s["allowManagedHooksOnly"] = true),
  hooksConfig: (s) => (s["hooksConfig"] = { enabled: false }),
  "tools.enableHooks": (s) => (s["tools"] = { enableHooks: false }),
  "hooks.disabled": (s) => (s.hooks["disabled"] = ["orcs"]),
  "a variable": (s) =>
    ((s["env"] as Record<string, string>)["NODE_OPTIONS"] = "--require=/tmp/x.js"),
  "hooks of another type": (s) => ((s as Record<string, unknown>)["hooks"] = []),
  "an event of another type": (s) => (s.hooks["PreToolUse"] = "none"),
  "permissions of another type": (s) => (s["permissions"] = 1),
  "an entry of another type": (s) => (s.hooks["Stop"] = [5]),
};

test.each(Object.entries(DISARMED))("%s: put back byte for byte", (_, edit) => {
  const after = changed(edit);
  expect(isWeakened(CLAUDE, before, after)).toBe(true);
  expect(restoredSettings(CLAUDE, before, after)?.toString()).toBe(before.toString());
});

test.each(Object.entries(DISARMED))("%s, with another change: that one stays", (_, edit) => {
  const after = changed((settings) => {
    settings["model"] = "b";
    settings.hooks["Notification"] = [OTHER];
    edit(settings);
  });
  expect(isWeakened(CLAUDE, before, after)).toBe(true);
  const restored = restoredSettings(CLAUDE, before, after) ?? Buffer.from("");
  expect(isWeakened(CLAUDE, before, restored)).toBe(false);
  const { model, hooks } = JSON.parse(restored.toString()) as typeof ACCEPTED & Settings;
  expect(hooks["PreToolUse"]).toContainEqual(OURS);
  // Where nothing of it can be read, the accepted bytes are put back.
  const isReadable = !/type/.test(_) || _ === "another type";
  if (isReadable) expect(model).toBe("b");
});

test("texts that the agent does not read are put back", () => {
  for (const text of [
    "",
    "{",
    "[]",
    `// a comment\n${before.toString()}`,
    '{"hooks":{},"hooks":{}}',
  ]) {
    expect(isWeakened(CLAUDE, before, Buffer.from(text)), text).toBe(true);
    expect(restoredSettings(CLAUDE, before, Buffer.from(text))?.toString()).toBe(before.toString());
  }
  expect(isWeakened(CLAUDE, before, null)).toBe(true);
  expect(restoredSettings(CLAUDE, before, null)).toEqual(before);
});

test("a file that was not there and switches hooks off is removed", () => {
  const after = bytes({ disableAllHooks: true });
  expect(isWeakened(CLAUDE, null, after)).toBe(true);
  expect(restoredSettings(CLAUDE, null, after)).toBeNull();
  const more = restoredSettings(CLAUDE, null, bytes({ disableAllHooks: true, model: "b" }));
  expect(JSON.parse(String(more))).toEqual({ model: "b" });
});

test.each<[string, (settings: Settings) => void]>([
  ["another model", (s) => (s["model"] = "b")],
  ["a permission", (s) => (s["permissions"] = { allow: ["Bash(ls)"] })],
  ["a harmless variable", (s) => ((s["env"] as Record<string, string>)["TZ"] = "UTC")],
  ["a hook beside", (s) => list(s).push(OURS)],
  ["a hook at another event", (s) => (s.hooks["Stop"] = [OTHER])],
  ["another hook removed", (s) => list(s).pop()],
  ["a switch at its default", (s) => (s["disableAllHooks"] = false)],
  ["a stricter hook first", (s) => list(s).unshift(OTHER as never)],
])("%s: nothing is weakened", (_, edit) => {
  expect(isWeakened(CLAUDE, before, changed(edit))).toBe(false);
});

test("a switch in a TOML file is taken out, and the rest stays", () => {
  const config =
    'model = "a"\n\n[features]\nweb = true # on\n\n[hooks.state."x"]\ntrusted_hash = "1"\n';
  const accepted = Buffer.from(config);
  const off = config.replace("[features]", "[features]\nhooks = false");
  expect(isWeakened(TOML, accepted, Buffer.from(off))).toBe(true);
  expect(restoredSettings(TOML, accepted, Buffer.from(off))?.toString()).toBe(config);
  const more = Buffer.from(off.replace('"a"', '"b"'));
  expect(restoredSettings(TOML, accepted, more)?.toString()).toBe(config.replace('"a"', '"b"'));
  for (const worse of [
    `features.codex_hooks = false\n${config}`,
    config.replace('"1"', '"2"'),
    `${config}enabled = false\n`,
    "[",
  ]) {
    expect(isWeakened(TOML, accepted, Buffer.from(worse)), worse).toBe(true);
  }
  expect(
    isWeakened(TOML, accepted, Buffer.from(`${config}\n[hooks.state."y"]\ntrusted_hash = "1"\n`)),
  ).toBe(false);
});
