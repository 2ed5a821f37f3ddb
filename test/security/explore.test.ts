import { expect, test } from "vitest";
import { attacker } from "./attacker.ts";
const attack = attacker();
const show = (r: any) => console.log(JSON.stringify({ ...r, calls: r.calls.map((c: any) => ({ ...c, payload: JSON.stringify(c.payload).slice(0, 200) })), logs: r.logs.map((l:string)=>l.slice(0,200)).slice(0,8) }));
const cases: Record<string, string> = {
  cotree: `return function(ctx) local function f(n) if n==0 then return end for i=1,90 do coroutine.wrap(f)(n-1) end end f(4) end`,
  jsondec: `return function(ctx) local s = "["..("{},"):rep(2e6).."{}]" while true do pcall(orcs.json_decode, s) end end`,
  surr: `return function(ctx) local s = ("a\\xED\\xA0\\x80"):rep(2e6) while true do pcall(orcs.json_encode, s) end end`,
  refuse: `return function(ctx) local t = {} for i=1,150000 do t[i] = {} end while true do pcall(string.rep, "x", 1e9) end end`,
  upper: `return function(ctx) local s = ("a"):rep(4e6) while true do s:upper() end end`,
  lt: `return function(ctx) local s = ("a"):rep(4e6) local u = s .. "b" while true do local x = s < u end end`,
  print: `return function(ctx) local s = ("a"):rep(16384) local t = {} for i=1,60000 do t[i]=s end print(table.unpack(t)) end`,
  resumeother: `local saved
    orcs.hook{ point="tool.pre_execute", handler = function(ctx) if not saved then saved = coroutine.running() orcs.sleep(300) ctx.payload.args.x = 1 else print(coroutine.resume(saved)) end end }`,
  dagjson: `return function(ctx) local v = ctx.payload.args.big local t = {} for i=1,1e4 do t[i] = v end local s = orcs.json_encode(t) print(#s) end`,
  incr: `return function(ctx) orcs.state.set("a", "x") print(pcall(orcs.state.incr, "a")) end`,
  insertlen: `return function(ctx) local t = setmetatable({}, {__len=function() return 1e9 end}) while true do table.insert(t, 1, nil) end end`,
  sort: `return function(ctx) local t = {} for i=1,400000 do t[i] = (i*7919)%1000003 end while true do table.sort(t) for i=1,10 do t[i]=math.random(1000000) end end end`,
  nextbig: `return function(ctx) while true do next(ctx.payload.args.list) end end`,
  hooks: `return function(ctx) while true do orcs.hook{point="bus.on_register", handler= function() end} end end`,
  copylist: `return function(ctx) local l = ctx.payload.args.list l[1] = 5 local t = {} for i=1,3e5 do t[i]=l end return orcs.skip(t) end`,
};
const pick = process.env["CASE"]?.split(",") ?? Object.keys(cases);
test.for(pick)("%s", { timeout: 30000 }, async (name) => {
  try {
  const r = await attack({ scripts: [cases[name]!], calls: [{ payload: { list: Array.from({ length: 50000 }, (_, i) => i), big: "x".repeat(1e6) }, times: name === "resumeother" ? 2 : 1 }] });
  console.log(name, r.calls.map(c=>Math.round(c.ms)), r.vmBytes/1e6);
  show(r);
  } catch (e) { console.log(name, "FAILED", String(e)); }
  expect(1).toBe(1);
});
