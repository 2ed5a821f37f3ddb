-- Rules for shells, eval and source: files that a shell reads first, words that do not reach it, and input that it
-- evaluates.

local paths = require "shell_guard.paths"
local read_words = require "shell_guard.read_words"
local reasons = require "shell_guard.reasons"
local words = require "file_guard.words"

local shells = {}

local OF_THE_MACHINE = { "^/etc/", "^/dev/null$", "^/dev/fd/", "^/dev/stdin$", "^/proc/self/fd/" }

-- Whether only the folder of a file is unknown: `$CI_DIR/env.sh`.
local function is_named(word) return word:find("[$})%w]/[%w_.-]+$") ~= nil end

-- Whether a startup file is one of the project, of the home or of the machine, or has a text that the line shows.
local function is_usual(command, file)
  local kind, path = paths.look(command.place, command.cwd, file)
  if kind == "below" or kind == "unclear" then return true end
  if words.matches(path, OF_THE_MACHINE) then return true end
  if command.place.home and paths.below(command.place.home, path) then return true end
  -- What the line writes to it is judged with the other files that are run.
  for at = command.at - 1, 1, -1 do
    for _, effect in ipairs(command.all[at].effects) do
      if effect.kind == "write" and effect.target == path then return not effect.from end
    end
  end
  return false
end

-- The variable that names the startup file of a shell.
local function variable_of(program, is_interactive)
  if program == "bash" or program == "rbash" then return not is_interactive and "BASH_ENV" or nil end
  return is_interactive and program ~= "zsh" and "ENV" or nil
end

-- Whether a shell reads a file first that the line does not show.
local function has_unseen_startup(command)
  local options, operands = command.args.options, command.args.operands
  if options["--version"] or options["--help"] then return false end
  local file, is_interactive = options["--rcfile"] or options["--init-file"], options["-i"]
  -- Only interactive shells read it.
  if type(file) == "string" then return (is_interactive or not operands[1]) and not is_usual(command, file) end
  local name = variable_of(command.program, is_interactive)
  if not name or not command.line:find(name .. "=", 1, true) then return false end
  -- Known values are listed by the reader, as `. FILE` behind the shell.
  local following = command.all[command.at + 1]
  if following and following.program == "." and following.via[#following.via] == command.program then
    return #following.unknown == 0 and not is_usual(command, following.argv[2])
  end
  local value = command.line:match("%f[%w_]" .. name .. "=\"?([$`][^%s;&|\"]*)")
  return value ~= nil and not is_named(value)
end

-- Whether words that a shell does not run as a command would be refused as one: `sh -c rm -rf x`, for `sh -c 'rm -rf
-- x'`.
local function reads_like_refused(command, judge_line)
  local argv, at = command.argv, command.args.options["-c"] and command.args.operands[1]
  if not at or #argv == at then return false end
  local function is_refused(first)
    return argv[first] ~= nil and judge_line(table.move(argv, first, #argv, 1, {}), command) ~= nil
  end
  if not argv[at]:find("%s") then return is_refused(at) end
  -- The words behind its name are the parameters: what is read may be evaluated by the script.
  return command.via[#command.via] == "xargs" and argv[at]:find("$", 1, true) ~= nil and is_refused(at + 2)
end

-- Whether an option of a shell is a word that is read: `xargs -I{} bash -{}`.
local function has_read_option(command)
  return words.any(command.argv, function(_, at)
    return read_words.is_read(command, at) and at < (command.args.operands[1] or math.huge)
  end, 2)
end

--- Judges a shell. Returns nil and what is unclear.
--- @param judge_line function(line or words, command) that judges a command line
function shells.shell(command, judge_line)
  local is_unclear = has_unseen_startup(command) or has_read_option(command) or reads_like_refused(command, judge_line)
  return nil, is_unclear and reasons.shown(command.argv) or nil
end

--- Judges eval: words that are read become a part of the script. Returns nil and what is unclear.
function shells.eval(command)
  local is_read = words.any(command.argv, function(_, at) return read_words.is_read(command, at) end, 2)
  return nil, is_read and not read_words.are_listed(command) and reasons.shown(command.argv)
end

--- Judges source: with `-p`, the file is looked for in a path. Returns nil and what is unclear.
function shells.source(command)
  if command.argv[2] == "-p" and (command.unknown[3] or command.unknown[4]) then return nil, reasons.shown(command.argv) end
end

--- Shells by their names.
shells.names = words.list "sh bash zsh dash ksh ash mksh rbash"

return shells
