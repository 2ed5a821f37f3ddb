import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import type { ShellCommand, ShellReading } from "../../../../src/core/shell.ts";
import { quoteWords } from "../../../../src/core/shell-words.ts";
import { compileRuns } from "../../../../src/matching/shell/match-command.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";
import { folder, open } from "../orcs/engine.ts";
import { call, failureOf, objectRig, type Isolation } from "./object-rig.ts";
import { quickTest as test, repeatedTest, runCount, slowTest } from "../../../slow-test.ts";

const ISOLATIONS: readonly Isolation[] = ["thread", "worker"];

const COMMAND: ShellCommand = {
  argv: ["rm", "-r", "a b"],
  unknown: [],
  program: "rm",
  redirects: [],
  via: [],
  from: [],
  cwd: "/w",
  dynamic: false,
  opaque: false,
  described: true,
  effects: [
    { kind: "remove", target: "/w/a b", sure: true, recursive: true, word: "a b", cwd: "/w" },
    { kind: "run", sure: false },
  ],
};
const REST: ShellCommand = {
  argv: ["/bin/cat", "$X", "", "日\0"],
  unknown: [1, 3],
  program: "cat",
  redirects: [
    { op: ">", target: "/dev/null", dynamic: false },
    { op: "&>>", target: "$Y", dynamic: true },
  ],
  via: ["sudo", "$()"],
  from: ["curl"],
  cwd: undefined,
  dynamic: true,
  opaque: true,
};

/** What Lua makes of a command: positions from 1, nothing for a directory that is not known. */
function inLua({
  cwd,
  unknown,
  described = false,
  effects = [],
  quoted = [],
  ...command
}: ShellCommand): unknown {
  const at = unknown.map((position) => position + 1);
  return { ...command, unknown: at, quoted, described, effects, ...(cwd !== undefined && { cwd }) };
}

const FUNCTIONS = `return {
  shell = function(command, cwd, options) return orcs.shell(command, cwd, options) end,
  count = function(command) return #orcs.shell(command) end,
  path = function(path, cwd) return orcs.real_path(path, cwd) end,
  run = function(n, x)
    local wrong = {
      [1] = function() return orcs.shell() end,
      [2] = function() return orcs.shell(nil) end,
      [3] = function() return orcs.shell(1) end,
      [4] = function() return orcs.shell(true) end,
      [5] = function() return orcs.shell(print) end,
      [6] = function() return orcs.shell(orcs.null) end,
      [7] = function() return orcs.shell({}) end,
      [8] = function() return orcs.shell(orcs.array()) end,
      [9] = function() return orcs.shell({ command = "ls" }) end,
      [10] = function() return orcs.shell({ "ls", 1 }) end,
      [11] = function() return orcs.shell({ "ls", orcs.null }) end,
      [12] = function() return orcs.shell({ "ls", { "x" } }) end,
      [13] = function() return orcs.shell({ "ls", false }) end,
      [14] = function() return orcs.shell({ "ls", nil, "x" }) end,
      [15] = function() return orcs.shell({ "ls", x = "x" }) end,
      [16] = function() return orcs.shell({ "ls", print }) end,
      [17] = function() return orcs.shell("ls \\xff") end,
      [18] = function() return orcs.shell({ "ls", "\\xff" }) end,
      [19] = function() return orcs.shell("ls", 1) end,
      [20] = function() return orcs.shell("ls", {}) end,
      [21] = function() return orcs.shell("ls", "\\xff") end,
      [22] = function() return orcs.shell(setmetatable({}, { __tostring = function() return "ls" end })) end,
      [23] = function() return orcs.shell(coroutine.create(print)) end,
      [30] = function() return orcs.real_path() end,
      [31] = function() return orcs.real_path(1) end,
      [32] = function() return orcs.real_path({ "x" }) end,
      [33] = function() return orcs.real_path("\\xff") end,
      [34] = function() return orcs.real_path("x", 1) end,
      [35] = function() return orcs.real_path("x", "\\xff") end,
      [36] = function() return orcs.real_path("x\\0") end,
      [37] = function() return orcs.real_path("x", "y\\0") end,
      [38] = function() return orcs.real_path(("x"):rep(65536)) end,
    }
    local ok, why = pcall(wrong[n])
    return { ok = ok, why = why }
  end,
}`;

