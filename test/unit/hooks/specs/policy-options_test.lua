local options = require "policy.options"

describe("a check of an option", function()
  local must = options.expect_of "limiter"

  it("returns what holds", function()
    assert.equal("x", must("x", "most", 1, "a number"))
  end)

  it("names the policy, the option, its value and what is expected", function()
    assert.has_error(function() must(false, "most", { 1 }, "a number") end,
      "limiter: the option most is [1], expected a number")
    assert.has_error(function() must(nil, "most", nil, "a number") end,
      "limiter: the option most is missing, expected a number")
  end)

  it("lists names in order", function()
    assert.equal("ask, deny, pass", options.listed { pass = true, ask = true, deny = true })
    assert.equal("", options.listed {})
  end)
end)

describe("a glob for names", function()
  -- Glob, name, whether it matches.
  local cases = {
    { "git", "git", true },
    { "git", "xgit", false },
    { "git", "gitx", false },
    { "mcp__*", "mcp__github__push", true },
    { "mcp__*", "mcp__", true },
    { "mcp__*", "xmcp__a", false },
    { "*_file", "read_file", true },
    { "*_file", "read_files", false },
    { "rea?", "read", true },
    { "rea?", "rea", false },
    { "rea?", "reads", false },
    { "a.b", "a.b", true },
    { "a.b", "axb", false },
    { "a%d", "a5", false },
    -- A slash is a character like others.
    { "a*", "a/b/c", true },
    { "a?c", "a/c", true },
    { "{a,b}*", "b/c/d", true },
    { "{a,b}*", "c", false },
    { "{a,b}/c", "a/c", true },
    { "[ab]?d", "a/d", true },
    { "[ab]?d", "c/d", false },
    { "[!a]x", "bx", true },
    { "[!a]x", "ax", false },
    -- Nor is a dot at the start hidden.
    { "*x", ".x", true },
    { "[.]x", ".x", true },
    { "{*,y}x", ".x", true },
  }

  for _, case in ipairs(cases) do
    local glob, name, matches = table.unpack(case)
    it(("%s and %s"):format(glob, name), function()
      assert.equal(matches, options.name_test(glob)(name))
    end)
  end

  it("that is invalid is an error when it is read", function()
    assert.has_error(function() options.name_test "[a" end)
  end)
end)
