-- approve: requires approval by a person for the calls that its rules list, and remembers the
-- approval for the session.
--
--   [[hooks]]
--   script = "orcs:approve"
--   options = { rules = [
--     { runs = ["git push", "npm publish"], reason = "It leaves the machine." },
--     { tool = "mcp__*", by = "tool" },
--     { path = ".github/**", reason = "It changes what CI runs." },
--   ] }
--
-- Options:
--   rules      which calls need approval, as a list of tables; default: every call. A rule has at
--              least one condition, and all its conditions must hold. A condition with several
--              texts holds if one of them matches
--     tool       name or glob of the tool: the name in orcs (exec) or the coding agent's (Bash);
--                "a|b" for several
--     runs       commands, as patterns of match.runs (docs/reference/matchers.md): "git push" also matches
--                `cd x && sudo git -C y push`, and "git push --force" matches `git push -f`
--     command    part of the text of a command line; a space matches any whitespace, * any text
--     path       glob for the arguments that are paths, as in match.path; links are resolved
--     reason     text for the person and the model
--     by         as below, for this rule
--   by         which calls count as the same: "call" (default): the same tool, arguments and
--              directory, ignoring the description and timeout of a command; "program": commands
--              that run the same programs through the same wrappers (`sudo git` is not `git`),
--              except dangerous ones: what shell-guard denies at its level "strict", or cannot
--              analyse, counts by "call", so that `git push --force` does not follow an approved
--              `git push`; "tool": the same tool with any arguments, dangerous commands included
--   remember   "session" (default) or "never"
--   minutes    how long an approval is remembered; default 480
--   name       prefix of the hook ids; default "approve". A second list of rules needs its own
--
-- The question is handled like any `ask`: by [hil], by `approve` of the program, or by the coding
-- agent. If nobody can be asked, the call is denied (always with Codex and Cursor as set up by
-- `orcs install`). A call counts as approved if it runs after the question. Each rule has its own
-- approvals. Denials are not remembered: the next such call needs approval again. An approval is
-- not remembered without a session_id (wrapTool and orcs.get send none), for calls above 8 KB, for
-- calls whose arguments changed after the question, and for calls that a coding agent reports as
-- failed. Subagents share the approvals of their session. If a condition cannot be evaluated (a
-- command that is not text, a program known only to the shell), the call needs approval.
--
-- Limitations:
--   - Later rewrites are not seen: it runs last (priority 1000), but hooks of a project run after
--     the user's own.
--   - It can be bypassed by scripts that write its keys to orcs.state, by hooks that return `stop`
--     before it, and by [hosts] ask = "pass": a call that ran counts as approved.
--   - `path` checks arguments only, and `runs` the command line only: not what a command does to a
--     path, nor what a script that it runs does.

local any = require("file_guard.words").any
local checks = require "policy.options"
local sha256 = require "sha256"

local BY = { "call", "program", "tool" }
-- Arguments that are command lines, and arguments that do not change what is run.
local COMMAND_ARGS = { "command", "cmd" }
local ASIDE = { "description", "explanation", "timeout", "timeout_ms" }
-- Arguments that are paths.
local PATH_ARGS = {
  "path", "file_path", "filePath", "from", "to", "cwd", "notebook_path", "paths", "files", "file", "filename",
  "target_file", "target_directory", "target_notebook", "dir_path", "directory", "workdir", "working_directory",
  "workingDirectory", "source", "destination",
}
-- Approvals of longer calls (in bytes of JSON) are not remembered.
local LONGEST = 8192
-- How long a question stays open. A call that runs later does not count as approved.
local PENDING_MS = 60 * 60 * 1000

local expect = checks.expect_of("approve")

