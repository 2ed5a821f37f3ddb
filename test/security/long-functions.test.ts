import { describe, expect, test } from "vitest";
import { inBothModes } from "./modes.ts";

// Functions of the standard library that run long inside C, where no count hook reaches: one call each,
// and loops of calls that are short by themselves.

/** Long enough that a stall of the machine does not cut what does no harm. */
const RUN_MS = 150;
const GRACE_MS = 1000;

const PATTERNS: Record<string, string> = {
  "T11 find, quantifiers in a row": `(("a"):rep(1e4)):find(".-.-.-.-b$")`,
  "T11 find, one lazy quantifier": `(("a"):rep(40000)):find(".-b")`,
  "T11 match, anchored": `(" "):rep(20000):match("^(.-)%s*$")`,
  "T11 gsub": `(("a"):rep(1e4)):gsub(".-.-b", "")`,
  "T11 gmatch": `for _ in (("a"):rep(1e4)):gmatch(".-.-b") do end`,
  "T11 find, greedy": `(("a"):rep(3e3)):find(".*.*.*b")`,
  "T11 find, balanced": `(("("):rep(1e5)):find("%b()")`,
  "T11 find, frontier": `while true do (("a"):rep(1e5)):find("%f[b]") end`,
  "T11 find, back reference": `(("a"):rep(3e3)):find("(.*)(.*)%1%2b")`,
  "T11 find, sets": `(("a"):rep(1e4)):find("[a-z]-[a-z]-[a-z]-[0-9]")`,
  "T11 find in a loop": `while true do (("a"):rep(300)):find(".-.-b") end`,
  "T11 find in pcall": `while true do pcall(string.find, ("a"):rep(1e4), ".-.-.-b") end`,
  "T11 a pattern that is long": `(("a"):rep(1e5)):find(("a?"):rep(1e3) .. ("a"):rep(1e3) .. "b")`,
  "T14 plain find": `(("a"):rep(4e6)):find(("a"):rep(1e4) .. "b", 1, true)`,
  "T14 find without specials": `(("a"):rep(4e6)):find(("a"):rep(1e4) .. "b")`,
  "gsub of every character": `while true do (("a"):rep(1e6)):gsub("a", "b") end`,
  "gsub of nothing": `while true do (("a"):rep(1e6)):gsub("", "") end`,
  "gsub that grows": `(("a"):rep(1e6)):gsub("a", ("b"):rep(1e6))`,
  "string.format in a loop": `while true do string.format("%99.99f", 1e308) end`,
};

const TABLES: Record<string, string> = {
  "T14 table.move": `table.move({}, 1, 1e9, 2)`,
  "T14 table.move backwards": `table.move({}, 1, 1e9, -1e9)`,
  "T14 table.move into another": `table.move({}, 1, math.maxinteger - 1, 1, {})`,
  "T14 table.move in pcall": `while true do pcall(table.move, {}, 1, 1e9, 2) end`,
  "table.insert into a table that says it is long": `table.insert(setmetatable({}, { __len = function() return 1e9 end }), 1, 1)`,
  "table.insert into a table that says so the second time": `local n = 0 table.insert(setmetatable({}, { __len = function() n = n + 1 return n > 1 and 1e9 or 1 end }), 1, 1)`,
  "table.remove from a table that says it is long": `table.remove(setmetatable({}, { __len = function() return 1e9 end }), 1)`,
  "table.remove from a table that says so the second time": `local n = 0 table.remove(setmetatable({}, { __len = function() n = n + 1 return n > 1 and 1e9 or 1 end }), 1)`,
  "table.insert in front, many times": `local t = {} for i = 1, 2e5 do t[i] = i end while true do table.insert(t, 1, 0) end`,
  "table.remove in front, many times": `local t = {} for i = 1, 5e5 do t[i] = i end while true do table.remove(t, 1) end`,
  "table.sort": `local t = {} for i = 1, 3e5 do t[i] = (i * 7919) % 1000003 end while true do table.sort(t) for i = 1, 10 do t[i] = i end end`,
  "table.sort of a table that says it is long": `pcall(table.sort, setmetatable({}, { __len = function() return (1 << 31) - 2 end, __index = function() return 1 end }))`,
  "table.sort of equal items": `local t = {} for i = 1, 3e5 do t[i] = 1 end while true do table.sort(t) end`,
  "table.concat of a table that says it is long": `table.concat(setmetatable({}, { __len = function() return 1e9 end, __index = function() return "" end }))`,
  "table.concat in a loop": `local t = {} for i = 1, 3e5 do t[i] = "a" end while true do table.concat(t) end`,
  "table.unpack of a range": `while true do pcall(table.unpack, {}, 1, 1e6) end`,
  "table.pack": `local t = {} for i = 1, 1e5 do t[i] = i end while true do table.pack(table.unpack(t)) end`,
  select: `local t = {} for i = 1, 1e5 do t[i] = i end while true do select("#", table.unpack(t)) end`,
  "next over a hole": `local t = {} for i = 1, 2e5 do t["k" .. i] = i end for k in pairs(t) do t[k] = nil end while true do next(t) end`,
};

