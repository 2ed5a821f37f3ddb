-- Where session s and its agent are stored.
local SESSION, AGENT = "loop-guard:session:3096", "loop-guard:agent:2160"

-- What becomes of a call: "." runs, "!" is told, "x" is denied.
local function said(hooks, event)
  event.point = "tool.pre_execute"
  event.tool = event.tool or "read"
  local outcome = hooks:dispatch(event)
  assert.is_nil(outcome.error)
  if outcome.action == "abort" then return "x", outcome end
  return outcome.inject and #outcome.inject > 0 and "!" or ".", outcome
end

-- What becomes of calls, one letter for each; "~" is a wait.
local function play(hooks, letters, session)
  local all = {}
  for letter in letters:gmatch "." do
    local wait = letter == "~"
    local args = wait and { command = "sleep 5" } or { path = letter }
    all[#all + 1] = said(hooks, { args = args, session_id = session, tool = wait and "exec" or "read" })
  end
  return table.concat(all)
end

local function load(options) return orcs.test.load("loop-guard.lua", options) end

local function prompt(hooks, more)
  local event = { point = "prompt.pre_submit", prompt = "go on" }
  for key, value in pairs(more or {}) do event[key] = value end
  hooks:dispatch(event)
end

describe("a run", function()
  it("is told at the 3rd, denied from the 6th on, by default", function()
    assert.equal("..!..xx", play(load(), "aaaaaaa"))
  end)

  it("of turns is told and denied as a whole", function()
    local strict = load { warn = 2, refuse = 3 }
    assert.equal("...!.x", play(strict, "ababab", "1"))
    assert.equal(("."):rep(7) .. "!" .. ("."):rep(3) .. "x", play(strict, ("abcd"):rep(3), "2"))
    assert.equal(("."):rep(15) .. "!" .. ("."):rep(7) .. "x", play(strict, ("abcdefgh"):rep(3), "3"))
  end)

  it("ends with a wait, wherever it is", function()
    local strict = load { warn = 2, refuse = 3 }
    assert.equal(".!..!x", play(strict, "aa~aaa", "1"))
    assert.equal(("."):rep(14), play(strict, "abcd~abcd~abcd", "2"))
    assert.equal(("."):rep(17), play(strict, "abcde~~abcde~abcd", "3"))
  end)

  it("is that of an agent in a session", function()
    local strict = load { warn = false, refuse = 2 }
    local function first(event)
      event.args = { path = "a" }
      return said(strict, event) == "."
    end
    assert.is_true(first {})
    assert.is_false(first { session_id = "" })
    assert.is_false(first { agent_id = "" })
    assert.is_true(first { session_id = "s" })
    assert.is_true(first { session_id = "s", agent_id = "a" })
    assert.is_true(first { session_id = "s:a" })
    assert.is_true(first { session_id = "c:main" })
  end)

  it("counts a call once that hooks see twice", function()
    local strict = load { warn = false, refuse = 2 }
    local _, outcome = said(strict, { args = { path = "a" } })
    assert.equal(".", said(strict, { args = { path = "a" }, metadata = outcome.metadata }))
    assert.equal("x", said(strict, { args = { path = "a" } }))
  end)
end)

describe("calls are the same", function()
  -- Whether a call with other arguments repeats one with these.
  local cases = {
    { { command = "a", text = "x # 1" }, { command = "a", text = "x # 2" }, false },
    { { command = "a", timeout = 1 }, { command = "a" }, true },
    { { title = "a", timeout = 1 }, { title = "a" }, false },
    { { a = { timeout = 1 }, command = "a" }, { a = {}, command = "a" }, false },
    { { a = "x", b = "y" }, { a = "y", b = "x" }, false },
    { { a = ("x"):rep(24) .. "y" }, { a = ("x"):rep(24) .. "z" }, false },
    { { a = ("x"):rep(70000) }, { a = ("x"):rep(70001) }, false },
    { { a = 1 }, { a = "1" }, false },
    { { a = 1 }, { a = true }, false },
    { { a = false }, { a = true }, false },
    { { a = "" }, { a = {} }, false },
    { { a = "true" }, { a = true }, false },
  }

  it("if tool and arguments are", function()
    local strict = load { warn = false, refuse = 2 }
    for i, case in ipairs(cases) do
      local session = tostring(i)
      said(strict, { args = case[1], session_id = session })
      local again = said(strict, { args = case[2], session_id = session }) == "x"
      assert.same({ i, case[3] }, { i, again })
    end
  end)
end)

describe("tools that wait", function()
  it("are those of a list, whatever is in their names", function()
    local hooks = load { refuse = 2, warn = false }
    for tool in ("BashOutput TaskOutput write_stdin wait wait_all mcp__a/b__wait_for sleep"):gmatch "%S+" do
      assert.same({ tool, "." }, { tool, (said(hooks, { tool = tool })) })
      assert.same({ tool, "." }, { tool, (said(hooks, { tool = tool })) })
    end
    said(hooks, { tool = "awaits" })
    assert.equal("x", (said(hooks, { tool = "awaits" })))
    local own = load { refuse = 2, warn = false, ignore = { "poll*" }, name = "own" }
    assert.equal("..", said(own, { tool = "polls" }) .. said(own, { tool = "polls" }))
    assert.equal(".x", said(own, { tool = "wait" }) .. said(own, { tool = "wait" }))
  end)
end)

describe("advice", function()
  local strict
  before_each(function() strict = load { warn = false, refuse = 2 } end)

  it("is about waiting only for commands", function()
    for tool, args in pairs { exec = { command = "ls" }, read = { path = "x" } } do
      local event = { point = "tool.pre_execute", tool = tool, args = args }
      strict:dispatch(event)
      local reason = strict:dispatch(event).reason
      assert.equal(tool == "exec", reason:find("begin the command with sleep", 1, true) ~= nil)
    end
  end)
end)

describe("the number of calls", function()
  it("is 1000 by default, told at 800, and counts from a prompt", function()
    local hooks = load()
    prompt(hooks, { session_id = "s" })
    local function counted(calls)
      orcs.state.set(SESSION, { of = "bada77213cf65830", prompts = 1, calls = calls })
    end
    counted(798)
    assert.equal(".!.", play(hooks, "abc", "s"))
    counted(999)
    assert.equal(".x", play(hooks, "de", "s"))
    prompt(hooks, { session_id = "s" })
    assert.same({ of = "bada77213cf65830", prompts = 2 }, orcs.state.get(SESSION))
    assert.equal(".", play(hooks, "e", "s"))
  end)

  it("is not limited where no prompts are reported", function()
    assert.equal("...", play(load { calls = 1 }, "abc"))
  end)

  it("is unlimited if it is false", function()
    local hooks = load { calls = false }
    prompt(hooks)
    assert.equal("...", play(hooks, "abc"))
  end)

  it("is told together with a run, in one line of the log", function()
    local hooks = load { calls = 3, warn = 3 }
    prompt(hooks)
    play(hooks, "aa")
    local _, outcome = said(hooks, { args = { path = "a" } })
    assert.equal(2, #outcome.inject)
    assert.same({ "warn: " .. table.concat(outcome.inject, " ") }, outcome.logs)
  end)
end)

describe("the end of a session", function()
  it("leaves nothing behind", function()
    local hooks = load { refuse = 3, warn = 2 }
    prompt(hooks, { session_id = "s" })
    play(hooks, ("abcdefgh"):rep(2) .. "hh", "s")
    hooks:dispatch { point = "agent.pre_stop", session_id = "s" }
    play(hooks, "abcdefgh", "s")
    for _, key in ipairs({ SESSION, AGENT }) do assert.is_not_nil(orcs.state.get(key)) end
    hooks:dispatch { point = "session.on_end", session_id = "s", reason = "over" }
    for _, key in ipairs({ SESSION, AGENT }) do assert.is_nil(orcs.state.get(key)) end
  end)
end)

describe("an agent that hooks make continue", function()
  it("may stop after the 5th time, by default", function()
    local hooks = load()
    for at = 1, 6 do
      local logs = hooks:dispatch({ point = "agent.pre_stop", stop_hook_active = at > 1 }).logs or {}
      assert.same({ at, at == 6 }, { at, #logs > 0 })
    end
  end)

  it("is never made to stop if stops is false", function()
    local hooks = load { stops = false }
    for at = 1, 7 do
      assert.same({}, hooks:dispatch({ point = "agent.pre_stop", stop_hook_active = at > 1 }).logs or {})
    end
  end)
end)
