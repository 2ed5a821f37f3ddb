-- Rules for commands of PowerShell and cmd, as orcs.shell reads them.

local files = require "shell_guard.files"
local reasons = require "shell_guard.reasons"
local words = require "file_guard.words"

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

local function refuse(id, command, because)
  return reasons.of(id, command, because, "Let the user do it")
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
    and refuse("windows.registry", command, "deletes settings of the machine")
  if reason then return reason end
  local args = table.concat(command.argv, " ", 2):lower():gsub("\\", "/")
  local is_dry = args:find("%-whatif%f[^%w]") and not args:find("%-whatif:%$f")
  reason = reasons.each(is_dry and {} or rules_of(command.program), function(rule)
    return args:find(rule[1]) and refuse(rule[2], command, rule[3])
  end)
  -- A cmdlet that is in no list may do anything.
  return reason, (is_unclear or not command.described) and shown(command) or nil
end

return windows
