-- Matches commands against the patterns of the option `allow`, such as "git clean -f*".

local list = require("file_guard.words").list

local patterns = {}

-- Converts a word with `*` for any text to a Lua pattern for the whole word.
local function glob(word)
  return "^" .. word:gsub("[%^%$%(%)%%%.%[%]%+%-%?]", "%%%0"):gsub("%*", ".*") .. "$"
end

--- Compiles a pattern of the option `allow`. Each word matches one word of the command; `*` in a
--- word is any text, `*` as the last word is any number of further words.
function patterns.allowed(text)
  local words = list(text)
  local open = words[#words] == "*" and #words > 1
  if open then words[#words] = nil end
  for at, word in ipairs(words) do words[at] = glob(word) end
  return { words = words, open = open }
end

--- Whether a pattern of `allow` matches a command. A word that is only known to the shell matches
--- only `*`, except the program, which matches as written: `$TOOL *`.
function patterns.allows(allowed, command)
  local words, argv = allowed.words, command.argv
  if #argv < #words or (#argv > #words and not allowed.open) then return false end
  for at, word in ipairs(words) do
    if command.unknown[at] and at > 1 and word ~= "^.*$" then return false end
    local fitting = argv[at]:find(word) or (at == 1 and command.program:find(word))
    if not fitting then return false end
  end
  return true
end

return patterns
