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
  invoke-webrequest=iwr,curl,wget invoke-restmethod=irm invoke-expression=iex invoke-command=icm
  start-process=saps,start clear-content=clc stop-process=kill,spps move-item=mi,move,mv copy-item=cpi,copy,cp
  rename-item=rni,ren new-item=ni set-location=sl,cd,chdir get-item=gi get-process=gps,ps foreach-object=%,foreach
  where-object=?,where select-object=select sort-object=sort set-alias=sal new-alias=nal
  write-output=echo,write clear-host=cls,clear clear-history=clhy
]]

--- Words that begin commands of PowerShell and cmd only, so that a line with one of them is read as theirs.
windows_commands.telling = words.list [[
  ri gci gi gc iwr irm iex icm saps clc del erase rd cpi rni mi clhy vssadmin wbadmin bcdedit diskpart cipher wmic
  wevtutil takeown taskkill schtasks gps spps try foreach param forfiles certutil bitsadmin mshta regsvr32 rundll32 msiexec netsh fsutil saps
]]

local GONE = "deletes data for good"
local MACHINE = "deletes settings of the machine"
local UNSEEN = "runs what was downloaded, unseen"
local FIREWALL = "opens the machine"
local BY_USER = "Let the user do it"

-- Rules for keys of the registry that are not the user's own.
local OF_THE_MACHINE = {
  { "%f[%w]hklm:", MACHINE, "windows.registry" }, { "%f[%w]hkcr:", MACHINE, "windows.registry" }, { "hkey_local_machine", MACHINE, "windows.registry" },
}

