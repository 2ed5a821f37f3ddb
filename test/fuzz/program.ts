import type { Random } from "./random.ts";

const NAMES = ["a", "b", "c", "t", "u"] as const;
const KEYS = [
  "command",
  "list",
  "deep",
  "x",
  "y",
  "1",
  "__proto__",
  "constructor",
  "then",
  "toJSON",
];
const NUMBERS = [
  "0",
  "1",
  "-1",
  "2^53",
  "2^53+1",
  "1e308",
  "0/0",
  "1/0",
  "-0.0",
  "math.mininteger",
  "3.5",
];
const STRINGS = [
  '""',
  '"a"',
  '"\\0b"',
  '"\\xff"',
  '"\\u{10ffff}"',
  '("x"):rep(300)',
  '("ab"):rep(20000)',
];
const PATTERNS = [
  '"%w+"',
  '".-b"',
  '"^(.-)%s*$"',
  '"%b()"',
  '"%f[%w]%w+"',
  '".-.-.-.-b$"',
  '"["',
  '"(%d*)(.)"',
];
const ONE = [
  "type",
  "tostring",
  "tonumber",
  "next",
  "rawlen",
  "ipairs",
  "pairs",
  "getmetatable",
  "math.type",
  "orcs.array",
  "orcs.json_encode",
  "#",
];
const TABLE = [
  "table.insert",
  "table.remove",
  "table.sort",
  "table.concat",
  "table.unpack",
  "table.pack",
  "table.move",
  "rawget",
  "rawset",
  "rawequal",
  "select",
];
const STRING = [
  "string.find",
  "string.match",
  "string.gsub",
  "string.gmatch",
  "string.rep",
  "string.sub",
  "string.byte",
  "string.format",
  "string.reverse",
  "string.upper",
  "utf8.len",
  "utf8.char",
  "string.pack",
];
const ORCS = [
  "orcs.deny",
  "orcs.allow",
  "orcs.skip",
  "orcs.replace",
  "orcs.retry",
  "orcs.inject",
  "orcs.log",
  "orcs.uuid",
  "orcs.now_ms",
  "orcs.contains",
  "orcs.starts_with",
  "orcs.glob_match",
  "orcs.state.get",
  "orcs.state.set",
  "orcs.state.incr",
  "orcs.json_decode",
  "orcs.read",
  "orcs.glob",
  "orcs.get",
  "orcs.sleep",
  "orcs.hook",
  "orcs.unhook",
  "require",
  "print",
];

/** A random Lua handler over all that a script can reach: most are nonsense, none may do harm. */
export function randomHandler(random: Random): string {
  const program = new Program(random);
  return `function(ctx)\n${PROBE}local a, b, c, t, u = ctx, ctx.payload, {}, {}, "s"\n${program.body()}\nreturn ${program.answer()}\nend`;
}

/** Reports any host key that is reachable where there is none. */
const PROBE = `for _, k in ipairs{"constructor", "__proto__", "prototype", "hasOwnProperty", "toString", "valueOf"} do
  for _, where in ipairs{ctx, ctx.metadata, ctx.principal, orcs, _G} do
    if where[k] ~= nil then orcs.state.set("leak", k) end
  end
end
for _, name in ipairs{"io", "os", "debug", "package", "load", "dofile", "loadstring", "collectgarbage"} do
  if _G[name] ~= nil then orcs.state.set("leak", name) end
end
`;

class Program {
  readonly #random: Random;
  #functions = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Statements that mostly go on when one of them fails, as most of them do. */
  body(): string {
    const one = (): string => {
      const statement = this.#statement(3);
      const isolated = this.#random.chance(0.9) && !statement.startsWith("local ");
      return isolated ? `pcall(function() ${statement} end)` : `do ${statement} end`;
    };
    return this.#random.many(2, 12, one).join("\n");
  }

