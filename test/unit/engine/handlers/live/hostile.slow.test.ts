import { describe, expect, test, vi } from "vitest";
import { isRunning } from "../../orcs/engine.ts";
import { scripted, shown } from "./rig.ts";

/** Handlers that do what they should not. */

const DENIED = '{"action":"abort","reason":"no"}';

describe("a hostile handler", () => {
  test("that answers twice has answered once, and the next call gets its own answer", async () => {
    const { run } = scripted(`
      const on = (id, { payload }) => {
        answer(id, payload.args.deny ? DENY : null);
        answer(id, payload.args.deny ? null : DENY);
      };`);
    for (let i = 0; i < 20; i++) {
      expect(shown(await run({ deny: true }))).toBe(DENIED);
      expect(shown(await run({}))).toBe("continue");
    }
  });

  test("that answers before it is asked has not answered", async () => {
    const { run } = scripted(`
      let n = 0;
      const ids = [1, "1", 2, "2", null, 0, "", "0"];
      const on = (id) => {
        for (const early of ids) answer(early, null);
        answer(id, DENY);
        for (const early of ids) answer(early, null);
      };`);
    for (let i = 0; i < 10; i++) expect(shown(await run())).toBe(DENIED);
  });

  test("that swaps ids is answered by id, not by order", async () => {
    const { run } = scripted(`
      const held = [];
      const on = (id, { payload }) => {
        held.push([id, payload.args.deny ? DENY : null]);
        if (held.length === 4) for (const [each, result] of held.splice(0).reverse()) answer(each, result);
      };`);
    const replies = await Promise.all([true, false, true, false].map((deny) => run({ deny })));
    expect(replies.map(shown)).toEqual([DENIED, "continue", DENIED, "continue"]);
  });

  test("that answers late has not answered, and its answer is not that of a later call", async () => {
    const { run, logger } = scripted(`
      const on = (id, { payload }) => {
        if (payload.args.late) setTimeout(() => answer(id, null), 700);
        else setTimeout(() => answer(id, DENY), 1200);
      };`);
    expect(shown(await run({ late: true }, { timeoutMs: 500 }))).toMatch(/^timeout: ORCS4041/);
    expect(shown(await run({}))).toBe(DENIED);
    expect(logger.lines.join("\n")).toContain("answers no pending request");
  });

  test("that sends 100 MB without a newline is cut off and killed", async () => {
    const { run } = scripted(`
      const on = () => {
        const chunk = "x".repeat(1 << 20);
        const more = (left) => left > 0 && process.stdout.write(chunk, () => more(left - 1));
        more(100);
      };`);
    const before = process.memoryUsage().rss;
    expect(shown(await run())).toMatch(
      /^killed: ORCS4041: it: it sent a line of more than 1048576 bytes/,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20);
  });

  test("that never answers is killed after three timeouts, and started again", async () => {
    const { run, logger } = scripted(`const on = () => undefined;`);
    for (let i = 0; i < 3; i++)
      expect(shown(await run({}, { timeoutMs: 2_000 }))).toMatch(/^timeout: /);
    expect(logger.lines.join("\n")).toContain("did not answer 3 requests in a row");
    expect(shown(await run({}, { timeoutMs: 2_000 }))).toMatch(/^timeout: /);
  });

  test("that sends garbage is answered by what is valid, and killed when nothing is", async () => {
    const some = scripted(`
      const on = (id) => {
        write("garbage\\n{}\\n[]\\n\\"x\\"\\n{\\"id\\":\\n\\u0000\\n");
        process.stdout.write(Buffer.from([0xff, 0xfe, 10]));
        answer(id, DENY);
      };`);
    expect(shown(await some.run())).toBe(DENIED);
    const all = scripted(`const on = () => write("{}\\n".repeat(5000));`);
    expect(shown(await all.run())).toMatch(/^killed: ORCS4041: it: it sent 1000 messages/);
  });

  test.each([
    ["an unknown action", `{ action: "alow" }`, /alow/],
    ["a number", "1", /^1$/],
    [
      "__proto__",
      `JSON.parse('{"action":"continue","ctx":{"payload":{"__proto__":{}}}}')`,
      /sets __proto__/,
    ],
  ])("that returns %s is reported", async (_, result, message) => {
    const { run } = scripted(`const on = (id) => answer(id, ${result});`);
    expect(shown(await run())).toMatch(message);
  });

  test("that returns an error has failed", async () => {
    const { run } = scripted(
      `const on = (id) => write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -1, message: "broken" }, result: null }) + "\\n");`,
    );
    expect(shown(await run())).toBe("error: it returned the error -1: broken");
  });

  test("that dies in the middle of an answer fails the calls that wait", async () => {
    const { run } = scripted(`
      const on = (id) => {
        write('{"jsonrpc":"2.0","id":"' + id + '","result":null}');
        setTimeout(() => process.exit(1), 50);
      };`);
    const replies = await Promise.all([run(), run(), run()]);
    for (const reply of replies)
      expect(shown(reply)).toMatch(/^killed: ORCS4041: it: it exited with code 1/);
  });

  test("that ignores SIGTERM and the end of its input, and has forked, is killed with its group", async () => {
    const { run, client } = scripted(`
      import { spawn } from "node:child_process";
      process.on("SIGTERM", () => undefined);
      setInterval(() => undefined, 1000);
      const child = spawn("sleep", ["1000"], { stdio: ["ignore", "inherit", "ignore"] });
      const on = (id) => answer(id, { action: "abort", reason: process.pid + " " + child.pid });`);
    const pids = (shown(await run()).match(/\d+/g) ?? []).map(Number);
    expect(pids.map(isRunning)).toEqual([true, true]);
    await client.close("over", 300);
    await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]), {
      timeout: 30_000,
    });
  });

  test("that leaves a grandchild with its output open has still ended", async () => {
    const { run } = scripted(`
      import { spawn } from "node:child_process";
      const child = spawn("sleep", ["1000"], { stdio: ["ignore", "inherit", "ignore"] });
      const on = () => {
        process.stderr.write("pid " + child.pid + "\\n");
        setTimeout(() => process.exit(7), 50);
      };`);
    expect(shown(await run())).toMatch(/it exited with code 7/);
  });

  test("that does not read its input fills no queue", async () => {
    const { run } = scripted(`const on = () => { for (;;) {} };`, { maxPending: 10 });
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => run({ text: "x".repeat(10_000) }, { timeoutMs: 3_000 })),
    );
    const texts = replies.map(shown);
    expect(texts.filter((text) => text.includes("ORCS4042"))).toHaveLength(30);
    expect(texts.every((text) => text !== "continue")).toBe(true);
  });
});

