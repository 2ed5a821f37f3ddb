import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { PassThrough, type Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, vi } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../slow-test.ts";
import { askTerminal, questionText, shown } from "../../../src/cli/ask-terminal.ts";
import type { Json } from "../../../src/core/json.ts";
import type { ApprovalRequest, Approve } from "../../../src/engine/orcs/options.ts";

const CTX = {
  hook_point: "tool.pre_execute",
  component_id: "lua::main",
  channel_id: "c",
  principal: { type: "system", id: "s" },
  timestamp_ms: 0,
  payload: {},
  metadata: {},
  depth: 0,
  max_depth: 4,
};

function request(more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const { signal } = new AbortController();
  const args = { command: "git push" };
  return { tool: "exec", args, reason: "it is risky", hook: "asker", ctx: CTX, signal, ...more };
}

/** A terminal with a human at it. */
class Human {
  readonly input: Duplex & { isTTY: boolean };
  readonly output = Object.assign(new PassThrough(), { isTTY: true });
  readonly approve: Approve;
  written = "";

  constructor(
    input: Duplex & { isTTY: boolean } = Object.assign(new PassThrough(), { isTTY: true }),
  ) {
    this.input = input;
    this.output.setEncoding("utf8").on("data", (text: string) => (this.written += text));
    this.approve = askTerminal(this.input, this.output) as Approve;
    onTestFinished(() => void this.input.destroy());
  }

  type(text: string | Uint8Array): void {
    this.input.write(text);
  }

  /** Wait until this many questions were shown. */
  async sees(count: number): Promise<void> {
    await vi.waitFor(() => expect(this.questions()).toBe(count), { timeout: 5000 });
  }

  questions(): number {
    return this.written.split("[y/N] ").length - 1;
  }

  /** Nobody listens to the input any more, and it does not flow. */
  expectLeftAlone(): void {
    expect(this.input.isPaused()).toBe(true);
    // What streams listen to themselves does not count.
    const own = new PassThrough();
    for (const event of ["data", "end", "close", "error", "readable"])
      expect(this.input.listenerCount(event), event).toBe(own.listenerCount(event));
  }
}

describe("terminal approval: the answer", () => {
  const answers: [line: string, approved: boolean][] = [
    ["y\n", true],
    ["Y\n", true],
    ["yes\n", true],
    ["YES\n", true],
    ["yEs\n", true],
    [" y \n", true],
    ["y\r\n", true],
    ["y\r", true],
    ["y\nn\n", true],
    ["\n", false],
    ["n\n", false],
    ["no\n", false],
    ["\ny\n", false],
    ["n\ny\n", false],
    ["ye\n", false],
    ["yess\n", false],
    ["yy\n", false],
    ["y y\n", false],
    ["y.\n", false],
    ["yes please\n", false],
    ["true\n", false],
    ["1\n", false],
    ["ok\n", false],
    ["ｙ\n", false],
    ["\u001b[Ay\n", false],
    ["y\u0000\n", false],
  ];
  test.concurrent.each(answers)("%j: %s", async (line, approved) => {
    const human = new Human();
    const answered = human.approve(request());
    await human.sees(1);
    human.type(line);
    expect(await answered).toBe(approved);
    human.expectLeftAlone();
  });

  test("a very long line does not approve", async () => {
    const human = new Human();
    const answered = human.approve(request());
    await human.sees(1);
    human.type(`${"y".repeat(1_000_000)}\n`);
    expect(await answered).toBe(false);
    human.expectLeftAlone();
  });

  test("may arrive in pieces, also within a character", async () => {
    const human = new Human();
    const answered = human.approve(request());
    await human.sees(1);
    for (const byte of Buffer.from("né\n")) {
      human.type(Uint8Array.of(byte));
      await sleep(1);
    }
    expect(await answered).toBe(false);
    const again = human.approve(request());
    await human.sees(2);
    for (const char of "yes\n") {
      human.type(char);
      await sleep(1);
    }
    expect(await again).toBe(true);
  });

  test("input typed before the question is ignored", async () => {
    const human = new Human();
    human.type("y\n");
    const answered = human.approve(request());
    human.type("y\ny\n");
    await human.sees(1);
    await sleep(20);
    human.type("n\n");
    expect(await answered).toBe(false);
    human.type("y\n");
    const again = human.approve(request());
    await human.sees(2);
    human.type("\n");
    expect(await again).toBe(false);
  });

  test("input while the user is still typing is ignored", async () => {
    const human = new Human();
    const answered = human.approve(request());
    for (let i = 0; i < 20; i++) {
      human.type("y\n");
      await sleep(10);
    }
    expect(human.questions()).toBe(0);
    await human.sees(1);
    human.type("n\n");
    expect(await answered).toBe(false);
  });

  test("earlier input that is read late because the thread was busy is ignored", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const connection = once(server, "connection");
    const far = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const [near] = (await connection) as [Socket];
    onTestFinished(() => {
      far.destroy();
      near.destroy();
      server.close();
    });
    const human = new Human(Object.assign(near.pause(), { isTTY: true }));
    const answered = human.approve(request());
    // It reads by now, and the question is not due yet.
    await sleep(1);
    const begun = performance.now();
    far.write("y\n");
    while (performance.now() < begun + 300);
    await human.sees(1);
    far.write("n\n");
    expect(await answered).toBe(false);
  });

  const ends: [string, (human: Human) => void, string][] = [
    ["ends", ({ input }) => input.end(), "nobody is available to ask: the input has ended"],
    [
      "ends in the line",
      ({ input }) => input.end("y"),
      "nobody is available to ask: the input has ended",
    ],
    ["closes", ({ input }) => input.destroy(), "nobody is available to ask: the input has ended"],
    ["fails", ({ input }) => input.destroy(new Error("read EIO")), "read EIO"],
  ];
  test.each(ends)("input that %s: no approval, now or later", async (_name, end, message) => {
    const human = new Human();
    const answered = human.approve(request());
    await human.sees(1);
    end(human);
    await expect(answered).rejects.toThrow(message);
    await expect(human.approve(request())).rejects.toThrow("nobody is available to ask");
    expect(human.questions()).toBe(1);
  });
});

