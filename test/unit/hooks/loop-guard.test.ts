import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import type { CreateOrcsOptions } from "../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../src/engine/orcs/orcs.ts";
import { claudeCodeHost } from "../../../src/formats/claude-code/host.ts";
import { folder, Lines, open } from "../engine/orcs/engine.ts";
import { found, home, hook, PATIENT, trustIt } from "../config/trust/rig.ts";
import { quickTest as it, repeatedTest, runCount } from "../../slow-test.ts";

type Options = Readonly<Record<string, unknown>>;
type Said = "runs" | "told" | "refused";

const guard = (options: Options) => ({ script: "orcs:loop-guard", options });
const start = (options: Options = {}, more: CreateOrcsOptions = {}) =>
  open({ config: { hooks: [guard(options)] }, ...more });

/** What becomes of a call. */
async function ask(orcs: Orcs, args: Options, more: Options = {}): Promise<Said> {
  const payload = { tool_name: "exec", args, ...more };
  const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
  if (outcome.action === "continue") return outcome.inject.length > 0 ? "told" : "runs";
  expect(outcome).toMatchObject({
    action: "abort",
    reason: expect.stringMatching(/^loop-guard: /),
  });
  return "refused";
}

/** What becomes of calls, one letter for each: a dot runs, `!` is told, `x` is refused. */
async function play(orcs: Orcs, calls: string, more: Options = {}): Promise<string> {
  let said = "";
  for (const letter of calls) {
    said += { runs: ".", told: "!", refused: "x" }[await ask(orcs, { path: letter }, more)];
  }
  return said;
}

const prompt = (orcs: Orcs, more: Options = {}) =>
  orcs.dispatch("prompt.pre_submit", { prompt: "go on", ...more });

describe("orcs:loop-guard options", () => {
  it("of two entries with different names both apply", async () => {
    const options = [
      { refuse: 4, warn: false },
      { refuse: 2, warn: false, name: "calm", ignore: ["read"] },
    ];
    const hooks = options.map((each) => ({ script: "orcs:loop-guard", options: each }));
    const orcs = await open({ config: { hooks } });
    expect(await play(orcs, "aa")).toBe(".x");
    const reads: Said[] = [];
    for (let i = 0; i < 4; i++) reads.push(await ask(orcs, {}, { tool_name: "read" }));
    expect(reads).toEqual(["runs", "runs", "runs", "refused"]);
  });
});

