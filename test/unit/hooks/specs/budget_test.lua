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

describe("limits of a session and its agents", function()
  it("are counted by themselves", function()
    local hooks = load { session = { calls = 3 }, agent = { calls = 2 } }
    local function one(session, agent) return call(hooks, { session_id = session, agent_id = agent }).reason or "" end
    assert.equal("", one("s", "a") .. one("s", "a"))
    assert.matches("2 of 2 calls of this agent", one("s", "a"))
    assert.equal("", one("s", "b"))
    assert.matches("3 of 3 calls of this session", one("s", "b"))
    assert.equal("", one("t", "a"))
  end)

  it("are a thousand calls of a session by default", function()
    orcs.state.set("budget:session:calls:3:s:s", 999)
    local hooks = load()
    local first = call(hooks, { session_id = "s" })
    assert.same({ "continue", 0 }, { first.action, #(first.inject or {}) })
    assert.is_false(passes(hooks, { session_id = "s" }))
  end)

  it("give back what they took when another one has no room any more", function()
    -- 9.5 passes the check but not the increment, as if another process had counted in between.
    local day, session = "budget:day:calls", "budget:session:calls:6:c:main"
    orcs.state.set(day, 3)
    orcs.state.set(session, 9.5)
    assert.matches("10 of 10 calls of this session", call(load { session = { calls = 10 }, day = { calls = 10 } }).reason)
    assert.same({ 3, 9.5 }, { orcs.state.get(day), orcs.state.get(session) })
  end)

  it("do not apply to what is not the agent's", function()
    orcs.state.set("budget:session:calls:6:c:main", 1)
    assert.is_true(passes(load { session = { calls = 1 } }, { host = { hook_event_name = "beforeTabFileRead" } }))
  end)

  it("are warned about where calls are asked about, too", function()
    orcs.state.set("budget:day:calls", 1)
    local hooks = load { day = { calls = 4 }, warn_at = 0.75, ask_at = 0.5 }
    call(hooks)
    local both = call(hooks)
    assert.same({ "ask", "budget: 2 of 4 calls of these 24 hours are used. Continue?" }, { both.decision, both.reason })
    assert.matches("3 of 4 calls of these 24 hours", both.inject[1])
    assert.same({}, call(hooks).inject)
  end)
end)

describe("sessions of a single call", function()
  it("share one budget, unless they are reported", function()
    local hooks = load { session = { calls = 3 } }
    local function play(sessions)
      local became = ""
      for session in sessions:gmatch "." do became = became .. (passes(hooks, { session_id = session }) and "." or "x") end
      return became
    end
    assert.equal(".....", play "abbcd")
    assert.equal(
      "budget: 3 calls came with a new session_id each, as many as one session may make. Keep the session_id, or report each session (session.on_start, prompt.pre_submit).",
      call(hooks, { session_id = "e" }).reason
    )
    assert.equal(".", play "b")
    assert.is_true(passes(hooks))
    at("session.on_start", hooks, { session_id = "e" })
    assert.equal(".", play "e")
    at("prompt.pre_submit", hooks, { prompt = "go on", session_id = "f" })
    assert.equal(".x..", play "fgag")
    assert.same({ 2, nil }, { orcs.state.get "budget:seen:1:b", orcs.state.get "budget:seen:1:e" })
    orcs.test.advance(DAY - 1)
    assert.equal("x", play "h")
    orcs.test.advance(1)
    assert.equal(".", play "h")
    assert.equal(1, orcs.state.get "budget:single:host::main:main")
  end)

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
  it("counts from the first call of each session", function()
    local hooks, s, t = load { session = { minutes = 60 }, warn_at = 0.5, ask_at = 0.9 }, { session_id = "s" }, { session_id = "t" }
    local function told(more)
      local outcome = call(hooks, more)
      return outcome.action == "abort" and outcome.reason or outcome.decision or (outcome.inject or {})[1] or ""
    end
    assert.equal("", told(s))
    orcs.test.advance(30 * MINUTE - 1)
    assert.equal("", told(s) .. told(t))
    orcs.test.advance(1)
    assert.matches("30 of 60 minutes", told(s))
    orcs.test.advance(1)
    assert.equal("", told(s))
    orcs.test.advance(24 * MINUTE - 1)
    assert.equal("ask", told(s))
    orcs.test.advance(6 * MINUTE)
    assert.matches("^budget: 60 of 60 minutes", told(s))
    assert.matches("30 of 60 minutes", told(t))
    assert.equal("abort", at("prompt.pre_submit", hooks, { prompt = "go on", session_id = "s" }).action)
  end)

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
      { { total_tokens = 30 }, 30 },
      { { prompt_tokens = 7, prompt_tokens_details = { cached_tokens = 5 } }, 7 },
      { { prompt_tokens = -1000, completion_tokens = 10 }, 10 },
      { { prompt_tokens = "10", completion_tokens = 10, prompt_tokens_details = "none" }, 10 },
      { { prompt_tokens = orcs.null, completion_tokens = 10 }, 10 },
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
        if #(outcome.logs or {}) > 0 then assert.matches("day%.tokens has no effect", outcome.logs[1]) end
        assert.same({ i, not reported and i >= 10 and 1 or 0 }, { i, lines })
      end
    end
  end)

  it("counts an answer that comes in pieces once", function()
    local hooks = load { day = { tokens = 100 } }
    local function chunk(tokens, candidate)
      answer(hooks, { total_tokens = tokens }, { host = { hook_event_name = "AfterModel", llm_response = { candidates = { candidate } } } })
    end
    chunk(10, { index = 0 })
    chunk(20, { finishReason = "STOP" })
    assert.equal(20, orcs.state.get "budget:day:tokens")
  end)

  it("applies to prompts and requests, where one of calls does not", function()
    local hooks = load { session = { calls = 1 }, day = { tokens = 100 } }
    orcs.state.set("budget:session:calls:6:c:main", 1)
    orcs.state.set("budget:day:tokens", 99)
    assert.equal("continue", at("llm.pre_generate", hooks, { prompt = "a" }).action)
    answer(hooks, { total_tokens = 1 })
    assert.matches("100 of 100 tokens of these 24 hours", at("llm.pre_generate", hooks, { prompt = "b" }).reason)
    assert.equal("abort", at("prompt.pre_submit", hooks, { prompt = "b" }).action)
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
      assert.near(2, cost(prices, "maker/a-long-1", usage), 1e-9)
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
