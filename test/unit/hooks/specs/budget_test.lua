local MINUTE = 60 * 1000
local DAY = 24 * 60 * MINUTE

local function load(options) return orcs.test.load("budget.lua", options) end

local function at(point, hooks, more)
  local event = { point = point }
  for key, value in pairs(more or {}) do event[key] = value end
  local outcome = hooks:dispatch(event)
  assert.is_nil(outcome.error)
  return outcome
end

local function call(hooks, more)
  local event = { tool = "exec" }
  for key, value in pairs(more or {}) do event[key] = value end
  return at("tool.pre_execute", hooks, event)
end

local function passes(hooks, more) return call(hooks, more).action == "continue" end

local function answer(hooks, usage, more)
  local event = { usage = usage }
  for key, value in pairs(more or {}) do event[key] = value end
  return at("llm.post_generate", hooks, event)
end

-- What one answer with this usage costs, in millionths.
local function cost(prices, model, usage)
  local hooks = load { day = { cost = 5 }, prices = prices, name = "b" .. orcs.now_ms() }
  orcs.state.delete("budget b0:day:cost")
  answer(hooks, usage, { model_name = model })
  return (orcs.state.get("budget b0:day:cost") or 0) * 1e6
end

describe("a limit of calls", function()
  it("warns at four fifths, and denies at the end", function()
    local hooks = load { day = { calls = 5 } }
    for i = 1, 5 do
      local outcome = call(hooks)
      assert.equal("continue", outcome.action)
      assert.is_nil(outcome.decision)
      assert.same({ i, i == 4 }, { i, outcome.inject ~= nil and #outcome.inject > 0 })
    end
    assert.equal("abort", call(hooks).action)
  end)

  it("asks from its share on, not before", function()
    local hooks = load { day = { calls = 4 }, warn_at = 1, ask_at = 0.5 }
    local decisions = {}
    for i = 1, 4 do decisions[i] = tostring(call(hooks).decision) end
    assert.same({ "nil", "nil", "ask", "ask" }, decisions)
    assert.equal("abort", call(hooks).action)
  end)

  it("counts a call once that hooks see twice", function()
    local hooks = load { day = { calls = 1 } }
    local first = call(hooks)
    assert.is_true(passes(hooks, { metadata = first.metadata }))
    assert.is_false(passes(hooks))
  end)

  it("of a session lasts a week, of a day 24 hours", function()
    local hooks = load { session = { calls = 1 } }
    local day = load { day = { calls = 1 }, name = "day" }
    local s = { session_id = "s" }
    assert.is_true(passes(hooks, s) and passes(day, s))
    orcs.test.advance(DAY - 1)
    assert.is_false(passes(day, s))
    orcs.test.advance(1)
    assert.is_true(passes(day, s))
    orcs.test.advance(6 * DAY - 1)
    assert.is_false(passes(hooks, s))
    orcs.test.advance(1)
    assert.is_true(passes(hooks, s))
  end)

  it("counts calls without a session or agent together", function()
    local hooks = load { agent = { calls = 3 } }
    for _, more in ipairs { {}, { session_id = "" }, { agent_id = "" } } do assert.is_true(passes(hooks, more)) end
    assert.is_false(passes(hooks))
    assert.is_true(passes(hooks, { agent_id = "a" }))
    assert.is_true(passes(hooks, { component = "agent::other" }))
  end)

  it("reports the same limit in whatever order limits are given", function()
    local one, two = { calls = 1, tokens = 1 }, { tokens = 1, calls = 1 }
    for i, limits in ipairs {
      { session = one, day = one, agent = one }, { agent = two, session = two, day = two }, { day = two, agent = two, session = one },
    } do
      local hooks = load { session = limits.session, day = limits.day, agent = limits.agent, name = "n" .. i }
      call(hooks)
      answer(hooks, { total_tokens = 1 })
      assert.matches("^budget n" .. i .. ": 1 of 1 calls of this agent are used", call(hooks).reason)
      local tokens = load { session = { tokens = 1 }, day = { tokens = 1 }, name = "t" .. i }
      answer(tokens, { total_tokens = 1 })
      assert.matches("1 of 1 tokens of these 24 hours are used", call(tokens).reason)
    end
  end)
end)

describe("sessions of a single call", function()
  -- How many calls with a new session_id each pass.
  local function most(options)
    local hooks = load(options)
    for i = 1, 9 do
      if not passes(hooks, { session_id = "s" .. i }) then return i - 1 end
    end
  end

  it("share what one session or agent may make", function()
    assert.equal(2, most { agent = { calls = 2 }, day = { calls = 5 }, name = "a" })
    assert.equal(3, most { session = { calls = 3 }, agent = { calls = 2 }, name = "b" })
    assert.equal(5, most { day = { calls = 5 }, name = "c" })
  end)

  it("are not taken back a day later", function()
    local hooks = load { session = { calls = 3 } }
    call(hooks, { session_id = "s" })
    orcs.test.advance(DAY)
    call(hooks, { session_id = "s" })
    assert.is_nil(orcs.state.get "budget:single:host::main:main")
  end)
end)

describe("a limit of minutes", function()
  it("can be part of a minute", function()
    local hooks = load { session = { minutes = 0.5 }, warn_at = 0.5 }
    assert.is_nil(call(hooks).reason)
    orcs.test.advance(MINUTE / 4)
    assert.matches("0.25 of 0.5 minutes of this session are used", call(hooks).inject[1])
    orcs.test.advance(MINUTE / 4)
    assert.matches("0.5 of 0.5 minutes", call(hooks).reason)
  end)
end)

describe("a limit of tokens", function()
  it("denies calls, prompts and requests when it is reached, also by parts of tokens", function()
    local hooks = load { day = { tokens = 10 } }
    answer(hooks, { total_tokens = 4.5 })
    assert.is_true(passes(hooks))
    answer(hooks, { total_tokens = 5.5 })
    assert.matches("10 of 10 tokens", call(hooks).reason)
    assert.equal("abort", at("llm.pre_generate", hooks, { prompt = "a" }).action)
    assert.equal("abort", at("prompt.pre_submit", hooks, { prompt = "a" }).action)
  end)

  it("counts what the fields of an answer add up to", function()
    for i, case in ipairs {
      { { prompt_tokens = 10 }, 10 },
      { { completion_tokens = 7 }, 7 },
      { { input_tokens = 3, output_tokens = 4 }, 7 },
      { { prompt_tokens = 1, completion_tokens = 2, total_tokens = 9 }, 9 },
      { { input_tokens = 1, cache_read_input_tokens = 2, cache_creation_input_tokens = 4 }, 7 },
    } do
      local hooks = load { day = { tokens = 1000 }, name = "n" .. i }
      answer(hooks, case[1])
      assert.same({ i, case[2] }, { i, orcs.state.get("budget n" .. i .. ":day:tokens") })
    end
  end)

  it("says after ten answers or calls without a count that it has no effect", function()
    for _, reported in ipairs { false, true } do
      local hooks = load { day = { tokens = 1000 }, name = tostring(reported) }
      if reported then answer(hooks, { total_tokens = 1 }) end
      local lines = 0
      for i = 1, 12 do
        local outcome = i % 2 == 0 and call(hooks) or answer(hooks, reported and { total_tokens = 1 } or nil)
        lines = lines + #(outcome.logs or {})
        assert.same({ i, not reported and i >= 10 and 1 or 0 }, { i, lines })
      end
    end
  end)

  it("is not one of calls", function()
    local hooks = load { day = { calls = 9 } }
    assert.same({}, answer(hooks, { total_tokens = 5 }).logs or {})
    assert.is_nil(orcs.state.get "budget:day:calls")
  end)
end)

describe("a limit of cost", function()
  local function price(prompt, completion, cached) return { prompt = prompt, completion = completion, cached = cached } end

  it("uses the price of the most specific glob", function()
    local usage = { prompt_tokens = 1 }
    for _, prices in ipairs {
      { ["a*"] = price(1, 1), ["a-long*"] = price(2, 2), ["*"] = price(3, 3) },
      { ["*"] = price(3, 3), ["a-long*"] = price(2, 2), ["a*"] = price(1, 1) },
    } do
      assert.near(2, cost(prices, "a-long-1", usage), 1e-9)
      assert.near(1, cost(prices, "a-1", usage), 1e-9)
      assert.near(3, cost(prices, "b", usage), 1e-9)
    end
    for _, prices in ipairs { { ["a*1"] = price(1, 1), ["ab*"] = price(2, 2) }, { ["ab*"] = price(2, 2), ["a*1"] = price(1, 1) } } do
      assert.near(1, cost(prices, "ab1", usage), 1e-9)
    end
  end)

  it("uses the highest prices for other models, and says so once for each", function()
    local prices = { a = price(0, 0.25), b = price(0.5, 0.125, 0.75) }
    assert.near(0.75, cost(prices, "c", { prompt_tokens = 1 }), 1e-9)
    assert.near(0.25, cost(prices, "c", { completion_tokens = 1 }), 1e-9)
    local hooks = load { day = { cost = 5 }, prices = prices, name = "x" }
    local said = {}
    for i, model in ipairs { "c", "c", "d", false, "a" } do
      said[i] = #answer(hooks, { prompt_tokens = 1 }, { model_name = model or nil }).logs
    end
    assert.same({ 1, 0, 1, 1, 0 }, said)
  end)

  it("can be part of a unit, and is shown with two digits", function()
    local hooks = load { day = { cost = 0.5 }, prices = { a = price(0, 1e6) } }
    answer(hooks, { completion_tokens = 0.75 }, { model_name = "a" })
    assert.matches("^budget: 0.75 of 0.50 %(cost%) of these 24 hours are used", call(hooks).reason)
  end)
end)
