-- Rules for commands of PowerShell and cmd, as orcs.shell reads them.

local artefacts = require "shell_guard.artefacts"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local words = require "shell_guard.words"

local windows = {}

-- Programs; Lua patterns for their arguments, joined, in lower case and with slashes; the id of the rule; and why.
local RULES = [[
format-volume;; windows.disk; formats a volume
clear-disk;; windows.disk; wipes a disk
initialize-disk;; windows.disk; overwrites the partition table of a disk
remove-partition;; windows.disk; removes a partition
remove-volume;; windows.disk; removes a volume
set-partition;; windows.disk; changes a partition
reset-physicaldisk;; windows.disk; resets a disk
remove-physicaldisk;; windows.disk; removes a disk from its pool
remove-storagepool remove-virtualdisk;; windows.disk; deletes data for good
format; ^/?%a: | /q | /fs; windows.disk; formats a volume
diskpart;; windows.disk; changes the partitions of a disk
clear-recyclebin;; windows.destroy; deletes data for good
wmic; shadowcopy.*delete; windows.backups; deletes the backups of a volume
wmic; %f[%w]delete%f[%W]; windows.destroy; deletes data for good
cipher; /w; windows.destroy; overwrites what was deleted
fsutil; ^usn%s+deletejournal; windows.destroy; deletes the journal of a volume
fsutil; setzerodata; windows.destroy; overwrites a file
clear-eventlog remove-eventlog;; windows.eventlog; wipes a log of the system
wevtutil; ^cl; windows.eventlog; wipes a log of the system
clear-history;; windows.history; wipes the history of a shell
stop-computer;; windows.shutdown; shuts the machine down
restart-computer;; windows.shutdown; restarts the machine
shutdown; /[srpgh] | %-[srpgh]%f[%W]; windows.shutdown; shuts the machine down
remove-localuser;; windows.accounts; removes a user of the machine
remove-computer;; windows.accounts; removes the machine from its domain
net; ^user%s.*/delete; windows.accounts; removes a user of the machine
disable-computerrestore;; windows.backups; switches restore points off
vssadmin; ^delete | ^resize; windows.backups; deletes the backups of a volume
wbadmin; ^delete; windows.backups; deletes backups
wbadmin; ^stop; windows.backups; stops a backup
set-mppreference; %-disable%a+%s+:?%$?[t1]; windows.defender; switches the virus scanner off
set-mppreference; %-exclusion; windows.defender; exempts files from the virus scanner
remove-vm;; windows.vm; removes a virtual machine
set-executionpolicy;; windows.execution-policy; lets unsigned scripts run
clear-content;; windows.clear-content; empties a file
bcdedit; /set | /delete | /import; windows.boot; changes how the machine starts
reg; ^delete%s+"?hk; windows.registry; deletes settings of the machine
remove-itemproperty clear-itemproperty; %f[%w]hk[lc][mr]: | hkey_l; windows.registry; deletes settings of the machine
takeown; /f%s+%a:/?%s; windows.permissions; takes over all files of a drive
takeown; /r; windows.permissions; takes over whole folders
icacls; ^%a:/?%s.*/t; windows.permissions; changes the permissions of all files of a drive
icacls; ^%a:/windows.*/t; windows.permissions; changes the permissions of the system
schtasks; /delete; windows.tasks; deletes a scheduled task
net; ^stop; windows.services; stops a service
sc; ^stop%s | ^//%S+%s+stop%s; windows.services; stops a service
stop-service;; windows.services; stops a service
sc; ^delete%s | ^//%S+%s+delete%s; windows.services; deletes a service
sc; %sstart=%s*disabled; windows.services; switches a service off
remove-service;; windows.services; deletes a service
robocopy; /mir | /purge; windows.mirror; deletes what is only in the target
mshta regsvr32 rundll32 msiexec; https?: | script:; code.run-download; runs what was downloaded, unseen
netsh; advfirewall.*state%s+off | firewall.*opmode.*disable; system.firewall; opens the machine
set-netfirewallprofile; %-enabled:?%s*:?%$?f; system.firewall; opens the machine
]]

local rules

-- The rules of a program: { pattern, id, because }.
local function rules_of(program)
  if not rules then
    rules = {}
    for names, pattern, id, because in RULES:gmatch("([^;\n]+); ?([^;]*); (%S+); ([^\n]+)") do
      for name in names:gmatch("%S+") do
        rules[name] = rules[name] or {}
        for one in (pattern .. " | "):gmatch("(.-) | ") do table.insert(rules[name], { one, id, because }) end
      end
    end
  end
  return rules[program] or {}
end

local function shown(command) return reasons.shown(command.argv) end

local function refuse(id, command, because, instead)
  return reasons.refusal(id, shown(command), because, instead or "Let the user do it")
end

-- Why a path must not be removed, and the rules.
local NEVER = {
  root = { "files.rm-root", "would remove a whole drive" },
  top = { "files.rm-top-level", "would remove a top-level folder" },
  home = { "files.rm-home", "would remove somebody's own files" },
  here = { "files.rm-working-directory", "would remove the working directory with all that is in it" },
  above = { "files.rm-parent", "would remove a folder that the working directory is in" },
  git = { "files.rm-git", "would remove the history of a repository" },
  temp = { "files.rm-temp", "would remove all temporary files" },
  outside = { "files.rm-outside-roots", "is outside of what may be removed" },
}

