-- Functions that a line defines and does not call. Their commands do not run, unless something calls the function that
-- the reader does not follow.

local words = require "file_guard.words"

local uncalled = {}

--- Whether a command stands in a function that nothing in the line calls.
function uncalled.is_in(found)
  return #found.via > 0 and orcs.contains(found.via, "uncalled")
end

-- Functions that shells call themselves.
local CALLED_BY_SHELLS = words.set [[
  command_not_found_handle command_not_found_handler precmd preexec chpwd periodic zshexit zshaddhistory fish_prompt
  fish_greeting fish_command_not_found
]]
local SOURCES = words.set "source ."

-- What may stand before a name that is called: the beginning of a command.
local BEGINNINGS = { "^$", "[;&|({\n!]%s*$", "%f[%w]time%s+$", "%f[%w]then%s+$", "%f[%w]do%s+$", "%f[%w]else%s+$" }

-- A shell of its own has only the functions that are exported.
local OWN_SHELL = "%f[%w]%a*sh%s+%-c%s+[\"']?$"

local function may_export(text)
  return text:find("%-%a*[fax]") ~= nil and (text:find("export") or text:find("declare") or text:find("typeset") or text:find("%f[%w]set%s"))
    and true or text:find("%f[%w]%a*sh%s+%-%a*a") ~= nil
end

-- Whether each mention of a name is its definition, or a command: those the reader has followed.
local function is_only_called(text, name)
  local from = 1
  while true do
    local first, last = text:find(name, from, true)
    if not first then return true end
    from = last + 1
    local before, behind = text:sub(math.max(1, first - 40), first - 1), text:sub(last + 1, last + 1)
    local is_word = not before:find("[%w_]$") and not behind:find("[%w_]")
    if is_word and not text:find("^%s*%(%s*%)", last + 1) and not before:find("%f[%w]function%s+$") then
      local begins = words.matches(before, BEGINNINGS) or before:find(OWN_SHELL) and not may_export(text)
      if not begins then return false end
    end
  end
end

local NAME = "([^%s;&|(){}<>\"'$`\\]+)"

-- Whether something holds for the name of each function that a text defines.
local function all_names(text, is_fine)
  return not words.any({ NAME .. "%s*%(%s*%)", "%f[%w]function%s+" .. NAME }, function(pattern)
    for name in text:gmatch(pattern) do
      if not is_fine(name) then return true end
    end
  end)
end

-- More functions than this are not looked for.
local MOST = 40

--- Whether a line defines functions, and nothing else may call them: no other mention of their names, no file that is
--- sourced, no command that is unknown, and no shell that calls functions of such a name itself.
--- @param line the line, or a list of words
--- @param all the commands of the line
function uncalled.stay_so(line, all)
  local text = type(line) == "string" and line or table.concat(line, "\n")
  if not text:find("%(%s*%)") and not text:find("function") then return false end
  local count = 0
  if words.any(all, function(command) return SOURCES[command.program] or command.opaque end) then return false end
  return all_names(text, function(name)
    count = count + 1
    return count <= MOST and not CALLED_BY_SHELLS[name] and not name:find("^TRAP%u") and is_only_called(text, name)
  end)
end

return uncalled