-- Accepts a string or a list of strings; returns a list.
local function texts(value, name)
  local list = type(value) == "table" and value or { value }
  expect(#list > 0, name, value, "a string or a list of strings")
  for _, text in pairs(list) do
    expect(type(text) == "string" and text:find("%S"), name, value, "a string or a list of strings")
  end
  return list
end

-- Each function compiles the texts of a condition into a predicate over payloads.
local condition = {}

function condition.tool(list)
  local globs = {}
  for _, text in ipairs(list) do
    for glob in text:gmatch("[^|]+") do globs[#globs + 1] = glob:match("^%s*(.-)%s*$") end
  end
  return checks.tool_test(globs)
end

-- Returns the strings of a list; nil if it is empty or contains anything else.
local function words_of(list)
  local is_other = #list == 0 or any(list, function(word) return type(word) ~= "string" end)
  return not is_other and table.move(list, 1, #list, 1, {}) or nil
end

-- Returns a command line as a text or a list of words; nil if it is neither.
local function line_of(value)
  if type(value) == "table" then return words_of(value) end
  return type(value) == "string" and value or nil
end

-- Returns the command lines of a call; nil if one of them cannot be read.
local function lines_of(args)
  local lines = {}
  for _, name in ipairs(COMMAND_ARGS) do
    if args[name] ~= nil then
      local line = line_of(args[name])
      if line == nil then return nil end
      lines[#lines + 1] = line
    end
  end
  return lines
end

-- Returns the parts of a `command` between its stars, as Lua patterns. They are searched for one
-- after the other, without backtracking.
local function pieces(text)
  text = text:match("^%s*(.-)%s*$"):gsub("%s+%*$", "")
  local found = {}
  for literal in text:gmatch("[^*]+") do
    local pattern = literal:gsub("%W", function(char)
      return char:find("%s") and " " or "%" .. char
    end)
    found[#found + 1] = pattern:gsub(" +", "%%s+")
  end
  -- Both ends match at word boundaries only: "sudo" does not match "pseudocode".
  if text:find("^[%w_]") then found[1] = "%f[%w_]" .. found[1] end
  if text:find("[%w_]$") then found[#found] = found[#found] .. "%f[^%w_]" end
  return found
end

local function found_in(patterns, line)
  local at = 1
  for _, pattern in ipairs(patterns) do
    local from, to = line:find(pattern, at)
    if not from then return false end
    at = to + 1
  end
  return true
end

function condition.command(list)
  local wanted = {}
  for i, text in ipairs(list) do wanted[i] = pieces(text) end
  return function(payload)
    local lines = lines_of(payload.args)
    return lines == nil or any(lines, function(line)
      local text = type(line) == "table" and table.concat(line, " ") or line
      return any(wanted, function(patterns) return found_in(patterns, text) end)
    end)
  end
end

-- "?" also matches commands that are not known statically: each of them could be a listed one.
function condition.runs(list, where)
  local patterns = { "?", table.unpack(list) }
  -- Any line will do: only the patterns are checked.
  local read, why = pcall(orcs.runs, where, patterns)
  expect(read, where, list, "commands as in match.runs: " .. tostring(why))
  return function(payload)
    local lines = lines_of(payload.args)
    return lines == nil or any(lines, function(line) return orcs.runs(line, patterns) end)
  end
end

-- Returns the forms of a path that globs are compared with: as written, absolute, and relative to
-- the working directory.
local function spellings(path, base)
  local whole = orcs.real_path(path, base)
  local above = orcs.real_path(".", base):gsub("/$", "") .. "/"
  if not orcs.starts_with(whole, above) then return { path, whole } end
  return { path, whole, whole:sub(#above + 1) }
end

function condition.path(list)
  -- An invalid glob is an error at load time, not at the first call.
  for _, glob in ipairs(list) do orcs.glob_match(glob, glob) end
  return function(payload)
    local base = payload.cwd or payload.sandbox_root
    return any(PATH_ARGS, function(name)
      local value = payload.args[name]
      if value == nil or type(value) == "boolean" then return false end
      local paths = type(value) == "table" and words_of(value) or { value }
      return any(paths, function(path)
        if type(path) == "table" then return true end
        return any(spellings(tostring(path), base), function(spelling)
          return any(list, function(glob) return orcs.glob_match(glob, spelling) end)
        end)
      end)
    end)
  end
end

local opted = checks.read("approve", {
  rules = { kind = "any", default = { { tool = "*" } } }, by = { of = BY }, remember = { of = { "session", "never" } },
  minutes = { kind = "minutes", default = 480 }, name = { kind = "name", default = "approve" },
})
local name = opted.name

local ANY = { kind = "any" }
local RULE = { tool = ANY, runs = ANY, command = ANY, path = ANY, reason = ANY, by = { of = BY, default = opted.by } }

local function compile(rule, where)
  expect(type(rule) == "table", where, rule, "a table of conditions")
  local by = checks.read("approve", RULE, rule, where).by
  local conditions = {}
  for name, make in pairs(condition) do
    if rule[name] ~= nil then
      conditions[#conditions + 1] = make(texts(rule[name], where .. "." .. name), where .. "." .. name)
    end
  end
  expect(#conditions > 0, where, rule, 'a condition: tool, runs, command or path (tool = "*" for all)')
  return {
    conditions = conditions,
    reason = rule.reason and texts(rule.reason, where .. ".reason")[1],
    by = by,
    -- The id is the content of the rule, so a changed rule starts without approvals.
    id = orcs.json_encode(rule),
  }
end

local is_list = type(opted.rules) == "table" and #opted.rules > 0
expect(is_list, "rules", opted.rules, 'a list such as [{ runs = "npm publish" }]')
local rules = {}
for i, rule in ipairs(opted.rules) do rules[i] = compile(rule, ("rules[%d]"):format(i)) end

local function concerned(payload)
  local found = {}
  for _, rule in ipairs(rules) do
    if not any(rule.conditions, function(holds) return not holds(payload) end) then found[#found + 1] = rule end
  end
  return found
end

-- Returns what identifies a call: session, tool, directory, and a digest of tool and arguments.
-- Returns nil if approvals of the call must not be remembered.
local function identity(ctx)
  local payload = ctx.payload
  local session, tool = payload.session_id, payload.tool_name
  if opted.remember == "never" or type(session) ~= "string" or session == "" then return nil end
  -- Decoded and encoded again, because the first encoding keeps the payload's order of keys.
  local args = orcs.json_decode(orcs.json_encode(payload.args))
  local is_command = any(COMMAND_ARGS, function(name) return args[name] ~= nil end)
  if is_command and not orcs.starts_with(tool, "mcp__") then
    for _, name in ipairs(ASIDE) do args[name] = nil end
  end
  local text = orcs.json_encode({ tool, args })
  if #text > LONGEST then return nil end
  return { session = { ctx.component_id, session }, tool = tool, cwd = payload.cwd or orcs.null, digest = sha256(text) }
end

-- Returns what `by = "program"` identifies a call with: a list of one item for each program that it
-- runs; nil if they are not known, or if the call is dangerous.
local function programs_of(payload)
  local programs = {}
  for _, line in ipairs(lines_of(payload.args) or {}) do
    for _, command in ipairs(orcs.shell(line)) do
      if command.opaque then return nil end
      programs[#programs + 1] = { program = command.argv[1], via = command.via }
    end
  end
  -- Loaded on demand: most rules don't need it.
  if #programs == 0 or require("shell_guard.danger").is_in(payload.args, payload) then return nil end
  return programs
end

-- Returns what a rule (its `by`) identifies a call with: a list of one item, or of one item for
-- each program that it runs.
local function things(rule, call, payload)
  if rule.by == "tool" then return { { call.tool } } end
  local same = { { call.tool, call.digest, call.cwd } }
  if rule.by == "call" then return same end
  -- Kept for the other rules.
  call.programs = call.programs or programs_of(payload) or same
  return call.programs
end

-- Returns the state keys of all approvals that a rule requires for a call.
local function answer_keys(rule, call, payload)
  local keys = {}
  for i, thing in ipairs(things(rule, call, payload)) do
    keys[i] = "approve:" .. orcs.json_encode({ call.session, rule.id, thing })
  end
  return keys
end

-- Returns the state key of an open question about this exact call, for one approval.
local function question_key(number, call, answer)
  return "approve:asked:" .. orcs.json_encode({ number, call.digest, answer })
end

-- Records that approval is requested for a call. The call is recognised later by its tool_use_id
-- or, without one, by a number in the metadata. A coding agent may return neither, so its calls are
-- also recorded without a number.
local function note(ctx, call, answers)
  local numbers = { ctx.payload.tool_use_id }
  if #numbers == 0 then
    -- The number may have been set already by another list of rules.
    ctx.metadata.approve = ctx.metadata.approve or orcs.state.incr("approve:questions")
    numbers = { ctx.metadata.approve, ctx.payload.host and "" }
  end
  for _, number in ipairs(numbers) do
    for _, answer in ipairs(answers) do orcs.state.incr(question_key(number, call, answer), nil, PENDING_MS) end
  end
end

local function ask(ctx)
  local found = concerned(ctx.payload)
  local call = found[1] and identity(ctx)
  local reasons, missing = {}, {}
  for _, rule in ipairs(found) do
    local answered = call ~= nil
    for _, key in ipairs(call and answer_keys(rule, call, ctx.payload) or {}) do
      if not orcs.state.get(key) then
        answered = false
        missing[#missing + 1] = key
      end
    end
    if not answered then
      reasons[#reasons + 1] = rule.reason or ("%s requires approval."):format(ctx.payload.tool_name)
    end
  end
  if #reasons == 0 then return nil end
  if call then note(ctx, call, missing) end
  return orcs.ask("approve: " .. table.concat(reasons, " "))
end

-- Called after a call ran: the open questions about it count as approved.
local function learn(ctx, number)
  local found = number and concerned(ctx.payload) or {}
  local call = found[1] and identity(ctx)
  if not call then return end
  for _, rule in ipairs(found) do
    for _, answer in ipairs(answer_keys(rule, call, ctx.payload)) do
      if orcs.state.delete(question_key(number, call, answer)) then
        orcs.state.incr(answer, nil, opted.minutes * 60000)
      end
    end
  end
end

-- For tests: a call with a session and without a tool_use_id gets a number when approval is
-- requested, so without a number no approval was requested.
local free = { metadata = { approve = orcs.null } }

-- For tests: a call of exec in session s, before it runs, with what is given of it.
local function call(event)
  local all = { tool = "exec", session_id = "s", args = { command = "ls" }, point = "tool.pre_execute" }
  for key, value in pairs(event) do all[key] = value end
  return all
end

return {
  {
    id = name,
    point = "tool.pre_execute",
    priority = 1000, -- last, so that the approved call is the call that runs
    handler = ask,
    tests = {
      {
        "asks about every call, unless rules say otherwise",
        event = { tool = "read" },
        expect = { decision = "ask", reason = "approve: read requires approval." },
      },
      {
        "asks about tools, by our name and by the host's",
        options = { rules = { { tool = "mcp__*|[B]ash", reason = "Careful." } } },
        events = {
          { tool = "mcp__a/b__c", expect = { decision = "ask", reason = "approve: Careful." } },
          { tool = "exec", host = { tool_name = "Bash" }, expect = { decision = "ask" } },
          { tool = "exec", session_id = "s", expect = free },
          { tool = "exec", session_id = "s", host = { tool_name = "Bashful" }, expect = free },
        },
      },
    },
  },
  {
    id = name .. "-learn",
    point = "tool.post_execute",
    priority = 1, -- before hooks that change the arguments or retry
    handler = function(ctx)
      local payload = ctx.payload
      learn(ctx, ctx.metadata.approve or payload.tool_use_id or payload.host and "")
    end,
    tests = {
      {
        "remembers for the session what ran after it was asked about, by the host's id of the call",
        options = { rules = { { tool = "exec" } }, minutes = 1 },
        events = {
          call { tool_use_id = "1", args = { command = "ls", description = "Look" }, expect = { decision = "ask" } },
          {
            tool = "exec", session_id = "s", tool_use_id = "1", args = { command = "ls", description = "Look" },
            expect = { action = "continue" },
          },
          call { args = { command = "ls", description = "Again" }, expect = free },
          call { session_id = "t", tool_use_id = "3", expect = { decision = "ask" } },
          call { tool_use_id = "4", now_ms = 60000, expect = { decision = "ask" } },
        },
      },
    },
  },
  {
    id = name .. "-learn-failed",
    point = "tool.on_failure",
    priority = 1,
    handler = function(ctx)
      -- Not by tool_use_id, because a coding agent may report a denial as a failure.
      learn(ctx, ctx.metadata.approve)
    end,
    tests = {
      {
        "remembers a call that failed where its number came along, not by what a host says of it",
        options = { rules = { { tool = "exec", by = "tool" } } },
        events = {
          { tool = "exec", session_id = "s", host = {}, point = "tool.pre_execute", expect = { decision = "ask" } },
          { tool = "exec", session_id = "s", host = {}, expect = { action = "continue" } },
          { tool = "exec", session_id = "s", host = {}, point = "tool.pre_execute", expect = { decision = "ask" } },
          { tool = "exec", session_id = "s", host = {}, metadata = { approve = 2 }, expect = { action = "continue" } },
          { tool = "exec", session_id = "s", host = {}, point = "tool.pre_execute", expect = free },
        },
      },
    },
  },
}