describe("orcs:loop-guard detects repeated calls", () => {
  it.each([
    ["one call", "aaaaaaa", "..!..xx"],
    ["another call in between ends it", "aaabaaa", "..!...!"],
    ["two that take turns", "abababababab", ".....!.....x"],
    ["three that take turns", "abcabcabcabcabcabc", "........!........x"],
    ["four that take turns", "abcdabcdabcdabcdabcdabcd", "...........!...........x"],
    ["five that take turns", "abcde".repeat(6), `${".".repeat(14)}!${".".repeat(14)}x`],
    ["eight that take turns", "abcdefgh".repeat(6), `${".".repeat(23)}!${".".repeat(23)}x`],
    ["nine are not found", "abcdefghi".repeat(7), ".".repeat(63)],
    ["five with one that changes", "abcd1abcd2abcd3abcd4abcd5abcd6", ".".repeat(30)],
    ["one that comes back after others", "axaybzacawavau", ".".repeat(14)],
    ["work and test, again and again", "at1t2t3t4t5t6t7t8t", ".".repeat(18)],
    ["one after turns", "abababaaa", ".....!..!"],
    ["turns after one", "aaababab", "..!....!"],
  ])("%s", async (_, calls, said) => {
    expect(await play(await start(), calls)).toBe(said);
  });

  repeatedTest("in agreement with a plain count", async () => {
    const orcs = await start({ warn: 2, refuse: 3 });
    let session = 0;
    const row = fc.array(fc.constantFrom("a", "a", "a", "b", "b", "c"), { maxLength: 40 });
    const round = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 8 });
    const turns = fc.tuple(round, row).map(([of, more]) => [of, of, of, more].flat());
    const letters = fc.oneof(row, turns);
    await fc.assert(
      fc.asyncProperty(letters, async (calls) => {
        const session_id = `s${session++}`;
        for (const [i, path] of calls.entries()) {
          const times = Math.max(
            ...[1, 2, 3, 4, 5, 6, 7, 8].map((of) => Math.floor(back(calls, i, of) / of)),
          );
          const said = await ask(orcs, { path }, { session_id });
          expect(said === "refused").toBe(times + 1 >= 3);
          if (said === "told") expect(times + 1).toBe(2);
        }
      }),
      { numRuns: runCount(150) },
    );
  });

  it.each([
    ["never told", { warn: false }, "aaaaaa", ".....x"],
    ["never refused", { refuse: false }, "aaaaaaaaaa", "..!......."],
    ["neither", { warn: false, refuse: false }, "aaaaaaaaaa", ".........."],
  ])("%s", async (_, options, calls, said) => {
    expect(await play(await start(options), calls)).toBe(said);
  });

  it("across engines that share a state file, until a prompt", async () => {
    const stateDir = folder();
    const both = [await start({}, { stateDir }), await start({}, { stateDir })] as const;
    let said = "";
    for (let i = 0; i < 6; i++) said += await play(both[i % 2] as Orcs, "a");
    expect(said).toBe("..!..x");
    await prompt(both[0]);
    expect(await play(both[1], "aaa")).toBe("..!");
  });

  it("in a bounded number of places, each of a bounded size, whatever sessions and agents are called", async () => {
    const stateDir = folder();
    const orcs = await start({}, { stateDir });
    for (let n = 0; n < 40; n++) {
      const who = { session_id: `${n}`.repeat(2000), agent_id: `${n}`.repeat(3000) };
      await orcs.dispatch("prompt.pre_submit", { prompt: "go", ...who });
      await orcs.dispatch("tool.pre_execute", { tool_name: "read", args: {}, ...who });
    }
    await orcs.close();
    const lines = readFileSync(join(stateDir, "state.jsonl"), "utf8").trim().split("\n");
    expect(lines.filter((line) => line.length > 250)).toEqual([]);
    const keys = lines.map((line) => (JSON.parse(line) as { key: string }).key);
    const places = keys.map((key) => Number(/^loop-guard:(?:session|agent):(\d+)$/.exec(key)?.[1]));
    expect(places.filter((place) => !(place < 8192))).toEqual([]);
    expect(new Set(keys).size).toBeGreaterThan(70);
  });

  it("but not in concurrent agents", async () => {
    const stateDir = folder();
    const both = [await start({}, { stateDir }), await start({}, { stateDir })] as const;
    const calls = Array.from({ length: 60 }, (_, i) => ask(both[i % 2] as Orcs, { path: i }));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["runs"]));
  });
});

/** How many calls in a row, this one being the last, are the same as the one `of` steps before. */
function back(calls: readonly string[], at: number, of: number): number {
  let count = 0;
  while (at - count - of >= 0 && calls[at - count] === calls[at - count - of]) count++;
  return count;
}