const WORDS = "orcs.shell: argument 1 must be a string or a list of strings";
const WRONG: readonly (readonly [number: number, why: string])[] = [
  [1, WORDS],
  [2, WORDS],
  [3, WORDS],
  [4, WORDS],
  [5, WORDS],
  [6, WORDS],
  [7, WORDS],
  [8, WORDS],
  [9, WORDS],
  [10, WORDS],
  [11, WORDS],
  [12, WORDS],
  [13, WORDS],
  [14, "orcs.shell: argument 1: the value is a list with a missing element at 2"],
  [15, "orcs.shell: argument 1: the value has both string keys and list indices"],
  [16, "orcs.shell: argument 1: the value/1 is a function"],
  [17, "orcs.shell: argument 1 must be a valid UTF-8 string"],
  [18, "orcs.shell: argument 1: the value/1 is not valid UTF-8"],
  [19, "orcs.shell: argument 2 must be a string"],
  [20, "orcs.shell: argument 2 must be a string"],
  [21, "orcs.shell: argument 2 must be a valid UTF-8 string"],
  [22, WORDS],
  [23, WORDS],
  [30, "orcs.real_path: argument 1 must be a string"],
  [31, "orcs.real_path: argument 1 must be a string"],
  [32, "orcs.real_path: argument 1 must be a string"],
  [33, "orcs.real_path: argument 1 must be a valid UTF-8 string"],
  [34, "orcs.real_path: argument 2 must be a string"],
  [35, "orcs.real_path: argument 2 must be a valid UTF-8 string"],
  [36, `orcs.real_path: "x\\u0000" contains a NUL byte`],
  [37, `orcs.real_path: "y\\u0000" contains a NUL byte`],
  [38, "is too long for a path"],
];

