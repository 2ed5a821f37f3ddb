local SECRET, MASK = "PASSWORD=hunter2", "PASSWORD=[redacted]"

local function load(options) return orcs.test.load("mask-secrets.lua", options) end

local function at(point, hooks, more)
  local event = { point = point }
  for key, value in pairs(more) do event[key] = value end
  local outcome = hooks:dispatch(event)
  assert.is_nil(outcome.error)
  return outcome
end

local function result(hooks, more) return at("tool.post_execute", hooks, more).result end

-- Whether a call that writes is denied, if its file says this (nil: it cannot be read), and which file was read.
local function denied(hooks, args, content, cwd)
  local read
  orcs.test.tool("read", function(of)
    read = of.path
    return content == nil and { ok = false, error = "no such file" } or { content = content }
  end)
  local outcome = at("tool.pre_execute", hooks, { tool = "edit", args = args, cwd = cwd })
  return outcome.action == "abort", read, outcome
end

describe("options", function()
  it("can be any of those that are described", function()
    for name, values in pairs {
      results = { "mask", "off" }, prompts = { "mask", "refuse", "off" }, args = { "mask", "refuse", "off" }, responses = { "mask", "off" },
      writes = { "refuse", "off" }, notice = { true, false }, except = { {}, { "vault" } }, name = { "a.b-c_1" },
    } do
      for _, value in ipairs(values) do load { [name] = value } end
    end
  end)

  it("name the hooks", function()
    local _, _, outcome = denied(load(), { path = "/a", content = MASK }, SECRET)
    assert.equal("mask-secrets-writes", outcome.hook)
  end)
end)

describe("a result", function()
  it("is masked unless a hook compares a file", function()
    local hooks = load()
    assert.equal(MASK, result(hooks, { tool = "read", result = SECRET }))
    assert.equal(SECRET, result(hooks, { tool = "read", result = SECRET, metadata = { mask_secrets = "compares a file" } }))
    assert.equal(MASK, result(hooks, { tool = "read", result = SECRET, metadata = { mask_secrets = "else" } }))
  end)

  it("is masked in tables and lists, and their keys", function()
    local masked = result(load(), { tool = "read", result = { password = { "hunter2" }, list = { SECRET, { SECRET } }, [SECRET] = 1 } })
    assert.same({ password = { "[redacted]" }, list = { MASK, { MASK } }, [MASK] = 1 }, masked)
  end)
end)

describe("what is not masked", function()
  it("is what the options leave out", function()
    local secret = { password = "a" }
    local hooks = load { except = { "mcp__vault__*", "Vault" } }
    assert.same(secret, result(hooks, { tool = "mcp__vault__read/all", result = secret }))
    assert.same(secret, result(hooks, { tool = "vault", host = { tool_name = "Vault" }, result = secret }))
    assert.same({ password = "[redacted]" }, result(hooks, { tool = "vault", result = secret }))
    local off = load { results = "off", prompts = "off", writes = "off", name = "mask-more" }
    assert.same(secret, result(off, { tool = "read", result = secret }))
    assert.is_false((denied(off, { path = "/a", content = MASK }, SECRET)))
    for point, name in pairs { ["prompt.pre_submit"] = "prompt", ["llm.pre_generate"] = "prompt" } do
      assert.equal(SECRET, at(point, off, { [name] = SECRET }).payload[name])
    end
    assert.equal(SECRET, at("tool.pre_execute", off, { tool = "http", args = { body = SECRET } }).payload.args.body)
    local component = { id = "1", operation = "get", response = secret }
    assert.same(secret, at("request.post_dispatch", off, component).payload.response)
  end)

  it("is what is not there, nor a secret", function()
    local given = { ok = true, none = orcs.null, list = { 1, { pin = 7, password = 4711 } }, npm_0123456789abcdefghijklmnopqrstuvwxyz = 1 }
    local outcome = at("tool.post_execute", load { notice = false }, { tool = "exec", result = given })
    assert.same({ ok = true, list = { 1, { pin = 7, password = "[redacted]" } }, ["[redacted]"] = 1 }, outcome.result)
    assert.same({}, outcome.inject or {})
  end)
end)

