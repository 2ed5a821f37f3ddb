-- loop-guard: stops an agent that repeats itself or does not finish.
--
-- It denies
--   - repetitions of the same call with the same arguments and no other call in between: the model
--     receives a message at the 3rd, and calls are denied from the 6th on. The same applies to
--     patterns of up to four calls (A B A B …), where each repetition of the pattern counts as one.
--     Another call or a prompt of the user ends the repetition.
--   - calls beyond a number (1000) since the user's last prompt; the model receives a message at
--     four fifths of it.
-- If hooks make an agent continue that is about to stop (agent.pre_stop), it may stop after the 5th
-- time.
--
-- Options:
--   warn     number of repetitions at which the model receives a message; default 3, false: never
--   refuse   number of repetitions from which on calls are denied; default 6, false: never
--   calls    calls of a session without a prompt in between; default 1000, false: unlimited
--   stops    how often in a row hooks may keep an agent from stopping; default 5, false: unlimited
--   ignore   globs of the names of tools that wait or poll, and may be called any number of times;
--            default
--            { "BashOutput", "TaskOutput", "write_stdin", "wait", "wait_*", "*__wait*", "sleep" }
--   name     prefix of the hook ids and counters; default "loop-guard". A second one needs its own
--
--   [[hooks]]
--   script = "orcs:loop-guard"
--   options = { refuse = 10, ignore = ["BashOutput", "mcp__browser__*"] }
--
-- Calls are the same if tool and arguments are, whatever the order of keys. For a command, its
-- timeout and texts about it (description, explanation, justification) are ignored. Of a text above
-- 64 KB, only length, beginning and end are compared, and of a call only the first 5000 values. A
-- call is stored as one of 8191 numbers: two calls can have the same one by chance, but hardly
-- several in a row.
--
-- Notes:
--   - Results are not compared. A command that begins with `sleep` waits for something and never
--     counts as a repetition; only `calls` limits it. An agent that changes an argument each time
--     is not detected.
--   - `calls` applies after the first reported prompt (prompt.pre_submit). If a coding agent
--     reports no prompts, limit calls with orcs:budget.
--   - It runs late, so calls that other hooks deny are not counted; nor are calls made by hooks. A
--     hook that returns `stop` before it bypasses it. It runs first at agent.pre_stop, but the
--     user's own hooks still run before a loop-guard in a project.
--   - The agents of a session are counted separately. Without a session_id and agent_id, a channel
--     counts as one agent. Two simultaneous calls may be counted as one.

local KEPT = 7 * 24 * 3600 * 1000
-- Maximum number of calls in a pattern.
local LONGEST = 4
-- One number stores the last four calls, 13 bits each, with the latest in the lowest bits. The bit
-- above them (RUNS) is set if the latest call continued a run.
local BITS, CALL, CALLS, RUNS = 13, (1 << 13) - 1, (1 << 52) - 1, 1 << 52
-- Bytes at each end of a long text that are hashed, and the maximum number of hashed values of a
-- call.
local ENDS, MOST = 32768, 5000

local DEFAULTS = {
  warn = 3,
  refuse = 6,
  calls = 1000,
  stops = 5,
  ignore = { "BashOutput", "TaskOutput", "write_stdin", "wait", "wait_*", "*__wait*", "sleep" },
  name = "loop-guard",
}
-- Arguments that do not change what a command does.
local WORDS = { description = true, explanation = true, justification = true, timeout = true, timeout_ms = true }

local must = require("policy.options").expect_of("loop-guard")

local function integer_from(least, value)
  return type(value) == "number" and value >= least and value < 2 ^ 31 and value % 1 == 0
end

local options = orcs.options
for key, value in pairs(options) do
  must(DEFAULTS[key] ~= nil, key, value, "no option of that name; known options: warn, refuse, calls, stops, ignore and name")
end

local function number_option(key, least)
  local value = options[key]
  if value == nil then value = DEFAULTS[key] end
  must(value == false or integer_from(least, value), key, value, "a whole number from " .. least .. ", or false")
  return value or math.huge