test.each([
  [true, true, "function"],
  [true, false, "undefined"],
  [false, true, "undefined"],
  [undefined, undefined, "undefined"],
])(
  "terminal approval: availability stdin a terminal: %s, stderr: %s",
  (input, output, expected) => {
    const stream = (isTTY: boolean | undefined) => Object.assign(new PassThrough(), { isTTY });
    expect(typeof askTerminal(stream(input), stream(output))).toBe(expected);
  },
);

describe("terminal approval: several questions", () => {
  test("are asked one after the other, in order", async () => {
    const human = new Human();
    const tools = ["first", "second", "third"];
    const answered = tools.map(async (tool) => human.approve(request({ tool })));
    const answers: [string, boolean][] = [
      ["y", true],
      ["n", false],
      ["yes", true],
    ];
    for (const [i, [line]] of answers.entries()) {
      await human.sees(i + 1);
      // Time for the next one to come too early.
      await sleep(120);
      expect(human.questions()).toBe(i + 1);
      expect(human.written).toContain(`Run ${tools[i]}? [y/N] `);
      human.type(`${line}\n`);
    }
    expect(await Promise.all(answered)).toEqual(answers.map(([, approved]) => approved));
    human.expectLeftAlone();
  });

  test("one line answers one question", async () => {
    const human = new Human();
    const first = human.approve(request({ tool: "first" }));
    const second = human.approve(request({ tool: "second" }));
    await human.sees(1);
    human.type("y\ny\n");
    expect(await first).toBe(true);
    await human.sees(2);
    await sleep(20);
    human.type("n\n");
    expect(await second).toBe(false);
  });

  test("a question withdrawn while queued is not shown", async () => {
    const human = new Human();
    const { signal, abort } = withdrawable();
    const first = human.approve(request({ tool: "first" }));
    const second = human.approve(request({ tool: "second", signal }));
    const third = human.approve(request({ tool: "third" }));
    await human.sees(1);
    abort("no response within 5 ms");
    human.type("y\n");
    expect([await first, await second]).toEqual([true, false]);
    await human.sees(2);
    human.type("y\n");
    expect(await third).toBe(true);
    expect(human.written).not.toMatch(/second|Withdrawn/);
  });

  test("a question that fails does not affect the others", async () => {
    const human = new Human();
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const odd = human.approve(request({ args: cyclic as Record<string, Json> }));
    await expect(odd).rejects.toThrow(/circular/i);
    const answered = human.approve(request());
    await human.sees(1);
    human.type("y\n");
    expect(await answered).toBe(true);
  });
});

describe("terminal approval: a withdrawn question", () => {
  test("is marked as withdrawn, and the input stays usable", async () => {
    const human = new Human();
    const { signal, abort } = withdrawable();
    const answered = human.approve(request({ signal }));
    await human.sees(1);
    human.type("ye");
    await sleep(5);
    abort("no response within 5 ms");
    expect(await answered).toBe(false);
    human.expectLeftAlone();
    expect(human.written.endsWith("[y/N] \nWithdrawn: no response within 5 ms.\n")).toBe(true);
  });

  test("partial input for it does not answer the next one", async () => {
    const human = new Human();
    const { signal, abort } = withdrawable();
    const answered = human.approve(request({ signal }));
    const next = human.approve(request({ tool: "next" }));
    await human.sees(1);
    human.type("y");
    await sleep(5);
    abort("no response within 5 ms");
    human.type("\n");
    expect(await answered).toBe(false);
    await human.sees(2);
    human.type("es\n");
    expect(await next).toBe(false);
  });

  test("before it is shown prints nothing", async () => {
    const human = new Human();
    const { signal, abort } = withdrawable();
    const answered = human.approve(request({ signal }));
    await sleep(1);
    abort("the engine is closed");
    expect(await answered).toBe(false);
    await sleep(100);
    expect(human.written).toBe("");
    human.expectLeftAlone();
    expect(await human.approve(request({ signal }))).toBe(false);
  });
});

