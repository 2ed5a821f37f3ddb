-- Devices that are connected. Source: developer.android.com/tools/adb, android.googlesource.com (fastboot), esptool's
-- documentation.

return [[
phones and boards: adb, fastboot, simctl, esptool, probe-rs, nrfjprog
values adb = -s -t -H -P
values fastboot = -s
adb-rm! | adb shell rm -r|-R|--recursive ; adb shell wipe | removes folders of a device | adb shell ls shows what
  there is
adb-uninstall | adb uninstall ; adb shell pm|cmd uninstall|clear ; adb shell recovery|reboot|mkfs*|dd ; adb
  reboot|sideload|root|remount|disable-verity | removes programs or data of a device
adb-shell | adb shell ; @says pm clear ; @says pm uninstall ; @says cmd package uninstall ; @says --wipe_data
  | removes programs or data of a device
fastboot! | fastboot erase|flashall|flash|format|format:*|update|wipe-super|delete-logical-partition ; fastboot
  oem|flashing lock*|unlock*|erase*|format* | removes files of a device
fastboot-wipe | fastboot -w | removes all data of a device
simulators | xcrun simctl delete|erase ; simctl delete|erase ; avdmanager delete | removes simulators with their data
boards | esptool|esptool.py ** erase_flash|erase-flash|erase_region|erase-region ; espefuse|espefuse.py **
  burn_*|burn-* ; avrdude -e ; st-flash erase ; dfu-util -s=*mass-erase*|--dfuse-address=*mass-erase* ; probe-rs erase
  ; nrfjprog -e|--eraseall|--recover | erases a board
]]
