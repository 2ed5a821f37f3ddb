-- Judges git commands: parses git's global options before the subcommand, and handles words that
-- are only known to the shell.

local flags = require "shell_guard.flags"
local git = require "shell_guard.git"
local reasons = require "shell_guard.reasons"
local rule = require "shell_guard.rule"

local run_git = {}

local RULES = {}
for name, entry in pairs(git.subcommands) do RULES[name] = rule.of(entry) end

local WITH_VALUE = {
  ["-C"] = true, ["-c"] = true, ["--git-dir"] = true, ["--work-tree"] = true, ["--namespace"] = true,
  ["--super-prefix"] = true, ["--config-env"] = true, ["--attr-source"] = true,
}
local function set_config(config, text)
  local name, value = text:match("^([^=]*)=(.*)$")
  config[(name or text):lower()] = value or "true"
end

-- Returns the position of the subcommand (nil if there is none), and the settings of -c options
-- (nil if there are none).
local function subcommand(argv)
  local at, config = 2, nil
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

-- Whether a command only shows help: `git push --help`, `git stash drop --help`.
local function asks_for_help(argv, at)
  local word = argv[at + 1]
  return word == "--help" or (#argv == at + 2 and argv[at + 2] == "--help" and word:sub(1, 1) ~= "-")
end

--- Returns a reason to deny a git command, or nil and what is unclear.
function run_git.judge(command)
  local argv = command.argv
  local at, config = subcommand(argv)
  if not at then return nil end
  command.config = config
  local name = argv[at]
  if command.unknown[at] then return nil, reasons.shown(argv) end
  local judge = RULES[name]
  if not judge or asks_for_help(argv, at) then return nil end
  local reason, unclear = judge(command, at + 1)
  if reason or unclear then return reason, unclear end
  for position in pairs(command.unknown) do
    if position > at and flags.may_be_option(argv[position]) then return nil, reasons.shown(argv) end
  end
end

--- Returns rules for programs such as `git-push`.
function run_git.programs()
  local programs = {}
  for name, judge in pairs(RULES) do
    programs["git-" .. name] = function(command) return judge(command, 2) end
  end
  return programs
end

return run_git
