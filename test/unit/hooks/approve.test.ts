import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { quickTest as it, repeatedTest, runCount } from "../../slow-test.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { CreateOrcsOptions } from "../../../src/engine/orcs/options.ts";
import { folder, open } from "../engine/orcs/engine.ts";

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

describe("an approval remembered by orcs:approve", () => {
  it("holds for the session once the call has run", async () => {
    const orcs = await start(RULES);
    expect(await asked(orcs, { tool_use_id: "1" })).toBe(true);
    // Nobody has answered yet.
    expect(await asked(orcs, { tool_use_id: "2" })).toBe(true);
    await ran(orcs, { tool_use_id: "1" });
    expect(await asked(orcs, { tool_use_id: "3" })).toBe(false);
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
