-- Rules for commands of PowerShell and cmd, as orcs.shell reads them: see shell_guard.packs.

return [[
windows.disk* | format-volume | formats a volume
windows.disk | clear-disk | wipes a disk
windows.disk | initialize-disk | overwrites the partition table of a disk
windows.disk | remove-partition | removes a partition
windows.disk | remove-volume | removes a volume
windows.disk | set-partition | changes a partition
windows.disk | reset-physicaldisk | resets a disk
windows.disk | remove-physicaldisk | removes a disk from its pool
windows.disk | remove-storagepool|remove-virtualdisk | deletes data for good
windows.disk | format ; @args ^/?%a: ; @args /q ; @args /fs | formats a volume
windows.disk | diskpart | changes the partitions of a disk
windows.destroy* | clear-recyclebin | deletes data for good
windows.backups* | wmic ; @args shadowcopy.*delete | deletes the backups of a volume
windows.destroy | wmic ; @args %f[%w]delete%f[%W] | deletes data for good
windows.destroy | cipher ; @args /w | overwrites what was deleted
windows.destroy | fsutil ; @args ^usn%s+deletejournal | deletes the journal of a volume
windows.destroy | fsutil ; @args setzerodata | overwrites a file
windows.eventlog | clear-eventlog|remove-eventlog | wipes a log of the system
windows.eventlog | wevtutil ; @args ^cl | wipes a log of the system
windows.history | clear-history | wipes the history of a shell
windows.shutdown | stop-computer | shuts the machine down
windows.shutdown | restart-computer | restarts the machine
windows.shutdown | shutdown ; @args /[srpgh] ; @args %-[srpgh]%f[%W] | shuts the machine down
windows.accounts | remove-localuser | removes a user of the machine
windows.accounts | remove-computer | removes the machine from its domain
windows.accounts | net ; @args ^user%s.*/delete | removes a user of the machine
windows.backups | disable-computerrestore | switches restore points off
windows.backups | vssadmin ; @args ^delete ; @args ^resize | deletes the backups of a volume
windows.backups | wbadmin ; @args ^delete | deletes backups
windows.backups | wbadmin ; @args ^stop | stops a backup
windows.defender* | set-mppreference ; @args %-disable%a+%s+:?%$?[t1] | switches the virus scanner off
windows.defender | set-mppreference ; @args %-exclusion | exempts files from the virus scanner
windows.vm! | remove-vm | removes a virtual machine
windows.execution-policy! | set-executionpolicy | lets unsigned scripts run
windows.clear-content!! | clear-content | empties a file
windows.boot* | bcdedit ; @args /set ; @args /delete ; @args /import | changes how the machine starts
windows.registry* | reg ; @args ^delete%s+"?hk | deletes settings of the machine
windows.registry | remove-itemproperty|clear-itemproperty ; @args %f[%w]hk[lc][mr]: ; @args hkey_l | deletes
  settings of the machine
windows.permissions | takeown ; @args /f%s+%a:/?%s | takes over all files of a drive
windows.permissions | takeown ; @args /r | takes over whole folders
windows.permissions | icacls ; @args ^%a:/?%s.*/t | changes the permissions of all files of a drive
windows.permissions | icacls ; @args ^%a:/windows.*/t | changes the permissions of the system
windows.tasks! | schtasks ; @args /delete | deletes a scheduled task
windows.services | net ; @args ^stop | stops a service
windows.services | sc ; @args ^stop%s ; @args ^//%S+%s+stop%s | stops a service
windows.services | stop-service | stops a service
windows.services | sc ; @args ^delete%s ; @args ^//%S+%s+delete%s | deletes a service
windows.services | sc ; @args %sstart=%s*disabled | switches a service off
windows.services | remove-service | deletes a service
windows.mirror | robocopy ; @args /mir ; @args /purge | deletes what is only in the target
code.run-download | mshta|regsvr32|rundll32|msiexec ; @args https?: ; @args script: | runs what was downloaded, unseen
system.firewall! | netsh ; @args advfirewall.*state%s+off ; @args firewall.*opmode.*disable | opens the machine
system.firewall! | set-netfirewallprofile ; @args %-enabled:?%s*:?%$?f | opens the machine
]]
