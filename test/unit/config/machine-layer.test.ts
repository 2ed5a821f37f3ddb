import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { filesOfProject, type LayerFiles } from "../../../src/config/layers.ts";
import type { LoadedConfig } from "../../../src/config/load.ts";
import { layerRules } from "../../../src/config/settings.ts";
import { valueAt } from "../../../src/config/table.ts";
import { folder, load } from "./folder.ts";

const HOOK = `[[hooks]]\nid = "guard"\npoint = "Stop"\nhandler_inline = "return nil"\n`;

type Key = readonly [path: string, held: string, other: string, effect: Effect];
/**
 * What becomes of the other value: `fixed` where the machine sets the key, `ignored` wherever it enforces a hook, too,
 * `counts` never ignored, `joined` counts beside the machine's.
 */
type Effect = "fixed" | "ignored" | "counts" | "joined" | "never read";

/** Every setting, a value of the machine, and one of another layer that is looser, or just another one. */
const KEYS: readonly Key[] = [
  ["debug", "true", "false", "fixed"],
  ["self_guard", "true", "false", "ignored"],
  ["enforced", "true", "false", "never read"],
  ["hil.mode", '"deny"', '"terminal"', "fixed"],
  ["hil.timeout_ms", "1000", "2000", "fixed"],
  ["hil.answer", '["terminal"]', '["agent"]', "fixed"],
  ["hil.answer_command", '["/a"]', '["/b"]', "fixed"],
  ["hil.answer_url", '"https://a"', '"https://b"', "fixed"],
  ["hil.answer_key_file", '"/a/answer.key"', '"/b/answer.key"', "fixed"],
  ["paths.state", '"/machine"', '"/other"', "ignored"],
  ["paths.audit", '"/machine"', '"/other"', "ignored"],
  ["state.url", '"redis://a"', '"redis://b"', "fixed"],
  ["state.ca_file", '"/a"', '"/b"', "fixed"],
  ["state.prefix", '"a"', '"b"', "fixed"],
  ["scripts.dirs", '["/machine"]', '["/other"]', "counts"],
  ["permissions.root", '"/machine"', '"/other"', "fixed"],
  ["permissions.capabilities", '["READ"]', '["READ", "EXECUTE"]', "fixed"],
  ["permissions.env", '["A"]', '["A", "B"]', "fixed"],
  ["permissions.grants", '["git status"]', '["git"]', "fixed"],
  ["engine.on_error", '"closed"', '"open"', "ignored"],
  ["engine.mode", '"enforce"', '"audit"', "counts"],
  ["engine.max_depth", "4", "1", "ignored"],
  ["engine.max_payload_mb", "16", "1", "ignored"],
  ["engine.load_ms", "5000", "1", "ignored"],
  ["lua.max_run_ms", "100", "1", "ignored"],
  ["lua.max_chain_ms", "1000", "1", "ignored"],
  ["lua.memory_mb", "16", "1", "ignored"],
  ["lua.isolation", '"worker"', '"thread"', "fixed"],
  ["serve.auto", "true", "false", "fixed"],
  ["serve.port", "20001", "20002", "fixed"],
  ["serve.idle_minutes", "30", "1", "fixed"],
  ["hosts.ask", '"deny"', '"pass"', "ignored"],
  ["hosts.rewrite", '"refuse"', '"approve"', "ignored"],
  ["audit.level", '"decisions"', '"off"', "ignored"],
  ["audit.fsync", '"always"', '"never"', "fixed"],
  ["audit.on_error", '"closed"', '"open"', "ignored"],
  ["audit.max_mb", "64", "1", "ignored"],
  ["audit.keep_days", "30", "1", "ignored"],
  ["audit.keep_mb", "256", "1", "ignored"],
  ["otel.enabled", "true", "false", "fixed"],
  ["otel.endpoint", '"http://a"', '"http://b"', "fixed"],
  ["otel.content", "true", "false", "fixed"],
  ["ship.url", '"https://a"', '"https://b"', "fixed"],
  ["ship.token_file", '"/a"', '"/b"', "fixed"],
  ["ship.interval", '"5s"', '"9d"', "fixed"],
  ["ship.status", '"1m"', '"9d"', "fixed"],
  ["bundle.url", '"/a"', '"/b"', "fixed"],
  ["bundle.keys", "[]", '["ed25519:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]', "fixed"],
  ["bundle.poll", '"30s"', '"9d"', "fixed"],
  ["bundle.max_age", '"30d"', '"900d"', "fixed"],
  ["bundle.on_error", '"closed"', '"open"', "fixed"],
  ["redact.keys", '["a"]', '["b"]', "joined"],
  ["redact.patterns", '["a+"]', '["b+"]', "joined"],
  ["trust.untrusted", '"deny"', '"warn"', "fixed"],
];

