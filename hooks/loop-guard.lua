-- loop-guard: stops an agent that repeats itself or does not finish.
--
-- It denies
--   - repetitions of the same call with the same arguments and no other call in between: the model
--     receives a message at the 3rd, and calls are denied from the 6th on. The same applies to
--     patterns of up to eight calls (A B A B …), where each repetition of the pattern counts as one.
--     Another call, another result, a wait or a prompt of the user ends the repetition.
--   - calls that gave the same result again and again, whatever was called in between, unless that
--     changed files: the model receives a message at the 4th, and they are denied from the 6th on.
--   - calls beyond a number (1000) since the user's last prompt; the model receives a message at
--     four fifths of it.
-- If hooks make an agent continue that is about to stop (agent.pre_stop), it may stop after the 5th
-- time.
--
-- Options:
--   warn     number of repetitions at which the model receives a message; default 3, false: never
--   refuse   number of repetitions from which on calls are denied; default 6, false: never
--   same     number of same results at which the model receives a message; default 4, false: never
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
-- timeout, texts about it (description, explanation, justification), comments in the line, blanks and
-- commands around it that do nothing (`: 1; npm test`) are ignored. Of a text above 64 KB, only length, beginning and
-- end are compared, and of a call only the first 5000 values. A call is stored as one of 8191 numbers: two calls can
-- have the same one by chance, but hardly several in a row.
--
-- Notes:
--   - Results are compared where the agent reports them. A command that begins with `sleep` waits for
--     something and never counts as a repetition, and neither does a call before and after it: only
--     `calls` limits an agent that asks again after each wait. An agent that changes an argument each
--     time is not detected.
--   - `calls` applies after the first reported prompt (prompt.pre_submit). If a coding agent
--     reports no prompts, limit calls with orcs:budget.
--   - It runs late, so calls that other hooks deny are not counted; nor are calls made by hooks. A
--     hook that returns `stop` before it bypasses it. It runs first at agent.pre_stop, but the
--     user's own hooks still run before a loop-guard in a project.
--   - The agents of a session are counted separately. Without a session_id and agent_id, a channel
--     counts as one agent. Two simultaneous calls may be counted as one.

-- Sessions, and agents of sessions, are stored in this many places each, so that the state stays small. One that comes
-- into the place of another one, by chance, ends what was counted there.
local PLACES = 8192
-- Maximum number of calls in a pattern.
local LONGEST = 8
-- One number stores the last four calls, 13 bits each, with the latest in the lowest bits, and another
-- the four before. 0 is no call.
local SLOTS = 4
local BITS, CALL, CALLS = 13, (1 << 13) - 1, (1 << 52) - 1
-- Bytes at each end of a long text that are hashed, and the maximum number of hashed values of a
-- call.
local ENDS, MOST = 32768, 5000
-- Calls of an agent whose results are kept, the latest.
local RESULTS = 16
local EDITS = { write = true, remove = true, attributes = true }

-- Arguments that do not change what a command does.
local COMMANDS = { command = true, cmd = true }
local WORDS = { description = true, explanation = true, justification = true, timeout = true, timeout_ms = true }

local checks = require "policy.options"
local command_text = require "policy.command_text"

local opted = checks.read("loop-guard", {
  warn = { kind = "count", least = 2, default = 3 }, refuse = { kind = "count", least = 2, default = 6 },
  same = { kind = "count", least = 2, default = 4 }, calls = { kind = "count", least = 1, default = 1000 },
  stops = { kind = "count", least = 1, default = 5 }, name = { kind = "name", default = "loop-guard" },
  ignore = {
    kind = "tools", default = { "BashOutput", "TaskOutput", "write_stdin", "wait", "wait_*", "*__wait*", "sleep" },
  },
})
local warn, refuse, tell_same = opted.warn or math.huge, opted.refuse or math.huge, opted.same or math.huge
local most_calls, most_stops = opted.calls or math.huge, opted.stops or math.huge
local tell_calls = math.ceil(0.8 * most_calls)
local is_sensible = not orcs.options.warn or warn < refuse
checks.expect_of("loop-guard")(is_sensible, "warn", opted.warn, "less than refuse, which is " .. refuse)
local name = opted.name
local is_ignored = checks.tool_test(opted.ignore)

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
    h = mix(mix(mix(mix(h, a), b), c), d)
  end
  return h
