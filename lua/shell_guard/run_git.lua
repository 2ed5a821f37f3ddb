-- Judges git commands: parses git's global options before the subcommand, and handles words that
-- are only known to the shell.

local flags = require "shell_guard.flags"
local git = require "shell_guard.git"
local read_words = require "shell_guard.read_words"
local reasons = require "shell_guard.reasons"
local rule = require "shell_guard.rule"
local words = require "shell_guard.words"

local run_git = {}

local RULES = {}
for name, entry in pairs(git.subcommands) do RULES[name] = rule.of(entry) end

local WITH_VALUE = words.set "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source"
local function set_config(config, text)
  local name, value = text:match("^([^=]*)=(.*)$")
  config[(name or text):lower()] = value or "true"
end

-- Returns the position of the subcommand (nil if there is none), and the settings of -c options
-- (nil if there are none).
local function subcommand(argv, from)
  local at, config = from, nil
  while argv[at] and argv[at]:sub(1, 1) == "-" do
    local word = argv[at]
    if WITH_VALUE[word] then
      at = at + 1
      if word == "-c" and argv[at] then
        config = config or {}
        set_config(config, argv[at])
      end
    end
    at = at + 1
  end
  return argv[at] and at, config
end

-- Subcommands that show their usage, and do nothing else, for `-h` or `--help` at any place.
local SHOWS_USAGE = words.set "reset clean checkout switch restore branch push rm tag"
-- Options of theirs that have no value, so that the word behind them is not one.
local WITHOUT_VALUE = words.set "-f --force --hard -d -D -x -fd -fdx -q --quiet -v --verbose --staged --worktree --all --tags --mirror --prune --delete"

-- Whether a command only shows help: `git push --help`, `git stash drop --help`, `git reset --hard -h`.
local function asks_for_help(argv, at)
  local word = argv[at + 1]
  if word == "--help" or (#argv == at + 2 and argv[at + 2] == "--help" and word:sub(1, 1) ~= "-") then return true end
  if not SHOWS_USAGE[argv[at]] then return false end
  for n = at + 1, #argv do
    local one, before = argv[n], argv[n - 1]
    if one == "--" then return false end
    if (one == "-h" or one == "--help") and (before:sub(1, 1) ~= "-" or WITHOUT_VALUE[before]) then return true end
  end
  return false
end

-- Whether paths follow a `--`.
local function has_paths(argv, at)
  for n = at + 1, #argv - 1 do
    if argv[n] == "--" then return true end
  end
  return false
end

-- Whether an option before a position may be one whose value is the word behind it: `git "-$X" . push`.
local function may_take(command, at)
  for position in pairs(command.unknown) do
    local word = command.argv[position]
    if position < at and word:find("^%-") and not word:find("=") then return true end
  end
  return false
end

local function judge_from(command, from)
  local argv = command.argv
  local at, config = subcommand(argv, from)
  if not at then return nil end
  command.config = config
  local name = argv[at]
  if command.unknown[at] or read_words.sets_git_config(command, at) then return nil, reasons.shown(argv) end
  -- Some file systems do not distinguish `GIT` from `git`; names of aliases are never distinguished.
  local judge = RULES[name] or RULES[name:lower()]
  if from == 2 and not judge and may_take(command, at) then return judge_from(command, at + 1) end
  if judge then
    if asks_for_help(argv, at) then return nil end
    local reason, unclear = judge(command, at + 1)
    if reason or unclear then return reason, unclear end
  end
  if read_words.may_be_git_options(command, at) then return nil, reasons.shown(argv) end
  -- With paths, reset changes no files, whatever its options are.
  if not judge or (name == "reset" and has_paths(argv, at)) then return nil end
  for position in pairs(command.unknown) do
    if position > at and flags.may_be_option(argv[position]) then return nil, reasons.shown(argv) end
  end
  if from == 2 and may_take(command, at) then return judge_from(command, at + 1) end
end

--- Returns a reason to deny a git command, or nil and what is unclear.
function run_git.judge(command) return judge_from(command, 2) end

--- Returns rules for programs such as `git-push`.
function run_git.programs()
  local programs = {}
  for name, judge in pairs(RULES) do
    programs["git-" .. name] = function(command) return judge(command, 2) end
  end
  return programs
end

return run_git