describe.each(ISOLATIONS)("orcs.shell, orcs.runs and orcs.real_path on the %s", (isolation) => {
  test("orcs.shell returns commands as complete, modifiable tables", async () => {
    const answer = [COMMAND, REST];
    const shell = (): ShellReading => ({ commands: answer, unread: undefined });
    const rig = await objectRig(isolation, { ports: { shell } });
    const object = await rig.load(`return {
      run = function() return orcs.shell("x") end,
      change = function()
        local first, second = orcs.shell("x")[1], orcs.shell("x")[1]
        first.argv[1], first.via[1], first.more, first.cwd = "ls", "x", true, nil
        return { first, second, orcs.shell("x")[1], rawequal(first, second) }
      end,
    }`);
    expect(await call(object, "run")).toEqual(answer.map(inLua));
    expect(await call(object, "change")).toEqual([
      {
        ...(inLua({ ...COMMAND, cwd: undefined }) as object),
        argv: ["ls", "-r", "a b"],
        via: ["x"],
        more: true,
      },
      inLua(COMMAND),
      inLua(COMMAND),
      false,
    ]);
    expect(answer).toEqual([COMMAND, REST]);
  });

  test("orcs.shell passes its arguments to the reader", async () => {
    const asked: unknown[] = [];
    const shell = (...args: unknown[]): ShellReading => {
      asked.push(args);
      return { commands: [], unread: undefined };
    };
    const object = await (await objectRig(isolation, { ports: { shell } })).load(FUNCTIONS);
    const lines = ["", " \n", "ls\0-l\r\n", "日本 \ud800", "'", "x".repeat(65_537)];
    for (const line of lines) expect(await call(object, "shell", [line])).toEqual([]);
    expect(await call(object, "shell", ["ls", "/a b"])).toEqual([]);
    expect(
      await call(object, "shell", [["FOO=1", "if", "a'b", "", "$(x)", "~", "日\n\0"]]),
    ).toEqual([]);
    expect(await call(object, "shell", ["ls", "/a b", { spans: true }])).toEqual([]);
    expect(asked).toEqual([
      ...lines.map((line) => [line, undefined, undefined]),
      ["ls", "/a b", undefined],
      [`'FOO=1' 'if' 'a'\\''b' '' '$(x)' '~' '日\n\0'`, undefined, undefined],
      ["ls", "/a b", { spans: true, files: false, dialect: undefined }],
    ]);
  });

  test("orcs.shell accepts a list that is part of a context", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load(FUNCTIONS);
    expect(await call(object, "shell", [["bash", "-lc", "git  push; rm x"]])).toMatchObject([
      { argv: ["bash", "-lc", "git  push; rm x"], via: [] },
      { argv: ["git", "push"], via: ["bash"] },
      { argv: ["rm", "x"], via: ["bash"] },
    ]);
  });

  test("invalid arguments raise an error that names the problem", async () => {
    const object = await (await objectRig(isolation)).load(FUNCTIONS);
    for (const [number, why] of WRONG) {
      const said = (await call(object, "run", [number])) as { ok: boolean; why: string };
      expect(said.ok, `${number}`).toBe(false);
      expect(said.why, `${number}`).toMatch(/^c\.lua:\d+: /);
      expect(said.why, `${number}`).toContain(why);
      expect(said.why.length, `${number}`).toBeLessThan(300);
    }
  });

  test("orcs.runs matches like match.runs, for any number of pattern lists", async () => {
    const object = await (
      await objectRig(isolation)
    ).load(`return {
      run = function(command, patterns) return orcs.runs(command, patterns) end,
      many = function()
        local held = 0
        for i = 1, 600 do
          if orcs.runs("run" .. i .. " x", { "run" .. i }) then held = held + 1 end
          if orcs.runs("run" .. i .. " x", { "run" .. i .. " y" }) then held = held + 1000 end
        end
        return held
      end,
    }`);
    const patterns = ["git push --force", "rm -r*", "?", "a 'b c'", "head -n 5"];
    const lines = [
      "git -C x push -f",
      "git push",
      "rm --rec x",
      "rm x",
      "$X",
      "ls $X",
      "a 'b c'",
      "a b c",
      "head -n5",
      "",
    ];
    const reader = createShellReader();
    for (const pattern of patterns) {
      const holds = compileRuns([pattern]);
      for (const line of lines) {
        const expected = holds(reader.read(line).commands);
        expect(await call(object, "run", [line, pattern]), `${pattern}: ${line}`).toBe(expected);
        expect(await call(object, "run", [line, [pattern]])).toBe(expected);
        expect(await call(object, "run", [["sh", "-c", line], pattern])).toBe(expected);
      }
    }
    expect(await call(object, "run", ["ls; rm -R x", patterns])).toBe(true);
    expect(await call(object, "run", [["ls", "; rm -r x"], patterns])).toBe(false);
    expect(await call(object, "run", ["x".repeat(65_537), patterns])).toBe(true);
    expect(await call(object, "many")).toBe(600);
    expect(await failureOf(call(object, "run", ["ls", ["ls", "rm -r && ls"]]))).toMatch(
      /^c\.lua:2: .*'&' separates commands/,
    );
  });

  test("the list from orcs.shell says whether the line was read completely", async () => {
    const object = await (
      await objectRig(isolation)
    ).load(`return {
      run = function(line)
        local list = orcs.shell(line)
        local keys = 0
        for _ in pairs(list) do keys = keys + 1 end
        return {
          complete = list.complete, why = list.why, count = #list, keys = keys,
          last = list[#list] and list[#list].opaque or false, json = orcs.json_encode(orcs.shell(line)),
          array = rawequal(orcs.array(list), list), protected = getmetatable(list),
        }
      end,
      own = function()
        local first, second = orcs.shell("ls"), orcs.shell("ls\\nfi")
        first.complete, second.why = "mine", "mine"
        return { first.complete, second.complete, second.why, orcs.shell("ls").complete, orcs.shell("ls\\nfi").why }
      end,
    }`);
    const whole = { complete: true, array: true, protected: false, last: false };
    expect(await call(object, "run", [""])).toEqual({ ...whole, count: 0, keys: 0, json: "[]" });
    expect(await call(object, "run", ["ls; ls"])).toMatchObject({ ...whole, count: 2, keys: 2 });
    const why = "syntax error: unexpected token 'fi'";
    for (const [line, count, reason] of [
      ["ls; ls\nfi", 3, why],
      ["fi", 1, why],
      ["ls \0", 2, "it contains a NUL byte"],
      [`ls #${"x".repeat(70_000)}`, 2, "it is longer than 65536 characters"],
    ] as const) {
      const found = await call(object, "run", [line]);
      expect(found).toMatchObject({ complete: false, why: reason, count, keys: count, last: true });
      expect(found).toMatchObject({ array: true, protected: false });
    }
    expect(await call(object, "own")).toEqual(["mine", false, "mine", true, why]);
  });

  test("orcs.runs of an unparsable line is true, with a reason unless a part matches", async () => {
    const object = await (
      await objectRig(isolation)
    ).load(`return {
      run = function(line, patterns)
        local count = select("#", orcs.runs(line, patterns))
        local found, why = orcs.runs(line, patterns)
        return { found, why or "", count }
      end,
    }`);
    const why = "syntax error: unexpected token ')'";
    expect(await call(object, "run", ["ls; )", "rm"])).toEqual([true, why, 2]);
    expect(await call(object, "run", ["rm x\n)", "rm"])).toEqual([true, "", 1]);
    expect(await call(object, "run", ["ls; )", "?"])).toEqual([true, "", 1]);
    expect(await call(object, "run", ["ls", "rm"])).toEqual([false, "", 1]);
    expect(await call(object, "run", [["sh", "-c", "ls; )"], "rm"])).toEqual([true, why, 2]);
  });

  test("an error in the host becomes a Lua error; the script continues", async () => {
    const fail = (): never => {
      throw new Error("the disk is gone");
    };
    const rig = await objectRig(isolation, { ports: { shell: fail, realPath: fail } });
    const object = await rig.load(FUNCTIONS);
    expect(await failureOf(call(object, "shell", ["ls"]))).toMatch(/^c\.lua:2: the disk is gone/);
    expect(await failureOf(call(object, "path", ["x"]))).toMatch(/^c\.lua:4: the disk is gone/);
    expect((await call(object, "run", [1])) as object).toMatchObject({ ok: false });
  });

  test("orcs.real_path passes paths unchanged", async () => {
    const asked: unknown[] = [];
    const realPath = (...args: unknown[]): string => {
      asked.push(args);
      return "/日\0 x";
    };
    const object = await (await objectRig(isolation, { ports: { realPath } })).load(FUNCTIONS);
    expect(await call(object, "path", ["a/../日"])).toBe("/日\0 x");
    expect(await call(object, "path", ["", "/w"])).toBe("/日\0 x");
    expect(asked).toEqual([
      ["a/../日", undefined],
      ["", "/w"],
    ]);
  });

  test("orcs.real_path follows symlinks; a loop is an error", async () => {
    const dir = folder({ "out/f": "" });
    symlinkSync("out", join(dir, "link"));
    symlinkSync("loop", join(dir, "loop"));
    const object = await (await objectRig(isolation)).load(FUNCTIONS);
    expect(await call(object, "path", ["link/../link/new", dir])).toBe(join(dir, "out/new"));
    expect(await failureOf(call(object, "path", ["loop", dir]))).toContain(
      `c.lua:4: orcs.real_path: "loop" has too many levels of symbolic links`,
    );
  });

  test("they work while a script loads and where Lua cannot wait", async () => {
    const rig = await objectRig(isolation);
    const code = `local loaded = { #orcs.shell("ls; ls"), orcs.real_path("/") }
      return { run = function()
        local co = coroutine.wrap(function() return #orcs.shell("ls") end)
        local n
        string.gsub("x", "x", function() n = orcs.real_path("/") end)
        return { loaded[1], loaded[2], co(), n }
      end }`;
    expect(await call(await rig.load(code), "run")).toEqual([2, "/", 1, "/"]);
  });

  describe("huge command lines", () => {
    const many = (count: number): ShellReading => ({
      commands: Array.from({ length: count }, () => COMMAND),
      unread: undefined,
    });

    slowTest(
      "more commands than memory holds: a catchable error, and the script continues",
      async () => {
        let count = 50_000;
        const rig = await objectRig(isolation, { ports: { shell: () => many(count) } });
        const object = await rig.load(`return {
        run = function() return pcall(orcs.shell, "x") end,
        say = function() return select(2, pcall(orcs.shell, "x")) end,
        loaded = function() return #orcs.shell("x") end,
      }`);
        expect(await call(object, "run")).toBe(false);
        expect(await call(object, "say")).toContain("not enough memory");
        count = 3;
        expect(await call(object, "loaded")).toBe(3);
        expect(object.lost).toBe(false);
        count = 50_000;
        expect(await failureOf(rig.run(`return #orcs.shell("x")`))).toContain("not enough memory");
      },
    );

    slowTest("pushing the result counts as script time", async () => {
      const rig = await objectRig(isolation, {
        limits: { maxRunMs: 50, memoryBytes: 2 ** 30 },
        ports: { shell: () => many(20_000) },
      });
      const object = await rig.load(`return { run = function()
        pcall(function() while true do orcs.shell("x") end end)
      end }`);
      expect(await failureOf(call(object, "run"))).toContain("ran longer than 50 ms");
      expect(object.lost).toBe(true);
    });

    slowTest(
      "beyond 64 KB: the commands before it, and an opaque command for the rest",
      async () => {
        const object = await (await objectRig(isolation)).load(FUNCTIONS);
        const rest = { argv: [], opaque: true };
        const long = "x".repeat(65_537);
        expect(await call(object, "shell", [long])).toMatchObject([rest]);
        expect(await call(object, "shell", [`ls; ${"y ".repeat(2 ** 21)}`])).toMatchObject([
          { argv: ["ls"] },
          rest,
        ]);
        expect(await call(object, "shell", [`ls; ${"y ".repeat(5_000)}`])).toMatchObject([
          { argv: ["ls"] },
          { program: "y" },
        ]);
        expect(await call(object, "shell", [[long, "x"]])).toMatchObject([rest]);
      },
    );

    slowTest("just under the limit: a result or an error, and the script continues", async () => {
      const object = await (
        await objectRig(isolation)
      ).load(`return {
        run = function(line)
          local ok, got = pcall(orcs.shell, line)
          return ok and type(got) == "table" or not ok and got:find("not enough memory", 1, true) ~= nil
        end,
      }`);
      for (const part of ["a;", "sudo ", ">a ", 'sh -c "', "$("])
        expect(await call(object, "run", [part.repeat(60_000 / part.length)]), part).toBe(true);
      expect(object.lost).toBe(false);
    });
  });
});