const STRINGS: Record<string, string> = {
  "T14 rep of nothing": `("").rep("", 1e15)`,
  "T14 rep of nothing, in pcall": `while true do pcall(string.rep, "", 1e15) end`,
  "T14 rep of nothing with a separator of nothing": `("").rep("", 1e15, "")`,
  "rep of much": `while true do pcall(string.rep, "x", 1e9) end`,
  "rep of a little, often": `while true do ("x"):rep(1e6) end`,
  "utf8.len": `local s = ("é"):rep(3e6) while true do utf8.len(s) end`,
  "utf8.codes": `local s = ("é"):rep(3e6) while true do for _ in utf8.codes(s) do end end`,
  "utf8.codepoint": `local s = ("a"):rep(2e5) while true do pcall(utf8.codepoint, s, 1, -1) end`,
  "utf8.offset": `local s = ("é"):rep(3e6) while true do utf8.offset(s, 2e6) end`,
  "utf8.offset backwards": `local s = ("\\x80"):rep(6e6) while true do utf8.offset(s, 0, 6e6) end`,
  "utf8.char": `local t = {} for i = 1, 1e5 do t[i] = 233 end while true do utf8.char(table.unpack(t)) end`,
  "string.byte": `local s = ("a"):rep(2e5) while true do pcall(string.byte, s, 1, -1) end`,
  "string.char": `local t = {} for i = 1, 1e5 do t[i] = 65 end while true do string.char(table.unpack(t)) end`,
  "string.pack": `while true do pcall(string.pack, ("!16 z"):rep(1e5), "a") end`,
  "string.pack of nothing": `while true do pcall(string.pack, (" "):rep(4e6)) end`,
  "string.packsize": `while true do pcall(string.packsize, ("i1"):rep(2e6)) end`,
  "string.unpack": `local s, f = ("a"):rep(2e5), ("b"):rep(2e5) while true do pcall(string.unpack, f, s) end`,
  "string.format": `local s = ("a"):rep(4e6) while true do ("%q"):format(s) end`,
  "string.format of nothing": `local f = ("%%"):rep(3e6) while true do f:format() end`,
  "math.random": `while true do math.random(0) end`,
};

const NAMES: Record<string, string> = {
  "name_rules, stars in a row": `orcs.name_rules({ ("*a"):rep(12) .. "b" }):match(("a"):rep(250))`,
  "name_rules, stars and a long name": `orcs.name_rules({ ("*a"):rep(500) .. "b" }):match(("a"):rep(1e6))`,
  "name_rules, many rules and folders": `local t = {} for i = 1, 3e4 do t[i] = "*x" .. i end
    orcs.name_rules(t):match(("a/"):rep(1e5))`,
  "name_rules, two globs": `local t = {} for i = 1, 1000 do t[i] = ("*a"):rep(500) end
    orcs.name_rules(t):match("a" .. ("*a"):rep(2000))`,
  "name_rules, brackets": `local t = {} for i = 1, 3000 do t[i] = ("["):rep(1000) .. i end
    orcs.name_rules(t):match(("["):rep(4000))`,
  "name_rules, parentheses": `local r = orcs.name_rules({ "a" }) while true do r:match(("!("):rep(2000)) end`,
  "name_rules, folders below": `local t = {} for i = 1, 2000 do t[i] = ("a/"):rep(500) end
    orcs.name_rules(t):below(("a/"):rep(499) .. "b/", true)`,
  "name_rules, made again and again": `while true do pcall(orcs.name_rules, { "a" }) end`,
  "only_reads, made again and again": `while true do pcall(orcs.only_reads, { says = { "a" } }) end`,
};