end

-- Hashes any JSON value. The hashes of entries are summed, so their order does not matter.
-- skip: for the arguments of a command, those that don't count
local function hash(value, budget, skip)
  budget.left = budget.left - 1
  local kind = type(value)
  if kind == "string" then return text_hash(value) end
  if kind == "number" then return mix(NUMBER, math.tointeger(value) or ("<i8"):unpack(("<d"):pack(value))) end
  if kind == "boolean" then return mix(TRUTH, value and 1 or 0) end
  local sum = TABLE
  for key, item in pairs(value) do
    if budget.left <= 0 then break end
    if skip and COMMANDS[key] then item = command_text(item) end
    if not (skip and skip[key]) then sum = sum + mix(mix(TABLE, hash(key, budget)), hash(item, budget)) end
  end
  return mix(TABLE, sum)
end

-- Hashes a call to a number of 13 bits, never 0.
local function call_hash(tool, args, command)
  local call = mix(text_hash(tool), hash(args, { left = MOST }, command ~= nil and WORDS or nil))
  return (call >> 1) % CALL + 1
end

local function is_sleep(command)
  if type(command) == "table" then return command[1] == "sleep" end
  return type(command) == "string" and command:find("^%s*sleep%s") ~= nil
end

local function named(value, otherwise)
  if value == nil or value == "" then return otherwise end
  return value
end

-- The key of a place, and the mark of whoever is in it.
local function place(kind, who)
  local h = text_hash(who)
  return ("%s:%s:%d"):format(name, kind, (h >> 1) % PLACES), ("%016x"):format(h)
end

local function taken(key, mark)
  local held = orcs.state.get(key)
  return type(held) == "table" and held.of == mark and held or { of = mark }
end

-- Returns what is stored about the session and the agent of a call, and the session's number of prompts (nil for none).
-- The calls of an agent before the session's last prompt are forgotten.
local function records(ctx)
  local payload = ctx.payload
  local session = named(payload.session_id, nil)
  session = session and "s:" .. session or "c:" .. ctx.channel_id
  local at = {}
  at.session_key, at.mark = place("session", session)
  at.session = taken(at.session_key, at.mark)
  local agent = #session .. ":" .. session .. ":" .. named(payload.agent_id, ctx.component_id)
  at.agent_key, at.agent_mark = place("agent", agent)
  local held = taken(at.agent_key, at.agent_mark)
  local prompts = at.session.prompts
  at.agent = held.since == prompts and held or { of = at.agent_mark, since = prompts }
  return at, prompts
end

local function save(at)
  orcs.state.set(at.agent_key, at.agent)
end

-- The agent waits: that ends all runs.
local function pause(at)
  if not at.agent.last then return end
  at.agent = { of = at.agent_mark, since = at.agent.since, stops = at.agent.stops }
  save(at)
end

-- Returns how often in a row the pattern that ends with this call was repeated, the number of calls
-- in the pattern, and whether this call completes a repetition.
local function rounds(at, call)
  local agent = at.agent
  local last, older, runs = agent.last or 0, agent.older or 0, agent.runs or { 0, 0, 0, 0, 0, 0, 0, 0 }
  local most, of, full = 1, 1, false
  for period = 1, LONGEST do
    local stored = period <= SLOTS and last >> BITS * (period - 1) or older >> BITS * (period - 1 - SLOTS)
    local count = stored & CALL == call and runs[period] + 1 or 0
    runs[period] = count
    local times = count // period + 1
    if times > most then most, of, full = times, period, count % period == 0 end
  end
  agent.runs = runs
  agent.older = ((older << BITS) | (last >> BITS * (SLOTS - 1))) & CALLS
  agent.last = ((last << BITS) | call) & CALLS
  save(at)
  return most, of, full
