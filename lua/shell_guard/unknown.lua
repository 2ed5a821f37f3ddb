-- Programs that nobody knows: a refused command behind one of them, or as its input, is a question.

local reasons = require "shell_guard.reasons"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local unknown = {}

-- Programs in front of which a word may be a program that runs them: `retry rm -rf x`.
local STARTED = words.set "rm git dd shred mkfs chmod chown find sh bash zsh"
-- Programs whose words and input are texts, patterns, files or names.
local RUNS_NOTHING = words.set [[
  echo printf : true false test [ [[ grep egrep fgrep rg ag ack man tldr help which type whereis where apropos whatis info logger say
  notify-send cowsay figlet expr alias unalias cat less more log die warn fail error print puts assert jq yq docker podman kubectl
  npm yarn pnpm apt apt-get brew pip pip3 cargo gem go ls head tail wc sort uniq cut tr comm diff cmp file stat du df touch mkdir
  rmdir basename dirname realpath readlink seq yes date id uname cd pushd export local declare typeset readonly set unset read
  return exit shift trap wait history hash curl wget ssh scp rsync parallel xargs tar zip unzip gzip cp mv ln nl tac paste fold column
  md5sum sha256sum base64 code vim nano open tee in for case select function command gh glab mail mailx mutt sendmail pbcopy xclip
  xsel wl-copy fmt pandoc claude codex gemini llm patch envsubst
]]

--- Whether it is known that the words of a program, and what it reads, are no commands.
function unknown.runs_nothing(program) return RUNS_NOTHING[program] == true end

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
  for _, text in ipairs(texts.input(command)) do
    local first = text:match("^%s*(%S+)") or ""
    if (BEGINS[first] or first:sub(1, 2) == "#!") and judge_line(text, command) then return true end
  end
  return false
end

--- Returns what is unclear about a program that nobody knows, or nil.
--- @param judge_line function(line or words, command) that judges a command line
function unknown.judge(command, judge_line)
  if RUNS_NOTHING[command.program] then return nil end
  if command.line:find("<<") and is_given_refused(command, judge_line) then return reasons.shown(command.argv) end
  local line = unknown.line_at(command.argv)
  if line and BEGINS[command.argv[line]:match("^%s*(%S+)")] and judge_line(command.argv[line], command) then
    return reasons.shown(command.argv)
  end
  local at = unknown.starts(command.argv)
  if not at then return nil end
  -- The reader knows what it runs.
  local following = command.all[command.at + 1]
  if following and following.via[#following.via] == command.program then return nil end
  if judge_line(table.move(command.argv, at, #command.argv, 1, {}), command) then return reasons.shown(command.argv) end
end

return unknown
