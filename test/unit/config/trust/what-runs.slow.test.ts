import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { trust } from "../../../../src/config/trust/inspect-project.ts";
import { TrustStore } from "../../../../src/config/trust/trust-store.ts";
import { call, errorOf, folder, open } from "../../engine/orcs/engine.ts";
import {
  found,
  hashesOf,
  home,
  hook,
  link,
  look,
  outcomeOf,
  PATIENT,
  says,
  saying,
  stateOf,
  trustIt,
} from "./rig.ts";
import { tryPart } from "../../../slow-test.ts";

// What was sealed is what runs, whatever becomes of the files.

const ISOLATIONS = ["thread", "worker"] as const;
const limits = (isolation: string): string => `${PATIENT}isolation = "${isolation}"\n`;

describe.each(ISOLATIONS)("trusted Lua, isolation %s", (isolation) => {
  tryPart(isolation);
  it("a late require loads the trusted version", async () => {
    home();
    const dir = folder({
      "orcs.toml": hook("h", 'script = "h.lua"') + limits(isolation),
      "hooks/h.lua": 'return function(ctx) ctx.metadata.said = require("late") end\n',
      "hooks/late.lua": 'return require("later")\n',
      "hooks/later.lua": 'return "good"\n',
    });
    await trustIt(dir);
    const { orcs } = await found(dir);
    for (const name of ["h", "late", "later"])
      writeFileSync(join(dir, `hooks/${name}.lua`), 'return "evil"\n');
    expect(await outcomeOf(orcs)).toBe("good");
    rmSync(join(dir, "hooks"), { recursive: true });
    expect(await outcomeOf(orcs)).toBe("good");
  });

  it("a file that did not exist when trusted is not found", async () => {
    home();
    const dir = folder({
      "orcs.toml": hook("h", 'script = "h.lua"') + limits(isolation),
      "hooks/h.lua": `return function(ctx)
        local name = "se" .. "cret"
        local ok, value = pcall(require, name)
        ctx.metadata.said = ok and value or "none"
      end\n`,
      "hooks/secret.lua": 'return "there, but named by nobody"\n',
    });
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("none");
    writeFileSync(join(dir, "hooks/secret.lua"), 'return "evil"\n');
    expect(await outcomeOf(orcs)).toBe("none");
    expect(await stateOf(dir)).toBe("trusted");
  });

  it("a killed script is reloaded in the trusted version", async () => {
    home();
    const dir = folder({
      "orcs.toml": `${hook("h", 'script = "h.lua"')}[lua]\nmax_run_ms = 300\nmax_chain_ms = 20000\nisolation = "${isolation}"\n`,
      "hooks/h.lua": `local text = require("mod")
        return function(ctx)
          if ctx.payload.tool_name == "loop" then while true do end end
          ctx.metadata.said = text
        end\n`,
      "hooks/mod.lua": 'return "good"\n',
    });
    await trustIt(dir);
    const { orcs } = await found(dir);
    writeFileSync(join(dir, "hooks/mod.lua"), 'return "evil"\n');
    writeFileSync(join(dir, "hooks/h.lua"), saying("evil"));
    expect((await orcs.dispatch("tool.pre_execute", call("loop"))).action).toBe("abort");
    expect(await outcomeOf(orcs)).toBe("good");
  });
});

test("a shipped script requires shipped modules, not project files of the same name", async () => {
  home();
  const shadow = 'error("not ours")\n';
  const dir = folder({
    "orcs.toml": hook("s", 'script = "orcs:approve"') + PATIENT,
    "hooks/sha256.lua": shadow,
    "sha256.lua": shadow,
  });
  expect((await trustIt(dir)).problems).toEqual([]);
  expect(await stateOf(dir)).toBe("trusted");
  expect(Object.keys(hashesOf(await look(dir)))).toEqual(["orcs.toml"]);
  for (const { orcs } of [
    await found(dir),
    { orcs: await open({ cwd: dir, config: "orcs.toml" }) },
  ]) {
    const call = { tool_name: "exec", args: { command: "ls" }, session_id: "s" };
    const outcome = await orcs.dispatch("tool.pre_execute", call);
    expect(outcome).toMatchObject({ action: "continue", decision: "ask" });
  }
});

