import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { quickTest as it, repeatedTest, runCount } from "../../slow-test.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { CreateOrcsOptions } from "../../../src/engine/orcs/options.ts";
import { folder, open } from "../engine/orcs/engine.ts";

type Rule = Readonly<Record<string, unknown>>;

/** An engine with the policy, and other hooks beside it. */
function start(
  options: JsonObject,
  more: CreateOrcsOptions = {},
  beside: readonly JsonObject[] = [],
) {
  return open({ config: { hooks: [{ script: "orcs:approve", options }, ...beside] }, ...more });
}

type Engine = Awaited<ReturnType<typeof start>>;
type Call = Readonly<Record<string, unknown>>;

const RULES = { rules: [{ tool: "exec", reason: "It runs something." }] };
const CALL: Call = { tool_name: "exec", args: { command: "make" }, session_id: "s", cwd: "/w" };

/** A call of a host that tells of it twice: whether it was asked about. */
async function asked(orcs: Engine, more: Call = {}): Promise<boolean> {
  const payload = { ...CALL, host: {}, ...more };
  const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
  expect(outcome.action).toBe("continue");
  return "decision" in outcome && outcome.decision === "ask";
}

async function ran(orcs: Engine, more: Call = {}, point = "tool.post_execute"): Promise<void> {
  const payload = { ...CALL, host: {}, result: "done", ...more };
  expect((await orcs.dispatch(point as never, payload as never)).action).toBe("continue");
}

/** A call that the engine itself runs: what became of it. */
async function invoked(orcs: Engine, more: Call = {}, run = (): unknown => "done") {
  const { action } = await orcs.invoke("tool.execute", { ...CALL, ...more } as never, run);
  return action;
}

describe("orcs:approve asks about", () => {
  const cases: readonly (readonly [string, Rule, Call, boolean])[] = [
    ["a tool", { tool: "exec" }, {}, true],
    ["another tool", { tool: "write|read" }, {}, false],
    ["one of a list of tools", { tool: ["write", "ex*"] }, {}, true],
    ["another with one letter more", { tool: "exe?c" }, {}, false],
    ["a set of letters", { tool: "[ew]xec" }, {}, true],
    ["another set of letters", { tool: "{read,[!e]xec}" }, {}, false],
    ["what looks like a pattern of a name", { tool: "e.*" }, {}, false],
    ["the host's name of a tool", { tool: "Bash" }, { host: { tool_name: "Bash" } }, true],
    ["a name with a slash", { tool: "mcp__*" }, { tool_name: "mcp__a__b/c" }, true],
    ["the end of a name with a slash", { tool: "b" }, { tool_name: "a/b" }, false],
    ["a host's name that is no text", { tool: "Bash" }, { host: { tool_name: 7 } }, false],
    ["a piece of a command", { command: "make*x" }, { args: { command: "make a\n  x" } }, true],
    ["a piece, blanks aside", { command: "make  x" }, { args: { command: "make\tx" } }, true],
    ["the middle of a word", { command: "make" }, { args: { command: "remake" } }, false],
    ["what looks like a pattern", { command: "a.b%w+" }, { args: { command: "axbxx" } }, false],
    ["the same as it is written", { command: "a.b%w+" }, { args: { command: "a.b%w+" } }, true],
    [
      "the words of a command",
      { command: "git push" },
      { args: { command: ["git", "push"] } },
      true,
    ],
    ["another name of the command", { command: "git" }, { args: { cmd: "git" } }, true],
    ["a command that is a number", { command: "git" }, { args: { command: 7 } }, true],
    ["a command that is an object", { runs: "git" }, { args: { command: { a: "ls" } } }, true],
    ["an empty list of words", { runs: "git" }, { args: { command: [] } }, true],
    ["a line as the only word", { runs: "git push" }, { args: { command: ["git push"] } }, true],
    [
      "words that are no line",
      { runs: "git push" },
      { args: { command: ["echo", "git push"] } },
      false,
    ],
    ["null for a command", { runs: "git" }, { args: { command: null } }, false],
    ["no command", { runs: "git" }, { tool_name: "read", args: { path: "git" } }, false],
    ["a tool that is right, a command that is not", { tool: "exec", runs: "git" }, {}, false],
    ["a path", { path: "*.lock" }, { args: { path: "a/b.lock" } }, true],
    ["another one of two", { path: "/w/x/**" }, { args: { from: "a", to: "x/b" } }, true],
    ["a path from the root", { path: "x/**" }, { args: { file_path: "/w/x/b" } }, true],
    ["a path round about", { path: "x/**" }, { args: { path: "y/../../w/x/b" } }, true],
    ["a path below another", { path: "x/**" }, { args: { path: "y/x/b" } }, false],
    ["a list of paths", { path: "x" }, { args: { path: ["y", "x"] } }, true],
    ["a path that is an object", { path: "x" }, { args: { path: { x: 1 } } }, true],
    ["null for a path", { path: "x" }, { args: { path: null } }, false],
  ];

  it("calls that a rule lists", async () => {
    const rules = cases.map(([name, rule]) => ({ ...rule, reason: `<${name}>` }));
    const orcs = await start({ rules, remember: "never" } as JsonObject);
    for (const [name, , call, expected] of cases) {
      const payload = { ...CALL, host: {}, ...call };
      const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
      const reason = "reason" in outcome ? (outcome.reason ?? "") : "";
      expect([name, reason.includes(`<${name}>`)]).toEqual([name, expected]);
    }
  });

  it("a path reached through a symlink", async () => {
    const dir = folder({ "real/x": "" });
    mkdirSync(join(dir, "work"));
    symlinkSync("../real", join(dir, "work/link"));
    const orcs = await start({ rules: [{ path: join(dir, "real/**") }] });
    const cwd = join(dir, "work");
    expect(await asked(orcs, { args: { path: "link/x" }, cwd })).toBe(true);
    expect(await asked(orcs, { args: { path: "x" }, cwd })).toBe(false);
  });
});