describe("orcs:loop-guard: equal calls", () => {
  repeatedTest("have the same JSON in any key order", async () => {
    const orcs = await start({ warn: false, refuse: 2 });
    let session = 0;
    let taken = 0;
    const value = fc.jsonValue({ maxDepth: 4 });
    await fc.assert(
      fc.asyncProperty(value, value, async (one, other) => {
        const session_id = `s${session++}`;
        const [first, second] = [one as Json, other as Json];
        expect(await ask(orcs, { value: first }, { session_id })).toBe("runs");
        const said = await ask(orcs, { value: second }, { session_id });
        if (canonical(first) === canonical(second)) expect(said).toBe("refused");
        else if (said === "refused") taken++;
        const turned = turnedRound(second);
        expect(await ask(orcs, { value: turned }, { session_id })).toBe("refused");
      }),
      { numRuns: runCount(200) },
    );
    // A call is kept as one of 8191 numbers: one in so many is taken for another.
    expect(taken).toBeLessThan(4);
  });

  it("differ in small values", async () => {
    const orcs = await start({ warn: false, refuse: 2 });
    const numbers = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 0.5, 1e300];
    const texts = ["", "\0", "\0\0", "0", "1", "true", "[]"];
    const tables = [
      [],
      [[]],
      [""],
      [0],
      [1],
      [[], []],
      { "1": 0 },
      { a: [] },
      { a: "" },
      { "": 0 },
    ];
    const values: Json[] = [...numbers, true, false, ...texts, ...tables];
    const taken: unknown[] = [];
    for (const [i, one] of values.entries()) {
      for (const other of values.slice(0, i)) {
        const session_id = JSON.stringify([one, other]);
        await ask(orcs, { value: one }, { session_id });
        if ((await ask(orcs, { value: other }, { session_id })) === "refused") {
          taken.push([one, other]);
        }
      }
    }
    expect(taken).toEqual([]);
  });

  it("are of the same tool", async () => {
    const orcs = await start({ warn: false, refuse: 2 });
    for (const tool_name of ["read", "write", "read"]) {
      expect(await ask(orcs, { path: "a" }, { tool_name })).toBe("runs");
    }
    expect(await ask(orcs, { path: "a" }, { tool_name: "read" })).toBe("refused");
  });

  it.each<[string, Options]>([
    ["a list of 50,000", { list: Array.from({ length: 50_000 }, (_, i) => i) }],
    ["a text of 4 MB", { text: "x".repeat(4 << 20) }],
    ["30 levels", { deep: nested(30) }],
    ["odd keys", { __proto__: 1, constructor: 2, "": 3, "1": [] }],
  ])("may have %s", async (_, args) => {
    const orcs = await start({ warn: false, refuse: 2 });
    expect([await ask(orcs, args), await ask(orcs, args)]).toEqual(["runs", "refused"]);
  });
});

/** JSON as the guard reads it: null is not there, and what is empty is empty. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  const tag = Array.isArray(value) && entries.length > 0 ? "list" : "object";
  return `${tag}{${entries
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .sort()
    .join()}}`;
}

/** The same with the keys of all objects in the opposite order. */
function turnedRound(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(turnedRound);
  const entries = Object.entries(value).map(([key, item]) => [key, turnedRound(item)] as const);
  return Object.fromEntries(entries.toReversed());
}

function nested(levels: number): Json {
  return levels === 0 ? "x" : { a: nested(levels - 1) };
}

describe("orcs:loop-guard does not count", () => {
  it("a call that comes back after a wait", async () => {
    const orcs = await start();
    const pods = { command: "kubectl get pods" };
    for (let i = 0; i < 12; i++) {
      expect(await ask(orcs, pods)).toBe("runs");
      const wait = i % 2 === 0 ? { command: "sleep 10" } : { bash_id: "1" };
      expect(await ask(orcs, wait, i % 2 === 0 ? {} : { tool_name: "BashOutput" })).toBe("runs");
    }
    // What was repeated before the wait is over, and what follows it counts anew.
    const said: Said[] = [];
    for (let i = 0; i < 6; i++) said.push(await ask(orcs, pods));
    expect(said).toEqual(["runs", "runs", "told", "runs", "runs", "refused"]);
    await ask(orcs, { command: "sleep 1" });
    expect(await ask(orcs, pods)).toBe("runs");
  });

  it("calls that other hooks deny, and calls made by hooks", async () => {
    const orcs = await start({ warn: false, refuse: 2 });
    let looked = 0;
    orcs.wrapTool("look", () => ({ n: ++looked }));
    orcs.on("tool.pre_execute", { tool: "exec" }, async (ctx, scope) => {
      await scope.get("look");
      const args = ctx.payload.args as { path?: string };
      return args.path === "b"
        ? { action: "abort" as const, reason: "loop-guard: not b" }
        : undefined;
    });
    expect(await play(orcs, "abbbbca")).toBe(".xxxx..");
    expect(looked).toBe(7);
  });

  it("a call changed by a project's hook twice", async () => {
    const { userDir } = home();
    const project = folder({
      "orcs.toml": hook(
        "more",
        `handler_inline = 'function(ctx) ctx.metadata.x = 1; ctx.payload.cwd = "/x" end'`,
      ),
    });
    mkdirSync(userDir, { recursive: true });
    const own = `[[hooks]]\nscript = "orcs:loop-guard"\n`;
    const asked = hook("asked", `handler_inline = 'orcs.log("warn", "asked")'`);
    writeFileSync(join(userDir, "orcs.toml"), own + asked + PATIENT);
    await trustIt(project);
    const { orcs, lines } = await found(project);
    expect(await play(orcs, "aaaaaa")).toBe("..!..x");
    expect(lines.filter((line) => line === "warn: asked").length).toBeGreaterThan(6);
  });
});

