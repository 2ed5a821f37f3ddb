import { installPatterns } from "../../../../../../src/engine/lua/patterns/functions.ts";
import { newModule, TestState, type FullModule } from "./lua-state.ts";

/** How a case calls the pattern functions: arguments are text, pattern, and up to three more. */
export const CALLS = {
  find: "return string.find(s, p, a)",
  find_plain: "return string.find(s, p, a, true)",
  match: "return string.match(s, p, a)",
  method_find: "return s:find(p, a)",
  gmatch: `local out = {}
    for x, y, z in string.gmatch(s, p, a) do
      out[#out + 1] = show(x, y, z)
      if #out > 40 then break end
    end
    return table.concat(out, ";")`,
  gsub_text: "return string.gsub(s, p, r)",
  gsub_some: "return s:gsub(p, r, a)",
  gsub_function: `local seen = {}
    local text, count = s:gsub(p, function(...)
      seen[#seen + 1] = show(...)
      if #seen % 3 == 0 then return false end
      if #seen % 3 == 1 then return nil end
      return "<" .. tostring((...)) .. ">"
    end, a)
    return text, count, table.concat(seen, ";")`,
  gsub_table:
    'return s:gsub(p, { a = "AA", b = false, [1] = "one", [2] = 22, [""] = "E", c = true }, a)',
  gsub_nested: `return s:gsub(p, function(x)
      return (tostring(x):gsub(".", "%0%0")) .. (tostring(x):match("^(.-)%s*$") or "")
    end)`,
} as const;

export type CallName = keyof typeof CALLS;

const DRIVER = `
local string, table, select, tostring, pcall, math = string, table, select, tostring, pcall, math
local function show(...)
  local out = {}
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    out[i] = (math.type(v) or type(v)) .. ":" .. tostring(v)
  end
  return table.concat(out, ",")
end
local call = function(s, p, a, r)
  BODY
end
return function(...) return show(pcall(call, ...)) end`;

export interface Case {
  readonly subject: string;
  readonly pattern: string;
  readonly init?: number | undefined;
  readonly replacement?: string;
}

/** Two states of one module, one with Lua's own functions and one with ours. */
export class TwinStates {
  readonly module: FullModule;
  readonly ofC: TestState;
  readonly ours: TestState;

  private constructor(module: FullModule, check: () => void) {
    this.module = module;
    this.ofC = new TestState(module);
    this.ours = new TestState(module);
    const patterns = installPatterns(module, { check });
    patterns.mount(this.ours.L);
    for (const state of [this.ofC, this.ours]) {
      for (const [name, body] of Object.entries(CALLS)) {
        state.load(DRIVER.replace("BODY", body), "driver");
        state.call(0, 1);
        const key = state.allocate(Buffer.from(`${name}\0`));
        module.lua_setglobal(state.L, key);
        module.free(key);
      }
    }
  }

  static async create(check: () => void = () => {}): Promise<TwinStates> {
    return new TwinStates(await newModule(), check);
  }

  /** What both answer to a call, results and errors as text. */
  both(name: CallName, { subject, pattern, init, replacement = "" }: Case): [string, string] {
    return [this.ofC, this.ours].map((state) => {
      const key = state.allocate(Buffer.from(`${name}\0`));
      state.module.lua_getglobal(state.L, key);
      state.module.free(key);
      for (const argument of [subject, pattern, init, replacement]) state.push(argument);
      state.call(4, 1);
      return state.pop();
    }) as [string, string];
  }
}