describe("orcs:approve rules on commands", () => {
  const rules = [
    "git push",
    "git push -f",
    "npm publish *",
    "npm run deploy",
    "rm -r",
    "make --all",
    "git tag --delete",
    "terraform destroy*",
  ];
  const yes = [
    "git push",
    "git -C x push",
    "git -c a=b --no-pager push origin main",
    "cd x && git push",
    'sh -c "git push"',
    "sudo -u bob env A=1 git push",
    "g'i't pu\"s\"h",
    "/usr/bin/git push",
    "git $WHAT",
    "git --no-pager $WHAT origin",
    "$WHAT now",
    "npm publish --tag next",
    "npm run deploy",
    "npm --silent run deploy",
    "rm -fr x",
    "rm -R x",
    "rm --recursive x",
    "RM --force --rec x",
    "echo $(rm -r x)",
    "git tag -d v1",
    "terraform -chdir=a destroy",
    "terraform destroyed",
    "make --all=1",
    "make $FLAGS",
  ];
  const no = [
    "git status",
    "git -C push status",
    'git commit -m "$TEXT"',
    "git log --oneline | head",
    "echo git push",
    "npm run build",
    "npm ci",
    "rm x",
    "git tag v1 -m -d",
    "make all",
    "ls",
    "",
  ];

  it("ask about the matching commands", async () => {
    const orcs = await start({ rules: [{ runs: rules }], remember: "never" });
    const found: string[] = [];
    for (const command of [...yes, ...no]) {
      if (await asked(orcs, { args: { command } })) found.push(command);
    }
    expect(found).toEqual(yes);
  });
});