test("trust applies to the content that was shown, not to later changes", async () => {
  const { store } = home();
  const dir = folder({ "orcs.toml": hook("h", says("good")) + PATIENT });
  const seen = await look(dir);
  writeFileSync(join(dir, "orcs.toml"), hook("h", says("evil")) + PATIENT);
  trust(seen, store, false);
  expect(await stateOf(dir)).toBe("changed");
  expect(await outcomeOf((await found(dir)).orcs)).toBe("good");
  writeFileSync(join(dir, "orcs.toml"), hook("h", says("good")) + PATIENT);
  expect(await outcomeOf((await found(dir)).orcs)).toBe("good");
});

it("explicitly run programs can require files beside them in the project", async () => {
  home();
  const dir = folder({
    "orcs.toml": `${hook("h", 'script = "h.lua"')}${PATIENT}`,
    "hooks/h.lua": saying("good"),
    "hooks/program.lua": 'return require("beside")\n',
    "hooks/beside.lua": 'return "beside"\n',
  });
  await trustIt(dir);
  const { orcs } = await found(dir);
  expect(await orcs.run("hooks/program.lua")).toBe("beside");
  expect(await outcomeOf(orcs)).toBe("good");
});

describe("trusted commands", () => {
  /** Answers with a reason, so that it can be told which one ran; leaves a trace besides. */
  const refusing = (why: string, trace: string): string =>
    `#!/bin/sh\ntouch '${trace}'\nprintf '{"action":"abort","reason":"${why}"}'\n`;

  async function project(command: string, more: Readonly<Record<string, string>> = {}) {
    home();
    const traces = folder();
    const good = refusing("good", join(traces, "good"));
    const evil = refusing("evil", join(traces, "evil"));
    const dir = folder({
      "orcs.toml": hook("check", `shell = '''${command}'''`),
      "check.sh": good,
      "sub/x": "",
      ...more,
    });
    chmodSync(join(dir, "check.sh"), 0o755);
    await trustIt(dir);
    const { orcs } = await found(dir);
    const ran = (name: string): boolean => existsSync(join(traces, name));
    return { dir, orcs, good, evil, ran };
  }
  const COMMANDS = [
    "./check.sh",
    '"$ORCS_DIR/check.sh"',
    '"$ORCS_CONFIG_DIR/check.sh"',
    '"$ORCS_CONFIG_DIR"/check.sh',
    'sh "${ORCS_DIR}"/che"ck".sh',
    "sh -c '. \"$ORCS_DIR/check.sh\"'",
    'env A=1 sh -e "$ORCS_DIR/check.sh" --flag',
  ];
  /** What may become of a script. */
  const CHANGES: [string, (file: string, evil: string) => void][] = [
    ["another", (file, evil) => writeFileSync(file, evil)],
    ["gone", (file) => rmSync(file)],
    [
      "a pipe",
      (file) => {
        rmSync(file);
        execFileSync("sh", ["-c", 'mkfifo -m 600 "$0"', file]);
      },
    ],
    [
      "a folder",
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      "a link to another",
      (file, evil) => {
        writeFileSync(`${file}.evil`, evil);
        rmSync(file);
        symlinkSync(`${file}.evil`, file);
      },
    ],
    ["no program any more", (file) => chmodSync(file, 0o600)],
  ];

  it.each(COMMANDS)("%s runs as trusted, whatever happens to the file", async (command) => {
    for (const [what, change] of CHANGES) {
      const { dir, orcs, evil, ran } = await project(command);
      change(join(dir, "check.sh"), evil);
      for (const each of [orcs, (await found(dir)).orcs])
        expect(await outcomeOf(each), what).toBe("good");
      expect(ran("evil")).toBe(false);
    }
  });

  it("run in the call's directory, not in the copy's", async () => {
    const { dir, orcs } = await project("./check.sh", {
      "check.sh": `#!/bin/sh\nprintf '{"action":"abort","reason":"%s"}' "$PWD"\n`,
    });
    const cwd = join(dir, "sub");
    expect(await outcomeOf(orcs, { ...call("x"), cwd })).toBe(cwd);
  });

  it("a missing script cannot be trusted", async () => {
    home();
    const dir = folder({ "orcs.toml": hook("check", `shell = 'sh "$ORCS_DIR/later.sh"'`) });
    expect((await errorOf(trustIt(dir))).message).toContain("ORCS1009: later.sh does not exist");
  });

  it("a script path that depends on the call's directory is an error with a hint", async () => {
    home();
    for (const command of [
      "sh check.sh",
      "sh < check.sh",
      "python3 -u check.py",
      "node -r ./tools/check.sh check.py",
      "tools/check.sh",
    ]) {
      const dir = folder({
        "orcs.toml": hook("check", `shell = "${command}"`),
        "check.sh": "",
        "check.py": "",
        "tools/check.sh": "",
      });
      const { configError: mistakes } = await look(dir);
      expect(mistakes?.message).toContain('write "$ORCS_DIR/');
      expect((await errorOf(open({ cwd: dir, config: "orcs.toml" }))).code).toBe("ORCS1015");
    }
  });

  it("an absolute path is shown as not sealed", async () => {
    home();
    const dir = folder({ "check.sh": "" });
    writeFileSync(join(dir, "orcs.toml"), hook("check", `shell = "sh ${dir}/check.sh"`));
    const { unsealed } = await trustIt(dir);
    expect(unsealed.map(({ what }) => what)).toEqual([join(dir, "check.sh")]);
  });

  it("a program path is not sealed, the script after it is", async () => {
    const reason = (text: string): string =>
      `console.log(JSON.stringify({ action: "abort", reason: "${text}" }));\n`;
    home();
    const dir = folder({ "check.cjs": reason("good") });
    const program = join(folder(), "venv/bin/node");
    link(program, process.execPath);
    const command = `'${program}' "$ORCS_DIR/check.cjs"`;
    writeFileSync(join(dir, "orcs.toml"), hook("check", `shell = '''${command}'''`));
    const seen = await trustIt(dir);
    expect(seen.unsealed.map(({ what }) => what)).toEqual([program]);
    expect(Object.keys(hashesOf(seen))).toEqual(["check.cjs", "orcs.toml"]);
    writeFileSync(join(dir, "check.cjs"), reason("evil"));
    expect(await outcomeOf((await found(dir)).orcs)).toBe("good");
  });

  it("environment variables that load code are shown, and none replaces ORCS_DIR", async () => {
    home();
    const dir = folder({
      "orcs.toml": hook(
        "check",
        `shell = { command = 'sh "$ORCS_DIR/check.sh"', env = ["NODE_OPTIONS", "ORCS_DIR", "TZ"] }`,
      ),
      "check.sh": refusing("good", "/dev/null"),
      "other/check.sh": refusing("evil", "/dev/null"),
    });
    vi.stubEnv("ORCS_DIR", join(dir, "other"));
    const { unsealed } = await trustIt(dir);
    expect(unsealed.map(({ what }) => what)).toEqual(["NODE_OPTIONS", "ORCS_DIR"]);
    expect(await outcomeOf((await found(dir)).orcs)).toBe("good");
  });

  it.each(['sh "$ORCS_DIR/check.sh"', "./check.sh", 'sh "$ORCS_DIR/main.sh"'])(
    "%s is checked against its seal at each call in a running process",
    async (command) => {
      const { orcs, evil, ran } = await project(command, {
        "orcs.toml": hook(
          "check",
          `shell = '''${command}'''\nfiles = ["check.sh", "main.sh"]\non_error = "open"`,
        ),
        "main.sh": '. "$ORCS_DIR/check.sh"\n',
      });
      const names = readdirSync(new TrustStore().sealsDir);
      const digest = names.find((name) => !name.startsWith(".")) ?? "";
      const copy = join(new TrustStore().sealsDir, digest, "files/check.sh");
      const good = readFileSync(copy);
      for (let i = 0; i < 3; i++) expect(await outcomeOf(orcs)).toBe("good");
      writeFileSync(copy, evil.padEnd(good.length));
      expect(await outcomeOf(orcs)).toContain("ORCS8010");
      rmSync(copy);
      expect(await outcomeOf(orcs)).toContain("ORCS8010");
      expect(ran("evil")).toBe(false);
      // A file that is as it was is as good.
      writeFileSync(copy, good, { mode: 0o700 });
      expect(await outcomeOf(orcs)).toBe("good");
    },
  );

  it("of a dev-trusted folder run from the folder", async () => {
    const { dir, evil } = await project("./check.sh");
    await trustIt(dir, true);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("good");
    writeFileSync(join(dir, "check.sh"), evil);
    expect(await outcomeOf(orcs)).toBe("evil");
  });
});