describe("quoteWords", () => {
  repeatedTest("makes each word a single word for the reader, whatever it contains", () => {
    const reader = createShellReader({ home: "/home/u" });
    const odd = fc.constantFrom(
      ..."$ ` ' \" \\ ; & | < > ( ) { } [ ] * ? ~ # ! = % ^ , : \n \t - / é".split(" "),
      "$HOME",
      "$(x)",
      "if",
      "\r",
      " ",
      "日",
    );
    const word = fc
      .array(fc.oneof(odd, fc.string({ maxLength: 5 })), { maxLength: 5 })
      .map((list) => list.join("").replaceAll("\0", ""));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        // `true` starts nothing else.
        const [first, ...more] = reader.read(quoteWords(["true", ...words]), "/w").commands;
        expect(first).toMatchObject({ argv: ["true", ...words], unknown: [], dynamic: false });
        expect([first?.redirects, more]).toEqual([[], []]);
      }),
      { numRuns: runCount(500) },
    );
  });

  test.each([
    "if",
    "{",
    "}",
    "!",
    "[[",
    "case",
    "function",
    "FOO=bar",
    "a=b=c",
    "~",
    "*",
    "coproc",
    "()",
  ])("%s as the first word is a program name", (name) => {
    const found = createShellReader({}).read(quoteWords([name, "x"]));
    expect(found.commands).toMatchObject([{ argv: [name, "x"], program: name, dynamic: false }]);
  });

  test("keeps nested commands readable (sudo sh -c)", () => {
    expect(
      createShellReader({}).read(quoteWords(["sudo", "sh", "-c", "echo 'a b' && rm -r \"$X\""]))
        .commands,
    ).toMatchObject([
      { program: "sudo" },
      { program: "sh", via: ["sudo"] },
      { argv: ["echo", "a b"], via: ["sudo", "sh"] },
      { program: "rm", unknown: [2], dynamic: true, via: ["sudo", "sh"] },
    ]);
  });
});

