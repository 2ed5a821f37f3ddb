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

local FETCHES = words.set "invoke-webrequest invoke-restmethod start-bitstransfer certutil bitsadmin"
local RUNS = words.set "powershell pwsh powershell_ise cmd start-process invoke-item"

local function base(word)
  return (word:gsub("\\", "/"):match("[^/]*$"):lower():gsub("%.[ecb][xmoa][edmt]$", ""))
end

-- The files that the commands of a line download, and whether they download anything.
local function fetched(all)
  if all.fetched then return all.fetched, all.fetches end
  all.fetched, all.fetches = {}, false
  for _, command in ipairs(all) do
    local fetches = command.dialect and FETCHES[command.program]
    all.fetches = all.fetches or fetches
    for _, effect in ipairs(fetches and command.effects or {}) do
      if effect.kind == "write" then all.fetched[base(effect.word)] = true end
    end
  end
  return all.fetched, all.fetches
end

--- Returns why a command is denied that runs a file that the line downloads, or nil.
function windows.runs_download(command)
  if command.at == 1 then return nil end
  local files, any = fetched(command.all)
  any = any or orcs.contains(command.from, "invoke-webrequest")
  local runs = any and command.program == "invoke-expression" or files[base(command.argv[1] or "")]
  for at = 2, RUNS[command.program] and #command.argv or 0 do runs = runs or files[base(command.argv[at])] end
  if not runs or (command.dialect and FETCHES[command.program]) then return nil end
  local instead = "Download it to a file and look at it first"
  return reasons.refusal("code.run-download", reasons.piped(command), "runs what was downloaded, unseen", instead)
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