const LAYERS = ["user", "project", "named", "object", "environment", "command line"] as const;
type Tried = (typeof LAYERS)[number];

function toml(path: string, value: string): string {
  return `${path} = ${value}\n`;
}

/** The value as a program would give it: TOML's scalars and lists here are JSON. */
function tree(path: string, value: string): Record<string, unknown> {
  const [first = "", second] = path.split(".");
  const parsed: unknown = JSON.parse(value);
  return second === undefined ? { [first]: parsed } : { [first]: { [second]: parsed } };
}

function variable(path: string, value: string): Record<string, string> {
  const parsed: unknown = JSON.parse(value);
  const text = typeof parsed === "string" ? parsed : value;
  return { [`ORCS_${path.replace(".", "_").toUpperCase()}`]: text };
}

/** A configuration of the machine in a folder, and another layer. */
async function under(
  machineToml: string,
  layer: Tried,
  path: string,
  value: string,
): Promise<LoadedConfig> {
  const files = { "m/orcs.toml": machineToml };
  const dir = folder({
    ...files,
    ...(layer === "user" && { "user/orcs.toml": toml(path, value) }),
    ...(layer === "project" && { "p/orcs.toml": toml(path, value) }),
    ...(layer === "named" && { "named.toml": toml(path, value) }),
  });
  mkdirSync(join(dir, "p"), { recursive: true });
  return load(join(dir, "p"), {
    machine: filesIn(join(dir, "m")),
    userDir: join(dir, "user"),
    environment: layer === "environment" ? variable(path, value) : {},
    ...(layer === "named" && { config: join(dir, "named.toml") }),
    ...(layer === "object" && { config: tree(path, value) }),
    ...(layer === "command line" && { overrides: tree(path, value) }),
  });
}

function filesIn(directory: string): LayerFiles {
  return filesOfProject(directory);
}

function got({ settings }: LoadedConfig, path: string): unknown {
  return valueAt(settings, path.split("."));
}

function expectCoded({ warnings }: LoadedConfig): void {
  for (const { code, severity } of warnings)
    expect([code, severity]).toEqual(["ORCS1016", "warning"]);
}

it("has a row for every setting", () => {
  const all = layerRules("machine").map(({ path }) => path.join("."));
  expect(KEYS.map(([path]) => path).toSorted()).toEqual(all.toSorted());
});

describe.each(LAYERS)("a setting of the layer: %s", (layer) => {
  test.each(KEYS)("%s, which an enforced machine sets", async (path, held, other, effect) => {
    const machine = `${path === "enforced" ? "" : "enforced = true\n"}${toml(path, held)}`;
    // A project that says who answers is an error, whatever the machine says.
    if (layer === "project" && path.startsWith("hil.answer")) {
      await expect(under(machine, layer, path, other)).rejects.toMatchObject({
        code: "ORCS1015",
        message: expect.stringContaining(
          `${path} can be set in your own configuration only`,
        ) as unknown,
      });
      return;
    }
    const config = await under(machine, layer, path, other);
    expectCoded(config);
    if (effect === "joined") {
      const both = [...(JSON.parse(held) as string[]), ...(JSON.parse(other) as string[])];
      expect(got(config, path)).toEqual(both);
    } else if (effect === "counts") {
      expect(config.settings).toBeDefined();
    } else {
      expect(got(config, path)).toEqual(JSON.parse(held));
      expect(config.warnings).not.toEqual([]);
    }
  });

  test.each(KEYS.filter(([, , , effect]) => effect === "ignored"))(
    "%s, which the machine does not set but enforces a hook",
    async (path, _held, other) => {
      const machine = HOOK.replace("id =", "enforced = true\nid =");
      const config = await under(machine, layer, path, other);
      expectCoded(config);
      expect(got(config, path)).not.toEqual(JSON.parse(other));
      expect(config.warnings).not.toEqual([]);
    },
  );
});

test.each(KEYS.filter(([path]) => path !== "enforced"))(
  "%s of a machine that enforces nothing is a default for the user",
  async (path, held, other) => {
    const config = await under(toml(path, held) + HOOK, "user", path, other);
    expect(config.warnings).toEqual([]);
    if (path !== "scripts.dirs") expect(got(config, path)).toEqual(JSON.parse(other));
  },
);

test.each([
  ["engine.on_error", '"open"', '"closed"'],
  ["hil.mode", '"terminal"', '"deny"'],
  ["lua.isolation", '"thread"', '"worker"'],
  ["lua.memory_mb", "16", "32"],
  ["audit.level", '"decisions"', '"all"'],
  ["trust.untrusted", '"warn"', '"deny"'],
  ["permissions.capabilities", '["READ", "WRITE"]', '["READ"]'],
])("stricter values %s of the user counts", async (path, held, other) => {
  const config = await under(`enforced = true\n${toml(path, held)}${HOOK}`, "user", path, other);
  expect(config.warnings).toEqual([]);
  expect(got(config, path)).toEqual(JSON.parse(other));
});