-- program → rules: a Lua pattern for the arguments, joined and in lower case, why, and the id of the rule.
local RULES = {
  ["format-volume"] = { { "", "formats a volume", "windows.disk" } },
  ["clear-disk"] = { { "", "wipes a disk", "windows.disk" } },
  ["initialize-disk"] = { { "", "overwrites the partition table of a disk", "windows.disk" } },
  ["remove-partition"] = { { "", "removes a partition", "windows.disk" } },
  ["remove-volume"] = { { "", "removes a volume", "windows.disk" } },
  ["set-partition"] = { { "", "changes a partition", "windows.disk" } },
  ["reset-physicaldisk"] = { { "", "resets a disk", "windows.disk" } },
  ["remove-physicaldisk"] = { { "", "removes a disk from its pool", "windows.disk" } },
  ["remove-storagepool"] = { { "", GONE, "windows.disk" } },
  ["remove-virtualdisk"] = { { "", GONE, "windows.disk" } },
  ["clear-recyclebin"] = { { "", GONE, "windows.destroy" } },
  ["clear-eventlog"] = { { "", "wipes a log of the system", "windows.eventlog" } },
  ["remove-eventlog"] = { { "", "wipes a log of the system", "windows.eventlog" } },
  ["clear-history"] = { { "", "wipes the history of a shell", "windows.history" } },
  ["stop-computer"] = { { "", "shuts the machine down", "windows.shutdown" } },
  ["restart-computer"] = { { "", "restarts the machine", "windows.shutdown" } },
  ["remove-localuser"] = { { "", "removes a user of the machine", "windows.accounts" } },
  ["remove-computer"] = { { "", "removes the machine from its domain", "windows.accounts" } },
  ["disable-computerrestore"] = { { "", "switches restore points off", "windows.backups" } },
  ["set-mppreference"] = { { "%-disable%a+%s+:?%$?[t1]", "switches the virus scanner off", "windows.defender" }, { "%-exclusion", "exempts files from the virus scanner", "windows.defender" } },
  ["remove-vm"] = { { "", "removes a virtual machine", "windows.vm" } },
  ["set-executionpolicy"] = { { "", "lets unsigned scripts run", "windows.execution-policy" } },
  ["clear-content"] = { { "", "empties a file", "windows.clear-content" } },
  ["format"] = { { "^/?%a:", "formats a volume", "windows.disk" }, { "/q", "formats a volume", "windows.disk" }, { "/fs", "formats a volume", "windows.disk" } },
  ["diskpart"] = { { "", "changes the partitions of a disk", "windows.disk" } },
  ["cipher"] = { { "/w", "overwrites what was deleted", "windows.destroy" } },
  ["vssadmin"] = { { "^delete", "deletes the backups of a volume", "windows.backups" }, { "^resize", "deletes the backups of a volume", "windows.backups" } },
  ["wbadmin"] = { { "^delete", "deletes backups", "windows.backups" }, { "^stop", "stops a backup", "windows.backups" } },
  ["bcdedit"] = { { "/set", "changes how the machine starts", "windows.boot" }, { "/delete", "changes how the machine starts", "windows.boot" }, { "/import", "changes how the machine starts", "windows.boot" } },
  ["wevtutil"] = { { "^cl", "wipes a log of the system", "windows.eventlog" } },
  ["wmic"] = { { "shadowcopy.*delete", "deletes the backups of a volume", "windows.backups" }, { "%f[%w]delete%f[%W]", GONE, "windows.destroy" } },
  ["reg"] = { { "^delete%s+\"?hk", MACHINE, "windows.registry" } },
  ["remove-itemproperty"] = OF_THE_MACHINE,
  ["clear-itemproperty"] = OF_THE_MACHINE,
  ["takeown"] = { { "/f%s+%a:/?%s", "takes over all files of a drive", "windows.permissions" }, { "/r", "takes over whole folders", "windows.permissions" } },
  ["icacls"] = { { "^%a:/?%s.*/t", "changes the permissions of all files of a drive", "windows.permissions" }, { "^%a:/windows.*/t", "changes the permissions of the system", "windows.permissions" } },
  ["schtasks"] = { { "/delete", "deletes a scheduled task", "windows.tasks" } },
  ["net"] = { { "^user%s.*/delete", "removes a user of the machine", "windows.accounts" }, { "^stop", "stops a service", "windows.services" } },
  ["sc"] = {
    { "^stop%s", "stops a service", "windows.services" }, { "^//%S+%s+stop%s", "stops a service", "windows.services" },
    { "^delete%s", "deletes a service", "windows.services" }, { "^//%S+%s+delete%s", "deletes a service", "windows.services" },
    { "%sstart=%s*disabled", "switches a service off", "windows.services" },
  },
  ["stop-process"] = { { "^%-n?a?m?e?:?%s*[\"']?%*[\"']?%f[%s%z]", "ends everything that runs", "processes.kill-all" }, { "%s%-n%a*:?%s*[\"']?%*[\"']?%f[%s%z]", "ends everything that runs", "processes.kill-all" } },
  ["taskkill"] = { { "/im%s+[\"']?%*[\"']?%f[%s%z]", "ends everything that runs", "processes.kill-all" } },
  ["stop-service"] = { { "", "stops a service", "windows.services" } },
  ["remove-service"] = { { "", "deletes a service", "windows.services" } },
  ["shutdown"] = { { "/[srpgh]", "shuts the machine down", "windows.shutdown" }, { "%-[srpgh]%f[%W]", "shuts the machine down", "windows.shutdown" } },
  ["robocopy"] = { { "/mir", "deletes what is only in the target", "windows.mirror" }, { "/purge", "deletes what is only in the target", "windows.mirror" } },
  ["mshta"] = { { "https?:", UNSEEN, "code.run-download" }, { "script:", UNSEEN, "code.run-download" } },
  ["regsvr32"] = { { "/i:https?:", UNSEEN, "code.run-download" } },
  ["rundll32"] = { { "javascript:", UNSEEN, "code.run-download" } },
  ["msiexec"] = { { "https?:", UNSEEN, "code.run-download" } },
  ["netsh"] = { { "advfirewall.*state%s+off", FIREWALL, "system.firewall" }, { "firewall.*opmode.*disable", FIREWALL, "system.firewall" } },
  ["set-netfirewallprofile"] = { { "%-enabled:?%s*:?%$?f", FIREWALL, "system.firewall" } },
  ["xcopy"] = {},
  ["attrib"] = {},
  ["fsutil"] = { { "^usn%s+deletejournal", "deletes the journal of a volume", "windows.destroy" }, { "setzerodata", "overwrites a file", "windows.destroy" } },
}

--- Returns the rules of a command, or nil: { Lua pattern for its arguments, why it is destructive, id of the rule }.
function windows_commands.rules_of(program) return RULES[program] end

windows_commands.instead = BY_USER

--- Programs that return what they download.
windows_commands.downloads = words.set "invoke-webrequest invoke-restmethod curl wget start-bitstransfer"

--- Programs whose last operand is the file that they download to.
windows_commands.fetches = words.set "certutil bitsadmin"

-- Verbs whose cmdlets neither delete nor run anything.
local VERBS = words.set [[
  compare convertfrom convertto find format get group import join measure out pop push read resolve search select show sort split
  tee test trace wait where write foreach
]]

local CMDLETS = words.set [[
  add-content add-member add-type clear-host clear-variable compress-archive convert-path copy-item enter-pssession expand-archive export-csv
  export-clixml export-modulemember install-module install-package invoke-restmethod invoke-webrequest invoke-pester
  invoke-scriptanalyzer move-item new-guid new-item new-module new-object new-timespan new-variable new-alias new-temporaryfile
  remove-item remove-job restart-service start-service resume-service remove-module remove-psdrive remove-variable rename-item save-module set-alias set-clipboard set-content set-location
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
