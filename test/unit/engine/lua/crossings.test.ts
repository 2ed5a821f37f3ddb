import { afterEach, expect, test, vi } from "vitest";
import type { RawLua, Signature } from "../../../../src/engine/lua/raw.ts";
import { LuaVm } from "../../../../src/engine/lua/vm.ts";
import { instantiateLua } from "../../../../src/engine/lua/wasm.ts";
import { createRig } from "./rig.ts";

afterEach(() => vi.restoreAllMocks());

/** Calls between the host and the VM, either way. */
interface Crossings {
  into: number;
  back: number;
}

type Calls = Record<string, (...args: never[]) => unknown>;

/** The VM's functions, each call of which is counted, and so is each of a function of the host. */
function counting(raw: RawLua, count: Crossings): RawLua {
  const originals = new Map<unknown, unknown>();
  const counted = (fn: (...args: never[]) => unknown, way: keyof Crossings) => {
    const wrapped = (...args: never[]): unknown => {
      count[way]++;
      return fn(...args);
    };
    originals.set(wrapped, fn);
    return wrapped;
  };
  const all = (functions: Calls, way: keyof Crossings): Calls =>
    Object.fromEntries(Object.entries(functions).map(([name, fn]) => [name, counted(fn, way)]));
  const own = {
    addFunctions: (list: readonly ((...args: number[]) => number | void)[], signature: Signature) =>
      raw.addFunctions(
        list.map((fn) => counted(fn as never, "back") as never),
        signature,
      ),
    place: (list: readonly unknown[]) => raw.place(list.map((fn) => originals.get(fn) ?? fn)),
    link: (module: WebAssembly.Module, host: Record<string, unknown>, block: number) =>
      all(raw.link(module, all(host as Calls, "back"), block) as Calls, "into"),
  };
  return new Proxy(raw, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof typeof own];
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" && name !== "onCallsCounted"
        ? counted(value as never, "into")
        : value;
    },
  });
}

const READS = `local a, b, c = ctx.payload.tool, ctx.payload.args.command, ctx.payload.args.env.A`;
const PAYLOAD = {
  tool_name: "exec",
  tool: "exec",
  args: { command: "git status --short", cwd: "/work", timeout_ms: 30_000, env: { A: "1" } },
  capabilities: 127,
};

/** Crossings of a dispatch: the fewest of some, for on a busy machine the clock is looked at more often. */
async function crossingsOf(...bodies: readonly string[]): Promise<number> {
  const count = { into: 0, back: 0 };
  vi.spyOn(LuaVm, "create").mockImplementation(() => new LuaVm(counting(instantiateLua(), count)));
  const rig = await createRig();
  for (const body of bodies) await rig.load(`return function(ctx) ${body} end`);
  const each: number[] = [];
  for (let i = 0; i < 60; i++) {
    count.into = count.back = 0;
    expect((await rig.dispatch("tool.pre_execute", PAYLOAD)).action).toBe("continue");
    each.push(count.into + count.back);
  }
  return Math.min(...each);
}

test.each([
  ["nothing", "", 6],
  ["three reads", `${READS} return ctx`, 14],
  ["three reads and a write", `${READS} ctx.payload.args.timeout_ms = 5 return ctx`, 22],
  ["reads of one part over and over", `for i = 1, 100 do local p = ctx.payload end`, 20],
  // Memory is handed out without the host.
  ["tables of its own", `local t = {} for i = 1, 100 do t[i] = { i } end`, 40],
])("a hook that does %s makes few calls between JavaScript and Lua", async (_, body, most) => {
  expect(await crossingsOf(body)).toBeLessThanOrEqual(most);
});