end

local warn, refuse = number_option("warn", 2), number_option("refuse", 2)
local most_calls, most_stops = number_option("calls", 1), number_option("stops", 1)
local tell_calls = most_calls < math.huge and math.ceil(0.8 * most_calls)
must(options.warn == nil or options.warn == false or warn < refuse, "warn", options.warn, "less than refuse, which is " .. refuse)
local name = options.name == nil and DEFAULTS.name or options.name
must(type(name) == "string" and name:find("^[%w_.-]+$"), "name", name, "letters, digits, _, - and .")
local ignore = options.ignore == nil and DEFAULTS.ignore or options.ignore
must(type(ignore) == "table", "ignore", ignore, "a list of names")
for key, pattern in pairs(ignore) do
  local fits = type(key) == "number" and type(pattern) == "string" and pcall(orcs.glob_match, pattern, "tool")
  must(fits, "ignore", ignore, "a list of names or globs")
end

local FACTOR = 0x2545F4914F6CDD1D
-- Initial hash of each type: far apart, so that 1 and false, or "" and an empty list, have
-- different hashes.
local TEXT, NUMBER, TRUTH, TABLE = 0x1B873593CC9E2D51, 0x52DCE729DA3ED1C5, 0x38495AB5E6546B64, 0x735A2D97B9D4E8A3

local function mix(h, value)
  h = (h ~ value) * FACTOR
  return h ~ h >> 29
end

