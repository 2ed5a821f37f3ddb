/**
 * Cmdlets of PowerShell and commands of cmd: see `notation.ts`. The operands of a row name the parameters that they are
 * the values of, unless these are given by name. `windows/mkdir` is `mkdir` in lines for these shells alone; `get-*` is
 * for all other cmdlets with this verb.
 */
export const WINDOWS_PROGRAMS = `
# Parameters that every command may have.
windows-parameters | %windows -whatif,-wi:dry -encoding= -inputobject= -exclude= -erroraction,-ea= -errorvariable,-ev=
  -outvariable,-ov= -warningaction,-wa= -informationaction= -credential= -stream= -width= -delimiter= -depth=
  -attributes= -first= -last= -property= -context=

get-content | %windows -path,-literalpath=reads -totalcount,-head= -tail= -readcount= -filter,-include=:narrow -raw
  -wait | -path...
import-csv import-clixml import-powershelldatafile format-hex | %windows -path,-literalpath=reads | -path
select-string | %windows -pattern= -path,-literalpath=reads -include= | -pattern -path
get-childitem | %windows -path,-literalpath=names -recurse,/s:recursive -filter,-include=:narrow | -path...
get-item | %windows -path,-literalpath=names -filter,-include=:narrow | -path...
get-process | %windows -name= -id= | -name
findstr | %windows | text reads...
windows/more | %windows | reads...

set-content add-content clear-content | %windows -path,-literalpath=writes -force -filter,-include=:narrow -value= |
  -path -value
clear-item | %windows -path,-literalpath=writes | -path
set-item | %windows -path,-literalpath=writes -value= | -path -value
set-itemproperty new-itemproperty | %windows -path,-literalpath=attributes -name= -value= | -path -name -value
remove-itemproperty clear-itemproperty | %windows -path,-literalpath=attributes -name= | -path -name
set-acl | %windows -path,-literalpath=attributes -aclobject= | -path -aclobject
out-file tee-object | %windows -filepath,-literalpath=writes -append | -filepath
export-csv export-clixml export-alias | %windows -path,-literalpath=writes | -path
start-transcript | %windows -path,-literalpath=writes -outputdirectory=below | -path
save-module | %windows -path,-literalpath=below -name= | -name -path
compress-archive | %windows -path,-literalpath=packs -destinationpath=writes -compressionlevel= -update | -path
  -destinationpath
expand-archive | %windows -path,-literalpath=reads -destinationpath=below -force | -path -destinationpath
copy-item | %windows -path,-literalpath=reads -destination=into -recurse:recursive -force -container
  -filter,-include=:narrow | -path -destination | fn=copy
move-item | %windows -path,-literalpath=moves -destination=into -force -filter,-include=:narrow | -path -destination |
  fn=copy
rename-item | %windows -path,-literalpath=moves -newname= -force | -path -newname | fn=rename-item
remove-item | %windows -path,-literalpath=removes -recurse,/s,-rf,-fr,-rfv,-rv,-vr,-frv,-fvr,-vrf,-vfr:recursive
  -force -filter,-include=:narrow | -path...
new-item | %windows -path=writes -name= -itemtype,-type= -target= -value= -force | -path | fn=new-item
windows/mkdir | %windows -path=makes -p | -path...
robocopy | %windows /mir /purge /e /s | packs below text...
xcopy | %windows | packs below
attrib | %windows | attributes...

invoke-webrequest invoke-restmethod | %windows -uri=url -outfile,-o=writes -infile=sends -method= -headers= -body=
  -form= -timeoutsec= -contenttype= -useragent= -usebasicparsing | -uri
start-bitstransfer | %windows -source=url -destination=writes | -source -destination
certutil | %windows -urlcache:fetch -split -f | fetch: url writes
bitsadmin | %windows /transfer:fetch /download | fetch: text url writes

set-location push-location | %windows -path,-literalpath=names | -path
start-process | %windows -filepath= -argumentlist,-args= -redirectstandardoutput,-redirectstandarderror=writes
  -workingdirectory= -verb= -windowstyle= -wait -nonewwindow | -filepath -argumentlist
stop-process | %windows -name=signal -id=signal -force | -id
taskkill | %windows /im=signal /pid=signal /f /t |
stop-service remove-service start-service restart-service resume-service set-service | %windows -name=system -force |
  -name

# What changes the machine: the rules of shell-guard are about the words of these.
format-volume clear-disk initialize-disk remove-partition remove-volume set-partition reset-physicaldisk
  remove-physicaldisk remove-storagepool remove-virtualdisk clear-recyclebin clear-eventlog remove-eventlog
  clear-history stop-computer restart-computer remove-localuser remove-computer disable-computerrestore
  set-mppreference remove-vm set-executionpolicy set-netfirewallprofile format diskpart cipher vssadmin wbadmin
  bcdedit wevtutil wmic reg takeown icacls schtasks net sc windows/shutdown mshta regsvr32 rundll32 msiexec netsh
  fsutil | %windows | system...

# What changes nothing by itself.
compare-* convertfrom-* convertto-* find-* format-* get-* group-* import-* join-* measure-* out-* pop-* push-* read-*
  resolve-* search-* select-* show-* sort-* split-* tee-* test-* trace-* wait-* where-* write-* foreach-*
  invoke-expression add-member add-type clear-host clear-variable convert-path enter-pssession export-modulemember
  install-module install-package invoke-command invoke-pester invoke-scriptanalyzer new-guid new-module new-object
  new-timespan new-variable new-alias new-temporaryfile remove-job remove-module remove-psdrive remove-variable
  set-alias set-clipboard set-psdebug set-psreadlineoption set-strictmode set-variable start-job start-sleep stop-job
  stop-transcript update-help update-module use-culture set-date uninstall-module for forfiles powershell pwsh
  powershell_ise cmd | %windows |
`;