test("a user cannot complete an enforced bundle, or loosen what happens without it", async () => {
  const machine = 'enforced = true\n[bundle]\nurl = "/a"\n';
  const config = await under(machine, "user", "bundle.on_error", '"open"');
  expect(config.settings.bundle).toMatchObject({ url: "/a", on_error: "closed" });
  expect(config.warnings.map(({ code }) => code)).toEqual(["ORCS1016"]);
});

/** Every key of a hook with which another hook of the same id would loosen the machine's. */
const HOOK_KEYS = [
  "enabled = false",
  'mode = "audit"',
  'mode = "warn"',
  "rollout = 0",
  'on_error = "open"',
  'on_timeout = "open"',
  'on_store_error = "open"',
  "timeout_ms = 1",
  "priority = -2147483648",
  "once = true",
  "async = true",
  "observe = true",
  "stream = true",
  "max_retries = 0",
  "shadow_effects = true",
  "options = { off = true }",
  'match = { tool = "none" }',
  'fql = "other::*"',
  'files = ["x"]',
  "unsealed = true",
  "enforced = true",
];

describe.each(["user", "project", "agent", "override"])("a hook of the layer: %s", (layer) => {
  test.each(HOOK_KEYS)("with the machine's id and %s is ignored", async (key) => {
    const machine = `enforced = true\n${HOOK}`;
    const hook = `id = "guard"\npoint = "Stop"\nhandler_inline = "return nil"\n${key}\n`;
    const text =
      layer === "agent"
        ? `[[agents.main.hooks]]\n${hook}`
        : layer === "override"
          ? `[agents.main]\noverride = ["*", "Stop"]\n[[hooks]]\n${hook}`.replace('"*", ', "")
          : `[[hooks]]\n${hook}`;
    const dir = folder({
      "m/orcs.toml": machine,
      [layer === "project" ? "p/orcs.toml" : "user/orcs.toml"]: text,
    });
    mkdirSync(join(dir, "p"), { recursive: true });
    const { hooks, warnings } = await load(join(dir, "p"), {
      machine: filesIn(join(dir, "m")),
      userDir: join(dir, "user"),
      environment: {},
    });
    const [guard, ...others] = hooks;
    expect(others).toEqual([]);
    expect(guard).toMatchObject({ id: "guard", origin: "machine", rank: -2, exceptions: [] });
    expect(guard?.modeLimit).toBeUndefined();
    expect(warnings.map(({ code, severity }) => [code, severity])).toContainEqual([
      "ORCS1016",
      "warning",
    ]);
  });
});

test("the mode of all hooks leaves those of the machine alone", async () => {
  const dir = folder({
    "m/orcs.toml": `enforced = true\n${HOOK}`,
    "user/orcs.toml": `mode = "warn"\n[engine]\nmode = "audit"\n${HOOK.replace("guard", "own")}`,
    "p/x": "",
  });
  const { hooks } = await load(join(dir, "p"), {
    machine: filesIn(join(dir, "m")),
    userDir: join(dir, "user"),
    environment: {},
  });
  expect(hooks.map(({ id, modeLimit }) => [id, modeLimit])).toEqual([
    ["guard", undefined],
    ["own", "audit"],
  ]);
});

test("single hooks can be enforced, and left out of what is", async () => {
  const one = HOOK.replace("id =", "enforced = true\nid =");
  const other = HOOK.replace('"guard"', '"other"');
  const ranks = async (text: string) => {
    const dir = folder({ "m/orcs.toml": text, "p/x": "" });
    const { hooks, machine } = await load(join(dir, "p"), {
      machine: filesIn(join(dir, "m")),
      environment: {},
    });
    return [hooks.map(({ id, rank }) => `${id} ${rank}`).join(), machine?.enforcesHooks];
  };
  expect(await ranks(one + other)).toEqual(["guard -2,other 0", true]);
  expect(await ranks(`enforced = true\n${one.replace("true", "false")}${other}`)).toEqual([
    "guard 0,other -2",
    true,
  ]);
  expect(await ranks(other)).toEqual(["other 0", false]);
});

test("enforced in any other layer is ignored with its place", async () => {
  const dir = folder({
    "user/orcs.toml": `enforced = true\n${HOOK.replace("id =", "enforced = true\nid =")}`,
    "p/x": "",
  });
  const { hooks, warnings } = await load(join(dir, "p"), {
    userDir: join(dir, "user"),
    environment: {},
  });
  expect(hooks.map(({ rank }) => rank)).toEqual([0]);
  expect(warnings.map(({ code, place }) => [code, place?.line])).toEqual([
    ["ORCS1016", 1],
    ["ORCS1016", 3],
  ]);
});
