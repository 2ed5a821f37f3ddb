import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { FakeClock } from "../../../src/engine/testing/fake-environment.ts";
import type { CreateOrcsOptions } from "../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../src/engine/orcs/orcs.ts";
import { cursorHost } from "../../../src/formats/cursor/host.ts";
import { geminiHost } from "../../../src/formats/gemini/host.ts";
import { call, errorOf, folder, open } from "../engine/orcs/engine.ts";
import { found, home, hook, PATIENT, trustIt } from "../config/trust/rig.ts";
import { quickTest as it, slowTest } from "../../slow-test.ts";

type Options = Readonly<Record<string, unknown>>;

const HOUR = 3600_000;
const budget = (options: Options) => ({ script: "orcs:budget", options });
const start = (options: Options, more: CreateOrcsOptions = {}) =>
  open({ config: { hooks: [budget(options)] }, ...more });

/** What becomes of a call: its reason when it is refused, else the decision, else `runs`. */
async function ask(orcs: Orcs, more: Options = {}): Promise<string> {
  const outcome = await orcs.dispatch("tool.pre_execute", { ...call("exec"), ...more });
  if (outcome.action === "abort") return outcome.reason;
  return outcome.action === "continue" ? (outcome.decision ?? "runs") : outcome.action;
}

async function runs(orcs: Orcs, times: number, more: Options = {}): Promise<number> {
  let count = 0;
  for (let i = 0; i < times; i++) if ((await ask(orcs, more)) === "runs") count++;
  return count;
}

describe("orcs:budget: transcripts", () => {
  const response = (id: string, output_tokens: number, input_tokens = 100) =>
    JSON.stringify({
      type: "assistant",
      message: {
        id,
        model: "a-1",
        usage: {
          input_tokens,
          cache_read_input_tokens: 50,
          cache_creation_input_tokens: 0,
          output_tokens,
        },
      },
    });
  const session = (total: number) => [
    JSON.stringify({ type: "turn_context", payload: { model: "c-1" } }),
    JSON.stringify({
      type: "event_msg",
      payload: {
        type: "token_count",
        info: {
          total_token_usage: {
            input_tokens: total,
            cached_input_tokens: total / 2,
            output_tokens: 10,
          },
        },
      },
    }),
  ];

  it("are read as they grow: each response once, in parts, broken lines skipped", async () => {
    const path = join(folder(), "t.jsonl");
    const host = { transcript_path: path };
    const orcs = await start({ session: { tokens: 900 } });
    const used = () => ask(orcs, { session_id: "s", host });
    expect(await used()).toBe("runs");
    writeFileSync(
      path,
      `${response("m1", 1)}\n{"usage\n${response("m1", 50)}\n${response("m2", 1)}`,
    );
    expect(await used()).toBe("runs");
    // m1 is 200; the line of m2 was not finished.
    writeFileSync(path, `\n${response("m2", 300)}\n${response("m2", 600)}\n`, { flag: "a" });
    expect(await used()).toMatch("950 of 900 tokens");
    writeFileSync(path, `${response("m3", 1)}\n`, { flag: "a" });
    expect(await used()).toMatch("1101 of 900 tokens");
  });

  it("of Codex have the sums of the session, and cost what their model costs", async () => {
    const path = join(folder(), "rollout.jsonl");
    const host = { transcript_path: path };
    const prices = { "c-*": { prompt: 2, completion: 10, cached: 1 } };
    const orcs = await start({ session: { cost: 1 }, ask_at: 0.001, prices });
    const lines = [
      ...session(1_000_000).slice(0, 1),
      "not json",
      ...session(2000),
      ...session(2000),
    ];
    writeFileSync(path, `${lines.join("\n")}\n`);
    expect(await ask(orcs, { session_id: "s", host })).toBe("ask");
    writeFileSync(path, `${session(800_000).join("\n")}\n`, { flag: "a" });
    // 400,000 at 2, 400,000 at 1, 10 at 10, for a million.
    expect(await ask(orcs, { session_id: "s", host })).toMatch("1.20 of 1.00 (cost)");
  });

  it("that are no files are left alone, and a shorter one is read from its start", async () => {
    const dir = folder();
    const path = join(dir, "t.jsonl");
    const orcs = await start({ session: { tokens: 1000 } });
    for (const transcript_path of [dir, "/dev/zero", join(dir, "none"), "", null, 5]) {
      expect(await ask(orcs, { session_id: "s", host: { transcript_path } })).toBe("runs");
    }
    writeFileSync(path, `${"x".repeat(5000)}\n`);
    const more = { session_id: "s", host: { transcript_path: path } };
    expect(await ask(orcs, more)).toBe("runs");
    writeFileSync(path, `${response("m1", 2000)}\n`);
    expect(await ask(orcs, more)).toMatch("2150 of 1000 tokens");
  });
});

