-- Calls with a session, by a coding agent that reports them without ids.
-- more: other keys; false: without this key
local function call(more)
  local event = { point = "tool.pre_execute", tool = "exec", session_id = "s", cwd = "/w/p", host = {}, args = { command = "make" } }
  for key, value in pairs(more or {}) do event[key] = value or nil end
  return event
end

local function asked(hooks, more)
  return hooks:dispatch(call(more)).decision == "ask"
end

local function ran(hooks, more)
  local event = call(more)
  event.point = "tool.post_execute"
  local outcome = hooks:dispatch(event)
  assert.equal("continue", outcome.action)
  assert.is_nil(outcome.error)
end

-- Whether a call passes after another one was approved.
local function follows(hooks, first, second)
  assert.is_true(asked(hooks, first))
  ran(hooks, first)
  return not asked(hooks, second)
end

local function line(command, cwd)
  return { args = { command = command }, cwd = cwd }
end

describe("a condition on", function()
  -- Rule, call, and whether the rule asks about it.
  local cases = {
    { { command = "make*x" }, line "make a\n  x", true },
    { { command = "make  all" }, line "make\t all", true },
    { { command = "make" }, line "remake", false },
    { { command = "make" }, line "maker", false },
    { { command = "--force" }, line "a--force", true },
    { { command = "rm -" }, line "rm -r", true },
    { { command = "a.b%w+" }, line "axbxx", false },
    { { command = "a.b%w+" }, line "a.b%w+", true },
    { { command = "-a*a-" }, line "-a-", false },
    { { command = "a*b" }, line "b a", false },
    { { command = "(*)" }, line "()", true },
    { { command = "git push" }, line { "git", "push" }, true },
    { { command = "git push" }, line { "git", "pull" }, false },
    { { command = "git" }, { args = { cmd = "git" } }, true },
    { { command = "git" }, line(7), true },
    { { command = "git" }, line {}, true },
    { { command = "git" }, line { "ls", 1 }, true },
    { { command = "git" }, { args = { path = "git" } }, false },
    { { command = { "sudo", "rm * build/ *" } }, line "cd x && sudo  ls", true },
    { { command = { "sudo", "rm * build/ *" } }, line "cat pseudocode", false },
    { { command = { "sudo", "rm * build/ *" } }, { args = { cmd = { "rm", "-r", "build/" } } }, true },
    { { command = "git" }, line(false), true },
    { { runs = "git push --force" }, line "cd x && sudo git -C push push -q --force=now", true },
    { { runs = "git push --force" }, line "git push", false },
    { { runs = { "npm publish*", "git tag -d" } }, line "git tag -fd v1", true },
    { { runs = { "npm publish*", "git tag -d" } }, line "npm publish --tag next", true },
    { { runs = "git push" }, line "git $WHAT", true },
    { { runs = "git push" }, line 'git commit -m "$TEXT"', false },
    { { runs = "git push" }, line "$WHAT", true },
    { { runs = "git push" }, line(1), true },
    { { runs = "git push" }, line { "git", "push" }, true },
    { { runs = "git push" }, line { "git push" }, true },
    { { runs = "git push" }, line { "echo", "git push" }, false },
    { { runs = "git" }, line {}, true },
    { { runs = "git" }, line { "ls" }, false },
    { { runs = "git" }, { args = { path = "git" } }, false },
    { { path = "*.lock" }, { args = { path = "a/b.lock" } }, true },
    { { path = "x" }, { args = { path = { "y", "x" } } }, true },
    { { path = "x" }, { args = { path = { "y", "z" } } }, false },
    { { path = "x" }, { args = { path = { x = 1 } } }, true },
    { { path = "7" }, { args = { path = 7 } }, true },
    { { path = "**" }, { args = { path = true } }, false },
    { { path = "**" }, { args = {} }, false },
    { { path = { ".github/**", "/etc/**" } }, { args = { path = "./src/../.github/ci.yml" } }, true },
    { { path = { ".github/**", "/etc/**" } }, { args = { paths = { "a", "../../etc/x" } } }, true },
    { { path = ".github/**" }, { args = { path = { { 1 } } } }, true },
    { { path = ".github/**" }, { args = { path = "src/.github/x" } }, false },
    { { path = "1" }, { args = { from = 2, file = true } }, false },
    { { path = "x/**" }, { args = { path = "/w/p/x/b" } }, true },
    { { path = "x/**" }, { args = { path = "y/../../../w/p/x/b" } }, true },
    { { path = "x/**" }, { args = { path = "y/x/b" } }, false },
    { { path = "x/**" }, { cwd = "/", args = { path = "/x/b" } }, true },
    -- As many characters as "/w/p/" before it: it is below another folder.
    { { path = "x/**" }, { args = { path = "/v/p/x/b" } }, false },
    { { path = "x" }, { args = { path = orcs.null } }, false },
    { { runs = "git" }, line(orcs.null), false },
    { { tool = { "write", "ex*" } }, {}, true },
    { { tool = "write|read" }, {}, false },
    { { tool = "Bash" }, { host = { tool_name = 7 } }, false },
    { { runs = "git push" }, line "git --no-pager $WHAT origin", true },
    { { path = "/etc/**" }, { sandbox_root = "/etc", cwd = false, args = { path = "x" } }, true },
  }
  local rules = {}
  for i, case in ipairs(cases) do
    rules[i] = case[1]
    rules[i].reason = ("<%d>"):format(i)
  end
  it("commands and paths", function()
    local hooks = orcs.test.load("approve.lua", { rules = rules, remember = "never" })
    for i, case in ipairs(cases) do
      local reason = hooks:dispatch(call(case[2])).reason or ""
      assert.same({ i, case[3] }, { i, reason:find(rules[i].reason, 1, true) ~= nil })
    end
  end)

  it("every argument that is a path", function()
    local on_x = orcs.test.load("approve.lua", { rules = { { path = "x" } } })
    for name in ([[path file_path from to cwd notebook_path paths files file filename target_file dir_path source
      destination]]):gmatch "%S+" do
      assert.same({ name, true }, { name, asked(on_x, { args = { [name] = "x" } }) })
    end
  end)

  it("several things holds if all hold, and the reasons of all such rules are given", function()
    local two = orcs.test.load("approve.lua", {
      rules = { { tool = "exec", command = "make", reason = "One." }, { tool = "e*" }, { tool = "exec", command = "git" } },
    })
    assert.equal("approve: One. exec requires approval.", two:dispatch(call()).reason)
  end)
end)

