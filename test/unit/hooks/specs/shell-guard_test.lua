-- A line that a person has allowed once with `orcs rules allow CODE`.

local sha256 = require "sha256"

local LINE = "git push --force"
local DAY, TEN_MINUTES = 24 * 60 * 60 * 1000, 10 * 60 * 1000

-- A call of a coding agent.
-- more: other keys; false: without this key
local function call(more)
  local event = { point = "tool.pre_execute", tool = "exec", args = { command = LINE }, session_id = "s", cwd = "/work", tool_use_id = "t", host = {} }
  for key, value in pairs(more or {}) do event[key] = value or nil end
  return event
end

local function digest(line, cwd, session)
  return sha256(orcs.json_encode({ line, cwd or "/work", session or "s" }))
end

-- As `orcs rules allow` does.
local function allow(line) orcs.state.set("allow:given:" .. digest(line or LINE), 1) end

local function passes(hooks, more) return hooks:dispatch(call(more)).action == "continue" end

local function permits(hooks, more)
  local event = call(more)
  event.point, event.tool, event.args, event.command = "auth.pre_check", nil, nil, LINE
  return hooks:dispatch(event).action == "continue"
end

local function reason(hooks, more) return hooks:dispatch(call(more)).reason end

describe("shell-guard", function()
  local hooks
  before_each(function() hooks = orcs.test.load "shell-guard.lua" end)

  it("lets an allowed line pass for one call", function()
    assert.is_false(passes(hooks))
    allow()
    assert.is_true(passes(hooks))
    assert.is_false(passes(hooks, { tool_use_id = "u" }))
    assert.is_false(passes(hooks, { tool_use_id = false }))
  end)

  it("lets the same call be looked at again, for a day", function()
    allow()
    assert.is_true(passes(hooks))
    orcs.test.advance(DAY - 1)
    assert.is_true(passes(hooks))
    orcs.test.advance(1)
    assert.is_false(passes(hooks))
  end)

  it("lets the permission check behind a call pass, for ten minutes", function()
    allow()
    assert.is_true(passes(hooks, { tool_use_id = false }))
    assert.is_true(permits(hooks, { tool_use_id = false }))
    orcs.test.advance(TEN_MINUTES - 1)
    assert.is_true(permits(hooks, { tool_use_id = false }))
    orcs.test.advance(1)
    assert.is_false(permits(hooks, { tool_use_id = false }))
  end)

  it("does not use the allowance up at a permission check", function()
    allow()
    assert.is_true(permits(hooks))
    assert.is_true(permits(hooks))
    assert.is_true(passes(hooks, { tool_use_id = "u" }))
  end)

  it("names no code where nobody could allow the line", function()
    for _, more in ipairs({ { session_id = false }, { session_id = "" }, { host = false }, { host = "x" }, { cwd = false } }) do
      assert.is_nil(reason(hooks, more):find("orcs rules allow", 1, true))
    end
  end)

  it("names a code for lines of up to 8 KiB of JSON", function()
    local around = #orcs.json_encode({ LINE .. " # ", "/work", "s" })
    local longest = LINE .. " # " .. ("x"):rep(8192 - around)
    assert.matches("orcs rules allow %x%x%x%x%x%x%x%x$", reason(hooks, { args = { command = longest } }))
    assert.is_nil(reason(hooks, { args = { command = longest .. "x" } }):find("orcs rules allow", 1, true))
  end)

  it("keeps what it refused, for `orcs rules allow`", function()
    local long = LINE .. " # " .. ("x"):rep(3000)
    local refused = hooks:dispatch(call { args = { command = long } })
    local kept = orcs.state.get "allow:refused:1"
    assert.equal(digest(long), kept.digest)
    assert.equal(digest(long):sub(1, 8), kept.code)
    assert.equal(long:sub(1, 2000), kept.line)
    assert.same({ "/work", "s", 1 }, { kept.cwd, kept.session, kept.number })
    assert.equal(1, refused.reason:find(kept.reason, 1, true))
    assert.equal(orcs.time(), kept.at)
  end)

  it("keeps the newest 64 refusals, with secrets masked", function()
    hooks:dispatch(call { args = { command = "TOKEN=ghp_012345678901234567890123456789012345 " .. LINE } })
    assert.equal("TOKEN=[redacted] " .. LINE, orcs.state.get("allow:refused:1").line)
    orcs.state.incr("allow:refusals", 62)
    passes(hooks)
    assert.equal(64, orcs.state.get("allow:refused:0").number)
    passes(hooks)
    assert.equal(65, orcs.state.get("allow:refused:1").number)
  end)

  it("keeps a list of words as one line", function()
    hooks:dispatch(call { args = { command = { "git", "push", "--force" } } })
    assert.equal(LINE, orcs.state.get("allow:refused:1").line)
  end)
end)

describe("shell-guard judges", function()
  local hooks
  before_each(function() hooks = orcs.test.load("shell-guard.lua", { dynamic = "abort" }) end)

  it("each call by its own folders", function()
    for i, case in ipairs {
      { "packages/a", "/work/p", nil, "continue" }, { nil, "/work/p", nil, "abort" }, { "packages/a", "/work/p", nil, "continue" },
      { nil, "/work/p/packages/a", nil, "abort" }, { nil, "/work/p/packages/a", "/work/p", "continue" }, { nil, "/work/p/packages/a", nil, "abort" },
    } do
      local args = { command = "rm -rf ../b", cwd = case[1] }
      local outcome = hooks:dispatch { point = "tool.pre_execute", tool = "exec", args = args, cwd = case[2], sandbox_root = case[3] }
      assert.same({ i, case[4] }, { i, outcome.action })
    end
  end)

  it("the command and the arguments that a permission is asked for", function()
    local asking = orcs.test.load "shell-guard.lua"
    for i, case in ipairs {
      { "rm -rf $X", nil, "ask" }, { "git push --force", { command = "rm -rf $X" }, "abort" }, { "rm -rf $X", { command = "ls" }, "ask" },
      { "rm -rf $X", { command = "git push --force" }, "abort" }, { "exec", { path = "x" }, "continue" },
    } do
      local outcome = asking:dispatch { point = "auth.pre_check", command = case[1], args = case[2] }
      assert.same({ i, case[3] }, { i, outcome.decision == "ask" and "ask" or outcome.action })
    end
  end)

  it("no permission for the arguments of an allowed line twice", function()
    allow()
    for _ = 1, 2 do
      assert.is_true(permits(hooks, { tool_use_id = false }))
      local named = call { point = "auth.pre_check", tool = false, command = "exec" }
      assert.equal("continue", hooks:dispatch(named).action)
    end
    assert.equal(1, orcs.state.get("allow:given:" .. digest(LINE)))
  end)
end)
