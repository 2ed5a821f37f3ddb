import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HookRig } from "../dist/hook-rig.ts";
import { folder } from "../dist/orcs.ts";
import { isWholeRun, partOf } from "../slow-test.ts";

const ALONE = "[serve]\nauto = false\n";
const TIMEOUT_S = 10;

/**
 * What is held against this time is the clock, as an agent would. On a machine with many other things to do, a process
 * may wait for its turn longer than the second that is left of it when its hooks have been stopped: hence the retries.
 */
const BUSY = { retry: 2 };

/** A guard of the user's own. */
const OWN_GUARD = `[[hooks]]
id = "own"
point = "tool.pre_execute"
match = { tool = "exec", command = "rm -rf" }
handler_inline = 'orcs.deny("the own guard")'
`;

const LATE_MODULE = `[[hooks]]
point = "tool.pre_execute"
module = "./check.mjs#check"
`;

/** What a project can hold that takes for ever to load, trusted. */
const PROJECTS: Readonly<Record<string, () => Record<string, string>>> = {
  "a script that loops": () => ({
    "orcs.toml": `${ALONE}[lua]\nmax_run_ms = 3600000\nmax_chain_ms = 3600000\n[[hooks]]\npoint = "tool.pre_execute"\nscript = "a.lua"\n`,
    "hooks/a.lua": "while true do end",
  }),
  "300 slow scripts": () => ({
    "orcs.toml":
      ALONE +
      Array.from(
        { length: 300 },
        (_, i) => `[[hooks]]\npoint = "tool.pre_execute"\nscript = "a${i}.lua"\n`,
      ).join(""),
    ...Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `hooks/a${i}.lua`,
        "local n = 0 while n < 2e6 do n = n + 1 end return function() end",
      ]),
    ),
  }),
  "a module that loops": () => ({
    "orcs.toml": ALONE + LATE_MODULE,
    "check.mjs": "for (;;) {}\nexport const check = () => {};\n",
  }),
  "a module that never settles": () => ({
    "orcs.toml": ALONE + LATE_MODULE,
    "check.mjs":
      "await new Promise((r) => setInterval(r, 1e9, 0) && 0);\nexport const check = () => {};\n",
  }),
  "a module that waits for a process": () => ({
    "orcs.toml": ALONE + LATE_MODULE,
    "check.mjs":
      'import { execSync } from "node:child_process";\nexecSync("sleep 40");\nexport const check = () => {};\n',
  }),
  "a module with a handler that loops": () => ({
    "orcs.toml": ALONE + LATE_MODULE,
    "check.mjs": "export const check = () => { for (;;) {} };\n",
  }),
};

/** What a project can become that takes long to look at. */
const CHANGES: Readonly<Record<string, () => Record<string, string>>> = {
  "2 MB of unknown keys": () => ({
    "orcs.toml":
      `${ALONE}${Array.from({ length: 150_000 }, (_, i) => `k${i} = ${i % 10}`).join("\n")}`.slice(
        0,
        2e6,
      ),
  }),
  "2 MB of unknown keys in a hook": () => ({
    "orcs.toml":
      `${ALONE}[[hooks]]\n${Array.from({ length: 150_000 }, (_, i) => `k${i} = ${i % 10}`).join("\n")}`.slice(
        0,
        2e6,
      ),
  }),
  "2 MB of dotted keys": () => ({
    "orcs.toml": `${ALONE}${Array.from({ length: 80_000 }, (_, i) => `engine.a.b.c.k${i} = 1`).join("\n")}`,
  }),
  "10,000 hooks with a script that is not there": () => ({
    "orcs.toml":
      ALONE +
      Array.from(
        { length: 10_000 },
        (_, i) => `[[hooks]]\npoint = "tool.pre_execute"\nscript = "abc${i}.lua"\n`,
      ).join(""),
    ...Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`hooks/b${i}.lua`, ""])),
  }),
  "10,000 hooks with mistakes": () => ({
    "orcs.toml":
      ALONE +
      Array.from(
        { length: 10_000 },
        (_, i) => `[[hooks]]\npoint = "tool.pre_executf"\nidd = "x${i}"\nmatch = { tol = 1 }\n`,
      ).join(""),
  }),
  "a module with 900,000 imports": () => ({
    "orcs.toml": ALONE + LATE_MODULE,
    "check.mjs": Array.from({ length: 900_000 }, (_, i) => `import "./m${i}"`)
      .join("\n")
      .slice(0, 16e6),
  }),
  "a script with 900,000 requires": () => ({
    "orcs.toml": `${ALONE}[[hooks]]\npoint = "tool.pre_execute"\nscript = "a.lua"\n`,
    "hooks/a.lua": Array.from({ length: 900_000 }, (_, i) => `require"m${i}"`)
      .join("\n")
      .slice(0, 16e6),
  }),
  "a command with 300,000 words": () => ({
    "orcs.toml": `${ALONE}[[hooks]]\npoint = "tool.pre_execute"\nshell = "echo ${Array.from(
      { length: 250_000 },
      (_, i) => `w${i}`,
    )
      .join(" ")
      .slice(0, 1.9e6)}"\n`,
  }),
  "10,000 hooks with a command": () => ({
    "orcs.toml":
      ALONE +
      Array.from(
        { length: 10_000 },
        (_, i) => `[[hooks]]\npoint = "tool.pre_execute"\nshell = "sh check${i}.sh a b c d"\n`,
      ).join(""),
  }),
  "9,000 files": () => ({
    "orcs.toml": ALONE + LATE_MODULE,
    "check.mjs": Array.from({ length: 9000 }, (_, i) => `import "./m${i}.mjs"`).join("\n"),
    ...Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`m${i}.mjs`, "x".repeat(7000)])),
  }),
  "a huge inline handler": () => ({
    "orcs.toml": `${ALONE}[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = '''\n${"require ".repeat(240_000)}'''\n`,
  }),
  "deep TOML": () => ({ "orcs.toml": `a = ${"[".repeat(90_000)}${"]".repeat(90_000)}` }),
  "a key of a million dots": () => ({ "orcs.toml": `${"a.".repeat(900_000)}b = 1` }),
};