inBothModes(({ attack }) => {
  async function expectBounded(harm: string): Promise<void> {
    const report = await attack({
      scripts: [`return function(ctx) if ctx.payload.args.harm then ${harm} end end`],
      limits: { maxRunMs: RUN_MS },
      calls: [{ payload: { harm: true } }, {}],
    });
    const [first, second] = report.calls;
    expect(first?.ms).toBeLessThan(RUN_MS + GRACE_MS);
    expect(second?.action).toBe("continue");
  }

  describe.each([
    ["patterns", PATTERNS],
    ["tables", TABLES],
    ["strings", STRINGS],
    ["names", NAMES],
  ])("a long-running function is interrupted: %s", (_, cases) => {
    test.each(Object.entries(cases))("%s", async (_, harm) => {
      await expectBounded(harm);
    });
  });

  describe("long work between two Lua instructions", () => {
    /** Keys that go to different places of one hash part, and all to one place of the next larger. */
    const colliding: Record<string, string> = {
      integers: `local m = (1 << 18) - 1 for i = 1, (1 << 17) + 1 do t[i * m] = true end`,
      "negative integers": `local m = (1 << 16) - 1 for i = 1, (1 << 15) + 1 do t[-i * m] = true end`,
      floats: `local m = (1 << 16) - 1
      for e = 0, 3 do
        for j = (1 << 30) // m + 1, (1 << 31) // m do t[((j * m - e) / 2^31) * 2.0^e] = true end
      end`,
      "integers, among them strings": `local m = (1 << 16) - 1
      for i = 1, (1 << 15) + 1 do t[i * m] = true t["k" .. i] = true end`,
    };
    test.each(Object.keys(colliding))(
      "growing a table with colliding keys is interrupted: %s",
      async (keys) => {
        const report = await attack({
          scripts: [`return function(ctx) local t = {} ${colliding[keys]} end`],
          limits: { maxRunMs: 5000 },
        });
        expect(report.calls[0]?.ms).toBeLessThan(GRACE_MS);
        expect(report.calls[0]?.reason).toContain("not enough memory");
      },
    );

    test.each([
      ["a list of numbers", `for i = 1, 1e5 do t[i] = i end`],
      [
        "multiples",
        `for i = 1, 1e5 do t[i * 1000] = i end for i = 1, 1e5 do t[i * 1000] = nil end`,
      ],
      ["powers of two", `for i = 1, 5e4 do t[i << 20] = i end`],
      ["times in milliseconds", `for i = 1, 5e4 do t[1700000000000 + i * 86400000] = i end`],
      ["fractions", `for i = 1, 5e4 do t[i + 0.5] = i t[i / 7] = i end`],
      ["names", `for i = 1, 5e4 do t["file" .. i] = i end`],
      ["tables", `for i = 1, 3e4 do t[{}] = i end`],
      ["negative numbers", `for i = 1, 5e4 do t[-i] = i end`],
    ])("ordinary keys are not interrupted: %s", async (_, fill) => {
      const report = await attack({ scripts: [`return function(ctx) local t = {} ${fill} end`] });
      expect(report.calls[0]).toMatchObject({ action: "continue" });
    });

    test("weak tables in a bad order for the collector are interrupted", async () => {
      await expectBounded(`
      local n, meta, keys, tables, order = 4e4, {}, {}, {}, {}
      for i = 1, n + 1 do keys[i] = {} end
      for i = 1, n do order[i] = i end
      for i = n, 2, -1 do local j = math.random(i) order[i], order[j] = order[j], order[i] end
      for i = 1, n do tables[i] = setmetatable({}, meta) end
      for i = 1, n do tables[order[i]][keys[i]] = keys[i + 1] end
      meta.__mode = "k"
      local first = keys[1]
      keys, order = nil, nil
      while true do local x = { first } end`);
    });

    test("__mode is ignored, whenever it is set", async () => {
      const report = await attack({
        scripts: [
          `return function(ctx)
          local meta = {}
          local late, early = setmetatable({ {} }, meta), setmetatable({ {}, [{}] = 1 }, { __mode = "kv" })
          meta.__mode = "v"
          for i = 1, 2e5 do local x = { i } end
          ctx.payload.args.kept = { late[1] ~= nil, early[1] ~= nil, next(early, 1) ~= nil }
        end`,
        ],
      });
      expect(report.calls[0]?.payload).toMatchObject({ args: { kept: [true, true, true] } });
    });
  });
});
