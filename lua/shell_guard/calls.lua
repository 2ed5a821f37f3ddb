-- Finds command lines in the arguments of a tool call, independent of the tool's name.

local paths = require "shell_guard.paths"

local calls = {}

-- Arguments that hold command lines. `script` may be in another language: the hook ignores what it
-- cannot parse there.
local NAMES = { "command", "cmd", "script" }

local function text_of(value) return type(value) == "string" and value ~= "" and value or nil end

local function words(name, list)
  local each = {}
  for at = 1, #list do
    if type(list[at]) ~= "string" then
      error("shell-guard: " .. name .. " is a list with values that are not strings", 0)
    end
    each[at] = list[at]
  end
  local count = 0
  for _ in pairs(list) do count = count + 1 end
  if count ~= #each then error("shell-guard: " .. name .. " is neither a string nor a list of words", 0) end
  return each
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
        error("shell-guard: " .. name .. " is neither a string nor a list of words", 0)
      end
    end
  end
  return found
end

local DIRECTORIES = { "cwd", "workdir", "working_directory", "dir_path", "directory" }

--- Returns three paths, each nil if unknown: the directory that the call starts in, the directory
--- of the session, and the sandbox root.
function calls.directories(args, payload)
  local base = text_of(payload.cwd)
  local sandbox = text_of(payload.sandbox_root)
  if base and base:sub(1, 1) ~= "/" then base = nil end
  if sandbox and sandbox:sub(1, 1) ~= "/" then sandbox = nil end
  base = base or sandbox
  local start
  for _, name in ipairs(DIRECTORIES) do
    start = start or text_of(args[name])
  end
  if start == nil then return base, base, sandbox end
  if start:sub(1, 1) == "/" then return paths.normal(start), base or start, sandbox end
  return base and paths.from(base, start), base, sandbox
end

return calls