function userFolder(config: string): string {
  const dir = folder();
  mkdirSync(join(dir, "orcs"), { recursive: true });
  writeFileSync(join(dir, "orcs", "orcs.toml"), config);
  return dir;
}

async function timed(rig: HookRig, command: string, own: string | undefined) {
  const started = performance.now();
  const env = own === undefined ? {} : { XDG_CONFIG_HOME: userFolder(own) };
  const ended = await rig.command("claude-code", command, {
    args: ["--timeout", String(TIMEOUT_S)],
    env,
  });
  const ms = performance.now() - started;
  return { ms, ...ended };
}

const isDenied = (stdout: string) => stdout.includes('"permissionDecision":"deny"');

/** Each takes most of the ten seconds: in CI, these are tried with a guard, and the others without one. */
const WITH_GUARD: readonly string[] = [
  "a script that loops",
  "a module that loops",
  "a module with a handler that loops",
];

describe.each(Object.entries(PROJECTS))(
  "a trusted project with %s that loads too slowly",
  (name, files) => {
    it.runIf(isWholeRun || WITH_GUARD.includes(name))(
      "leaves the decision to the user's guard",
      BUSY,
      async () => {
        const rig = new HookRig(files());
        await rig.trust();
        const { ms, stdout } = await timed(rig, "rm -rf build", OWN_GUARD);
        expect(stdout).toContain("the own guard");
        expect(isDenied(stdout)).toBe(true);
        expect(ms).toBeLessThan(TIMEOUT_S * 1000);
      },
    );
    it.runIf(isWholeRun || !WITH_GUARD.includes(name))(
      "is denied in time without a user's guard",
      BUSY,
      async () => {
        const rig = new HookRig(files());
        await rig.trust();
        const { ms, stdout, code } = await timed(rig, "ls", undefined);
        expect(code).toBe(0);
        expect(isDenied(stdout)).toBe(true);
        expect(ms).toBeLessThan(TIMEOUT_S * 1000);
      },
    );
  },
);

describe.each(partOf(Object.entries(CHANGES), 3))(
  "a trusted project changed to have %s",
  (_, files) => {
    it("leaves the decision to the user's guard", BUSY, async () => {
      const rig = new HookRig({ "orcs.toml": ALONE });
      await rig.trust();
      for (const [name, text] of Object.entries(files())) {
        mkdirSync(join(rig.dir, name, ".."), { recursive: true });
        writeFileSync(join(rig.dir, name), text);
      }
      const { ms, stdout } = await timed(rig, "rm -rf build", OWN_GUARD);
      expect(stdout).toContain("the own guard");
      expect(ms).toBeLessThan(TIMEOUT_S * 1000);
    });
  },
);