describe("trusted JavaScript modules", () => {
  it("run as trusted with their imports, also after a restart", async () => {
    home();
    const trace = join(folder(), "trace");
    const evil = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(trace)}, "");\nexport const text = "evil";\nexport default () => undefined;\n`;
    const dir = folder({
      "orcs.toml": hook("m", 'module = "./m.mjs"'),
      "m.mjs": `import { text } from "./dep.mjs";\nexport default () => ({ action: "abort", reason: text });\n`,
      "dep.mjs": 'export const text = "good";\n',
    });
    await trustIt(dir);
    for (const name of ["m.mjs", "dep.mjs"]) {
      writeFileSync(join(dir, name), evil);
      expect(await outcomeOf((await found(dir)).orcs)).toBe("good");
    }
    rmSync(join(dir, "dep.mjs"));
    expect(await outcomeOf((await found(dir)).orcs)).toBe("good");
    expect(existsSync(trace)).toBe(false);
  });

  it("use the project's packages, which are shown as not sealed", async () => {
    home();
    const dir = folder({
      "package.json": '{ "type": "module" }\n',
      "orcs.toml": hook("m", 'module = "./hooks/m.js"'),
      "hooks/m.js": `import { text } from "@acme/words";\nexport default () => ({ action: "abort", reason: text });\n`,
      "node_modules/@acme/words/package.json": '{ "type": "module", "exports": "./index.js" }\n',
      "node_modules/@acme/words/index.js": 'export const text = "of a package";\n',
    });
    const { unsealed } = await trustIt(dir);
    expect(unsealed.map(({ what }) => what)).toEqual(["@acme/words"]);
    expect(await outcomeOf((await found(dir)).orcs)).toBe("of a package");
    // Of which type its modules are is sealed with them.
    rmSync(join(dir, "package.json"));
    expect(await outcomeOf((await found(dir)).orcs)).toBe("of a package");
    expect((await found(dir)).orcs.notice).toBeUndefined();
  });
});

test("with files being replaced continuously, each start runs the trusted version", async () => {
  home();
  const good: Readonly<Record<string, string>> = {
    // It names itself, and itself by a way round.
    "orcs.toml": `${hook("h", 'script = "h.lua"')}${hook("cat", `shell = 'cat "$ORCS_CONFIG_DIR/orcs.toml" "$ORCS_CONFIG_DIR/around/orcs.toml" >/dev/null'`, "tool.post_execute")}${PATIENT}`,
    "hooks/h.lua":
      'local text = require("mod")\nreturn function(ctx) ctx.metadata.said = text end\n',
    "hooks/mod.lua": 'return "good"\n',
  };
  const evil: Readonly<Record<string, string>> = {
    "orcs.toml": `${hook("evil", `handler_inline = 'return orcs.deny("evil toml")'`)}${good["orcs.toml"]}`,
    "hooks/h.lua": saying("evil script"),
    "hooks/mod.lua": 'return "evil module"\n',
  };
  const dir = folder(good);
  symlinkSync(".", join(dir, "around"));
  await trustIt(dir);
  const swap = `
      const { writeFileSync, renameSync } = require("node:fs");
      const [dir, good, evil] = JSON.parse(process.argv[1]);
      for (let i = 0; ; i++) {
        for (const name of Object.keys(good)) {
          const which = Math.random() < 0.5 ? good : evil;
          writeFileSync(dir + "/" + name + ".new", which[name]);
          renameSync(dir + "/" + name + ".new", dir + "/" + name);
        }
      }`;
  const child = spawn(process.execPath, ["-e", swap, JSON.stringify([dir, good, evil])]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const seen = new Map<unknown, number>();
  for (let i = 0; i < 200; i++) {
    const { orcs } = await found(dir);
    const said = await outcomeOf(orcs);
    seen.set(said, (seen.get(said) ?? 0) + 1);
    await orcs.close();
  }
  child.kill("SIGKILL");
  // It has come about, and nothing else has.
  expect([...seen]).toEqual([["good", 200]]);
  expect(new TrustStore().all().projects.size).toBe(1);
}, 120_000);
