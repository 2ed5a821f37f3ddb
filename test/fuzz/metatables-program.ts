import type { Random } from "./random.ts";

const TABLES = ["a", "b", "c", "d"] as const;
const EVENTS = [
  "__index",
  "__newindex",
  "__call",
  "__call",
  "__lt",
  "__le",
  "__eq",
  "__concat",
  "__len",
  "__close",
  "__tostring",
  "__pairs",
  "__unm",
  "__add",
  "__name",
  "__mode",
  "__metatable",
];
/** Functions that are C, or end in it: as metamethods they run no instruction of the script. */
const FUNCTIONS = [
  "pcall",
  "xpcall",
  "table.unpack",
  "table.concat",
  "table.sort",
  "table.move",
  "table.insert",
  "table.remove",
  "table.pack",
  "select",
  "next",
  "rawget",
  "rawset",
  "ipairs",
  "pairs",
  "tostring",
  "type",
  "setmetatable",
  "getmetatable",
  "assert",
  "string.format",
  "string.rep",
  "string.gsub",
  "string.packsize",
  "string.byte",
  "utf8.len",
  "utf8.char",
  "coroutine.wrap",
  "coroutine.resume",
  "coroutine.close",
  "coroutine.running",
  "(ipairs({}))",
  "print",
];
const NUMBERS = ["0", "1", "2", "7", "300", "20000", "1e5", "1e9", "math.maxinteger", "-1", "2.5"];

/** A random handler over metatables: chains and rings of tables and C functions, and what goes over them. */
export function metatablesHandler(random: Random): string {
  const lines = random.many(4, 14, () => statement(random, 2));
  return `function(ctx)
local a, b, c, d = {}, {}, { nil, nil, 3 }, { 3, 1, 2 }
local ma, mb, mc, md = {}, {}, {}, {}
setmetatable(a, ma) setmetatable(b, mb) setmetatable(c, mc) setmetatable(d, md)
${lines.map((line) => (random.chance(0.85) ? `pcall(function() ${line} end)` : `do ${line} end`)).join("\n")}
end`;
}

function statement(r: Random, depth: number): string {
  const t = (): string => r.pick(TABLES);
  const v = (): string => value(r, depth);
  const inner = (): string => (depth > 0 ? statement(r, depth - 1) : `${t()}[1] = 1`);
  return r.pick([
    () => `m${t()}.${r.pick(EVENTS)} = ${v()}`,
    () => `m${t()}.${r.pick(EVENTS)} = ${t()}`,
    () => `m${t()}.${r.pick(EVENTS)} = ${r.pick(FUNCTIONS)}`,
    () => `m${t()}.${r.pick(EVENTS)} = function(x, y) ${inner()} return ${v()} end`,
    () => `setmetatable(m${t()}, m${t()})`,
    () =>
      `for i = 1, ${r.pick(["10", "1990", "30000"])} do ${t()} = setmetatable({}, { ${r.pick(EVENTS)} = ${t()}, ${r.pick(EVENTS)} = ${t()} }) end`,
    () => `for i = 1, ${r.pick(["100", "20000"])} do ${t()}[i] = ${v()} end`,
    () => `local _ = ${t()}[${v()}]`,
    () => `${t()}[${v()}] = ${v()}`,
    () => `local _ = ${t()}(${v()}, ${v()})`,
    () => `local _ = ${t()} ${r.pick(["<", "<=", "==", "..", "+"])} ${t()}`,
    () => `local _ = #${t()}`,
    () => `local x <close> = ${t()} ${inner()}`,
    () => `for x, y in ${r.chance(0.5) ? t() : `pairs(${t()})`} do ${inner()} end`,
    () => `local _ = ${r.pick(FUNCTIONS)}(${r.many(1, 4, v).join(", ")})`,
    () => `table.sort(${t()}, ${r.chance(0.5) ? r.pick(FUNCTIONS) : "nil"})`,
    () => `table.move(${t()}, 1, ${r.pick(NUMBERS)}, ${r.pick(NUMBERS)}, ${t()})`,
    () => `string.gsub(("x"):rep(${r.pick(["3", "9999"])}), ".", ${t()})`,
    () => `string.format(("%s"):rep(${r.pick(["3", "9999"])}), table.unpack(${t()}))`,
    () => `coroutine.wrap(function() ${inner()} end)()`,
    () => `while true do ${inner()} end`,
    () => `while true do pcall(function() ${inner()} end) end`,
  ])();
}

function value(r: Random, depth: number): string {
  return r.pick([
    () => r.pick(TABLES),
    () => r.pick(TABLES),
    () => r.pick(FUNCTIONS),
    () => r.pick(NUMBERS),
    () => r.pick(['"x"', '("x"):rep(1e5)', '("i1"):rep(1e6)', '"%s"', "nil", "true"]),
    () => (depth > 0 ? `function(x, y) ${statement(r, depth - 1)} return x end` : "print"),
    () => `setmetatable({}, m${r.pick(TABLES)})`,
    () => `{ ${r.pick(TABLES)}, ${r.pick(TABLES)}, 3 }`,
  ])();
}