describe("an approval remembered by orcs:approve", () => {
  it("holds for the session once the call has run", async () => {
    const orcs = await start(RULES);
    expect(await asked(orcs, { tool_use_id: "1" })).toBe(true);
    // Nobody has answered yet.
    expect(await asked(orcs, { tool_use_id: "2" })).toBe(true);
    await ran(orcs, { tool_use_id: "1" });
    expect(await asked(orcs, { tool_use_id: "3" })).toBe(false);
  });

  it("works for agents without call ids", async () => {
    const orcs = await start(RULES);
    expect(await asked(orcs)).toBe(true);
    await ran(orcs);
    expect(await asked(orcs)).toBe(false);
  });

  const others: readonly (readonly [string, Call])[] = [
    ["session", { session_id: "t" }],
    ["session without a name", { session_id: "" }],
    ["session that is none", { session_id: null }],
    ["session that looks like it", { session_id: 's"],"' }],
    ["tool", { tool_name: "exec2" }],
    ["command", { args: { command: "make x" } }],
    ["environment", { args: { command: "make", env: { A: "1" } } }],
    ["null", { args: { command: "make", env: null } }],
    ["type", { args: { command: ["make"] } }],
    ["directory", { cwd: "/x" }],
    ["directory of its own", { args: { command: "make", cwd: "/w" } }],
  ];
  it("does not hold for another session or call", async () => {
    const orcs = await start({ rules: [{ tool: "exec*" }] });
    expect(await asked(orcs)).toBe(true);
    await ran(orcs);
    const free: string[] = [];
    for (const [other, more] of others) if (!(await asked(orcs, more))) free.push(other);
    expect(free).toEqual([]);
    expect(await asked(orcs)).toBe(false);
  });

  it("does not hold for another component", async () => {
    const orcs = await start(RULES);
    await asked(orcs);
    await ran(orcs);
    const payload = { ...CALL, host: {} } as never;
    const other = await orcs.dispatch("tool.pre_execute", payload, { component: "agent::other" });
    expect(other).toMatchObject({ decision: "ask" });
  });

  it("ignores a command's description, except for MCP tools", async () => {
    const orcs = await start({ rules: [{ tool: "*" }] });
    for (const [tool_name, expected] of [
      ["exec", false],
      ["mcp__a__b", true],
    ] as const) {
      const first = { tool_name, args: { command: "make", description: "one" } };
      expect(await asked(orcs, first)).toBe(true);
      await ran(orcs, first);
      const second = { tool_name, args: { description: "two", timeout: 9, command: "make" } };
      expect(await asked(orcs, second)).toBe(expected);
    }
  });

  it("is not made by a call that was not asked about or has other arguments", async () => {
    const orcs = await start({ rules: [{ tool: "exec", by: "tool" }] });
    await ran(orcs, { tool_use_id: "1" });
    expect(await asked(orcs, { tool_use_id: "2" })).toBe(true);
    await ran(orcs, { tool_use_id: "2", args: { command: "make it" } });
    await ran(orcs, { tool_use_id: "3" });
    await ran(orcs);
    await ran(orcs, { tool_use_id: "2", session_id: "t" });
    expect(await asked(orcs, { tool_use_id: "4" })).toBe(true);
  });

  it("is not made by a failure reported by an agent, which may be a denial", async () => {
    const orcs = await start(RULES);
    expect(await asked(orcs, { tool_use_id: "1" })).toBe(true);
    await ran(orcs, { tool_use_id: "1", error: "denied" }, "tool.on_failure");
    expect(await asked(orcs, { tool_use_id: "2" })).toBe(true);
  });

  it("is not made by a forged call id", async () => {
    const orcs = await start(RULES);
    const payload = { ...CALL, result: "done" } as never;
    await orcs.dispatch("tool.post_execute", payload, { metadata: { approve: 1 } });
    await orcs.dispatch("tool.post_execute", payload, { metadata: { approve: { a: [1] } } });
    expect(await asked(orcs)).toBe(true);
  });

  it("holds for its rule only; other and changed rules ask again", async () => {
    const careful = { tool: "exec", by: "tool", reason: "Run?" };
    const forced = { command: "--force", reason: "Force?" };
    const orcs = await start({ rules: [careful, forced] });
    expect(await asked(orcs)).toBe(true);
    await ran(orcs);
    expect(await asked(orcs, { args: { command: "ls" } })).toBe(false);
    const force = { ...CALL, host: {}, args: { command: "ls --force" } } as never;
    const outcome = await orcs.dispatch("tool.pre_execute", force);
    expect(outcome).toMatchObject({ decision: "ask", reason: "approve: Force?" });
  });

  it("expires", async () => {
    let now = 0;
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    const orcs = await start({ ...RULES, minutes: 0.5 }, { clock });
    await asked(orcs);
    await ran(orcs);
    now = 29_999;
    expect(await asked(orcs)).toBe(false);
    now = 30_000;
    expect(await asked(orcs)).toBe(true);
  });

  it('is not kept for long calls, or with remember = "never"', async () => {
    const long = { args: { command: "make", text: "x".repeat(8192) } };
    const orcs = await start(RULES);
    const never = await start({ ...RULES, remember: "never" });
    for (const [engine, call] of [
      [orcs, long],
      [never, {}],
    ] as const) {
      expect(await asked(engine, call)).toBe(true);
      await ran(engine, call);
      expect(await asked(engine, call)).toBe(true);
    }
  });

  it("leaves no call content in the state file", async () => {
    const stateDir = folder();
    const orcs = await start(RULES, { stateDir });
    const secret = { args: { command: "make TOKEN=hunter2" } };
    await asked(orcs, secret);
    await ran(orcs, secret);
    expect(await asked(orcs, secret)).toBe(false);
    await orcs.close();
    const kept = readdirSync(stateDir).map((name) => readFileSync(join(stateDir, name), "utf8"));
    expect(kept.join("")).toContain("approve:");
    expect(kept.join("")).not.toContain("hunter2");
    const again = await start(RULES, { stateDir });
    expect(await asked(again, secret)).toBe(false);
  });
});