describe("terminal approval: the question text", () => {
  test("shows the hook, the tool, the reason and the arguments", () => {
    const args = { command: "git push", cwd: "/x", env: { A: "1" }, list: [1, null], n: 2 };
    expect(questionText(request({ args }))).toBe(
      [
        "",
        "Hook asker asks about exec: it is risky",
        '  command = "git push"',
        '  cwd = "/x"',
        '  env = {"A":"1"}',
        "  list = [1,null]",
        "  n = 2",
        "Run exec? [y/N] ",
      ].join("\n"),
    );
  });

  test("without reason, hook and arguments is short", () => {
    expect(questionText(request({ reason: undefined, hook: undefined, args: {} }))).toBe(
      "\norcs asks about exec\nRun exec? [y/N] ",
    );
  });

  const hostile: [string, string, string][] = [
    ["colour, title, cursor", "\u001b[31m\u001b]0;t\u0007\u001b[2A\u001b[2K", "\\u001b[31m"],
    ["8-bit control", "\u009b31m", "\\u{9b}31m"],
    ["lines", "a\nRun ls? [y/N] \r\n", "a\\nRun ls? [y/N] \\r\\n"],
    ["line separators", "a\u2028b\u2029c\u0085", "a\\u{2028}b\\u{2029}c\\u{85}"],
    ["backspaces", "rm\b\bls\u007f", "rm\\b\\bls\\u{7f}"],
    ["direction", "\u202egnp.\u2066\u200f", "\\u{202e}gnp.\\u{2066}\\u{200f}"],
    [
      "nothing to see",
      "r\u200bm\u00ad\ufeff\u3164\u{e0041}",
      "r\\u{200b}m\\u{ad}\\u{feff}\\u{3164}\\u{e0041}",
    ],
    ["spaces that are none", "a\u00a0b\u3000", "a\\u{a0}b\\u{3000}"],
    ["half a character", "\ud83d", "\\ud83d"],
    ["quotes", 'x" y = "z', '"x\\" y = \\"z"'],
  ];
  test.each(hostile)("escapes %s in an argument", (_name, value, escaped) => {
    const [, , line = "", ...rest] = questionText(request({ args: { command: value } })).split(
      "\n",
    );
    expect(line).toContain("  command = ");
    expect(line).toContain(escaped);
    expect(rest).toEqual(["Run exec? [y/N] "]);
  });

  test("keeps ordinary Unicode text readable", () => {
    expect(shown("größe 日本語 😀 ~/a_b -- $(x)", 100)).toBe("größe 日本語 😀 ~/a_b -- $(x)");
  });

  repeatedTest(
    "with any content has its own lines only, no control characters, and limited size",
    () => {
      const text = fc.oneof(
        fc.string({ unit: "binary", maxLength: 5000 }),
        fc.constantFrom("\u001b[2J", "\n\n", "\u202e", "\ud800", "x".repeat(1_000_000)),
      );
      const value = fc.oneof(text, fc.jsonValue() as fc.Arbitrary<Json>);
      const args = fc.dictionary(text, value, { maxKeys: 30 });
      fc.assert(
        fc.property(text, text, text, args, (tool, reason, hook, args) => {
          const question = questionText(request({ tool, reason, hook, args }));
          const count = Object.keys(args).length;
          expect(question.split("\n")).toHaveLength(3 + Math.min(count, 10) + (count > 10 ? 1 : 0));
          expect(question.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
          expect(stripVTControlCharacters(question)).toBe(question);
          expect(question.length).toBeLessThan(5500);
        }),
        { numRuns: runCount(60) },
      );
    },
  );

  test("shows the start and end of a long argument, and how much is missing", () => {
    const command = `echo ${"a".repeat(9000)}; rm -rf /`;
    const [, , line = ""] = questionText(request({ args: { command } })).split("\n");
    expect(line).toMatch(/^ {2}command = "echo a+ …\(6017 characters not shown\)… a+; rm -rf \/"$/);
    expect(line.length).toBeLessThan(3100);
  });

  test("limits the number of arguments shown", () => {
    const args = Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`k${i}`, i]));
    const lines = questionText(request({ args })).split("\n");
    expect(lines.slice(-3)).toEqual([
      "  k9 = 9",
      "  …and 3 more arguments, not shown",
      "Run exec? [y/N] ",
    ]);
  });

  test("quotes keys, so that one cannot look like another argument", () => {
    expect(questionText(request({ args: { 'a = "b"  c': 1 } }))).toContain(
      '  "a = \\"b\\"  c" = 1',
    );
  });
});

function withdrawable() {
  const controller = new AbortController();
  const abort = (why: string): void => controller.abort(new Error(why));
  return { signal: controller.signal, abort };
}
