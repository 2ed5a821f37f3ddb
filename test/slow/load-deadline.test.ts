import { describe, expect, it } from "vitest";
import { HookRig } from "../dist/hook-rig.ts";
import { folder, writeFiles } from "../dist/orcs.ts";
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

const HOOK = '[[hooks]]\npoint = "tool.pre_execute"\n';
const SCRIPT = `${ALONE}${HOOK}script = "a.lua"\n`;

/** A trusted module that a hook calls. */
const late = (code: string) => ({
  "orcs.toml": `${ALONE}${HOOK}module = "./check.mjs#check"\n`,
  "check.mjs": code,
});

/** A text for each number below this. */
const many = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join("");

/** A file for each number below this. */
const files = (count: number, name: (i: number) => string, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), text]));

/** What a project can hold that takes for ever to load, trusted. */
const PROJECTS: Readonly<Record<string, () => Record<string, string>>> = {
  "a script that loops": () => ({
    "orcs.toml": `${SCRIPT}[lua]\nmax_run_ms = 3600000\nmax_chain_ms = 3600000\n`,
    "hooks/a.lua": "while true do end",
  }),
  "300 slow scripts": () => ({
    "orcs.toml": ALONE + many(300, (i) => `${HOOK}script = "a${i}.lua"\n`),
    ...files(
      300,
      (i) => `hooks/a${i}.lua`,
      "local n = 0 while n < 2e6 do n = n + 1 end return function() end",
    ),
  }),
  "a module that loops": () => late("for (;;) {}\nexport const check = () => {};\n"),
  "a module that never settles": () =>
    late(
      "await new Promise((r) => setInterval(r, 1e9, 0) && 0);\nexport const check = () => {};\n",
    ),
  "a module that waits for a process": () =>
    late(
      'import { execSync } from "node:child_process";\nexecSync("sleep 40");\nexport const check = () => {};\n',
    ),
  "a module with a handler that loops": () => late("export const check = () => { for (;;) {} };\n"),
};

const unknownKeys = (): string => many(150_000, (i) => `k${i} = ${i % 10}\n`);

/** What a project can become that takes long to look at. */
const CHANGES: Readonly<Record<string, () => Record<string, string>>> = {
  "2 MB of unknown keys": () => ({ "orcs.toml": `${ALONE}${unknownKeys()}`.slice(0, 2e6) }),
  "2 MB of unknown keys in a hook": () => ({
    "orcs.toml": `${ALONE}[[hooks]]\n${unknownKeys()}`.slice(0, 2e6),
  }),
  "2 MB of dotted keys": () => ({
    "orcs.toml": ALONE + many(80_000, (i) => `engine.a.b.c.k${i} = 1\n`),
  }),
  "10,000 hooks with a script that is not there": () => ({
    "orcs.toml": ALONE + many(10_000, (i) => `${HOOK}script = "abc${i}.lua"\n`),
    ...files(2000, (i) => `hooks/b${i}.lua`, ""),
  }),
  "10,000 hooks with mistakes": () => ({
    "orcs.toml":
      ALONE +
      many(
        10_000,
        (i) => `[[hooks]]\npoint = "tool.pre_executf"\nidd = "x${i}"\nmatch = { tol = 1 }\n`,
      ),
  }),
  "a module with 900,000 imports": () =>
    late(many(900_000, (i) => `import "./m${i}"\n`).slice(0, 16e6)),
  "a script with 900,000 requires": () => ({
    "orcs.toml": SCRIPT,
    "hooks/a.lua": many(900_000, (i) => `require"m${i}"\n`).slice(0, 16e6),
  }),
  "a command with 300,000 words": () => ({
    "orcs.toml": `${ALONE}${HOOK}shell = "echo ${many(250_000, (i) => `w${i} `).slice(0, 1.9e6)}"\n`,
  }),
  "10,000 hooks with a command": () => ({
    "orcs.toml": ALONE + many(10_000, (i) => `${HOOK}shell = "sh check${i}.sh a b c d"\n`),
  }),
  "9,000 files": () => ({
    ...late(many(9000, (i) => `import "./m${i}.mjs"\n`)),
    ...files(9000, (i) => `m${i}.mjs`, "x".repeat(7000)),
  }),
  "a huge inline handler": () => ({
    "orcs.toml": `${ALONE}${HOOK}handler_inline = '''\n${"require ".repeat(240_000)}'''\n`,
  }),
  "deep TOML": () => ({ "orcs.toml": `a = ${"[".repeat(90_000)}${"]".repeat(90_000)}` }),
  "a key of a million dots": () => ({ "orcs.toml": `${"a.".repeat(900_000)}b = 1` }),
};

async function timed(rig: HookRig, command: string, own: string | undefined) {
  const started = performance.now();
  const env = own === undefined ? {} : { XDG_CONFIG_HOME: folder({ "orcs/orcs.toml": own }) };
  const args = ["--timeout", String(TIMEOUT_S)];
  const ended = await rig.command("claude-code", command, { args, env });
  expect(performance.now() - started).toBeLessThan(TIMEOUT_S * 1000);
  return ended;
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
  (name, holds) => {
    it.runIf(isWholeRun || WITH_GUARD.includes(name))(
      "leaves the decision to the user's guard",
      BUSY,
      async () => {
        const rig = new HookRig(holds());
        await rig.trust();
        const { stdout } = await timed(rig, "rm -rf build", OWN_GUARD);
        expect(stdout).toContain("the own guard");
        expect(isDenied(stdout)).toBe(true);
      },
    );
    it.runIf(isWholeRun || !WITH_GUARD.includes(name))(
      "is denied in time without a user's guard",
      BUSY,
      async () => {
        const rig = new HookRig(holds());
        await rig.trust();
        const { stdout, code } = await timed(rig, "ls", undefined);
        expect(code).toBe(0);
        expect(isDenied(stdout)).toBe(true);
      },
    );
  },
);

describe.each(partOf(Object.entries(CHANGES), 3))(
  "a trusted project changed to have %s",
  (_, becomes) => {
    it("leaves the decision to the user's guard", BUSY, async () => {
      const rig = new HookRig({ "orcs.toml": ALONE });
      await rig.trust();
      writeFiles(rig.dir, becomes());
      const { stdout } = await timed(rig, "rm -rf build", OWN_GUARD);
      expect(stdout).toContain("the own guard");
    });
  },
);
