-- Names of the programs in lines for PowerShell and cmd, and what may precede them.

local commands = require "shell_guard.windows_commands"
local words = require "shell_guard.words"

local names = {}

local SHELLS = words.set "powershell pwsh powershell_ise cmd"

--- Whether a program or a tool is PowerShell or cmd.
function names.is_shell(name) return SHELLS[name] or false end

local ENDINGS = words.set ".exe .cmd .bat .com"

--- Whether a word has the ending of a program of Windows.
function names.has_ending(word) return ENDINGS[word:sub(-4):lower()] or false end

--- Returns the name of a program in lower case, without its folder and its ending, and of an alias that of its command.
function names.of(word)
  local name = word:gsub("\\", "/"):match("[^/]*$"):lower()
  if ENDINGS[name:sub(-4)] then return name:sub(1, -5) end
  return commands.aliases[name] or name
end

-- Notes the names that a command gives to others: `Set-Alias x Remove-Item`.
local function note_alias(command, aliases)
  local program = names.of(command.words[1])
  if program ~= "set-alias" and program ~= "new-alias" then return end
  local given = {}
  for at = 2, #command.words do
    if command.words[at]:sub(1, 1) ~= "-" then given[#given + 1] = command.words[at] end
  end
  if given[2] then aliases[given[1]:lower()] = given[2] end
end

--- Returns a command without what may precede its program: `$x =`, `if`, `.`.
--- @param aliases the names that the line has given to commands before: { name = command }
function names.trimmed(command, aliases)
  local list, known, first = command.words, command.known, 1
  local called_by = command.called
  -- cmd does not show a command behind `@`.
  if list[1] then list[1] = list[1]:gsub("^@(%a)", "%1") end
  while list[first] do
    local word = list[first]
    local after = word:match("^%$[%w_:]+[+]?=(.*)$")
    if word:find("^%$[%w_:.]+$") and (list[first + 1] or ""):find("^[-+*/]?=$") then
      first = first + 2
    elseif after and not called_by then
      if after == "" then
        first = first + 1
      else
        list[first], known[first] = after, not after:find("$", 1, true)
        break
      end
    elseif word:lower() == "for" and (list[first + 1] or ""):find("^[/%%]") then
      -- `for` of cmd is judged with what it runs.
      break
    elseif commands.keywords[word:lower()] and (word:lower() ~= "foreach" or command.from == nil) then
      first = first + 1
      if word:lower() == "function" or word:lower() == "filter" then first = first + 1 end
    elseif word == "." and list[first + 1] then
      called_by = true
      first = first + 1
    elseif word == "(…)" then
      first = first + 1
    else
      break
    end
  end
  local kept = { words = {}, known = {}, listed = {}, from = command.from, called = called_by, targets = command.targets }
  for at = first, #list do
    local n = #kept.words + 1
    kept.words[n], kept.known[n], kept.listed[n] = list[at], known[at], command.listed[at]
  end
  if kept.words[1] then
    local alias = aliases[kept.words[1]:lower()]
    if alias then kept.words[1] = alias end
    note_alias(kept, aliases)
  end
  return kept
end

return names