describe('orcs:approve with by = "program"', () => {
  it("remembers all programs that a command runs and how it runs them", async () => {
    const orcs = await start({ rules: [{ tool: "exec", by: "program" }] });
    const first = { args: { command: "git log | head -3" } };
    expect(await asked(orcs, first)).toBe(true);
    await ran(orcs, first);
    const told = async (command: string) => asked(orcs, { args: { command } });
    expect(await told("git status; head x")).toBe(false);
    expect(await told("git log | tail")).toBe(true);
    expect(await told("sudo git log")).toBe(true);
    expect(await told("/tmp/git log")).toBe(true);
    expect(await told("$X log")).toBe(true);
    expect(await asked(orcs, { args: { path: "x" } })).toBe(true);
  });

  it("asks about each dangerous call, which approves that call alone", async () => {
    const orcs = await start({ rules: [{ runs: ["git push", "rm"], by: "program" }] });
    const told = async (command: string, cwd = "/w") => asked(orcs, { args: { command }, cwd });
    for (const command of ["git push", "rm a"]) {
      expect(await told(command)).toBe(true);
      await ran(orcs, { args: { command } });
    }
    for (const passed of ["git push -u origin x", "git push && rm b", "rm b c"])
      expect([passed, await told(passed)]).toEqual([passed, false]);
    const dangerous = [
      "git push --force --mirror",
      "git push -f",
      "git push origin +main",
      "git push --delete origin main",
      "git $WHAT",
      "rm -rf /",
      "rm -rf ~",
      "git push && git reset --hard",
      "git push > /dev/sda",
    ];
    for (const command of dangerous)
      expect([command, await told(command)]).toEqual([command, true]);
    await ran(orcs, { args: { command: "git push -f" } });
    expect(await told("git push -f")).toBe(false);
    expect(await told("git push -f", "/other")).toBe(true);
    expect(await told("git push -f origin x")).toBe(true);
    expect(await told("git push --force --mirror")).toBe(true);
  });

  it("does not take the approval of a dangerous call for one of its programs", async () => {
    const orcs = await start({ rules: [{ runs: "git push", by: "program" }] });
    await asked(orcs, { args: { command: "git push -f" } });
    await ran(orcs, { args: { command: "git push -f" } });
    expect(await asked(orcs, { args: { command: "git push" } })).toBe(true);
  });

  it.each([[["git", "push", "--force"]], [["git push --force"]]])(
    "asks about the list of words %j",
    async (command) => {
      const orcs = await start({ rules: [{ runs: "git push", by: "program" }] });
      await asked(orcs, { args: { command: "git push" } });
      await ran(orcs, { args: { command: "git push" } });
      expect(await asked(orcs, { args: { command } })).toBe(true);
    },
  );
});