test("a handler that ends again and again is not started at once each time", async () => {
  const { run, logger } = scripted(`const on = () => process.exit(1);`);
  const texts: string[] = [];
  for (let i = 0; i < 5; i++) texts.push(shown(await run()));
  expect(texts[0]).toContain("ORCS4041");
  expect(texts.at(-1)).toMatch(
    /ORCS4040: it: it exited with code 1; it is not started again for \d+ ms/,
  );
  expect(logger.lines.length).toBeLessThan(5);
});

/** `npm run soak:handlers` kills 1,000, which takes minutes. */
const KILLS = Number(process.env["KILLS"] ?? 60);

test(
  `killed ${KILLS} times under load, no call slips through and none hangs`,
  { timeout: Math.max(120_000, KILLS * 2_000) },
  async () => {
    const { run, processes } = scripted(`
    const on = (id, { payload }) => answer(id, { action: "abort", reason: process.pid + " " + payload.args.n });`);
    let kills = 0;
    let calls = 0;
    let answered = 0;
    const pids = new Set<number>();
    const work = async (): Promise<void> => {
      while (kills < KILLS) {
        const n = ++calls;
        const text = shown(await run({ n }));
        const [, pid, own] = /"reason":"(\d+) (\d+)"/.exec(text) ?? [];
        if (pid === undefined) {
          expect(text).toMatch(/^(killed|error): ORCS404[01]/);
          continue;
        }
        answered++;
        expect(Number(own)).toBe(n);
        if (pids.has(Number(pid))) continue;
        // Each process is killed once, at its first answer, while the other calls wait for it.
        pids.add(Number(pid));
        kills++;
        process.kill(Number(pid), "SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    expect(answered).toBeGreaterThanOrEqual(KILLS);
    expect(calls).toBeGreaterThan(answered);
    // A process is left alone only if its first answer came after the last kill.
    expect(processes.size).toBeLessThanOrEqual(1);
  },
);
