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

  it("of up to eight calls is found", function()
    local strict = load { warn = 2, refuse = 3 }
    assert.equal(("."):rep(9) .. "!" .. ("."):rep(4) .. "x", play(strict, ("abcde"):rep(3), "5"))
    assert.equal(("."):rep(36), play(strict, ("abcdefghi"):rep(4), "9"))
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
    assert.is_true(first { session_id = "s:a", agent_id = "b" })
    assert.is_true(first { session_id = "s", agent_id = "a:b" })
    assert.is_true(first { session_id = "c:main" })
  end)

  it("counts a call once that hooks see twice", function()
    local strict = load { warn = false, refuse = 2 }
    local _, outcome = said(strict, { args = { path = "a" } })
    assert.equal(".", said(strict, { args = { path = "a" }, metadata = outcome.metadata }))
    assert.equal("x", said(strict, { args = { path = "a" } }))
  end)
end)

-- A list of this length, and what its last item is.
local function long_list(length, last)
  local list = {}
  for at = 1, length do list[at] = at < length and 0 or last end
  return list
end

describe("calls are the same", function()
  -- Whether a call with other arguments repeats one with these.
  local cases = {
    { { command = "a", text = "x # 1" }, { command = "a", text = "x # 2" }, false },
    { { command = "a", timeout = 1 }, { command = "a" }, true },
    { { title = "a", timeout = 1 }, { title = "a" }, false },
    { { a = { timeout = 1 }, command = "a" }, { a = {}, command = "a" }, false },
    { { a = "x", b = "y" }, { a = "y", b = "x" }, false },
    { { a = ("x"):rep(70000) }, { a = ("x"):rep(70001) }, false },
    -- Long texts are compared by both ends, lists by their beginning.
    { { a = ("x"):rep(40000) .. "1" .. ("x"):rep(40000) }, { a = ("x"):rep(40000) .. "2" .. ("x"):rep(40000) }, true },
    { { a = "b" .. ("x"):rep(80000) }, { a = "c" .. ("x"):rep(80000) }, false },
    { { a = ("x"):rep(80000) .. "b" }, { a = ("x"):rep(80000) .. "c" }, false },
    { { a = ("x"):rep(65535) .. "b" }, { a = ("x"):rep(65535) .. "c" }, false },
    { { a = ("x"):rep(32767) .. "bc" .. ("x"):rep(32767) }, { a = ("x"):rep(32767) .. "cb" .. ("x"):rep(32767) }, false },
    { { a = long_list(2000, 1) }, { a = long_list(2000, 2) }, false },
    { { a = long_list(6000, 1) }, { a = long_list(6000, 2) }, true },
    { { a = { 1, 2 } }, { a = { 2, 1 } }, false },
    { { a = { b = 1, c = 2 } }, { a = { c = 2, b = 1 } }, true },
    { { a = {} }, { a = { {} } }, false },
    { { a = "x" }, { a = "x\0" }, false },
    { { a = 1.5 }, { a = 2.5 }, false },
    { { a = 2.5 }, { b = 2.5 }, false },
    { { a = 3 }, { a = 3.0 }, true },
    { { cmd = "ls # 1", explanation = "a", timeout_ms = 1 }, { cmd = "ls", justification = "b", description = "c" }, true },
    { { path = "a", description = "a" }, { path = "a", description = "b" }, false },
    { { path = "a", script = "ls # 1" }, { path = "a", script = "ls # 2" }, false },
    { { command = { "/bin/sh", "-ec", "ls #1" } }, { command = { "/bin/sh", "-ec", "ls #2" } }, true },
    { { command = { "sh", "x", "ls #1" } }, { command = { "sh", "x", "ls #2" } }, false },
    { { command = { "echo", "-c", "a #1" } }, { command = { "echo", "-c", "a #2" } }, false },
    { { command = "a", cwd = "x" }, { command = "a", cwd = "y" }, false },
    { { command = "a", env = orcs.null }, { command = "a" }, true },
    { { command = { "a", "b" } }, { command = "a b" }, false },
    { { command = { "ab" } }, { command = { "a", "b" } }, false },
    { { a = 0.1 }, { a = 0.10000000000000002 }, false },
    { { a = { b = 1 } }, { b = { a = 1 } }, false },
    { { a = 1 }, { a = "1" }, false },
    { { a = 1 }, { a = true }, false },
    { { a = false }, { a = true }, false },
    { { a = "" }, { a = {} }, false },
    { { a = "true" }, { a = true }, false },
  }

  -- Each place of a word in a text.
  for at = 0, 31 do
    local with = ("x"):rep(at) .. "y" .. ("x"):rep(31 - at)
    cases[#cases + 1] = { { a = with }, { a = ("x"):rep(32) }, false }
  end
  -- Lines that do the same, and those that do not.
  for _, lines in ipairs {
    { "ls # 1", "ls  # 2", true }, { "ls # 1", "# 3\nls", true }, { "ls", "ls '# 4'", false },
    { ": 1; npm test", ": 2; npm test", true }, { "npm test", "true && : a && npm test; : x", true },
    { "npm test", ": $(date); npm test", false }, { ":", "npm test", false },
    { "echo 'a  # 1'", "echo 'a  # 2'", false }, { "echo 'a  b'", "echo 'a b'", false },
    { 'echo "\\" # 1"', 'echo "\\" # 2"', false }, { "echo 'a' # 1", "echo 'a' # 2", true }, { 'echo "a" # 1', 'echo "a"', true },
    { "echo \\# 1", "echo \\# 2", false }, { "curl x#1", "curl x#2", false }, { "ls;#1", "ls;#2", true },
    { "(ls)|#1\ncat", "(ls)|#2\ncat", true }, { " ls\t-l ", "ls -l", true }, { "# x\n\nls a\nls b", "ls a\n  ls b", true },
    { "ls a\nls b", "ls a ls b", false }, { "cat <<E\n# 1\nE", "cat <<E\n# 2\nE", false },
  } do
    cases[#cases + 1] = { { command = lines[1] }, { command = lines[2] }, lines[3] }
  end

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
    local none = load { refuse = 2, warn = false, ignore = {}, name = "none" }
    assert.equal(".x", said(none, { tool = "BashOutput" }) .. said(none, { tool = "BashOutput" }))
  end)
end)

describe("what counts as no repetition", function()
  it("is a command that waits, and what an editor reads for completion", function()
    local hooks = load { refuse = 2, warn = false }
    for _, event in ipairs {
      { tool = "exec", args = { command = "sleep 9; make" } }, { tool = "shell", args = { command = { "sleep", "9" } } },
      { host = { hook_event_name = "beforeTabFileRead" } },
    } do
      assert.equal("..", said(hooks, event) .. said(hooks, event))
    end
    assert.equal(".x", play(hooks, "a") .. play(hooks, "a"))
    local sleepy = { tool = "exec", args = { command = "sleepy 3" } }
    assert.equal(".x", said(hooks, sleepy) .. said(hooks, sleepy))
  end)

  it("begins anew with a prompt, for each session", function()
    local hooks = load { refuse = 2, warn = false }
    assert.equal("...", play(hooks, "a", "s") .. play(hooks, "a", "t") .. said(hooks, { args = { path = "a" }, session_id = "s", agent_id = "x" }))
    prompt(hooks, { session_id = "s" })
    assert.equal(".x", play(hooks, "a", "s") .. play(hooks, "a", "t"))
    assert.equal(".", (said(hooks, { args = { path = "a" }, session_id = "s", agent_id = "x" })))
  end)
end)

describe("results", function()
  -- What is told of the result of a call, "!" if anything.
  local function result(hooks, event)
    event.point = event.point or "tool.post_execute"
    event.tool = event.tool or "exec"
    local outcome = hooks:dispatch(event)
    assert.is_nil(outcome.error)
    return outcome.inject and #outcome.inject > 0 and "!" or "."
  end

  it("that are the same are told at the 4th, and denied from the 6th call on, by default", function()
    local hooks, told = load(), ""
    for i = 1, 5 do
      told = told .. result(hooks, { args = { command = "make" }, result = "failed" })
      result(hooks, { args = { command = "ls " .. i }, result = "failed" })
    end
    assert.equal("...!.", told)
    assert.equal("x", (said(hooks, { tool = "exec", args = { command = "make" } })))
    result(hooks, { tool = "edit", args = { path = "a.c" }, result = { ok = true } })
    assert.equal(".", (said(hooks, { tool = "exec", args = { command = "make" } })))
  end)

  it("that differ are not counted", function()
    local hooks = load()
    for i = 1, 8 do
      assert.equal(".", (said(hooks, { tool = "exec", args = { command = "get pods" } })))
      assert.equal(".", result(hooks, { args = { command = "get pods" }, result = { stdout = "restarts " .. i } }))
    end
  end)

  it("are errors where there is no result", function()
    local hooks = load { same = 2 }
    local function failed(path, value) return result(hooks, { point = "tool.on_failure", args = { path = path }, error = "none", result = value }) end
    assert.equal(".!", failed("a") .. failed("a"))
    assert.equal("..", failed("b", { ok = false }) .. failed("b", { ok = false }))
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
    play(hooks, "a", "s")
    assert.same({ of = "bada77213cf65830", prompts = 1, calls = 1 }, orcs.state.get(SESSION))
    local runs = { 0, 0, 0, 0, 0, 0, 0, 0 }
    assert.same({ of = "c2a3ce084a4490e0", since = 1, last = 4813, older = 0, runs = runs }, orcs.state.get(AGENT))
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

  it("is not known without prompts, where it does not say that it goes on", function()
    local hooks, said_logs = load { stops = 1 }, {}
    for at = 1, 4 do
      if at == 3 then prompt(hooks) end
      said_logs[at] = #(hooks:dispatch({ point = "agent.pre_stop", message = "done" }).logs or {})
    end
    assert.same({ 0, 0, 0, 1 }, said_logs)
  end)

  it("is never made to stop if stops is false", function()
    local hooks = load { stops = false }
    for at = 1, 7 do
      assert.same({}, hooks:dispatch({ point = "agent.pre_stop", stop_hook_active = at > 1 }).logs or {})
    end
  end)
end)
