-- Finds the commands that a sed script runs (`e`, and the flag `e` of `s`), and the files that it writes (`w`).

local reasons = require "shell_guard.reasons"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local sed = {}

-- Longest script that is read.
local MOST = 16384

local FROM_FILE, VALUED = words.set "-f --file", words.set "-f --file -l --line-length"

-- Returns the scripts in the words of a command.
local function scripts_of(argv)
  local scripts, first, is_in_file = {}, nil, false
  local at = 2
  while argv[at] do
    local word = argv[at]
    if word:find("^%-%a*e$") or word == "--expression" then
      at = at + 1
      scripts[#scripts + 1] = argv[at]
    elseif word:find("^%-%-expression=") then
      scripts[#scripts + 1] = word:match("=(.*)$")
    elseif VALUED[word] then
      is_in_file = is_in_file or FROM_FILE[word]
      at = at + 1
    elseif word:sub(1, 1) ~= "-" then
      first = first or word
    end
    at = at + 1
  end
  if not scripts[1] and not is_in_file then scripts[1] = first end
  return scripts
end

-- Reads up to a delimiter that is not escaped. Returns the text, and the position behind the delimiter.
local function part(script, at, delimiter)
  local from = at
  while at <= #script and script:sub(at, at) ~= delimiter do
    at = at + (script:sub(at, at) == "\\" and 2 or 1)
  end
  return script:sub(from, at - 1), at + 1
end

-- Skips the regular expressions in front of a command: `/x/`, `\,x,`.
local function behind_address(script, at)
  while true do
    local char = script:sub(at, at)
    if char == "/" then
      at = select(2, part(script, at + 1, "/"))
    elseif char == "\\" then
      at = select(2, part(script, at + 2, script:sub(at + 1, at + 1)))
    else
      return at
    end
  end
end

-- The line that a replacement becomes; what it takes over from the input is not known.
local function replaced(text)
  return (text:gsub("\\(.)", function(char) return char == "n" and "\n" or char:find("%d") and "$input" or char end):gsub("&", "$input"))
end

-- Calls functions for what a script does: runs(line), runs_input() and writes(file). Stops at the first result.
local function each(script, does)
  local at = behind_address(script, 1)
  while at <= #script do
    local command = script:sub(at, at)
    local rest = script:match("^[^\n]*", at + 1)
    local result
    if command == "s" or command == "y" then
      local delimiter = script:sub(at + 1, at + 1)
      local text, flags
      text, at = part(script, select(2, part(script, at + 2, delimiter)), delimiter)
      flags = script:match("^[%w]*", at)
      at = at + #flags
      if command == "s" and flags:find("e") and not flags:find("^%w-w") then result = does.runs(replaced(text)) or does.runs_input() end
      local file = command == "s" and flags:find("w") and script:match("^%s+([^\n]+)", at)
      if file then
        result = result or does.writes(file)
        at = at + #script:match("^[^\n]*", at)
      end
    elseif command == "e" then
      local line = rest:match("^%s*(.-)%s*[;}]?$")
      result = line == "" and does.runs_input() or does.runs(line)
      at = at + 1 + #rest
    elseif command == "w" or command == "W" then
      result = does.writes(rest:match("^%s*(.*)$"))
      at = at + 1 + #rest
    elseif command:find("[aicrR#]") then
      at = at + 1 + #rest
    elseif command:find("[:btT]") then
      at = at + 1 + #rest:match("^[^;}]*")
    else
      at = at + 1
    end
    if result then return result end
    at = behind_address(script, at)
  end
end

--- Judges what the scripts of a sed command run and write. Returns a reason to deny it, or nil and what is unclear.
--- @param judge_line function(line, command) that judges a command line
function sed.judge(command, judge_line)
  local unclear
  local does = {
    runs = function(line)
      local reason, open = judge_line(line, command)
      if open then unclear = reasons.piped(command) end
      return reason
    end,
    runs_input = function()
      for _, text in ipairs(texts.input(command)) do
        local reason = judge_line(text, command)
        if reason then return reason end
      end
    end,
    writes = function(file) return (judge_line("cat > '" .. file:gsub("'", "'\\''") .. "'", command)) end,
  }
  for _, script in ipairs(scripts_of(command.argv)) do
    local reason = #script <= MOST and each(script, does)
    if reason then return reason end
  end
  return nil, unclear
end

return sed
