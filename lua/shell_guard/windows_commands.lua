-- The commands of PowerShell and cmd as data: aliases, what is destructive and why, and what is harmless.

local words = require "shell_guard.words"

local windows_commands = {}

local function aliases_of(text)
  local found = {}
  for name, list in text:gmatch("([%w-]+)=(%S+)") do
    for alias in list:gmatch("[^,]+") do found[alias] = name end
  end
  return found
end

--- Alias → command, both in lower case. Source: Get-Alias of PowerShell 7 and Windows PowerShell 5.1, `help` of cmd.
windows_commands.aliases = aliases_of [[
  get-childitem=gci,dir,ls get-content=gc,cat,type remove-item=ri,rm,rmdir,rd,del,erase
  invoke-webrequest=iwr,curl,wget,curl.exe invoke-restmethod=irm invoke-expression=iex invoke-command=icm
  start-process=saps,start clear-content=clc stop-process=kill,spps move-item=mi,move,mv copy-item=cpi,copy,cp
  rename-item=rni,ren new-item=ni set-location=sl,cd,chdir get-item=gi get-process=gps,ps foreach-object=%,foreach
  where-object=?,where select-object=select sort-object=sort set-alias=sal new-alias=nal set-content=sc
  write-output=echo,write clear-host=cls,clear clear-history=clhy
]]

--- Words that begin commands of PowerShell and cmd only, so that a line with one of them is read as theirs.
windows_commands.telling = words.list [[
  ri gci gi gc iwr irm iex icm saps spps clc del erase rd cpi rni mi clhy vssadmin wbadmin bcdedit diskpart cipher wmic
  wevtutil takeown schtasks try foreach param
]]

local GONE = "deletes data for good"
local BY_USER = "Let the user do it"

-- program → rules; a rule matches if all its Lua patterns match the arguments, joined and in lower case.
local RULES = {
  ["format-volume"] = { { "", "formats a volume" } },
  ["clear-disk"] = { { "", "wipes a disk" } },
  ["initialize-disk"] = { { "", "overwrites the partition table of a disk" } },
  ["remove-partition"] = { { "", "removes a partition" } },
  ["remove-volume"] = { { "", "removes a volume" } },
  ["set-partition"] = { { "", "changes a partition" } },
  ["reset-physicaldisk"] = { { "", "resets a disk" } },
  ["remove-physicaldisk"] = { { "", "removes a disk from its pool" } },
  ["remove-storagepool"] = { { "", GONE } },
  ["remove-virtualdisk"] = { { "", GONE } },
  ["clear-recyclebin"] = { { "", GONE } },
  ["clear-eventlog"] = { { "", "wipes a log of the system" } },
  ["remove-eventlog"] = { { "", "wipes a log of the system" } },
  ["clear-history"] = { { "", "wipes the history of a shell" } },
  ["stop-computer"] = { { "", "shuts the machine down" } },
  ["restart-computer"] = { { "", "restarts the machine" } },
  ["remove-localuser"] = { { "", "removes a user of the machine" } },
  ["remove-computer"] = { { "", "removes the machine from its domain" } },
  ["disable-computerrestore"] = { { "", "switches restore points off" } },
  ["set-mppreference"] = { { "%-disable%a+%s+:?%$?[t1]", "switches the virus scanner off" }, { "%-exclusion", "exempts files from the virus scanner" } },
  ["remove-vm"] = { { "", "removes a virtual machine", level = 2 } },
  ["set-executionpolicy"] = { { "", "lets unsigned scripts run", level = 2 } },
  ["clear-content"] = { { "", "empties a file", level = 3 } },
  ["format"] = { { "^/?%a:", "formats a volume" }, { "/q", "formats a volume" }, { "/fs", "formats a volume" } },
  ["diskpart"] = { { "", "changes the partitions of a disk" } },
  ["cipher"] = { { "/w", "overwrites what was deleted" } },
  ["vssadmin"] = { { "^delete", "deletes the backups of a volume" }, { "^resize", "deletes the backups of a volume" } },
  ["wbadmin"] = { { "^delete", "deletes backups" }, { "^stop", "stops a backup" } },
  ["bcdedit"] = { { "/set", "changes how the machine starts" }, { "/delete", "changes how the machine starts" }, { "/import", "changes how the machine starts" } },
  ["wevtutil"] = { { "^cl", "wipes a log of the system" } },
  ["wmic"] = { { "shadowcopy.*delete", "deletes the backups of a volume" }, { "%f[%w]delete%f[%W]", GONE } },
  ["reg"] = { { "^delete%s+\"?hk", "deletes settings of the machine" } },
  ["takeown"] = { { "/f%s+%a:/?%s", "takes over all files of a drive" }, { "/r", "takes over whole folders" } },
  ["icacls"] = { { "^%a:/?%s.*/t", "changes the permissions of all files of a drive" }, { "^%a:/windows.*/t", "changes the permissions of the system" } },
  ["schtasks"] = { { "/delete", "deletes a scheduled task", level = 2 } },
  ["net"] = { { "^user%s.*/delete", "removes a user of the machine" }, { "^stop", "stops a service", level = 2 } },
  ["shutdown"] = { { "/[srpgh]", "shuts the machine down" }, { "%-[srpgh]%f[%W]", "shuts the machine down" } },
  ["robocopy"] = { { "/mir", "deletes what is only in the target" }, { "/purge", "deletes what is only in the target" } },
  ["xcopy"] = {},
  ["attrib"] = {},
  ["fsutil"] = { { "^usn%s+deletejournal", "deletes the journal of a volume" }, { "setzerodata", "overwrites a file" } },
}