test.each(ISOLATIONS)(
  "orcs.real_path in an engine resolves paths from permissions.root (%s)",
  async (isolation) => {
    const dir = folder({ "root/sub/f": "" });
    mkdirSync(join(dir, "elsewhere"));
    symlinkSync("../../elsewhere", join(dir, "root/sub/out"));
    symlinkSync("root", join(dir, "linked"));
    const orcs = await open({
      cwd: dir,
      config: {
        permissions: { root: "linked" },
        lua: { isolation },
        hooks: [
          {
            point: "tool.pre_execute",
            handler_inline: `function(ctx)
              local m, args = ctx.metadata, ctx.payload.args
              m.path, m.from = orcs.real_path(args.path), orcs.real_path("out/x", "sub")
              m.shell, m.list = orcs.shell(args.command)[1].cwd, orcs.shell(args.list, "sub/../x")
              m.home = orcs.shell("ls ~")[1].argv[2]
            end`,
          },
        ],
      },
    });
    const args = { path: "sub/out/new", command: "ls", list: ["ls", "a b"] };
    const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args } as never);
    expect(outcome).toMatchObject({ action: "continue" });
    const { list, ...metadata } = outcome.ctx.metadata as Record<string, Json>;
    expect(metadata).toEqual({
      path: join(dir, "elsewhere/new"),
      from: join(dir, "elsewhere/x"),
      shell: ".",
      home: homedir(),
    });
    expect(list).toMatchObject([{ argv: ["ls", "a b"], cwd: join(dir, "linked/x") }]);
  },
);
