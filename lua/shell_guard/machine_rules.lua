-- Rules for programs that shut down the machine, erase disks, end processes, wipe histories, let somebody in, or start
-- something that goes on after the call: see shell_guard.packs.
-- Conditions: shell_guard.conditions.

return [[
DOWN = shuts the machine down or restarts it
ENDS = ends everything that runs | Name the process by its id
JOBS = removes all scheduled jobs | Edit the one that is meant; crontab -l lists them
OPENS = opens the machine, or locks everybody out
NO_HISTORY = keeps commands out of the history | Leave it as it is
LOST = destroys what is on a disk
ACCOUNTS = @when is_here | changes the accounts of the machine
KERNEL = @when is_here | changes the kernel that runs
LATER = @when is_unseen | runs something later, which nobody sees
TUNNEL = @when is_here | lets others in through another machine
SHELL = gives whoever is at the other end a shell on this machine
system.shutdown* | shutdown ; @unless -c -k --show | $DOWN
system.shutdown | reboot|halt|poweroff ; @unless --wtmp-only | $DOWN
system.shutdown | init|telinit 0|6 | $DOWN
system.shutdown | systemctl poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|rescue|emergency|
  exit|isolate ; @what systemctl poweroff|reboot|… | $DOWN
system.shutdown | loginctl poweroff|reboot|halt|suspend|hibernate ; @what loginctl poweroff|reboot|… | $DOWN
processes.kill-all | loginctl terminate-user|kill-user|terminate-seat|terminate-session|kill-session ; @what loginctl
  terminate-user|… | $ENDS
processes.kill-all | kill ; @when kills_all ; @what kill … -1 | $ENDS
processes.kill-all | killall5 | $ENDS
processes.kill-all | fuser --kill --mount ; @unless --interactive ; @operand ^/[^/]*$ ; @what fuser -km / | $ENDS
# Every process has / as its root.
processes.kill-all | fuser --kill ** / ; @unless --interactive ; @what fuser -k / | $ENDS
processes.kill-all | pkill ; @when fits_all ; @what pkill . | $ENDS
processes.kill-all | pkill --euid|--uid ; @when names_nothing ; @what pkill -u | $ENDS
processes.kill-all | killall --user ; @when names_nothing ; @what killall -u | $ENDS
system.crontab-remove* | crontab -r ; crontab /dev/null | $JOBS
system.crontab-remove | crontab ; @unless -l -e ; @when reads_nothing ; @what crontab < /dev/null | $JOBS
system.crontab-replace | crontab ; @unless -l -e -V ; @when replaces_jobs ; @what crontab FILE | replaces all
  scheduled jobs | Let the user do it; crontab -l lists what is there
system.accounts | useradd|adduser|userdel|deluser|usermod|newusers|chpasswd ; $ACCOUNTS
system.accounts | groupadd|addgroup|groupdel|delgroup|groupmod|gpasswd ; chage -E=0 ; $ACCOUNTS
system.accounts | passwd * ; @what passwd USER ; @unless -S --status ; $ACCOUNTS
system.privileges | setcap ; @unless -v ; @when is_here | lets a program do what only the superuser may
system.kernel | insmod|rmmod ; $KERNEL
system.kernel | modprobe ; @unless -n --show --dry-run -D --show-depends -c --showconfig -R ; $KERNEL
system.later | at ; @unless -l -r -d -c -V ; $LATER
system.later | batch|systemd-run ; loginctl enable-linger ; $LATER
system.later | systemctl enable --user ; @what systemctl --user enable ; $LATER
system.tunnel | ssh|autossh -R ; @what ssh -R ; $TUNNEL
system.tunnel | ngrok http|tcp|tls|start ; @what ngrok ; $TUNNEL
system.tunnel | cloudflared tunnel|access ; @what cloudflared tunnel ; $TUNNEL
system.tunnel | bore local ; $TUNNEL
system.tunnel | lt|localtunnel --port|-p ; @what localtunnel ; $TUNNEL
system.firewall! | iptables|ip6tables --flush|--delete-chain|--policy ; @what iptables -F | $OPENS
system.firewall! | nft flush ; @what nft flush ruleset | $OPENS
system.firewall! | ufw disable|reset ; @what ufw disable | $OPENS
history.wipe | history -c | keeps commands out of the history, or wipes it | Leave it as it is
history.off! | unset ** HISTFILE ; @what unset HISTFILE | $NO_HISTORY
history.off! | set ** history ; @what set +o history | $NO_HISTORY
history.off! | export ** HISTFILE=* ; @what export HISTFILE= | $NO_HISTORY
history.off! | export ; @operand ^HIST%a*SIZE=0?$ ; @what export HISTSIZE=0 | $NO_HISTORY
files.rm-root | rm --no-preserve-root ; @what rm --no-preserve-root | asks rm to remove all files of the machine
  | Name a folder below the working directory
files.move-to-null* | mv|gmv ** /dev/null ; tar|gtar --remove-files --file=/dev/null ; zip --move /dev/null ; @last ;
  @what mv FILES /dev/null | loses what is moved | Move it to a folder
disk.mkfs* | mkfs|mkfs.*|newfs*|mke2fs|mkdosfs|mkntfs|mkswap ; @unless -V ; @when of_a_device | $LOST
disk.mkfs | format ; @operand ^%a:$ ; @what format C: | $LOST
disk.erase* | wipefs --all|--offset|--types ; @unless --no-act ; @what wipefs | $LOST
disk.erase | blkdiscard|nwipe|scrub ; badblocks -w | $LOST
disk.erase | hdparm --security-erase|--security-erase-enhanced|--trim-sector-ranges|--make-bad-sector ; @what hdparm
  --security-erase | $LOST
disk.erase | nvme format|sanitize ; @what nvme format | $LOST
disk.erase | cryptsetup luksFormat|format|erase|luksErase|reencrypt ; @what cryptsetup luksFormat|erase | $LOST
disk.partition* | fdisk * ; @unless --list --list-details --getsz ; @what fdisk | $LOST
disk.partition | sfdisk ; @unless --list --dump --json --show-size --list-free --verify --no-act --show-geometry
  --list-types | $LOST
disk.partition | gdisk ; @unless --list | $LOST
disk.partition | cfdisk | $LOST
disk.partition | sgdisk --zap-all|--zap|--clear|--delete|--new ; @what sgdisk | $LOST
disk.partition | parted * !print ; @unless --list ; @what parted | $LOST
disk.partition | parted ; @unless --list ; @when has_one_operand | $LOST
disk.partition | diskutil erasedisk|erasevolume|zerodisk|randomdisk|secureerase|partitiondisk|reformat ; @what
  diskutil erase… | $LOST
disk.volume* | diskutil ; @operand ^delete%u ; @what diskutil apfs delete… | $LOST
disk.volume | lvremove|vgremove|pvremove ; @unless --test | $LOST
disk.volume | zpool destroy|labelclear ; @what zpool destroy | $LOST
disk.volume | zfs destroy ; mdadm --zero-superblock | $LOST
disk.volume | zfs rollback -r|-R ; @what zfs rollback -r | $LOST
disk.volume | btrfs su|sub|subv|subvo|subvol|subvolu|subvolum|subvolume ; @operand ^del?e?t?e?$ ; @what btrfs
  subvolume delete | $LOST
code.reverse-shell | nc|ncat|netcat|nc.traditional|nc.openbsd --exec|--sh-exec ; @when starts_shell ; @what nc -e
  | $SHELL
code.reverse-shell | socat ; @operand [EeSs][XxYy][EeSs][CcTt]%a*:[^,]*sh%f[%A] ; @what socat EXEC:sh | $SHELL
code.reverse-shell | socat ; @operand ^[Ss][Hh][Ee][Ll][Ll]%f[,%z] ; @what socat SHELL | $SHELL
]]