--- Returns why a command is destructive, or nil, and whether the command has rules at all.
--- @param args its arguments as one text, in lower case, with `/` for `\`
function windows_commands.because(program, args, level)
  local rules = RULES[program]
  if not rules then return nil, false end
  for _, rule in ipairs(rules) do
    if (rule.level or 1) <= level and args:find(rule[1]) then return rule[2], true end
  end
  return nil, true
end

windows_commands.instead = BY_USER

--- Programs that return what they download.
windows_commands.downloads = words.set "invoke-webrequest invoke-restmethod curl wget start-bitstransfer"

-- Verbs whose cmdlets neither delete nor run anything.
local VERBS = words.set [[
  compare convertfrom convertto find format get group import join measure out pop push read resolve search select show sort split
  tee test trace wait where write foreach
]]

local CMDLETS = words.set [[
  add-content add-member add-type clear-host clear-variable compress-archive convert-path copy-item enter-pssession expand-archive export-csv
  export-clixml export-modulemember install-module install-package invoke-restmethod invoke-webrequest invoke-pester
  invoke-scriptanalyzer move-item new-guid new-item new-module new-object new-timespan new-variable new-alias new-temporaryfile
  remove-item remove-job remove-module remove-psdrive remove-variable rename-item save-module set-alias set-clipboard set-content set-location
  set-psdebug set-psreadlineoption set-strictmode set-variable start-job start-process start-sleep start-transcript stop-job stop-process
  stop-transcript update-help update-module use-culture clear-content set-date set-itemproperty new-itemproperty uninstall-module
]]

--- Whether a word has the form of a cmdlet.
function windows_commands.is_cmdlet(program) return program:find("^%a+%-%a[%w]+$") ~= nil end

--- Whether a cmdlet is known not to destroy anything by itself.
function windows_commands.is_harmless(program)
  return CMDLETS[program] or VERBS[program:match("^%a+")] or false
end

--- Words of the language, behind which a command can begin.
windows_commands.keywords = words.set [[
  if elseif else while for foreach do until switch try catch finally return function filter param process begin end throw trap in
]]

return windows_commands
