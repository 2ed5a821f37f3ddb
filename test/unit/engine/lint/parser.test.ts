import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { beforeAll, describe, expect } from "vitest";
import { parseLua } from "../../../../src/engine/lint/parser.ts";
import { resolve } from "../../../../src/engine/lint/resolve.ts";
import { randomHandler } from "../../../fuzz/program.ts";
import { Random } from "../../../fuzz/random.ts";
import { cpuMs } from "../../../cpu-time.ts";
import { createRig, type Rig } from "../lua/rig.ts";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";

/** The real VM compiles; the parser must take at least what it takes. */
let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ limits: { maxRunMs: 20_000, memoryBytes: 512 * 2 ** 20 } });
});

/** Whether Lua compiles a chunk, of which nothing runs. */
function compiles(code: string): boolean {
  try {
    rig.script(`do return end ${code}`, `chunk-${count++}.lua`);
    return true;
  } catch (thrown) {
    expect(String(thrown)).toContain("ORCS3001");
    return false;
  }
}
let count = 0;

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const LUA_FILES = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".lua") && !/node_modules|(^|\/)dist\/|^lua\/meta\//.test(name),
);

/** One piece of every part of the grammar. */
const VALID = [
  "",
  ";;;",
  "local a <const>, b <close> = 1, nil",
  "local x = 0x.8p1 + 0XA.fP-2 + 3. + .5 + 1e+10 + 0xffffffffffffffff + 3e2",
  "local s = 'a\\'b' .. \"\\x41\\u{7fffffff}\\065\\z  \n  x\\\n\" .. [[\nlong]] .. [==[ ]] ]=] ]==]",
  "--[[ long\ncomment ]] local x --[==[ ]] ]==] = 1 --[ line\n--[=\nreturn x",
  "goto done; do local x = 1 end ::done::",
  "for i = 1, 10, 2 do break end for k, v in next, {} do end",
  "while true do if a then break elseif b then return else f() end end",
  "repeat local x = 1 until x == 1",
  "function a.b.c:d(x, ...) return self, ... end local function f() return f end",
  "f{1, 2; x = 3, ['y'] = 4, [5] = {}, } f'x' f[[y]] a.b['c']:d'x':e{}.f = 1",
  "local x = not -#~a ^ -2 ^ 3 .. 'a' .. 'b' // 2 % 3 & 4 | 5 ~ 6 << 7 >> 8",
  "local y = (a or b and c) ~= (d == e) and (f)(g)",
  "return",
  "return 1, 2;",
  "a, b.c, d[1] = f()",
  "local t = {f(), ...} return (...)",
  "x = a.b.c.d(1)(2)[3]:e()",
  "local function g(...) local a <const> = ... end",
];

const INVALID = [
  "local x = = 1",
  "x",
  "x + 1",
  "f() = 1",
  "(a) = 1",
  "local 1 = 2",
  "return 1 return 2",
  "if a then",
  "end",
  "for i = 1 do end",
  "for i = 1, 2, 3, 4 do end",
  "for a.b in c do end",
  "function f(a, ..., b) end",
  "local s = 'a\nb'",
  "local s = '\\q'",
  "local s = '\\300'",
  "local s = '\\u{80000000}'",
  "local s = [[",
  "--[[",
  "local x = 3x",
  "local x = 0x",
  "local x = 1..2",
  "local x = 1e",
  "a.1 = 2",
  "a:b = 1",
  "local x = @",
  "x = é",
  "local function a.b() end",
  "goto 1",
  "::a",
  "local x <const",
  "{} = 1",
  "f{1 2}",
  "local x = [=a",
  "x = }",
];

describe("the Lua parser and the VM", () => {
  test.each(VALID)("accept %j", (code) => {
    expect({ vm: compiles(code), own: parseLua(code) !== undefined }).toEqual({
      vm: true,
      own: true,
    });
  });

  test.each(INVALID)("reject %j", (code) => {
    expect({ vm: compiles(code), own: parseLua(code) !== undefined }).toEqual({
      vm: false,
      own: false,
    });
  });

  test.each(LUA_FILES)("%s parses", (name) => {
    expect(parseLua(readFileSync(ROOT + name, "utf8"))).toBeDefined();
  });

  test("there are Lua files to parse", () => {
    expect(LUA_FILES.length).toBeGreaterThan(8);
  });

  repeatedTest("accept every program of the fuzzer", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
        const code = `return ${randomHandler(new Random(seed))}`;
        return parseLua(code) !== undefined;
      }),
      { numRuns: runCount(500) },
    );
  });

  repeatedTest("agree on programs with a part removed or moved", () => {
    const pieces = VALID.flatMap((code) => code.match(/\w+|\s+|[^\w\s]/g) ?? []);
    let taken = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...VALID),
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom("", ...pieces),
        (code, where, removed, piece) => {
          const tokens = code.match(/\w+|\s+|[^\w\s]/g) ?? [];
          tokens.splice(where % (tokens.length + 1), removed, piece);
          const text = tokens.join("");
          if (!compiles(text)) return;
          taken += 1;
          expect(parseLua(text), text).toBeDefined();
        },
      ),
      { numRuns: runCount(800) },
    );
    expect(taken).toBeGreaterThan(runCount(800) / 16);
  });

  test("the parser accepts any text without an error, with correct positions of names", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...VALID)), (text) => {
        const statements = parseLua(text);
        if (!statements) return;
        for (const expression of resolve(statements).expressions) {
          const written = text.slice(expression.start, expression.end);
          if (expression.kind === "name") expect(written).toBe(expression.name);
          if (expression.kind === "number") expect(written).toBe(expression.text);
        }
      }),
    );
  });
});

describe("the Lua parser: size and depth", () => {
  test.each([
    ["parentheses", "x = ", "(", "1", ")"],
    ["tables", "x = ", "{", "", "}"],
    ["functions", "x = ", "function() return ", "1", " end"],
    ["blocks", "", "do ", "", " end"],
    ["powers", "x = ", "1 ^ ", "1", ""],
    ["negations", "x = ", "not ", "1", ""],
  ])("%s: nesting is limited as in Lua, without stack overflow", (_, lead, open, core, close) => {
    const nested = (depth: number): string =>
      lead + open.repeat(depth) + core + close.repeat(depth);
    expect(parseLua(nested(90))).toBeDefined();
    for (const depth of [150, 190, 200, 220]) {
      if (compiles(nested(depth))) expect(parseLua(nested(depth)), `${depth}`).toBeDefined();
    }
    expect(parseLua(nested(100_000))).toBeUndefined();
  });

  test.each([
    ["a sum", `x = 1${" + 1".repeat(100_000)}`],
    ["calls", `f${"()".repeat(100_000)}`],
    ["fields", `x = a${".b".repeat(100_000)}`],
    ["elseif", `if a then${" elseif b then".repeat(50_000)} end`],
  ])("a long chain is accepted: %s", (_, code) => {
    const statements = parseLua(code);
    expect(statements && resolve(statements).expressions.length).toBeGreaterThan(50_000);
  });

  test("a megabyte is parsed in linear time", () => {
    const source = readFileSync(`${ROOT}hooks/reminders.lua`, "utf8").replace(/return \{[^]*$/, "");
    const time = (copies: number): number => {
      const code = `do\n${source}\nend\n`.repeat(copies);
      return cpuMs(() => expect(parseLua(code)).toBeDefined(), 2);
    };
    time(100);
    // Ten times the size; a hundred times the time if it were quadratic.
    expect(time(800)).toBeLessThan(Math.max(time(80), 10) * 40);
  });
});
