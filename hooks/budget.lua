-- budget: limits the tool calls, minutes, tokens and money that sessions, agents and days may use.
--
-- At one share of a limit (warn_at), the model receives a message and a warning is logged, once.
-- From another share on (ask_at, optional), each call needs approval. At the limit, calls are
-- denied; at a limit of minutes, tokens or cost, so are prompts and requests to the model.
--
-- Options:
--   session    limits of each session: { calls = , minutes = , tokens = , cost = }, all optional
--   agent      limits of each agent in a session; each subagent counts separately
--   day        limits for 24 hours, shared by all that use this orcs.state
--              default, if none of the three is set: session = { calls = 1000 }
--   warn_at    share of a limit at which a warning is given; default 0.8
--   ask_at     share of a limit from which on each call needs approval; default: none
--   prices     prices of models for a million tokens:
--              { "gpt-*" = { prompt = 2, completion = 8, cached = 0.5 } }; `cached` defaults to
--              `prompt`. Required for limits of cost, which use the same currency. If several
--              patterns match, the longest applies; a model without a match has the highest prices
--   name       prefix of the hook ids and counters; default "budget". A second budget needs its own
--
--   [[hooks]]
--   script = "orcs:budget"
--   [hooks.options]
--   session = { calls = 300, minutes = 90 }
--   day = { cost = 20 }
--   prices = { "claude-*" = { prompt = 3, completion = 15, cached = 0.3 } }
--
-- Notes:
--   - Tokens and cost are counted if each response of the model is reported with its usage
--     (llm.post_generate), by a program of your own or by Gemini CLI, or if the agent writes it into
--     its transcript, as Claude Code and Codex do; transcripts of their subagents are not read. Else
--     a warning is logged. A response in progress when the limit is reached is still counted.
--   - It runs late, so calls that other hooks deny are not counted; calls that the user then denies
--     are. A hook that returns `stop` before it bypasses it. Calls made by hooks are not counted,
--     but their tokens are. If a coding agent sends two events for a call (Cursor, if both were
--     installed by hand), it is counted twice.
--   - Scripts do not know the date: 24 hours begin with the first count after the previous 24
--     hours. Counts of a session or agent are kept for a week from its start, also if it is resumed
--     in that time. Without a session_id, events count for their channel, for at most 24 hours.
--   - An id that is new with each call would begin a new session each time. So sessions of a single
--     call share one budget of calls: as many in 24 hours as one session may make. This does not
--     apply to sessions that are reported (session.on_start, prompt.pre_submit), as coding agents
--     do, and an id with two calls is a session. For minutes, tokens and cost, limit the day.
--   - With a shared state ([state] url), a call is denied while the state cannot be reached; set
--     on_store_error = "local" to count on this machine until then.
--   - Minutes run from the first call or prompt and include waits. State in a file uses the clock
--     of the machine: limits end early if it is set forward, and late if it is set back.

local DAY, WEEK, MINUTE = 24 * 3600 * 1000, 7 * 24 * 3600 * 1000, 60 * 1000
local SCOPES = { session = "this session", agent = "this agent", day = "these 24 hours" }
local UNITS = {
  calls = "%.0f of %.0f calls",
  minutes = "%g of %g minutes",
  tokens = "%.0f of %.0f tokens",
  cost = "%.2f of %.2f (cost)",
}
-- After this many calls without reported tokens, a warning is logged.
local BLIND = 10

local must = require("policy.options").expect_of("budget")
local count_transcript = require("policy.transcript")

local function number_from(least, value)
  return type(value) == "number" and value >= least and value < math.huge
end

local function share(option, value)
  must(value == nil or (number_from(0, value) and value > 0 and value <= 1), option, value, "a share above 0, at most 1")
  return value
end

local KNOWN = { session = true, agent = true, day = true, warn_at = true, ask_at = true, prices = true, name = true }
local options = orcs.options
for key, value in pairs(options) do
  must(KNOWN[key], key, value, "no option of that name; known options: session, agent, day, warn_at, ask_at, prices and name")
end
local name = options.name == nil and "budget" or options.name
must(type(name) == "string" and name:find("^[%w_.-]+$"), "name", name, "letters, digits, _, - and .")
-- Used in messages, state keys and metadata.
local title = name == "budget" and name or "budget " .. name
local warn_at, ask_at = share("warn_at", options.warn_at) or 0.8, share("ask_at", options.ask_at)