local function text_hash(text)
  local h, unpack = mix(TEXT, #text), string.unpack
  if #text > 2 * ENDS then text = text:sub(1, ENDS) .. text:sub(-ENDS) end
  text = text .. ("\0"):rep(-#text % 32)
  for at = 1, #text, 32 do
    local a, b, c, d = unpack("<i8i8i8i8", text, at)
    -- mix(), inlined for speed.
    h = (h ~ a) * FACTOR
    h = (h ~ h >> 29 ~ b) * FACTOR
    h = (h ~ h >> 29 ~ c) * FACTOR
    h = (h ~ h >> 29 ~ d) * FACTOR
    h = h ~ h >> 29
  end
  return h
end

-- Hashes any JSON value. The hashes of entries are summed, so their order does not matter.
local function hash(value, budget, skip)
  budget.left = budget.left - 1
  local kind = type(value)
  if kind == "string" then return text_hash(value) end
  if kind == "number" then return mix(NUMBER, math.tointeger(value) or ("<i8"):unpack(("<d"):pack(value))) end
  if kind == "boolean" then return mix(TRUTH, value and 1 or 0) end
  local sum = TABLE
  for key, item in pairs(value) do
    if budget.left <= 0 then break end
    if not (skip and skip[key]) then sum = sum + mix(mix(TABLE, hash(key, budget)), hash(item, budget)) end
  end
  return mix(TABLE, sum)
end

-- Hashes a call to a number of 13 bits, never 0.
local function call_hash(tool, args, command)
  local call = mix(text_hash(tool), hash(args, { left = MOST }, command ~= nil and WORDS or nil))
  return (call >> 1) % CALL + 1
end

local waits, names = {}, 0

-- Whether a tool matches `ignore`; cached by name.
local function is_ignored(tool)
  local known = waits[tool]
  if known ~= nil then return known end
  if names == 256 then waits, names = {}, 0 end
  known = false
  for _, pattern in ipairs(ignore) do known = known or orcs.glob_match(pattern, tool) end
  waits[tool], names = known, names + 1
  return known
end

local function is_sleep(command)
  if type(command) == "table" then return command[1] == "sleep" end
  return type(command) == "string" and command:find("^%s*sleep%s") ~= nil
end

local function named(value, otherwise)
  if value == nil or value == "" then return otherwise end
  return value
end

-- Returns the parts of the state keys of a session and an agent, and the number of prompts (nil for
-- none). Each prompt switches to new keys, so that no process sees a partial reset. The session is
-- prefixed with its length, and the agent comes last, so that keys are unambiguous.
local function places(ctx)
  local payload = ctx.payload
  local session = named(payload.session_id, nil)
  session = session and "s:" .. session or "c:" .. ctx.channel_id
  session = name .. ":" .. #session .. ":" .. session
  local prompts = orcs.state.get(session .. ":prompts")
  local since = session .. ":" .. (prompts or 0)
  local agent = named(payload.agent_id, ctx.component_id)
  return { session = session, since = since, agent = agent }, prompts
end

local function forget(at)
  orcs.state.delete(at.since .. ":calls")
  for _, what in ipairs({ ":stops:", ":last:", ":run:1:", ":run:2:", ":run:3:", ":run:4:" }) do
    orcs.state.delete(at.since .. what .. at.agent)
  end
end

-- Returns how often in a row the pattern that ends with this call was repeated, the number of calls
-- in the pattern, and whether this call completes a repetition.
local function rounds(at, call)
  local last = at.since .. ":last:" .. at.agent
  local held = orcs.state.get(last) or 0
  local most, of, full, running = 1, 1, false, 0
  for period = 1, LONGEST do
    local run = at.since .. ":run:" .. period .. ":" .. at.agent
    if held >> BITS * (period - 1) & CALL == call then
      running = RUNS
      local count = orcs.state.incr(run, 1, KEPT)
      local times = count // period + 1
      if times > most then most, of, full = times, period, count % period == 0 end
    elseif held & RUNS ~= 0 then
      orcs.state.delete(run)
    end
  end
  orcs.state.incr(last, ((held << BITS) & CALLS | call | running) - held, KEPT)
  return most, of, full
end

local function circle(tool, times, of)
  if of == 1 then return ("loop-guard: %s was called %d times in a row with the same arguments"):format(tool, times) end
  return ("loop-guard: the same %d calls, the last of %s, took turns %d times"):format(of, tool, times)
end

-- Returns a message for the model, if any; or nil and a denial.
local function look_at_number(at)
  local count = orcs.state.incr(at.since .. ":calls", 1, KEPT)
  local said = "loop-guard: %d calls since the user's last prompt"
  if count > most_calls then
    return nil, orcs.deny(said:format(most_calls) .. " are too many. Stop, report your progress, and let the user decide.")
  end
  if count ~= tell_calls then return nil end
  return (said .. "; after %d calls are denied. Finish soon."):format(count, most_calls)
end

local function look_for_circle(at, tool, args, command)
  local times, of, full = rounds(at, call_hash(tool, args, command))
  if times >= refuse then
    local advice = ". Do something else, or explain what prevents you."
    if command ~= nil then advice = advice .. " To wait for something, begin the command with sleep." end
    return nil, orcs.deny(circle(tool, times, of) .. advice)
  end
  if times ~= warn or not full then return nil end
  return circle(tool, times, of) .. ". The result will not change: do something else."
end

local function before_call(ctx)
  local payload = ctx.payload
  local host = payload.host
  -- Calls made by hooks, and files that Cursor reads for tab completion, are not the agent's.
  if ctx.depth > 0 or type(host) == "table" and host.hook_event_name == "beforeTabFileRead" then return end
  -- The user's hooks run again if hooks of the project changed the payload: it is the same call.
  if ctx.metadata[name] == ctx.timestamp_ms then return end
  ctx.metadata[name] = ctx.timestamp_ms
  local at, prompts = places(ctx)
  local inject, said, refused = {}, nil, nil
  if prompts and most_calls < math.huge then
    said, refused = look_at_number(at)
    if refused then return refused end
    inject[1] = said
  end
  local tool, args = payload.tool_name, payload.args
  local command = args.command or args.cmd
  if not is_ignored(tool) and not is_sleep(command) then
    said, refused = look_for_circle(at, tool, args, command)
    if refused then return refused end
    inject[#inject + 1] = said
  end
  if not inject[1] then return end
  orcs.log("warn", table.concat(inject, " "))
  return orcs.inject(inject)
end

local function after_prompt(ctx)
  local at = places(ctx)
  orcs.state.incr(at.session .. ":prompts", 1, KEPT)
  forget(at)
end

local function before_stop(ctx)
  local at, prompts = places(ctx)
  local goes_on = ctx.payload.stop_hook_active
  -- Without stop_hook_active and prompts, each stop may be the first one.
  if goes_on == nil and not prompts or most_stops == math.huge then return end
  if goes_on == false then orcs.state.delete(at.since .. ":stops:" .. at.agent) end
  if orcs.state.incr(at.since .. ":stops:" .. at.agent, 1, KEPT) <= most_stops then return end
  orcs.log("warn", ("loop-guard: hooks made the agent continue %d times; now it may stop"):format(most_stops))
  return { action = "continue", stop = true }
end

local function at_end(ctx)
  local at = places(ctx)
  forget(at)
  orcs.state.delete(at.session .. ":prompts")
end

return {
  {
    id = name,
    point = "tool.pre_execute",
    priority = 940, -- after hooks that may deny the call
    handler = before_call,
    tests = {
      {
        "tells of the third same call, and refuses the fourth, whatever the order of keys",
        options = { refuse = 4 },
        events = {
          { tool = "exec", args = { command = "make", cwd = "a" }, expect = { action = "continue", inject = {} } },
          { tool = "exec", args = { cwd = "a", command = "make", timeout_ms = 5 }, expect = { inject = {}, logs = {} } },
          {
            tool = "exec",
            args = { command = "make", cwd = "a", description = "again" },
            expect = {
              action = "continue",
              inject = "loop-guard: exec was called 3 times in a row with the same arguments. The result will not change: do something else.",
              logs = { { matches = "^warn: loop%-guard: exec was called 3 times" } },
            },
          },
          { tool = "exec", args = { command = "make", cwd = "a" }, expect = { reason = { matches = "4 times.*begin the command with sleep" } } },
          { tool = "exec", args = { command = "make", cwd = "b" }, expect = { action = "continue" } },
          { tool = "exec", args = { command = "make", cwd = "a" }, expect = { action = "continue", inject = {} } },
        },
      },
      {
        "finds two calls that take turns",
        options = { warn = 2, refuse = 3 },
        events = {
          { tool = "read", args = { path = "a" }, expect = { action = "continue" } },
          { tool = "read", args = { path = "b", lines = { 1, 2.5, true } }, expect = { inject = {} } },
          { tool = "read", args = { path = "a" }, expect = { inject = {} } },
          { tool = "read", args = { path = "b", lines = { 1, 2.5, true } }, expect = { inject = { matches = "same 2 calls, the last of read, took turns 2 times" } } },
          { tool = "read", args = { path = "a" }, expect = { inject = {} } },
          { tool = "read", args = { path = "b", lines = { 1, 2.5, true } }, expect = { action = "abort", reason = { matches = "3 times%. Do something else" } } },
          { tool = "read", args = { path = "c" }, expect = { action = "continue" } },
          { tool = "read", args = { path = "b", lines = { 1, 2.5, true } }, expect = { action = "continue" } },
        },
      },
      {
        "lets tools and commands wait",
        options = { warn = false, refuse = 2 },
        events = {
          { tool = "BashOutput", args = { bash_id = "1" }, expect = { action = "continue" } },
          { tool = "BashOutput", args = { bash_id = "1" }, expect = { action = "continue" } },
          { tool = "exec", args = { command = "sleep 9; make" }, expect = { action = "continue" } },
          { tool = "exec", args = { command = "sleep 9; make" }, expect = { action = "continue" } },
          { tool = "shell", args = { command = { "sleep", "9" } }, expect = { action = "continue" } },
          { tool = "shell", args = { command = { "sleep", "9" } }, expect = { action = "continue" } },
          { tool = "read", host = { hook_event_name = "beforeTabFileRead" }, expect = { action = "continue" } },
          { tool = "read", host = { hook_event_name = "beforeTabFileRead" }, expect = { action = "continue" } },
        },
      },
      {
        "refuses calls beyond a number, until there is a prompt",
        options = { calls = 5 },
        events = {
          { tool = "read", args = { path = "0" }, expect = { action = "continue" } },
          { point = "prompt.pre_submit", prompt = "do it", expect = { action = "continue" } },
          { tool = "read", args = { path = "1" }, expect = { action = "continue" } },
          { tool = "read", args = { path = "2" }, expect = { action = "continue" } },
          { tool = "read", args = { path = "3" }, expect = { inject = {} } },
          { tool = "read", args = { path = "4" }, expect = { inject = { matches = "4 calls since the user's last prompt; after 5" } } },
          { tool = "read", args = { path = "5" }, expect = { inject = {} } },
          { tool = "read", args = { path = "6" }, expect = { action = "abort", reason = { matches = "^loop%-guard: 5 calls since" } } },
          { tool = "read", args = { path = "6" }, agent_id = "sub", expect = { action = "abort" } },
          { point = "prompt.pre_submit", prompt = "go on", expect = { action = "continue" } },
          { tool = "read", args = { path = "6" }, expect = { action = "continue" } },
        },
      },
      {
        "begins anew with a prompt, and for each agent",
        options = { refuse = 2, warn = false },
        events = {
          { tool = "read", args = { path = "a" }, session_id = "s", expect = { action = "continue" } },
          { tool = "read", args = { path = "a" }, session_id = "t", expect = { action = "continue" } },
          { tool = "read", args = { path = "a" }, session_id = "s", agent_id = "x", expect = { action = "continue" } },
          { point = "prompt.pre_submit", prompt = "again", session_id = "s", expect = { action = "continue" } },
          { tool = "read", args = { path = "a" }, session_id = "s", expect = { action = "continue" } },
          { tool = "read", args = { path = "a" }, session_id = "t", expect = { action = "abort" } },
        },
      },
    },
  },
  {
    id = name .. "-prompt",
    point = "prompt.pre_submit",
    priority = 940,
    handler = after_prompt,
  },
  {
    id = name .. "-stop",
    point = "agent.pre_stop",
    priority = 1, -- before hooks that make the agent continue
    handler = before_stop,
    tests = {
      {
        "lets an agent stop that was made go on too often",
        options = { stops = 2 },
        events = {
          { stop_hook_active = false, expect = { logs = {} } },
          { stop_hook_active = true, expect = { logs = {} } },
          { stop_hook_active = true, expect = { logs = { { matches = "continue 2 times; now it may stop" } } } },
          { stop_hook_active = false, expect = { logs = {} } },
          { stop_hook_active = true, expect = { logs = {} } },
        },
      },
      {
        "cannot tell where it knows of no prompt",
        options = { stops = 1 },
        events = {
          { message = "done", expect = { logs = {} } },
          { message = "done", expect = { logs = {} } },
          { point = "prompt.pre_submit", prompt = "go on", expect = { action = "continue" } },
          { message = "done", expect = { logs = {} } },
          { message = "done", expect = { logs = { { matches = "now it may stop" } } } },
        },
      },
    },
  },
  {
    id = name .. "-end",
    point = "session.on_end",
    handler = at_end,
    tests = {
      {
        "leaves nothing behind",
        options = { refuse = 3, warn = 2 },
        events = {
          { point = "prompt.pre_submit", prompt = "go", session_id = "s", expect = { action = "continue" } },
          { point = "tool.pre_execute", tool = "read", session_id = "s", expect = { action = "continue" } },
          { point = "tool.pre_execute", tool = "read", session_id = "s", expect = { action = "continue" } },
          { point = "agent.pre_stop", session_id = "s", expect = { action = "continue" } },
          { session_id = "s", reason = "over", expect = { action = "continue" } },
        },
        state_after = {
          ["loop-guard:3:s:s:prompts"] = orcs.null,
          ["loop-guard:3:s:s:1:calls"] = orcs.null,
          ["loop-guard:3:s:s:1:last:host::main"] = orcs.null,
          ["loop-guard:3:s:s:1:run:1:host::main"] = orcs.null,
          ["loop-guard:3:s:s:1:stops:host::main"] = orcs.null,
        },
      },
    },
  },
}
