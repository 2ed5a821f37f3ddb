-- Finds the commands that a sed script runs (`e`, and the flag `e` of `s`), and the files that it writes (`w`).

local words = require "file_guard.words"

local sed = {}

-- Longest script that is read.
local MOST = 16384

local VALUED, SCRIPTS = words.set "-e --expression -f --file -l --line-length -i", words.set "-e --expression"
VALUED["-i"] = "joined"

-- Returns the script in the words of a command: sed joins the parts by line breaks.
local function script_of(argv)
  local operands, options = words.split(argv, VALUED)
  local parts = {}
  words.each_value(options, SCRIPTS, function(text) parts[#parts + 1] = text end)
  local is_in_file = words.has(options, words.set "-f --file")
  -- BSD's -i '' has the suffix for backup copies in a word of its own.
  local first = operands[operands[1] and operands[1].text == "" and 2 or 1]
  if not parts[1] and not is_in_file and first then parts[1] = first.text end
  return table.concat(parts, "\n")
end

-- Returns the position behind a bracket expression; `[` that is not closed stands for itself.
local function behind_class(script, at)
  local to = script:match("^%[%^?%]?()", at)
  if not script:find("]", to, true) then return at + 1 end
  while to <= #script do
    if script:sub(to, to) == "]" then return to + 1 end
    to = script:match("^%[[:.=]%a*[:.=]%]()", to) or to + 1
  end
  return at + 1
end

-- Reads up to a delimiter that is not escaped. Returns the text, and the position behind the delimiter: at most the one
-- behind the script.
-- is_regex: whether a delimiter in brackets is part of the text
local function part(script, at, delimiter, is_regex)
  local from = at
  while at <= #script and script:sub(at, at) ~= delimiter do
    local char = script:sub(at, at)
    at = is_regex and char == "[" and behind_class(script, at) or at + (char == "\\" and 2 or 1)
  end
  return script:sub(from, at - 1), math.min(at, #script) + 1
end

-- Skips the regular expressions in front of a command: `/x/`, `\,x,`.
local function behind_address(script, at)
  while true do
    local char = script:sub(at, at)
    if char ~= "/" and char ~= "\\" then return at end
    if char == "\\" then at = at + 1 end
    at = select(2, part(script, at + 1, script:sub(at, at), true))
  end
end

-- The line that a replacement becomes; what it takes over from the input is not known.
local function replaced(text)
  return (text:gsub("\\(.)", function(char) return char == "n" and "\n" or char:find("%d") and "$input" or char end):gsub("&", "$input"))
end

-- Commands whose argument is the rest of their line.
local NAMES_FILE = { w = "writes", W = "writes", r = "reads", R = "reads" }

--- Calls functions for what the script in the words of a command does: runs(line), runs_input(), writes(file) and
--- reads(file), each may be missing. Stops at the first result, and returns it. What is wrong in a script is skipped.
function sed.each(argv, does)
  local script = script_of(argv)
  if #script > MOST then return nil end
  local function call(name, text) return does[name] and does[name](text) or nil end
  local at = behind_address(script, 1)
  while at <= #script do
    local command = script:sub(at, at)
    local rest = script:match("^[^\n]*", at + 1)
    local behind_line = at + 1 + #rest
    local result
    at = at + 1
    if command == "s" or command == "y" then
      local delimiter, text = script:sub(at, at), nil
      at = select(2, part(script, at + 1, delimiter, command == "s"))
      text, at = part(script, at, delimiter)
      local flags = command == "s" and script:match("^[%dgpiImMe \t]*", at) or ""
      at = at + #flags
      if flags:find("e") then result = call("runs", replaced(text)) or call("runs_input") end
      local file = command == "s" and script:match("^w[ \t]*([^\n]+)", at)
      if file then
        result = result or call("writes", file)
        at = at + #script:match("^[^\n]*", at)
      end
    elseif command == "e" then
      local line = rest:match("^%s*(.-)%s*[;}]?$")
      if line == "" then result = call("runs_input") else result = call("runs", line) end
      at = behind_line
    elseif NAMES_FILE[command] then
      result = call(NAMES_FILE[command], rest:match("^%s*(.*)$"))
      at = behind_line
    elseif command:find("[aic]") then
      -- A line break that is escaped belongs to the text.
      at = select(2, part(script, at, "\n"))
    elseif command == "#" then
      at = behind_line
    elseif command:find("[:btT]") then
      at = at + #rest:match("^[^;}]*")
    end
    if result then return result end
    at = behind_address(script, at)
  end
end

return sed