-- Each limit is { scope, unit, max, warn, ask, … }; `thresholds` and `clock` are used for minutes
-- only.
local limits, has_cost = {}, false

local function add_limit(scope, unit, max)
  local option = scope .. "." .. unit
  must(UNITS[unit], option, max, "no limit of that name; known limits: calls, minutes, tokens and cost")
  must(number_from(0, max) and max > 0, option, max, "a number above 0; leave it out for no limit")
  must(unit == "cost" or unit == "minutes" or max % 1 == 0, option, max, "a whole number")
  local longest = (scope == "day" and DAY or WEEK) // MINUTE
  must(unit ~= "minutes" or max < longest, option, max, "less than " .. longest .. ", after which it starts again")
  must(unit ~= "cost" or options.prices ~= nil, "prices", nil, "the prices of models, because " .. option .. " is limited")
  local warn, ask = warn_at * max, ask_at and ask_at * max or math.huge
  local limit = { scope = scope, unit = unit, max = max, warn = warn, ask = ask }
  has_cost = has_cost or unit == "cost"
  limit.label = UNITS[unit] .. " of " .. SCOPES[scope]
  limit.thresholds = { warn, max, ask < max and ask or nil }
  limit.clock = table.concat(limit.thresholds, "/")
  limits[#limits + 1] = limit
end

local stated = { session = options.session, agent = options.agent, day = options.day }
if next(stated) == nil then stated.session = { calls = 1000 } end
for scope, of in pairs(stated) do
  must(type(of) == "table" and next(of) ~= nil, scope, of, "limits, such as { calls = 300 }")
  for unit, max in pairs(of) do add_limit(scope, unit, max) end
end
table.sort(limits, function(a, b)
  return a.unit < b.unit or a.unit == b.unit and a.scope < b.scope
end)

local calls, others, of_model = {}, {}, {}
for _, limit in ipairs(limits) do
  table.insert(limit.unit == "calls" and calls or others, limit)
  if limit.unit == "tokens" or limit.unit == "cost" then table.insert(of_model, limit) end
end

-- Prices, the longest pattern first, and the price of models that no pattern matches.
local prices, dearest = {}, { prompt = 0, completion = 0 }
local given_prices = options.prices == nil and {} or options.prices
must(type(given_prices) == "table", "prices", given_prices, "a table of models")
for model, price in pairs(given_prices) do
  local option = "prices." .. model
  must(pcall(orcs.glob_match, model, model), option, model, "the glob of a model's name")
  must(type(price) == "table", option, price, "{ prompt = , completion = }, for a million tokens each")
  for key, value in pairs(price) do
    must(key == "prompt" or key == "completion" or key == "cached", option .. "." .. key, value, "prompt, completion or cached")
  end
  must(number_from(0, price.prompt), option .. ".prompt", price.prompt, "a number from 0")
  must(number_from(0, price.completion), option .. ".completion", price.completion, "a number from 0")
  must(price.cached == nil or number_from(0, price.cached), option .. ".cached", price.cached, "a number from 0")
  prices[#prices + 1] = { model = model, prompt = price.prompt, completion = price.completion, cached = price.cached or price.prompt }
  dearest.prompt = math.max(dearest.prompt, price.prompt, price.cached or 0)
  dearest.completion = math.max(dearest.completion, price.completion)
end
dearest.cached = dearest.prompt
must(options.prices == nil or #prices > 0, "prices", options.prices, "at least one model")
must(options.prices == nil or has_cost, "prices", options.prices, "a limit of cost together with it, such as day = { cost = 20 }")
table.sort(prices, function(a, b)
  return #a.model > #b.model or #a.model == #b.model and a.model < b.model
end)

-- Returns the session_id of a payload; nil if it has none.
local function session_of(payload)
  return payload.session_id ~= "" and payload.session_id or nil
end

-- Returns the state key and the time to live of each limit. Ids are prefixed with their length, so
-- that different ids never give the same key.
local function counters(ctx, of)
  local payload = ctx.payload
  local named, agent = session_of(payload), payload.agent_id
  local session = named and "s:" .. named or "c:" .. ctx.channel_id
  if agent == nil or agent == "" then agent = ctx.component_id end
  local keys, ttls = {}, {}
  for _, limit in ipairs(of) do
    local key = title .. ":" .. limit.scope .. ":" .. limit.unit
    if limit.scope ~= "day" then key = key .. ":" .. #session .. ":" .. session end
    if limit.scope == "agent" then key = key .. ":" .. #agent .. ":" .. agent end
    keys[limit], ttls[limit] = key, limit.scope ~= "day" and named and WEEK or DAY
  end
  return keys, ttls
end

-- How many calls sessions of a single call may make together: what one session may make. nil without
-- a limit of calls for sessions or agents.
local most_single
for _, limit in ipairs(calls) do
  -- The limit of sessions comes last.
  if limit.scope ~= "day" then most_single = limit.max end
end

-- Returns the state keys for a session whose id is new with each call: its number of calls (up to 2),
-- whether its start was reported, and the calls of all such sessions. nil without a session_id.
local function single_keys(ctx)
  local session = session_of(ctx.payload)
  if not most_single or not session then return nil end
  local own = #session .. ":" .. session
  local all = title .. ":single:" .. ctx.component_id .. ":" .. ctx.channel_id
  return { calls = title .. ":seen:" .. own, reported = title .. ":reported:" .. own, all = all }
end

-- Returns a denial if the first call of a session would be one too many, and how many calls the
-- session has made.
local function single_call(keys)
  local count = keys and orcs.state.get(keys.calls) or 0
  if not keys or count > 0 or orcs.state.get(keys.reported) then return nil, count end
  local all = orcs.state.get(keys.all) or 0
  if all < most_single then return nil, count end
  local said = title .. ": %d calls came with a new session_id each, as many as one session may make. "
    .. "Keep the session_id, or report each session (session.on_start, prompt.pre_submit)."
  return orcs.deny(said:format(math.floor(all))), count
end

-- Counts a call of a session: the first one as a single call, which the second one takes back.
local function count_single(keys, count)
  if not keys or count > 1 or orcs.state.get(keys.reported) then return end
  local now = orcs.state.incr(keys.calls, 1, WEEK)
  if now == 1 then orcs.state.incr(keys.all, 1, DAY) end
  if now == 2 and (orcs.state.get(keys.all) or 0) > 0 then orcs.state.incr(keys.all, -1) end
end

local function at_start(ctx)
  local keys = single_keys(ctx)
  if keys and not orcs.state.get(keys.reported) then orcs.state.incr(keys.reported, nil, WEEK) end
end

-- Returns the highest threshold, in minutes, that has passed. Scripts have no clock that processes
-- share, but counters in orcs.state expire: each threshold has a counter that expires when it
-- passes.
local function minutes_used(limit, key, ttl)
  -- The key contains the thresholds, so that changing them starts new counters.
  local base = key .. ":" .. limit.clock
  if not orcs.state.get(base) then
    for _, minutes in ipairs(limit.thresholds) do orcs.state.incr(base .. ":" .. minutes, nil, minutes * MINUTE) end
    orcs.state.incr(key .. ":warn", nil, ttl)
    -- Last, so that no process finds the base without the counters of the thresholds.
    orcs.state.incr(base, nil, ttl)
  end
  local used = 0
  for _, minutes in ipairs(limit.thresholds) do
    if not orcs.state.get(base .. ":" .. minutes) then used = math.max(used, minutes) end
  end
  return used
end

local function used_of(limit, key, ttl)
  if limit.unit == "minutes" then return minutes_used(limit, key, ttl) end
  return orcs.state.get(key) or 0
end

local function amount(limit, used)
  return title .. ": " .. limit.label:format(used, limit.max) .. " are used"
end

local function refusal(limit, used)
  return orcs.deny(amount(limit, used) .. ". Stop here, and report what is done and what remains to be done.")
end

-- Adds to a counter. Passing the warning threshold sets the key `:warn`; the call that deletes it
-- gives the warning.
local function add(limit, key, ttl, by)
  local sum = orcs.state.incr(key, by, ttl)
  if sum >= limit.warn and sum - by < limit.warn then orcs.state.incr(key .. ":warn", nil, ttl) end
  return sum
end

local function warning(limit, key, used)
  if used < limit.warn or not orcs.state.get(key .. ":warn") or not orcs.state.delete(key .. ":warn") then return end
  orcs.log("warn", amount(limit, used))
  return amount(limit, used) .. ". Do the most important work first: when the limit is reached, calls are denied."
end

-- Logs once that a limit has no effect because no tokens are reported.
local function blind(limit, key, ttl)
  local count = key .. ":blind"
  if (orcs.state.get(count) or 0) >= BLIND or orcs.state.incr(count, 1, ttl) ~= BLIND then return end
  local option = limit.scope .. "." .. limit.unit
  orcs.log("warn", title .. ": " .. option .. " has no effect: the coding agent does not report token usage")
end

-- False for calls made by hooks and for files that Cursor reads for tab completion.
local function is_agents(ctx)
  local host = ctx.payload.host
  return ctx.depth == 0 and not (type(host) == "table" and host.hook_event_name == "beforeTabFileRead")
end

local count_usage

local function before_call(ctx)
  -- The user's hooks run again if hooks of the project changed the payload: it is the same call.
  if not is_agents(ctx) or ctx.metadata[title] == ctx.timestamp_ms then return end
  if #of_model > 0 then count_transcript(title, ctx, count_usage) end
  local keys, ttls = counters(ctx, limits)
  local used, question, inject = {}, nil, {}
  for _, limit in ipairs(limits) do
    local key = keys[limit]
    used[limit] = used_of(limit, key, ttls[limit])
    if used[limit] >= limit.max then return refusal(limit, used[limit]) end
    if used[limit] >= limit.ask then question = question or amount(limit, used[limit]) .. ". Continue?" end
  end
  local single = single_keys(ctx)
  local refused, count = single_call(single)
  if refused then return refused end
  for i, limit in ipairs(calls) do
    used[limit] = add(limit, keys[limit], ttls[limit], 1)
    -- Another process has reached the limit since the check above.
    if used[limit] > limit.max then
      for j = 1, i do orcs.state.incr(keys[calls[j]], -1) end
      return refusal(limit, limit.max)
    end
  end
  count_single(single, count)
  ctx.metadata[title] = ctx.timestamp_ms
  for _, limit in ipairs(limits) do inject[#inject + 1] = warning(limit, keys[limit], used[limit]) end
  for _, limit in ipairs(of_model) do
    if used[limit] == 0 then blind(limit, keys[limit], ttls[limit]) end
  end
  if not inject[1] then return question and orcs.ask(question) end
  return { action = "continue", decision = question and "ask", reason = question, inject = inject }
end

-- Limits of calls do not apply to prompts and requests to the model; all others do.
local function before_model(ctx)
  if #of_model > 0 then count_transcript(title, ctx, count_usage) end
  local keys, ttls = counters(ctx, others)
  for _, limit in ipairs(others) do
    local used = used_of(limit, keys[limit], ttls[limit])
    if used >= limit.max then return refusal(limit, used) end
  end
end

-- Returns the first of these fields that is a valid count, or 0.
local function tokens(of, ...)
  for _, key in ipairs({ ... }) do
    if number_from(0, of[key]) then return of[key] end
  end
  return 0
end

-- Returns the tokens of the prompt, the cached ones among them, and the total. Some APIs report
-- cached tokens separately (`cache_…`), others as part of the prompt (`…_details`).
local function read_usage(usage)
  local details = usage.prompt_tokens_details or usage.input_tokens_details
  local apart = tokens(usage, "cache_read_input_tokens")
  local prompt = tokens(usage, "prompt_tokens", "input_tokens") + apart + tokens(usage, "cache_creation_input_tokens")
  local cached = type(details) == "table" and tokens(details, "cached_tokens") or apart
  local both = prompt + tokens(usage, "completion_tokens", "output_tokens")
  return prompt, math.min(cached, prompt), math.max(both, tokens(usage, "total_tokens"))
end

local function price_of(model)
  for _, price in ipairs(prices) do
    if model and orcs.glob_match(price.model, model) then return price end
  end
  model = model or "without a name"
  local told = title .. ":unpriced:" .. model
  if not orcs.state.get(told) and orcs.state.incr(told, 1, DAY) == 1 then
    orcs.log("warn", title .. ": there is no price of the model " .. model .. ": the highest price is used")
  end
  return dearest
end

-- Gemini CLI reports a response in chunks, each with the count so far: only the last one is
-- complete.
local function is_piece(host)
  if type(host) ~= "table" or host.hook_event_name ~= "AfterModel" then return false end
  local candidates = host.llm_response and host.llm_response.candidates
  return not (candidates and candidates[1] and candidates[1].finishReason)
end

function count_usage(ctx, usage, model)
  local prompt, cached, all = read_usage(usage)
  local keys, ttls = counters(ctx, of_model)
  for _, limit in ipairs(of_model) do
    local key, ttl = keys[limit], ttls[limit]
    if all == 0 then
      blind(limit, key, ttl)
    elseif limit.unit == "tokens" then
      add(limit, key, ttl, all)
    else
      -- Tokens not reported as prompt are charged at the price of completion, which is higher.
      local price = price_of(model)
      local cost = (prompt - cached) * price.prompt + cached * price.cached + (all - prompt) * price.completion
      add(limit, key, ttl, cost / 1e6)
    end
  end
end

local function after_model(ctx)
  local payload = ctx.payload
  if #of_model == 0 or is_piece(payload.host) then return end
  count_usage(ctx, type(payload.usage) == "table" and payload.usage or {}, payload.model_name)
end

return {
  {
    id = name .. "-calls",
    point = "tool.pre_execute",
    priority = 950, -- after hooks that may deny the call
    on_store_error = "closed",
    handler = before_call,
    tests = {
      {
        "warns once, then refuses, and begins anew after 24 hours where nobody names a session",
        options = { session = { calls = 3 }, warn_at = 0.6 },
        events = {
          { tool = "exec", expect = { action = "continue", inject = {} } },
          {
            tool = "exec",
            expect = {
              inject = "budget: 2 of 3 calls of this session are used. Do the most important work first: when the limit is reached, calls are denied.",
              logs = { "warn: budget: 2 of 3 calls of this session are used" },
            },
          },
          { tool = "exec", now_ms = 86399999, expect = { action = "continue", inject = {} } },
          {
            tool = "exec",
            expect = {
              action = "abort",
              reason = "budget: 3 of 3 calls of this session are used. Stop here, and report what is done and what remains to be done.",
            },
          },
          { tool = "exec", now_ms = 86400000, expect = { action = "continue" } },
        },
        state_after = { ["budget:session:calls:6:c:main"] = 1 },
      },
    },
  },
  {
    id = name .. "-start",
    point = "session.on_start",
    on_store_error = "local",
    handler = at_start,
  },
  {
    id = name .. "-prompts",
    point = "prompt.pre_submit",
    on_store_error = "closed",
    priority = 950,
    handler = function(ctx)
      at_start(ctx)
      return before_model(ctx)
    end,
  },
  {
    id = name .. "-model",
    point = "llm.pre_generate",
    priority = 950,
    on_store_error = "closed",
    handler = before_model,
  },
  {
    id = name .. "-usage",
    point = "llm.post_generate",
    priority = 5, -- before hooks that may request another response
    on_store_error = "local", -- it is counted when the state can be reached again
    handler = after_model,
    tests = {
      {
        "adds tokens and what they cost",
        options = {
          session = { tokens = 10000, cost = 1 },
          prices = { ["a-*"] = { prompt = 2, completion = 10, cached = 1 }, ["a-long*"] = { prompt = 4, completion = 20 } },
        },
        events = {
          {
            model_name = "a-1",
            usage = { prompt_tokens = 1000, completion_tokens = 100, total_tokens = 1200, prompt_tokens_details = { cached_tokens = 500 } },
            expect = { logs = {} },
          },
          {
            model_name = "a-long",
            usage = { input_tokens = 500, cache_read_input_tokens = 400, cache_creation_input_tokens = 100, output_tokens = 10 },
            expect = { logs = {} },
          },
          { model_name = "b", usage = { total_tokens = 100 }, expect = { logs = { { matches = "no price of the model b" } } } },
          { model_name = "b", usage = { total_tokens = 100 }, expect = { logs = {} } },
          { usage = { total_tokens = 0 }, expect = { logs = {} } },
        },
        state_after = {
          ["budget:session:tokens:6:c:main"] = 2410,
          ["budget:session:cost:6:c:main"] = 0.0035 + 0.0042 + 0.002 + 0.002,
        },
      },
    },
  },
}