end

local function circle(tool, times, of)
  if of == 1 then return ("loop-guard: %s was called %d times in a row with the same arguments"):format(tool, times) end
  return ("loop-guard: the same %d calls, the last of %s, took turns %d times"):format(of, tool, times)
end

-- Returns a message for the model, if any; or nil and a denial.
local function look_at_number(at)
  local count = (at.session.calls or 0) + 1
  at.session.calls = count
  orcs.state.set(at.session_key, at.session)
  local said = "loop-guard: %d calls since the user's last prompt"
  if count > most_calls then
    return nil, orcs.deny(said:format(most_calls) .. " are too many. Stop, report your progress, and let the user decide.")
  end
  if count ~= tell_calls then return nil end
  return (said .. "; after %d calls are denied. Finish soon."):format(count, most_calls)
end

-- Returns what is kept of the last result of a call: { call, its hash, number of times }; and its position.
local function result_of(at, call)
  for i, seen in ipairs(at.agent.seen or {}) do
    if seen[1] == call then return seen, i end
  end
end

local SAME = "loop-guard: %s gave the same result %d times, and nothing was edited in between"

local function look_for_circle(at, tool, args, command)
  local call = call_hash(tool, args, command)
  local seen = result_of(at, call)
  if seen and tell_same < math.huge and seen[3] >= refuse - 1 then
    return nil, orcs.deny(SAME:format(tool, seen[3]) .. ". Do something else, or explain what prevents you.")
  end
  local times, of, full = rounds(at, call)
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
  local at, prompts = records(ctx)
  local inject, said, refused = {}, nil, nil
  if prompts then
    said, refused = look_at_number(at)
    if refused then return refused end
    inject[1] = said
  end
  local tool, args = payload.tool_name, payload.args
  local command = args.command or args.cmd
  if is_ignored(payload) or is_sleep(command) then
    pause(at)
  else
    said, refused = look_for_circle(at, tool, args, command)
    if refused then return refused end
    inject[#inject + 1] = said
  end
  if not inject[1] then return end
  orcs.log("warn", table.concat(inject, " "))
  return orcs.inject(inject)
end

local function edits(ctx)
  for _, effect in ipairs(orcs.effects(ctx)) do
    if EDITS[effect.kind] then return true end
  end
  return false
end

-- The result of a call, or its error where it has none.
local function after_call(ctx)
  local payload = ctx.payload
  local args, tool, result = payload.args, payload.tool_name, payload.result
  if result == nil then result = payload.error elseif payload.error ~= nil then return end
  local command = args.command or args.cmd
  if ctx.depth > 0 or result == nil or is_ignored(payload) or is_sleep(command) then return end
  if ctx.metadata[name .. "-result"] == ctx.timestamp_ms then return end
  ctx.metadata[name .. "-result"] = ctx.timestamp_ms
  local at = records(ctx)
  local call, output = call_hash(tool, args, command), hash(result, { left = MOST }) >> 12
  local seen, position = result_of(at, call)
  local kept = edits(ctx) and {} or at.agent.seen or {}
  if seen and kept[position] then table.remove(kept, position) end
  if seen and seen[2] ~= output then
    at.agent.last, at.agent.older, at.agent.runs = nil, nil, nil
    seen = nil
  end
  local times = seen and seen[3] + 1 or 1
  table.insert(kept, 1, { call, output, times })
  kept[RESULTS + 1] = nil
  at.agent.seen = kept
  save(at)
  if times ~= tell_same then return end
  local said = SAME:format(tool, times) .. ". It will not change: do something else."
  orcs.log("warn", said)
  return orcs.inject(said)
end

local function after_prompt(ctx)
  local at, prompts = records(ctx)
  orcs.state.set(at.session_key, { of = at.mark, prompts = (prompts or 0) + 1 })
end

local function before_stop(ctx)
  local at, prompts = records(ctx)
  local goes_on = ctx.payload.stop_hook_active
  -- Without stop_hook_active and prompts, each stop may be the first one.
  if goes_on == nil and not prompts or most_stops == math.huge then return end
  at.agent.stops = (goes_on == false and 0 or at.agent.stops or 0) + 1
  save(at)
  if at.agent.stops <= most_stops then return end
  orcs.log("warn", ("loop-guard: hooks made the agent continue %d times; now it may stop"):format(most_stops))
  return { action = "continue", stop = true }
end

local function at_end(ctx)
  local at = records(ctx)
  for key, mark in pairs({ [at.session_key] = at.mark, [at.agent_key] = at.agent_mark }) do
    local held = orcs.state.get(key)
    if type(held) == "table" and held.of == mark then orcs.state.delete(key) end
  end
end

return {
  {
    id = name,
    point = "tool.pre_execute",
    priority = 940, -- after hooks that may deny the call
    on_store_error = "local",
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
        "begins anew after a wait",
        options = { warn = 2, refuse = 3 },
        events = {
          { tool = "exec", args = { command = "kubectl get pods" }, expect = { inject = {} } },
          { tool = "exec", args = { command = "kubectl get pods" }, expect = { inject = { matches = "2 times" } } },
          { tool = "exec", args = { command = "sleep 5" }, expect = { inject = {} } },
          { tool = "exec", args = { command = "kubectl get pods" }, expect = { inject = {} } },
          { tool = "BashOutput", args = { bash_id = "1" }, expect = { inject = {} } },
          { tool = "BashOutput", args = { bash_id = "1" }, expect = { inject = {} } },
          { tool = "exec", args = { command = "kubectl get pods" }, expect = { inject = {} } },
          { tool = "exec", args = { command = "kubectl get pods" }, expect = { inject = { matches = "2 times" } } },
          { tool = "exec", args = { command = "kubectl get pods" }, expect = { action = "abort" } },
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
          { tool = "read", args = { path = "5" }, expect = { action = "continue", inject = {} } },
          { tool = "read", args = { path = "6" }, expect = { action = "abort", reason = { matches = "^loop%-guard: 5 calls since" } } },
          { tool = "read", args = { path = "6" }, agent_id = "sub", expect = { action = "abort" } },
          { point = "prompt.pre_submit", prompt = "go on", expect = { action = "continue" } },
          { tool = "read", args = { path = "6" }, expect = { action = "continue" } },
        },
      },
    },
  },
  {
    id = name .. "-result",
    point = "tool.post_execute",
    priority = 940,
    on_store_error = "local",
    handler = after_call,
    tests = {
      {
        "tells of the same result between edits, and refuses the call",
        options = { same = 2, refuse = 3 },
        events = {
          { tool = "exec", args = { command = "make" }, result = "failed", expect = { inject = {} } },
          { tool = "exec", args = { command = "ls" }, result = "failed", expect = { inject = {} } },
          {
            tool = "exec", args = { command = "make" }, result = "failed",
            expect = { inject = { matches = "exec gave the same result 2 times, and nothing was edited in between" } },
          },
          { point = "tool.pre_execute", tool = "exec", args = { command = "make" }, expect = { reason = { matches = "same result 2 times" } } },
          { tool = "edit", args = { path = "a.c" }, result = { ok = true }, expect = { inject = {} } },
          { point = "tool.pre_execute", tool = "exec", args = { command = "make" }, expect = { action = "continue", inject = {} } },
        },
      },
    },
  },
  {
    id = name .. "-failure",
    point = "tool.on_failure",
    priority = 940,
    on_store_error = "local",
    handler = after_call,
  },
  {
    id = name .. "-prompt",
    point = "prompt.pre_submit",
    priority = 940,
    on_store_error = "local",
    handler = after_prompt,
  },
  {
    id = name .. "-stop",
    point = "agent.pre_stop",
    priority = 1, -- before hooks that make the agent continue
    on_store_error = "local",
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
    },
  },
  {
    id = name .. "-end",
    point = "session.on_end",
    on_store_error = "local",
    handler = at_end,
  },
}
