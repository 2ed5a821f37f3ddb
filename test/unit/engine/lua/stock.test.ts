import { expect, test } from "vitest";
import { createRig } from "./rig.ts";

/** A table of three that says another length. */
const of = (length: string): string =>
  `setmetatable({ 3, 1, 2 }, { __len = function() return ${length} end })`;

// What Lua 5.4.4 answers, whose own words these are.
test.each<[code: string, answer: unknown[]]>([
  [`pcall(coroutine.yield)`, [false, "attempt to yield from outside a coroutine"]],
  [`pcall(coroutine.yield, 1)`, [false, "attempt to yield from outside a coroutine"]],
  [
    `pcall(string.gsub, "x", "x", function() coroutine.yield() end)`,
    [false, "attempt to yield from outside a coroutine"],
  ],
  [`coroutine.isyieldable()`, [false]],
  [`coroutine.isyieldable((coroutine.running()))`, [false]],
  [`coroutine.isyieldable(coroutine.create(print))`, [true]],
  [`coroutine.wrap(function() return coroutine.isyieldable() end)()`, [true]],
  [`coroutine.wrap(function() return coroutine.yield(1, 2) end)()`, [1, 2]],
  [`coroutine.wrap(function() return pcall(coroutine.yield, 5) end)()`, [5]],
  [`pcall(table.sort, ${of(`"x"`)})`, [false, "object length is not an integer"]],
  [`pcall(table.sort, ${of("2.5")})`, [false, "object length is not an integer"]],
  [`pcall(table.sort, ${of("nil")})`, [false, "object length is not an integer"]],
  [`pcall(table.sort, ${of("math.maxinteger")})`, [false, "(array too big)"]],
  [`pcall(table.sort, ${of("1 << 31")})`, [false, "(array too big)"]],
  [`pcall(table.sort, ${of("(1 << 31) - 2")})`, [false, "attempt to compare nil with number"]],
  [`pcall(table.sort, ${of("-1")})`, [true]],
  [`pcall(table.sort, ${of(`"3"`)})`, [true]],
  [`pcall(table.sort, ${of("5")}, 1)`, [false, "(function expected, got number)"]],
  [
    `pcall(table.sort, { 3, 2, 1, 4, 5, 6 }, function() return true end)`,
    [false, "invalid order function for sorting"],
  ],
  [`pcall(table.concat, ${of("1e300")})`, [false, "object length is not an integer"]],
  [`pcall(table.unpack, ${of("math.maxinteger")})`, [false, "too many results to unpack"]],
])("standard library result: %s", async (code, answer) => {
  const rig = await createRig();
  await rig.load(`return function() return orcs.skip({ ${code} }) end`);
  const outcome = await rig.call({});
  const expected = answer.map((value) =>
    typeof value === "string" ? expect.stringContaining(value) : value,
  );
  expect(outcome).toMatchObject({ result: expected });
  await rig.layer.close();
});

test("the table library calls __len once", async () => {
  const rig = await createRig();
  await rig.load(`return function()
    local n = 0
    local t = setmetatable({ 2, 1 }, { __len = function() n = n + 1 return 2 end })
    table.sort(t)
    table.insert(t, 1, 0)
    table.concat(t)
    table.remove(t, 1)
    return orcs.skip(n)
  end`);
  expect(await rig.call({})).toMatchObject({ result: 4 });
  await rig.layer.close();
});
