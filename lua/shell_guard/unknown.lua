-- Programs that nobody knows: a refused command behind one of them, or as its input, is a question.

local reasons = require "shell_guard.reasons"
local words = require "file_guard.words"

local unknown = {}

-- Programs in front of which a word may be a program that runs them: `retry rm -rf x`.
local STARTED = words.set "rm git dd shred mkfs chmod chown find sh bash zsh"
-- Names that are not in the dictionary of programs, of those whose words and input are texts: functions, most of them.
local RUNS_NOTHING = words.set [[
  tldr help type where info logger say notify-send figlet expr log die warn fail error puts
  assert npm yarn pnpm apt apt-get brew gem yes date uname read code open in for case select function mail mailx
  mutt sendmail wl-copy claude codex gemini llm envsubst
]]

--- Whether it is known what a program does with its words and its input.
function unknown.is_known(command) return command.described or RUNS_NOTHING[command.program] == true end

--- Returns the position of a word that may be the program that the first word starts; nil if there is none.
function unknown.starts(argv)
  local at = STARTED[argv[2]] and 2 or STARTED[argv[3]] and 3 or STARTED[argv[4]] and 4
  if at then return at end
  for n = 4, #argv - 1 do
    if argv[n] == "--" and STARTED[argv[n + 1]] then return n + 1 end
  end
end

-- Options whose value is a command line for programs that are shells or start one.
local TAKES_LINE = words.set "-c -lc -ic -ec --command --cmd --exec --run --shell -x"

--- Returns the position of a word that may be a line for a shell: `yash -c LINE`; nil if there is none.
function unknown.line_at(argv)
  for at = 3, #argv do
    if TAKES_LINE[argv[at - 1]] and argv[at]:find("%s") then return at end
  end
end

-- Words at the beginning of a script.
local BEGINS = words.set "rm git dd shred mkfs chmod chown find sudo cd set export"

-- Whether a here-document for a program is a script that would be refused.
local function is_given_refused(command, judge_line)
  local text = command.stdin or ""
  local first = text:match("^%s*(%S+)") or ""
  return (BEGINS[first] or first:sub(1, 2) == "#!") and judge_line(text, command) ~= nil
end

-- Whether words of a command are one that would be refused, as far as the reader does not know what it runs.
local function starts_refused(command, judge_line)
  local at, following = unknown.starts(command.argv), command.all[command.at + 1]
  if not at or following and following.via[#following.via] == command.program then return false end
  return judge_line(table.move(command.argv, at, #command.argv, 1, {}), command) ~= nil
end

--- Judges a program that nobody knows. Returns nil and what is unclear.
--- @param judge_line function(line or words, command) that judges a command line
function unknown.judge(command, judge_line)
  if unknown.is_known(command) then return nil end
  local at = unknown.line_at(command.argv)
  local line = at and command.argv[at]
  local is_unclear = command.line:find("<<") and is_given_refused(command, judge_line)
    or line and BEGINS[line:match("^%s*(%S+)")] and judge_line(line, command) or starts_refused(command, judge_line)
  return nil, is_unclear and reasons.shown(command.argv)
end

return unknown