-- Returns the kind of a path that must not be removed, or nil and whether it is unclear.
local function judge_path(command, word)
  local drive, below = word:match("^/?(%a:)/?(.*)$")
  if not drive then
    local kind, _, wide = paths.look(command.place, command.cwd, word)
    if kind == "unclear" or (kind == "temp" and not wide) then return nil, true end
    return NEVER[kind] and kind
  end
  below = below:lower():gsub("/+$", "")
  if below == "" or below:find("^[*./]*$") then return "root" end
  if below:find("^users/[^/]+$") or below:find("^users/[^/]+/%*") then return "home" end
  return (below:find("^[^/]+$") or below:find("^[^/]+/%*")) and "top" or "outside"
end

-- A path as it stands in the command.
local function written(command, path)
  for at = 2, #command.argv do
    local word = command.argv[at]:gsub("\\", "/")
    if word == path or "/" .. word == path or (word:sub(1, 1) == "~" and path:sub(-#word + 1) == word:sub(2)) then
      return command.argv[at]
    end
  end
  return (path:gsub("^/(%a:)", "%1"))
end

-- Folders that are removed with all that is in them even without -Recurse: PowerShell asks, and "yes" is its default.
local WHOLE = words.set "root home here above"

-- Returns why a path must not be removed, or nil and whether that is unclear.
local function judge_removed(command, effect)
  local word = effect.word
  local narrow_folder, pattern = word:match("^(.*)/%*%*/([^/]*)$")
  local kind, unclear
  if effect.target then kind, unclear = judge_path(command, word) end
  if not effect.recursive and not pattern then
    -- In the root there may be single files, which have an extension.
    local is_whole = WHOLE[kind] or (kind == "top" and not word:find("%.%w+$"))
    kind, unclear = is_whole and not word:find("[*?]") and kind or nil, false
  elseif not effect.target then
    unclear = true
  elseif pattern then
    -- A pattern selects among the files of a folder.
    kind, unclear = judge_path(command, narrow_folder)
    local is_far = unclear or (kind and kind ~= "here")
    if #command.from > 0 then kind, unclear = nil, true end
    if artefacts.name(pattern) and not is_far then kind, unclear = nil, false end
  end
  if not kind then return nil, unclear end
  local id, because = NEVER[kind][1], NEVER[kind][2]
  because = because .. " (" .. written(command, word) .. ")"
  return refuse(id, command, because, "Name a folder below the working directory")
end

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
  local files, any = fetched(command.all)
  any = any or orcs.contains(command.from, "invoke-webrequest")
  local runs = any and command.program == "invoke-expression" or files[base(command.argv[1] or "")]
  for at = 2, RUNS[command.program] and #command.argv or 0 do runs = runs or files[base(command.argv[at])] end
  if not runs or (command.dialect and FETCHES[command.program]) then return nil end
  local instead = "Download it to a file and look at it first"
  return reasons.refusal("code.run-download", reasons.piped(command), "runs what was downloaded, unseen", instead)
end

local MOVES = words.set "move-item rename-item"

-- Returns why an effect of a command is denied, or nil and whether it is unclear.
local function judge_effect(command, effect)
  if effect.kind == "signal" and effect.target == "*" then
    return refuse("processes.kill-all", command, "ends everything that runs", "Name the process by its id")
  elseif effect.kind == "system" and command.program == "remove-item" then
    return refuse("windows.registry", command, "deletes settings of the machine")
  elseif effect.kind ~= "remove" then
    return nil
  elseif not MOVES[command.program] then
    return judge_removed(command, effect)
  end
  local kind = effect.target and judge_path(command, effect.word)
  if not kind or kind == "outside" or kind == "temp" then return nil end
  return refuse("files.move-away", command, NEVER[kind][2], "Name what is to be moved")
end

--- Judges a command of PowerShell or cmd. Returns a reason to deny it, or nil and what is unclear.
function windows.judge(command)
  if command.opaque then return nil, shown(command) end
  if (command.argv[1] or ""):find("^%[") then
    local text = command.argv[1]:lower()
    return nil, (text:find("::delete") or text:find("::start") or text:find("::create")) and shown(command) or nil
  end
  local unclear = removes_some(command) and command.program == "remove-item"
  for _, effect in ipairs(command.effects) do
    local reason, open = judge_effect(command, effect)
    if reason then return reason end
    unclear = unclear or open
  end
  local args = table.concat(command.argv, " ", 2):lower():gsub("\\", "/")
  local is_dry = args:find("%-whatif%f[^%w]") and not args:find("%-whatif:%$f")
  for _, rule in ipairs(is_dry and {} or rules_of(command.program)) do
    local reason = args:find(rule[1]) and refuse(rule[2], command, rule[3])
    if reason then return reason end
  end
  -- A cmdlet that is in no list may do anything.
  return nil, (unclear or not command.described) and shown(command) or nil
end

return windows