describe("a notice", function()
  it("is not given where the model reads the original result", function()
    local hooks = load()
    for tool, notices in pairs { exec = 0, mcp__a__b = 1 } do
      local outcome = at("tool.post_execute", hooks, { component = "agent::cursor", tool = tool, result = SECRET })
      assert.same({ tool, notices }, { tool, #(outcome.inject or {}) })
    end
  end)
end)

describe("arguments that leave the machine", function()
  it("are those of tools for the network, by default", function()
    local hooks = load { args = "mask" }
    for tool in ("http WebFetch web_fetch WebSearch web_search google_web_search mcp__a__b"):gmatch "%S+" do
      local sent = at("tool.pre_execute", hooks, { tool = tool, args = { q = SECRET } })
      assert.same({ tool, MASK }, { tool, sent.payload.args.q })
    end
    local kept = at("tool.pre_execute", hooks, { tool = "WebFetcher", args = { q = SECRET } })
    assert.equal(SECRET, kept.payload.args.q)
  end)
end)

describe("a prompt", function()
  it("is masked under both of its names", function()
    local hooks = load()
    for _, name in ipairs { "prompt", "user_prompt" } do
      local payload = at("prompt.pre_submit", hooks, { [name] = SECRET }).payload
      assert.same({ name, MASK }, { name, payload[name] })
      assert.is_not_equal(SECRET, payload.prompt)
      assert.is_not_equal(SECRET, payload.user_prompt)
    end
  end)

  it("is denied when told so, in front of any agent, and left alone without a secret", function()
    local strict = load { prompts = "refuse" }
    local refused = at("prompt.pre_submit", strict, { prompt = SECRET, host = {} })
    assert.equal("abort", refused.action)
    assert.matches("what looks like a secret", refused.reason)
    local plain = at("prompt.pre_submit", load(), { prompt = "fix the login" })
    assert.same({ "fix the login", {} }, { plain.payload.prompt, plain.inject or {} })
    local later = at("prompt.pre_submit", load { name = "later" }, { component = "agent::gemini", prompt = SECRET, host = {} })
    assert.same({ SECRET, {} }, { later.payload.prompt, later.logs or {} })
  end)

  it("with a secret is reported where it cannot be replaced", function()
    local hooks = load()
    for prompt, lines in pairs { [SECRET] = 1, hello = 0 } do
      local logs = at("prompt.pre_submit", hooks, { component = "agent::codex", prompt = prompt, host = {} }).logs or {}
      assert.same({ prompt, lines }, { prompt, #logs })
    end
  end)
end)

describe("a write", function()
  local hooks
  before_each(function() hooks = load() end)

  it("is seen in the arguments of any tool that writes", function()
    for name in ([[content contents file_text fileText new_string new_str new_text newText new_source insert_text code_edit
      text]]):gmatch "%S+" do
      assert.same({ name, true }, { name, (denied(hooks, { path = "/a", [name] = MASK }, SECRET)) })
    end
    for name in ("path file_path absolute_path target_file notebook_path file filename"):gmatch "%S+" do
      local is_denied, read = denied(hooks, { [name] = "/a", content = MASK }, SECRET)
      assert.same({ name, true, "/a" }, { name, is_denied, read })
    end
    for name in ("old_string old_str old_text"):gmatch "%S+" do
      assert.same({ name, true }, { name, (denied(hooks, { path = "/a", [name] = SECRET, content = MASK })) })
    end
    for name in ("edits changes replacements"):gmatch "%S+" do
      local edits = { { old_string = "x", new_string = "y" }, { old_string = SECRET, new_string = MASK } }
      assert.same({ name, true }, { name, (denied(hooks, { path = "/a", [name] = edits }, SECRET)) })
    end
  end)

  it("may have values of other types", function()
    for i, args in ipairs {
      { path = "/a", content = { MASK } }, { path = "/a", content = 7 }, { file = 7, content = MASK },
      { path = "/a", edits = { MASK, { MASK } } }, { path = "/a", edits = 7 },
    } do
      assert.same({ i, false }, { i, (denied(hooks, args, SECRET)) })
    end
    assert.is_true((denied(hooks, { path = "/a", file = 7, line = 3, content = MASK }, SECRET)))
  end)

  it("is denied if it has more masks than what it replaces, in a file with a secret", function()
    for i, case in ipairs {
      { { content = "[redacted]" }, SECRET, true },
      { { content = "[redacted]" }, "nothing", false },
      { { content = "[redacted]" }, SECRET .. " [redacted]", false },
      { { content = "[redacted] [redacted]" }, SECRET .. " [redacted]", true },
      { { old_string = "a [redacted]", new_string = "b [redacted]" }, SECRET, false },
      { { old_string = "[redacted]", new_string = "[redacted][redacted]" }, SECRET .. " [redacted][redacted]", true },
      { { old_string = SECRET, new_string = MASK }, nil, true },
      { { old_string = "x", new_string = MASK }, nil, false },
      { { content = MASK }, nil, false },
    } do
      case[1].path = "/a"
      assert.same({ i, case[3] }, { i, (denied(hooks, case[1], case[2])) })
    end
  end)

  it("reads the file from the directory of the call", function()
    for path, read in pairs {
      ["a/b"] = "/w/a/b", ["/a/b"] = "/a/b", ["\\a"] = "\\a", ["C:\\a"] = "C:\\a", ["d:/a"] = "d:/a",
    } do
      local is_denied, at_path = denied(hooks, { path = path, content = MASK }, SECRET, "/w")
      assert.same({ true, read }, { is_denied, at_path })
    end
    assert.equal("a/b", (select(2, denied(hooks, { path = "a/b", content = MASK }, SECRET))))
  end)
end)
