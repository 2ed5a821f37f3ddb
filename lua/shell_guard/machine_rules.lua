-- Rules for programs that shut down the machine, erase disks, end processes or wipe histories: rows, see
-- shell_guard.row_rules.

local conditions = require "shell_guard.machine_conditions"

local DOWN = "shuts the machine down or restarts it"
local ENDS, BY_ID = "ends everything that runs", "Name the process by its id"
local JOBS, ONE_JOB = "removes all scheduled jobs", "Edit the one that is meant; crontab -l lists them"
local OPENS = "opens the machine, or locks everybody out"
local NO_HISTORY, LEAVE = "keeps commands out of the history", "Leave it as it is"
local LOST = "destroys what is on a disk"
local SHELL = "gives whoever is at the other end a shell on this machine"

return {
  { "system.shutdown", runs = "shutdown", unless = "-c -k --show", because = DOWN },
  { "system.shutdown", runs = "reboot|halt|poweroff", unless = "--wtmp-only", because = DOWN },
  { "system.shutdown", runs = "init|telinit 0|6", because = DOWN },
  {
    "system.shutdown",
    runs = "systemctl poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|rescue|emergency|exit|isolate",
    what = "systemctl poweroff|reboot|…", because = DOWN,
  },
  {
    "system.shutdown", runs = "loginctl poweroff|reboot|halt|suspend|hibernate", what = "loginctl poweroff|reboot|…",
    because = DOWN,
  },
  {
    "processes.kill-all", runs = "loginctl terminate-user|kill-user|terminate-seat|terminate-session|kill-session",
    what = "loginctl terminate-user|…",
    because = ENDS, instead = BY_ID,
  },
  {
    "processes.kill-all", runs = "kill", when = conditions.kills_all, what = "kill … -1", because = ENDS,
    instead = BY_ID,
  },
  { "processes.kill-all", runs = "killall5", because = ENDS, instead = BY_ID },
  {
    "processes.kill-all", runs = "fuser --kill --mount", operand = "^/[^/]*$", unless = "--interactive",
    what = "fuser -km /", because = ENDS, instead = BY_ID,
  },
  -- Every process has / as its root.
  {
    "processes.kill-all", runs = "fuser --kill ** /", unless = "--interactive", what = "fuser -k /", because = ENDS,
    instead = BY_ID,
  },
  {
    "processes.kill-all", runs = "pkill", when = conditions.fits_all, what = "pkill .", because = ENDS, instead = BY_ID,
  },
  {
    "processes.kill-all", runs = "pkill --euid|--uid", when = conditions.names_nothing, what = "pkill -u",
    because = ENDS, instead = BY_ID,
  },
  {
    "processes.kill-all", runs = "killall --user", when = conditions.names_nothing, what = "killall -u", because = ENDS,
    instead = BY_ID,
  },
  { "system.crontab-remove", runs = { "crontab -r", "crontab /dev/null" }, because = JOBS, instead = ONE_JOB },
  {
    "system.crontab-remove", runs = "crontab", when = conditions.reads_nothing, unless = "-l -e",
    what = "crontab < /dev/null", because = JOBS, instead = ONE_JOB,
  },
  {
    "system.crontab-replace", runs = "crontab", when = conditions.replaces_jobs, unless = "-l -e -V",
    what = "crontab FILE", because = "replaces all scheduled jobs",
    instead = "Let the user do it; crontab -l lists what is there",
  },
  {
    "system.firewall", runs = "iptables|ip6tables --flush|--delete-chain|--policy", what = "iptables -F",
    because = OPENS,
  },
  { "system.firewall", runs = "nft flush", what = "nft flush ruleset", because = OPENS },
  { "system.firewall", runs = "ufw disable|reset", what = "ufw disable", because = OPENS },
  { "history.wipe", runs = "history -c", because = "keeps commands out of the history, or wipes it", instead = LEAVE },
  { "history.off", runs = "unset ** HISTFILE", what = "unset HISTFILE", because = NO_HISTORY, instead = LEAVE },
  { "history.off", runs = "set ** history", what = "set +o history", because = NO_HISTORY, instead = LEAVE },
  { "history.off", runs = "export ** HISTFILE=*", what = "export HISTFILE=", because = NO_HISTORY, instead = LEAVE },
  {
    "history.off", runs = "export", operand = "^HIST%a*SIZE=0?$", what = "export HISTSIZE=0", because = NO_HISTORY,
    instead = LEAVE,
  },

  {
    "files.rm-root", runs = "rm --no-preserve-root", what = "rm --no-preserve-root",
    because = "asks rm to remove all files of the machine", instead = "Name a folder below the working directory",
  },
  {
    "files.move-to-null",
    runs = { "mv|gmv ** /dev/null", "tar|gtar --remove-files --file=/dev/null", "zip --move /dev/null" }, last = true,
    what = "mv FILES /dev/null", because = "loses what is moved", instead = "Move it to a folder",
  },
  {
    "disk.mkfs", runs = "mkfs|mkfs.*|newfs*|mke2fs|mkdosfs|mkntfs|mkswap", unless = "-V", when = conditions.of_a_device,
    because = LOST,
  },
  { "disk.mkfs", runs = "format", operand = "^%a:$", what = "format C:", because = LOST },
  { "disk.erase", runs = "wipefs --all|--offset|--types", unless = "--no-act", what = "wipefs", because = LOST },
  { "disk.erase", runs = "blkdiscard|nwipe|scrub", because = LOST },
  { "disk.erase", runs = "badblocks -w", because = LOST },
  {
    "disk.erase", runs = "hdparm --security-erase|--security-erase-enhanced|--trim-sector-ranges|--make-bad-sector",
    what = "hdparm --security-erase", because = LOST,
  },
  { "disk.erase", runs = "nvme format|sanitize", what = "nvme format", because = LOST },
  {
    "disk.erase", runs = "cryptsetup luksFormat|format|erase|luksErase|reencrypt", what = "cryptsetup luksFormat|erase",
    because = LOST,
  },
  { "disk.partition", runs = "fdisk *", unless = "--list --list-details --getsz", what = "fdisk", because = LOST },
  {
    "disk.partition", runs = "sfdisk",
    unless = "--list --dump --json --show-size --list-free --verify --no-act --show-geometry --list-types",
    because = LOST,
  },
  { "disk.partition", runs = "gdisk", unless = "--list", because = LOST },
  { "disk.partition", runs = "cfdisk", because = LOST },
  { "disk.partition", runs = "sgdisk --zap-all|--zap|--clear|--delete|--new", what = "sgdisk", because = LOST },
  { "disk.partition", runs = "parted * !print", unless = "--list", what = "parted", because = LOST },
  { "disk.partition", runs = "parted", when = conditions.has_one_operand, unless = "--list", because = LOST },
  {
    "disk.partition", runs = "diskutil erasedisk|erasevolume|zerodisk|randomdisk|secureerase|partitiondisk|reformat",
    what = "diskutil erase…", because = LOST,
  },
  { "disk.volume", runs = "diskutil", operand = "^delete%u", what = "diskutil apfs delete…", because = LOST },
  { "disk.volume", runs = "lvremove|vgremove|pvremove", unless = "--test", because = LOST },
  { "disk.volume", runs = "zpool destroy|labelclear", what = "zpool destroy", because = LOST },
  { "disk.volume", runs = "zfs destroy", because = LOST },
  { "disk.volume", runs = "zfs rollback -r|-R", what = "zfs rollback -r", because = LOST },
  { "disk.volume", runs = "mdadm --zero-superblock", because = LOST },
  {
    "disk.volume", runs = "btrfs su|sub|subv|subvo|subvol|subvolu|subvolum|subvolume", operand = "^del?e?t?e?$",
    what = "btrfs subvolume delete", because = LOST,
  },

  {
    "code.reverse-shell", runs = "nc|ncat|netcat|nc.traditional|nc.openbsd --exec|--sh-exec",
    when = conditions.starts_shell, what = "nc -e", because = SHELL,
  },
  {
    "code.reverse-shell", runs = "socat", operand = "[EeSs][XxYy][EeSs][CcTt]%a*:[^,]*sh%f[%A]", what = "socat EXEC:sh",
    because = SHELL,
  },
  {
    "code.reverse-shell", runs = "socat", operand = "^[Ss][Hh][Ee][Ll][Ll]%f[,%z]", what = "socat SHELL",
    because = SHELL,
  },
}
