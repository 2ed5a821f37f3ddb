-- Finds command lines in the arguments of a tool call, independent of the tool's name.

local paths = require "shell_guard.paths"

local calls = {}

-- Arguments that hold command lines. `script` may be in another language: the hook ignores what it
-- cannot parse there.
local NAMES = { "command", "cmd", "script" }

local function text_of(value) return type(value) == "string" and value ~= "" and value or nil end

-- Raises an error for a value that is no command line.
local function fail(name, why) error("shell-guard: " .. name .. why, 0) end
local NEITHER = " is neither a string nor a list of words"

-- Returns a copy of a list of words.
local function words(name, list)
  local each, count = {}, 0
  for at = 1, #list do
    each[at] = type(list[at]) == "string" and list[at] or fail(name, " is a list with values that are not strings")
  end
  for _ in pairs(list) do count = count + 1 end
  return count == #each and each or fail(name, NEITHER)
end

--- Returns the command lines of a call as a list of { line = string or list of words, name =
--- argument name }; nil if there are none. Raises an error for values of another type.
function calls.lines(args)
  local found
  for _, name in ipairs(NAMES) do
    local value = args[name]
    if value ~= nil then
      found = found or {}
      if type(value) == "string" then
        found[#found + 1] = { line = value, name = name }
      elseif type(value) == "table" then
        local list = words(name, value)
        if #list > 0 then found[#found + 1] = { line = list, name = name } end
        -- Some coding agents pass the whole line as a list with one word: judge it as a line too.
        if #list == 1 then found[#found + 1] = { line = list[1], name = name } end
      else
        fail(name, NEITHER)
      end
    end
  end
  return found
end

local DIRECTORIES = { "cwd", "workdir", "working_directory", "dir_path", "directory" }

local function absolute(value)
  local text = text_of(value)
  return text and text:sub(1, 1) == "/" and text or nil
end

-- The directory that a call starts in, that of the session, and the sandbox root; each nil if unknown.
local function directories(args, payload)
  local sandbox = absolute(payload.sandbox_root)
  local base, start = absolute(payload.cwd) or sandbox, nil
  for _, name in ipairs(DIRECTORIES) do start = start or text_of(args[name]) end
  if start == nil then return base, base, sandbox end
  if absolute(start) then return paths.normal(start), base or start, sandbox end
  return base and paths.from(base, start), base, sandbox
end

-- Cached, because most calls have the same directories as the call before.
local last, last_start, last_base, last_sandbox

--- Returns what judge.line needs to know of a call. The table is reused for the next call from the same directories.
--- @param options of shell_guard.options
function calls.around(args, payload, options)
  local start, base, sandbox = directories(args, payload)
  if not last or start ~= last_start or base ~= last_base or sandbox ~= last_sandbox then
    last_start, last_base, last_sandbox = start, base, sandbox
    local place = paths.place(start, base, sandbox, options.roots)
    last = { cwd = start, place = place, level = options.level, allow = options.allow }
  end
  return last
end

return calls
