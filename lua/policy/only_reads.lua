-- Lines that only show something, such as `git status --short` or `cat a | grep b`: most calls of a coding agent are of
-- this kind, and a policy about changes has nothing to judge in them. They are recognized without the shell's reader,
-- by their bytes: any quote, expansion, redirection or option that could mean more makes a line one that has to be read.
local set = require("file_guard.words").set

-- Tools that run a shell command, by the names that coding agents give them.
local TOOLS = set [[
  Bash bash sh shell exec exec_command local_shell run_shell_command run_terminal_cmd run_in_terminal
  run_terminal_command execute_command ]]
-- Their arguments that say nothing about what is run.
local BESIDE = set "command description timeout timeout_ms run_in_background is_background explanation"

-- Programs of which no option writes a file or runs another program.
local SHOWS = set [[
  cat cd cmp cut df dirname basename du echo egrep false fgrep grep head id ls nl pwd realpath stat tac tail tr
  true uname wc which whoami ]]
-- Subcommands that only show something with the options that `shows` allows.
local SHOWS_IF = {
  git = set "status log diff show rev-parse ls-files ls-tree blame shortlog describe cat-file",
}

-- In bytes. A longer line is read: it is no lookup, and is searched several times here.
local LONGEST = 1000
-- Everything but letters, digits and these has a meaning for a shell.
local OTHER = "[^%w%s%._/:,@+=%%~^|&;*-]"

-- `command` without quotes, each quoted word replaced by `q`; nil if a quote is within a word, hides an option or is
-- expanded.
local function unquoted(command)
  if not command:find("[\"']") then return command end
  local kept, at = {}, 1
  while true do
    local from = command:find("[\"']", at)
    if not from then break end
    local quote = command:sub(from, from)
    local to = command:find(quote, from + 1, true)
    if not to or not command:find("^[%s=]", from - 1) or not command:find("^[%s|;&]", to + 1) and to < #command then
      return nil
    end
    local text = command:sub(from + 1, to - 1)
    if text:find("^%-") or (quote == '"' and text:find("[$`\\!]")) then return nil end
    kept[#kept + 1] = command:sub(at, from - 1)
    kept[#kept + 1] = "q"
    at = to + 1
  end
  kept[#kept + 1] = command:sub(at)
  return table.concat(kept)
end

-- Whether a program with its words, split by blanks, only shows something.
local function shows(program, words)
  if SHOWS[program] then return true end
  local subcommands = SHOWS_IF[program]
  local first = subcommands and words:match("^%s+(%S+)")
  if not first or not subcommands[first] then return false end
  -- Not those that write or run something, also shortened: --output, --ext-diff, --textconv. A name that a glob finds
  -- could be one of them.
  return not words:find("%-%-[oet]") and not words:find("%s%-[cOo]") and not words:find("%s%*")
end

-- Whether a call only shows something. False when that cannot be seen at a glance.
-- payload: of tool.pre_execute
return function(payload)
  if not TOOLS[payload.tool_name] then return false end
  local args = payload.args
  local command = args.command
  if type(command) ~= "string" or #command > LONGEST then return false end
  for name, value in pairs(args) do
    if not BESIDE[name] or type(value) == "table" then return false end
  end
  -- What an error says is not kept.
  local plain = unquoted((command:gsub(" 2>/dev/null%f[%s\0]", ""):gsub(" 2>&1%f[%s\0]", "")))
  if not plain or plain:find(OTHER) then return false end
  plain = plain:gsub("||", ";"):gsub("&&", ";"):gsub("|", ";"):gsub("\n", ";")
  if plain:find("[&\r]") then return false end
  for simple in (plain .. ";"):gmatch("([^;]*);") do
    local program, words = simple:match("^%s*(%S+)(.*)$")
    if not program or not shows(program, words) then return false end
  end
  return true
end