  answer(): string {
    const action = this.#random.pick(["continue", "skip", "abort", "replace", "retry"]);
    return this.#random.pick([
      () => "ctx",
      () => "nil",
      () => `{ action = "${action}", result = ${this.expression(2)}, ctx = ctx }`,
      () => `{ action = "${action}", reason = "r", result = ${this.expression(1)} }`,
      () => this.expression(2),
    ])();
  }

  block(depth: number, most: number): string {
    return this.#random.many(1, most, () => this.#statement(depth)).join("\n");
  }

  expression(depth: number): string {
    const r = this.#random;
    if (depth <= 0) return this.#atom();
    const e = (): string => this.expression(depth - 1);
    return r.pick([
      () => this.#atom(),
      () => this.#path(),
      () =>
        `(${e()})${r.pick([" + ", " .. ", " == ", " < ", " // ", " and ", " or ", " & ", " % "])}(${e()})`,
      () => `${r.pick(ONE)}(${e()})`.replace("#(", "#("),
      () => `${r.pick(TABLE)}(${r.many(1, 4, e).join(", ")})`,
      () =>
        `${r.pick(STRING)}(${r.pick(STRINGS)}, ${r.chance(0.6) ? r.pick(PATTERNS) : e()}, ${e()})`,
      () => `${r.pick(ORCS)}(${r.many(0, 3, e).join(", ")})`,
      () =>
        `{ ${r.many(0, 4, () => (r.chance(0.5) ? e() : `["${r.pick(KEYS)}"] = ${e()}`)).join(", ")} }`,
      () =>
        `setmetatable({}, { ${r.pick(["__index", "__newindex", "__len", "__eq", "__concat", "__call", "__tostring", "__pairs", "__close", "__gc", "__name", "__lt"])} = ${r.chance(0.7) ? this.#lambda(depth - 1) : e()} })`,
      () => `select(2, pcall(${this.#lambda(depth - 1)}))`,
      () => `select(2, xpcall(${this.#lambda(depth - 1)}, ${this.#lambda(depth - 1)}))`,
      () => `coroutine.wrap(${this.#lambda(depth - 1)})(${e()})`,
      () => `string.gsub("aXbX", ${r.pick(PATTERNS)}, ${this.#lambda(depth - 1)})`,
      () => this.#lambda(depth - 1),
    ])();
  }

  #statement(depth: number): string {
    const r = this.#random;
    const e = (): string => this.expression(Math.min(2, Math.max(0, depth)));
    if (depth <= 0) return `${this.#target()} = ${e()}`;
    const inner = (): string => this.block(depth - 1, 3);
    return r.pick([
      () => `${this.#target()} = ${e()}`,
      () => `${this.#target()} = ${e()}`,
      () => `pcall(function() ${this.#target()} = ${e()} end)`,
      () => `if ${e()} then ${inner()} else ${inner()} end`,
      () =>
        `for i = 1, ${r.pick(["3", "10", "1e9"])} do ${inner()} if i > ${r.pick(["5", "1e9"])} then break end end`,
      () => `for k, v in pairs(${this.#path()}) do ${inner()} end`,
      () => `for i, v in ipairs(${this.#path()}) do ${inner()} end`,
      () => `pcall(function() ${inner()} end)`,
      () => `while ${r.chance(0.1) ? "true" : "false"} do ${inner()} end`,
      () => `local f${++this.#functions} = ${this.#lambda(depth - 1)}`,
      () => `do local _ = ${e()} end`,
      () => `table.insert(${this.#path()}, ${e()})`,
      () => `ctx.metadata.${r.pick(["m", "n"])} = ${e()}`,
      () => `if ${r.chance(0.2) ? "true" : "false"} then return ${e()} end`,
    ])();
  }

  #lambda(depth: number): string {
    return `function(p, q) ${this.block(Math.max(0, depth), 2)} return ${this.expression(Math.max(0, depth))} end`;
  }

  #atom(): string {
    const r = this.#random;
    return r.pick([
      () => r.pick(NAMES),
      () => r.pick(NUMBERS),
      () => r.pick(STRINGS),
      () => "nil",
      () => "true",
      () => "orcs.null",
      () => "ctx",
      () => this.#path(),
    ])();
  }

  #path(): string {
    const r = this.#random;
    const root = r.pick([
      "ctx",
      "ctx.payload",
      "ctx.payload.args",
      "ctx.payload.args.list",
      "ctx.metadata",
      "a",
      "b",
      "c",
      "t",
    ]);
    return (
      root +
      r
        .many(0, 2, () =>
          r.chance(0.6) ? `["${r.pick(KEYS)}"]` : `[${r.pick(["1", "2", "-1", "#t"])}]`,
        )
        .join("")
    );
  }

  #target(): string {
    const r = this.#random;
    return r.chance(0.4) ? r.pick(NAMES) : `${this.#path()}["${r.pick(KEYS)}"]`;
  }
}