describe("orcs:budget: calls", () => {
  it("are denied beyond a limit, also concurrent ones", async () => {
    const orcs = await start({ session: { calls: 10 }, day: { calls: 12 } });
    const said = await Promise.all(Array.from({ length: 50 }, () => ask(orcs)));
    expect(said.filter((word) => word === "runs")).toHaveLength(10);
    expect(await runs(orcs, 5, { session_id: "other" })).toBe(2);
  });

  it("are counted across engines that share a state file", async () => {
    const stateDir = folder();
    const both = [
      await start({ day: { calls: 7 } }, { stateDir }),
      await start({ day: { calls: 7 } }, { stateDir }),
    ];
    const said = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(both[i % 2] as Orcs)));
    expect(said.filter((word) => word === "runs")).toHaveLength(7);
  });

  it("share it for 24 hours, in each channel", async () => {
    const clock = new FakeClock();
    const orcs = await start({ agent: { calls: 2 } }, { clock });
    const one = (session_id: string) => ask(orcs, { session_id, agent_id: session_id });
    const calls = async (ids: string) => {
      const said = [];
      for (const id of ids) said.push((await one(id)) === "runs");
      return said;
    };
    expect(await calls("abcd")).toEqual([true, true, false, false]);
    clock.advance(24 * HOUR);
    expect(await calls("efg")).toEqual([true, true, false]);
  });

  slowTest("are counted only if no limit is reached", async () => {
    const id = fc.constantFrom(undefined, "", "a", "b", "a:1", "1:a");
    const calls = fc.array(fc.record({ session_id: id, agent_id: id }), { maxLength: 60 });
    const limits = { session: { calls: 6 }, agent: { calls: 3 }, day: { calls: 20 } };
    await fc.assert(
      fc.asyncProperty(calls, async (each) => {
        const orcs = await start(limits);
        const counts = new Map<string, number>();
        for (const { session_id, agent_id } of each) {
          const [session, agent] = [session_id || null, agent_id || null];
          const keys: [string, number][] = [
            ["day", 20],
            [JSON.stringify([session]), 6],
            [JSON.stringify([session, agent]), 3],
          ];
          const room = keys.every(([key, most]) => (counts.get(key) ?? 0) < most);
          if (room) for (const [key] of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
          const said = await ask(orcs, {
            ...(session_id !== undefined && { session_id }),
            ...(agent_id !== undefined && { agent_id }),
          });
          expect(said === "runs").toBe(room);
        }
      }),
      { numRuns: 15 },
    );
  });

  it("that other hooks deny or skip are not counted", async () => {
    const orcs = await start({ session: { calls: 2 } });
    orcs.on("tool.pre_execute", { tool: "bad" }, () => ({ action: "abort", reason: "no" }));
    orcs.on("tool.pre_execute", { tool: "known" }, () => ({ action: "skip", result: 1 }));
    for (const tool of ["bad", "known", "bad", "known"]) {
      await orcs.dispatch("tool.pre_execute", call(tool));
    }
    expect(await runs(orcs, 5)).toBe(2);
  });

  it("made by hooks are not counted", async () => {
    const orcs = await start({ session: { calls: 3 } });
    orcs.wrapTool("look", () => ({}));
    orcs.on("tool.pre_execute", { tool: "exec" }, async (_, scope) => {
      expect((await scope.get("look")).ok).toBe(true);
    });
    expect(await runs(orcs, 5)).toBe(3);
  });

  it("changed by a project's hook are counted once", async () => {
    const { userDir } = home();
    const project = folder({
      "orcs.toml": hook("rewrites", `handler_inline = 'ctx.payload.args.more = orcs.uuid()'`),
    });
    mkdirSync(userDir, { recursive: true });
    const own = `[[hooks]]\nscript = "orcs:budget"\noptions = { session = { calls = 3 } }\n`;
    writeFileSync(
      join(userDir, "orcs.toml"),
      own + hook("asked", "handler_inline = 'orcs.inject(\"asked\")'") + PATIENT,
    );
    await trustIt(project);
    const { orcs } = await found(project);
    const first = await orcs.dispatch("tool.pre_execute", call("exec"));
    expect(first.inject).toEqual(["asked", "asked"]);
    expect(await runs(orcs, 5)).toBe(2);
  });

  it("with the same metadata are counted separately", async () => {
    const clock = new FakeClock();
    const orcs = await start({ session: { calls: 3 } }, { clock });
    let metadata: Record<string, unknown> = {};
    let ran = 0;
    for (let i = 0; i < 6; i++) {
      const outcome = await orcs.dispatch("tool.pre_execute", call("exec"), { metadata });
      metadata = outcome.ctx.metadata;
      if (outcome.action === "continue") ran++;
      clock.advance(1);
    }
    expect(ran).toBe(3);
  });

  it("of an editor's completion are not counted", async () => {
    const orcs = await start({ session: { calls: 1 } });
    const { point, payload } = cursorHost.decode({
      hook_event_name: "beforeTabFileRead",
      conversation_id: "s",
      file_path: "/a",
      content: "",
    });
    for (let i = 0; i < 3; i++) {
      expect((await orcs.dispatch(point, payload)).action).toBe("continue");
    }
    expect(await runs(orcs, 2, { session_id: "s" })).toBe(1);
  });

  it("are counted separately by budgets with different names; duplicate names are an error", async () => {
    const day = budget({ day: { calls: 5 }, name: "day" });
    const config = { hooks: [budget({ session: { calls: 3 } }), day] };
    const orcs = await open({ config });
    expect(await runs(orcs, 5)).toBe(3);
    expect(await runs(orcs, 5, { session_id: "s" })).toBe(2);
    expect(await ask(orcs, { session_id: "t" })).toMatch(/^budget day: 5 of 5 calls/);
    const twice = { hooks: [budget({ session: { calls: 3 } }), budget({ day: { calls: 5 } })] };
    expect((await errorOf(open({ config: twice }))).message).toMatch(/budget-calls/);
  });

  it("are denied if the count cannot be stored", async () => {
    const stateDir = folder();
    mkdirSync(join(stateDir, "state.jsonl"));
    const orcs = await start({ session: { calls: 3 } }, { stateDir });
    expect(await ask(orcs)).toMatch(/^hook budget-calls failed: .*ORCS5002|cannot be/);
  });
});