describe("an approval", function()
  local hooks
  before_each(function() hooks = orcs.test.load("approve.lua") end)

  it("holds for the same call", function()
    assert.is_true(follows(hooks, {}, {}))
    for _, args in ipairs {
      { command = "make x" }, { command = { "make" } }, { command = "make", env = { A = "1" } },
      { command = "make", cwd = "/w" },
    } do
      assert.is_true(asked(hooks, { args = args }))
    end
    assert.is_true(asked(hooks, { session_id = 's"],"' }))
    assert.is_true(asked(hooks, { session_id = "t" }))
    assert.is_true(asked(hooks, { cwd = "/w" }))
    assert.is_true(asked(hooks, { tool = "exec2" }))
    assert.is_true(asked(hooks, { component = "agent::other" }))
  end)

  it("needs a session", function()
    for _, session in ipairs { "", false } do
      local without = { session_id = session }
      assert.is_false(follows(hooks, without, without))
      assert.is_nil(hooks:dispatch(call(without)).metadata.approve)
    end
  end)

  it("needs no directory, but does not hold in another", function()
    assert.is_true(follows(hooks, { cwd = false }, { cwd = false }))
    assert.is_true(asked(hooks, { cwd = "" }))
  end)

  it("holds for a command with another description or timeout", function()
    for i, name in ipairs { "description", "explanation", "timeout", "timeout_ms" } do
      for _, command in ipairs { "command", "cmd" } do
        local first = { tool = "exec" .. i, args = { [command] = "make", [name] = 1 } }
        assert.is_true(follows(hooks, first, { tool = "exec" .. i, args = { [command] = "make", [name] = 2 } }))
      end
    end
  end)

  it("depends on the description of what is no command", function()
    for _, tool in ipairs { "mcp__a__b", "task" } do
      local args = tool == "task" and { description = 1 } or { command = "make", description = 1 }
      local others = tool == "task" and { description = 2 } or { command = "make", description = 2 }
      assert.is_false(follows(hooks, { tool = tool, args = args }, { tool = tool, args = others }))
    end
  end)

  it("is remembered for calls of up to 8 KB", function()
    local around = #orcs.json_encode { "exec", { text = "" } }
    for size, remembered in pairs { [8192] = true, [8193] = false } do
      local long = { args = { text = ("x"):rep(size - around) } }
      assert.same({ size, remembered }, { size, follows(hooks, long, long) })
    end
  end)

  it("is not remembered if the options say so", function()
    local never = orcs.test.load("approve.lua", { remember = "never" })
    assert.is_false(follows(never, {}, {}))
  end)

  it("lasts eight hours, or as long as the options say", function()
    for minutes, name in pairs { [480] = "a", [0.5] = "b", [525600] = "c" } do
      local options = { minutes = minutes ~= 480 and minutes or nil, name = name }
      local timed = orcs.test.load("approve.lua", options)
      assert.is_true(follows(timed, {}, {}))
      orcs.test.advance(minutes * 60000 - 1)
      assert.is_false(asked(timed))
      orcs.test.advance(1)
      assert.is_true(asked(timed))
    end
  end)

  it("counts for a call that runs within an hour of the question", function()
    for wait, counts in pairs { [3599999] = true, [3600000] = false } do
      local at = line("make " .. wait)
      assert.is_true(asked(hooks, at))
      orcs.test.advance(wait)
      ran(hooks, at)
      assert.same({ wait, not counts }, { wait, asked(hooks, at) })
    end
  end)

  it("counts once for each question", function()
    local short = orcs.test.load("approve.lua", { minutes = 1 })
    assert.is_true(follows(short, { tool_use_id = "1" }, {}))
    orcs.test.advance(60000)
    ran(short, { tool_use_id = "1" })
    assert.is_true(asked(short))
  end)

  it("is not made by a call that nobody was asked about", function()
    ran(hooks, { tool_use_id = "1" })
    assert.is_true(asked(hooks))
  end)

  it("is kept in orcs.state under keys of its own", function()
    local tools = orcs.test.load("approve.lua", { by = "tool" })
    local key = orcs.json_encode { { "host::main", "s" }, '{"tool":"*"}', { "exec" } }
    orcs.state.set(key, 1)
    assert.is_true(asked(tools))
    assert.equal(1, orcs.state.get "approve:questions")
    orcs.state.set("approve:" .. key, 1)
    assert.is_false(asked(tools))
  end)
end)

