-- Judges git commands: by the rows about them, and by words that are only known to the shell.

local read_words = require "shell_guard.read_words"
local reasons = require "shell_guard.reasons"
local row_rules = require "shell_guard.row_rules"

local run_git = {}

-- Whether an option before a position may be one whose value is the word behind it: `git "-$X" . push`.
local function may_take(command, at)
  for position in pairs(command.unknown) do
    local word = command.argv[position]
    if position < at and word:find("^%-") and not word:find("=") then return true end
  end
  return false
end

--- Returns a reason to deny a git command, or nil and what is unclear.
--- @param judge_line function(line or words, command) that judges a command line
function run_git.judge(command, judge_line)
  local args, argv = command.args, command.argv
  if not args then return nil end
  local is_known = args.name:find("/", 1, true) ~= nil
  local at = is_known and args.at or args.operands[1]
  if not at then return nil end
  if command.unknown[at] or read_words.sets_git_config(command, at) then return nil, reasons.shown(argv) end
  -- As if the word were the value of the option in front of it.
  local function without_word()
    local rest = table.move(argv, 1, #argv, 1, {})
    table.remove(rest, at)
    return judge_line(rest, command)
  end
  local reason, unclear, is_meant
  if is_known then
    reason, unclear, is_meant = row_rules.own(command, "git")
    if reason or unclear then return reason, unclear end
  elseif may_take(command, at) then
    return without_word()
  end
  if read_words.may_be_git_options(command, at) then return nil, reasons.shown(argv) end
  -- With paths, reset changes no files, whatever its options are.
  if not is_meant or args.name == "git/reset" and args.before and args.before < #args.operands then return nil end
  for position in pairs(command.unknown) do
    if position > at and read_words.may_be_option(argv[position]) then return nil, reasons.shown(argv) end
  end
  if may_take(command, at) then return without_word() end
end

return run_git