describe("orcs:approve in an engine", () => {
  const approving = (answers: boolean[]) => {
    const questions: unknown[] = [];
    const approve: CreateOrcsOptions["approve"] = async ({ args }) => {
      questions.push(args);
      return answers.shift() ?? false;
    };
    return { approve, questions };
  };

  it("asks once for each call", async () => {
    const { approve, questions } = approving([true, true]);
    const orcs = await start(RULES, { approve });
    expect([await invoked(orcs), await invoked(orcs)]).toEqual(["continue", "continue"]);
    expect(await invoked(orcs, { args: { command: "make x" } })).toBe("continue");
    expect(questions).toHaveLength(2);
  });

  it("asks again after a denial", async () => {
    const { approve, questions } = approving([false, true, false]);
    const orcs = await start(RULES, { approve });
    const became = [await invoked(orcs), await invoked(orcs), await invoked(orcs)];
    expect(became).toEqual(["abort", "continue", "continue"]);
    expect(questions).toHaveLength(2);
  });

  it("remembers an approved call that failed", async () => {
    const { approve, questions } = approving([true]);
    const orcs = await start(RULES, { approve });
    const fail = (): never => {
      throw new Error("it broke");
    };
    await expect(invoked(orcs, {}, fail)).rejects.toThrow("it broke");
    expect(await invoked(orcs, {}, () => ({ ok: false, error: "no" }))).toBe("continue");
    expect(questions).toHaveLength(1);
  });

  it("remembers nothing without a session", async () => {
    const { approve, questions } = approving([true, true]);
    const orcs = await start(RULES, { approve });
    const run = orcs.wrapTool("exec", () => "done");
    await run();
    await run();
    expect(questions).toHaveLength(2);
  });

  it("sees changes by earlier hooks, and remembers nothing if a later hook changes more", async () => {
    const rewrite = (priority: number) => ({
      point: "tool.pre_execute",
      priority,
      handler_inline: 'ctx.payload.args.command = ctx.payload.args.command .. " x"',
    });
    const { approve, questions } = approving([true, true, true]);
    const before = await start(RULES, { approve }, [rewrite(999)]);
    expect([await invoked(before), await invoked(before)]).toEqual(["continue", "continue"]);
    expect(questions).toEqual([{ command: "make x" }]);
    const behind = await start(RULES, { approve }, [rewrite(1001)]);
    expect([await invoked(behind), await invoked(behind)]).toEqual(["continue", "continue"]);
    expect(questions).toHaveLength(3);
  });

  it("remembers nothing of a call that another hook denies or skips", async () => {
    for (const handler of ['orcs.deny("no")', 'orcs.skip("made up")']) {
      const hook = {
        point: "tool.pre_execute",
        priority: 1001,
        match: { session: "s" },
        handler_inline: `not orcs.state.get("off") and ${handler} or nil`,
      };
      const off = {
        point: "tool.on_list",
        handler_inline: 'orcs.state.set("off", true)',
      };
      const { approve, questions } = approving([true]);
      const orcs = await start(RULES, { approve }, [hook, off]);
      expect(await invoked(orcs)).not.toBe("continue");
      await orcs.dispatch("tool.on_list", {});
      expect(await invoked(orcs)).toBe("continue");
      expect(questions).toHaveLength(1);
    }
  });

  it("with two rule lists asks for each and remembers both", async () => {
    const { approve, questions } = approving([true]);
    const options = { name: "second", rules: [{ tool: "e*" }] };
    const second = { script: "orcs:approve", options };
    const orcs = await start(RULES, { approve }, [second]);
    expect([await invoked(orcs), await invoked(orcs)]).toEqual(["continue", "continue"]);
    expect(questions).toHaveLength(1);
  });
});

repeatedTest("orcs:approve asks once for equal calls, in any number and order", async () => {
  const orcs = await start({ rules: [{ tool: "*" }] });
  const call = fc.record({
    tool_name: fc.constantFrom("exec", "write"),
    session_id: fc.constantFrom("s", "t"),
    args: fc.dictionary(fc.constantFrom("a", "b", "env"), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 2,
    }),
  });
  const known = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 8 }), async (calls) => {
      for (const one of calls) {
        const same = JSON.stringify([one.tool_name, one.session_id, sorted(one.args)]);
        const payload = JSON.parse(JSON.stringify(one)) as Call;
        expect(await asked(orcs, payload)).toBe(!known.has(same));
        await ran(orcs, payload);
        known.add(same);
      }
    }),
    { numRuns: runCount(60) },
  );
});

/** The same value with the names of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).sort();
  return { of: names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]) };
}
