-- Devices that are connected. Source: developer.android.com/tools/adb, android.googlesource.com (fastboot), esptool's documentation.

return {
  about = "phones and boards: adb, fastboot, simctl, esptool, probe-rs, nrfjprog",
  values = { adb = "-s -t -H -P", fastboot = "-s" },
  rules = {
    { "adb-rm", runs = { "adb shell rm -r|-R|--recursive", "adb shell wipe" }, strict = true, because = "removes folders of a device", instead = "adb shell ls shows what there is" },
    { "adb-uninstall", runs = { "adb uninstall", "adb shell pm|cmd uninstall|clear", "adb shell recovery|reboot|mkfs*|dd", "adb reboot|sideload|root|remount|disable-verity" }, because = "removes programs or data of a device" },
    { "adb-shell", runs = "adb shell", says = { "pm clear", "pm uninstall", "cmd package uninstall", "--wipe_data" }, because = "removes programs or data of a device" },
    { "fastboot", runs = { "fastboot erase|flashall|flash|format|format:*|update|wipe-super|delete-logical-partition", "fastboot oem|flashing lock*|unlock*|erase*|format*" }, strict = true, because = "removes files of a device" },
    { "fastboot-wipe", runs = "fastboot -w", because = "removes all data of a device" },
    { "simulators", runs = { "xcrun simctl delete|erase", "simctl delete|erase", "avdmanager delete" }, because = "removes simulators with their data" },
    { "boards", runs = { "esptool|esptool.py ** erase_flash|erase-flash|erase_region|erase-region", "espefuse|espefuse.py ** burn_*|burn-*", "avrdude -e", "st-flash erase", "dfu-util -s=*mass-erase*|--dfuse-address=*mass-erase*", "probe-rs erase", "nrfjprog -e|--eraseall|--recover" }, because = "erases a board" },
  },
}