describe("orcs:loop-guard with an agent that never ends", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz";

  it("denies after a number of calls until the next prompt", async () => {
    const orcs = await start({ calls: 10 });
    await prompt(orcs);
    expect(await play(orcs, letters.slice(0, 12))).toBe(".......!..xx");
    expect(await play(orcs, "a", { agent_id: "sub" })).toBe("x");
    expect(await play(orcs, "a", { session_id: "other" })).toBe(".");
    await prompt(orcs);
    expect(await play(orcs, letters.slice(0, 12))).toBe(".......!..xx");
  });

  it("lets it stop although a hook always makes it continue", async () => {
    const logger = new Lines();
    const orcs = await start({ stops: 3 }, { logger });
    orcs.on("agent.pre_stop", () => ({ action: "abort", reason: "the tests fail" }));
    const stop = async (stop_hook_active?: boolean) =>
      (
        await orcs.dispatch(
          "agent.pre_stop",
          stop_hook_active === undefined ? {} : { stop_hook_active },
        )
      ).action;
    const turn = [await stop(false), await stop(true), await stop(true), await stop(true)];
    expect(turn).toEqual(["abort", "abort", "abort", "continue"]);
    expect(logger.lines).toEqual([expect.stringMatching(/^warn: loop-guard: .* 3 times/)]);
    expect([await stop(false), await stop(true)]).toEqual(["abort", "abort"]);
    // Hosts that do not say: the prompts tell.
    await prompt(orcs);
    const untold = [await stop(), await stop(), await stop(), await stop()];
    expect(untold).toEqual(["abort", "abort", "abort", "continue"]);
    await prompt(orcs);
    expect(await stop()).toBe("abort");
  });

  it("works for a Claude Code session", async () => {
    const orcs = await start({ calls: 4, refuse: 3, warn: 2, stops: 1 });
    const send = async (hook_event_name: string, more: Record<string, Json> = {}) => {
      const common = { session_id: "s", cwd: "/w", transcript_path: "/t", hook_event_name };
      const { point, payload, component } = claudeCodeHost.decode({ ...common, ...more });
      const outcome = await orcs.dispatch(point, payload, { component });
      return outcome.action === "abort" ? "x" : outcome.inject.length > 0 ? "!" : ".";
    };
    const bash = (command: string, description: string) =>
      send("PreToolUse", { tool_name: "Bash", tool_input: { command, description } });
    await send("UserPromptSubmit", { prompt: "do it" });
    const same = [await bash("make", "Build"), await bash("make", "Build again")];
    expect([...same, await bash("make", "Once more"), await bash("ls", "")]).toEqual([
      ".",
      "!",
      "x",
      "!",
    ]);
    expect(await bash("pwd", "")).toBe("x");
    await send("UserPromptSubmit", { prompt: "go on" });
    expect(await bash("make", "Build")).toBe(".");
    await send("SessionEnd", { reason: "clear" });
    expect(await bash("make", "Build")).toBe(".");
  });
});