describe('by = "tool"', function()
  it("remembers the tool, dangerous commands included", function()
    local hooks = orcs.test.load("approve.lua", { by = "tool", name = "tools" })
    assert.is_true(follows(hooks, {}, line("git push --force", "/x")))
    assert.is_true(asked(hooks, { tool = "write" }))
  end)
end)

describe('by = "program"', function()
  local hooks
  before_each(function() hooks = orcs.test.load("approve.lua", { by = "program" }) end)

  it("remembers all programs of a command, and how it runs them", function()
    assert.is_true(follows(hooks, line "git log | head -3", line "git status; head x"))
    assert.is_false(asked(hooks, line { "git", "status" }))
    assert.is_true(asked(hooks, line "git log | tail"))
    assert.is_true(asked(hooks, line "sudo git log"))
    assert.is_true(asked(hooks, line "/tmp/git log"))
    assert.is_true(asked(hooks, line "git push --force"))
  end)

  it("needs programs that are known", function()
    assert.is_true(follows(hooks, line "git log", line "git status"))
    for _, command in ipairs { "$X log", "git log; $X", 7, {}, { 1 }, { "git", 1 } } do
      assert.is_true(asked(hooks, line(command)))
      assert.is_true(asked(hooks, { args = { command = command, cmd = "git log" } }))
    end
    assert.is_true(asked(hooks, { args = { path = "git" } }))
    assert.is_true(asked(hooks, line ""))
  end)

  it("remembers a dangerous call alone, for each rule", function()
    local two = orcs.test.load("approve.lua", { by = "program", rules = { { runs = "git" }, { tool = "exec" } } })
    assert.is_true(follows(two, line "git push -f", line "git push -f"))
    assert.is_true(asked(two, line "git push"))
    assert.is_true(asked(two, line "git push -f origin x"))
    assert.is_true(asked(two, line("git push -f", "/x")))
  end)
end)