describe("orcs:budget: time", () => {
  it("starts with the first event, and again when minutes are changed or the day is over", async () => {
    const clock = new FakeClock(5000);
    const orcs = await start({ day: { minutes: 60 } }, { clock });
    const prompt = async () =>
      (await orcs.dispatch("prompt.pre_submit", { prompt: "x" })).action === "continue";
    expect(await prompt()).toBe(true);
    clock.advance(HOUR - 1);
    expect([await ask(orcs), await prompt()]).toEqual(["runs", true]);
    clock.advance(1);
    expect(await ask(orcs)).toMatch(/^budget: 60 of 60 minutes of these 24 hours are used/);
    expect(await prompt()).toBe(false);
    clock.advance(23 * HOUR - 1);
    expect(await prompt()).toBe(false);
    clock.advance(1);
    expect([await ask(orcs), await prompt()]).toEqual(["runs", true]);
  });

  it("keeps a session whose limit was raised", async () => {
    const clock = new FakeClock();
    const stateDir = folder();
    const short = await start({ session: { minutes: 10 } }, { clock, stateDir });
    expect(await ask(short)).toBe("runs");
    const long = await start({ session: { minutes: 20 } }, { clock, stateDir });
    expect(await ask(long)).toBe("runs");
  });
});

describe("orcs:budget: tokens and cost", () => {
  it("deny the next model call, after a warning at a tool call", async () => {
    const asked: string[] = [];
    const orcs = await start(
      { session: { tokens: 100 } },
      {
        llm: ({ prompt }) => {
          asked.push(prompt);
          return { text: "t", usage: { total_tokens: 45 } };
        },
      },
    );
    const answers = [];
    for (const prompt of ["1", "2"]) answers.push(await orcs.get("llm", prompt));
    expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
    const { inject } = await orcs.dispatch("tool.pre_execute", call("exec"));
    expect(inject).toEqual([expect.stringContaining("90 of 100 tokens")]);
    expect((await orcs.get("llm", "3")).ok).toBe(true);
    const refused = await orcs.dispatch("llm.pre_generate", { prompt: "4" });
    expect(refused).toMatchObject({ action: "abort", hook: "budget-model" });
    expect(await orcs.get("llm", "4")).toMatchObject({ ok: false });
    expect(asked).toEqual(["1", "2", "3"]);
  });

  it("of Gemini CLI's chunks are those of the last chunk", async () => {
    const orcs = await start({ session: { tokens: 100 } });
    const chunk = (total: number, more: object) => {
      const { point, payload } = geminiHost.decode({
        hook_event_name: "AfterModel",
        session_id: "s",
        llm_request: { model: "gemini-2.5-pro", messages: [{ role: "user", content: "x" }] },
        llm_response: {
          candidates: [{ content: { role: "model", parts: ["y"] }, ...more }],
          usageMetadata: { promptTokenCount: 1, totalTokenCount: total },
        },
      });
      return orcs.dispatch(point, payload);
    };
    for (const total of [20, 40, 60, 90]) await chunk(total, {});
    await chunk(99, { finishReason: "STOP" });
    expect(await ask(orcs, { session_id: "s" })).toBe("runs");
    await chunk(1, { finishReason: "STOP" });
    expect(await ask(orcs, { session_id: "s" })).toMatch(/100 of 100 tokens/);
  });
});
