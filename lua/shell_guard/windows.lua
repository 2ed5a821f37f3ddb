-- Rules for commands of PowerShell and cmd, as orcs.shell reads them.

local files = require "shell_guard.files"
local reasons = require "shell_guard.reasons"
local row_rules = require "shell_guard.row_rules"
local words = require "file_guard.words"

local windows = {}

local function shown(command) return reasons.shown(command.argv) end

-- Whether a command that gets some of what another one lists removes folders.
local function removes_some(command)
  if not orcs.contains(command.from, "where-object") then return false end
  for at = command.at, 1, -1 do
    local other = command.all[at]
    for n = 2, (other == command or other.program == "get-childitem") and #other.argv or 0 do
      if other.argv[n]:lower():find("^[-/][rs]") then return true end
    end
    if other.program == "get-childitem" then break end
  end
  return false
end

--- Judges a command of PowerShell or cmd. Returns a reason to deny it, or nil and what is unclear.
function windows.judge(command)
  if command.opaque then return nil, shown(command) end
  if (command.argv[1] or ""):find("^%[") then
    local text = command.argv[1]:lower()
    return nil, (text:find("::delete") or text:find("::start") or text:find("::create")) and shown(command) or nil
  end
  local removes = command.program == "remove-item"
  local reason, open = files.judge(command)
  if reason then return reason end
  local is_unclear = open or removes and removes_some(command)
  reason = removes and words.any(command.effects, function(effect) return effect.kind == "system" end)
    and reasons.of("windows.registry", command, "deletes settings of the machine", "Let the user do it")
  if reason then return reason end
  local args = table.concat(command.argv, " ", 2):lower():gsub("\\", "/")
  local is_dry = args:find("%-whatif%f[^%w]") and not args:find("%-whatif:%$f")
  reason = not is_dry and row_rules.of_windows(command, args) or nil
  -- A cmdlet that is in no list may do anything.
  return reason, (is_unclear or not command.described) and shown(command) or nil
end

return windows
