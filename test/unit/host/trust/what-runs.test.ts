import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { trust } from "../../../../src/host/trust/look-at.ts";
import { TrustStore } from "../../../../src/host/trust/trust-store.ts";
import { vouchFor } from "../../../../src/host/trust/vouch-for.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { pointSet } from "../../../../src/core/points.ts";
import { loadHooks } from "../../../../src/host/loading/load-hooks.ts";
import { SHIPPED_HOOKS } from "../../../../src/host/loading/script-sources.ts";
import { call, folder, open } from "../engine.ts";
import {
  found,
  home,
  hook,
  look,
  outcomeOf,
  PATIENT,
  says,
  saying,
  stateOf,
  trustIt,
} from "./rig.ts";

// What was hashed is what runs, whatever becomes of the files.

const ISOLATIONS = ["thread", "worker"] as const;
const limits = (isolation: string): string => `${PATIENT}isolation = "${isolation}"\n`;

describe.each(ISOLATIONS)("Lua, isolation %s", (isolation) => {
  it("a module that is required late is the one that was trusted", async () => {
    home();
    const dir = folder({
      "orcs.toml": hook("h", 'script = "h.lua"') + limits(isolation),
      "hooks/h.lua": 'return function(ctx) ctx.metadata.said = require("late") end\n',
      "hooks/late.lua": 'return require("later")\n',
      "hooks/later.lua": 'return "good"\n',
    });
    await trustIt(dir);
    const { orcs } = await found(dir);
    for (const name of ["h", "late", "later"]) {
      writeFileSync(join(dir, `hooks/${name}.lua`), 'return "evil"\n');
    }
    expect(await outcomeOf(orcs)).toBe("good");
    rmSync(join(dir, "hooks"), { recursive: true });
    expect(await outcomeOf(orcs)).toBe("good");
  });

  it("what was not there when it was trusted is not found", async () => {
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

  it("a script that is loaded anew after it was killed is the one that was trusted", async () => {
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

test("between the read of the set and the load of its hooks, everything may change", async () => {
  const { store } = home();
  const dir = folder({
    "orcs.toml": `${hook("h", 'script = "h.lua"')}${hook("i", says("inline"), "tool.post_execute")}${PATIENT}`,
    "hooks/h.lua":
      'local text = require("mod") return function(ctx) ctx.metadata.said = text end\n',
    "hooks/mod.lua": 'return "good"\n',
  });
  await trustIt(dir);
  const points = pointSet();
  const config = await loadConfig({
    cwd: dir,
    points,
    shippedDir: SHIPPED_HOOKS,
    async vouch(project) {
      const vouched = await vouchFor(project, store);
      expect(vouched.state).toBe("trusted");
      for (const name of ["orcs.toml", "hooks/h.lua", "hooks/mod.lua"]) {
        writeFileSync(join(dir, name), "evil");
      }
      return vouched;
    },
  });
  expect(config.hooks.map(({ id }) => id)).toEqual(["h", "i"]);
  const codes: unknown[] = [];
  const lua = {
    open: async () => undefined,
    load: async (source: {
      chunks: readonly { code: unknown }[];
      findModule?: (name: string) => unknown;
    }) => {
      codes.push(...source.chunks.map(({ code }) => Buffer.from(code as Uint8Array).toString()));
      codes.push(source.findModule?.("mod"));
      throw new Error("enough");
    },
  };
  await expect(
    loadHooks(config.hooks, lua as never, {} as never, dir, 5000, config.vouched),
  ).rejects.toThrow("enough");
  expect(codes[0]).toContain('require("mod")');
  const mod = codes[1] as { bytes: Uint8Array };
  expect(Buffer.from(mod.bytes).toString()).toBe('return "good"\n');
});

test("a script that ships finds what ships, whatever stands under such names in the project", async () => {
  home();
  const shadow = 'error("not ours")\n';
  const dir = folder({
    "orcs.toml": hook("s", 'script = "orcs:approve"') + PATIENT,
    "hooks/sha256.lua": shadow,
    "sha256.lua": shadow,
  });
  expect((await trustIt(dir)).vouched.problems).toEqual([]);
  const { hashes, vouched } = await look(dir);
  expect(vouched.state).toBe("trusted");
  expect(Object.keys(hashes)).toEqual(["orcs.toml"]);
  for (const { orcs } of [
    await found(dir),
    { orcs: await open({ cwd: dir, config: "orcs.toml" }) },
  ]) {
    const call = { tool_name: "exec", args: { command: "ls" }, session_id: "s" };
    const outcome = await orcs.dispatch("tool.pre_execute", call);
    expect(outcome).toMatchObject({ action: "continue", decision: "ask" });
  }
});

test("what was looked at is what is trusted, whatever it has become since", async () => {
  const { store } = home();
  const dir = folder({ "orcs.toml": hook("h", says("good")) + PATIENT });
  const seen = await look(dir);
  writeFileSync(join(dir, "orcs.toml"), hook("h", says("evil")) + PATIENT);
  trust(seen, store, false);
  expect(await stateOf(dir)).toBe("changed");
  expect(await outcomeOf((await found(dir)).orcs)).toBeUndefined();
  writeFileSync(join(dir, "orcs.toml"), hook("h", says("good")) + PATIENT);
  expect(await outcomeOf((await found(dir)).orcs)).toBe("good");
});

describe("programs that a user names", () => {
  it("require what stands beside them, in a folder of the project, too", async () => {
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
});

describe("commands", () => {
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
    '"$ORCS_CONFIG_DIR/check.sh"',
    '"$ORCS_CONFIG_DIR"/check.sh',
    'sh "${ORCS_CONFIG_DIR}"/che"ck".sh',
    "sh -c '. \"$ORCS_CONFIG_DIR/check.sh\"'",
    'cat "$ORCS_CONFIG_DIR/check.sh" | sh',
  ];

  it.each(COMMANDS)("%s runs, and no more once it is another", async (command) => {
    const { dir, orcs, evil, ran } = await project(command);
    expect(await outcomeOf(orcs)).toBe("good");
    writeFileSync(join(dir, "check.sh"), evil);
    const why =
      "hook check failed: it was not run: ORCS8004: check.sh has changed since it was trusted";
    expect(await outcomeOf(orcs)).toBe(why);
    expect(ran("evil")).toBe(false);
  });

  it.each<[string, (file: string, evil: string) => void]>([
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
    [
      "a device",
      (file) => {
        rmSync(file);
        symlinkSync("/dev/null", file);
      },
    ],
    ["one byte longer", (file) => writeFileSync(file, `${readFileSync(file, "utf8")}\n`)],
  ])("is not run when its file is %s", async (_name, change) => {
    for (const command of [
      "./check.sh",
      'sh "$ORCS_CONFIG_DIR/check.sh"',
      `sh -c '. "$ORCS_CONFIG_DIR/check.sh"; true'`,
    ]) {
      const { dir, orcs, evil, ran } = await project(command);
      change(join(dir, "check.sh"), evil);
      const why =
        "hook check failed: it was not run: ORCS8004: check.sh has changed since it was trusted";
      expect(await outcomeOf(orcs)).toBe(why);
      expect(ran("evil") || ran("good")).toBe(false);
    }
  });

  it("is not run where its words name what nobody trusted", async () => {
    const { dir, orcs, evil, ran } = await project("sh check.sh");
    expect(await outcomeOf(orcs, { ...call("x"), cwd: dir })).toBe("good");
    // Of the call's own folder, as the words say.
    writeFileSync(join(dir, "sub/check.sh"), evil);
    const why = await outcomeOf(orcs, { ...call("x"), cwd: join(dir, "sub") });
    expect(why).toBe(
      "hook check failed: it was not run: ORCS8004: sub/check.sh was not there when it was trusted",
    );
    expect(ran("evil")).toBe(false);
    // Nor where it came into being only now.
    const later = await project('sh "$ORCS_CONFIG_DIR/later.sh" || exit 0');
    writeFileSync(join(later.dir, "later.sh"), later.evil);
    expect(await outcomeOf(later.orcs)).toContain("later.sh was not there when it was trusted");
    expect(later.ran("evil")).toBe(false);
  });

  it("has its folder back, and runs again", async () => {
    const { dir, orcs, good, evil } = await project("./check.sh");
    writeFileSync(join(dir, "check.sh"), evil);
    expect(await outcomeOf(orcs)).toContain("has changed");
    writeFileSync(join(dir, "check.sh"), good);
    expect(await outcomeOf(orcs)).toBe("good");
  });

  it("of a folder that is trusted whatever it holds run as they are", async () => {
    const { dir, evil } = await project("./check.sh");
    await trustIt(dir, true);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("good");
    writeFileSync(join(dir, "check.sh"), evil);
    expect(await outcomeOf(orcs)).toBe("evil");
  });
});

describe("JavaScript modules", () => {
  it("that change while they are imported are not used", async () => {
    home();
    const trace = join(folder(), "trace");
    const dir = folder({
      "orcs.toml": hook("m", 'module = "./m.mjs"'),
      // It changes what it imports itself.
      "m.mjs": `import { appendFileSync } from "node:fs";
        appendFileSync(new URL("./dep.mjs", import.meta.url), "// more");
        appendFileSync(${JSON.stringify(trace)}, "x");
        export default () => ({ action: "abort", reason: "ran" });
        import "./dep.mjs";`,
      "dep.mjs": "",
    });
    await trustIt(dir);
    const thrown = await found(dir).catch((error: unknown) => error);
    expect(String(thrown)).toContain("ORCS8004: dep.mjs has changed since it was trusted");
  });

  it("that have changed before are not imported", async () => {
    const { store } = home();
    const trace = join(folder(), "trace");
    const evil = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(trace)}, "");\nexport default () => undefined;\n`;
    const dir = folder({
      "orcs.toml": hook("m", 'module = "./m.mjs"'),
      "m.mjs": "import './dep.mjs';\nexport default () => undefined;\n",
      "dep.mjs": "",
    });
    await trustIt(dir);
    const { outsideRunner } = await import("../../../../src/host/loading/outside-runners.ts");
    for (const name of ["m.mjs", "dep.mjs"]) {
      const before = readFileSync(join(dir, name));
      const { hooks, vouched } = await loadConfig({
        cwd: dir,
        points: pointSet(),
        vouch: (project) => vouchFor(project, store),
      });
      expect(vouched?.state).toBe("trusted");
      writeFileSync(join(dir, name), evil);
      const [entry] = hooks;
      if (!entry) throw new Error("no hook");
      const running = outsideRunner(entry, {} as never, vouched);
      await expect(running).rejects.toThrow(`ORCS8004: ${name} has changed since it was trusted`);
      writeFileSync(join(dir, name), before);
    }
    expect(existsSync(trace)).toBe(false);
  });
});

test("files that are exchanged all the time: each start runs what was trusted, or nothing", async () => {
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
  // Both have come about, and nothing else has.
  expect([...seen.keys()].filter((said) => said !== "good" && said !== undefined)).toEqual([]);
  expect(seen.get(undefined)).toBeGreaterThan(0);
  expect(seen.get("good")).toBeGreaterThan(0);
  expect(new TrustStore().all().size).toBe(1);
}, 120_000);
