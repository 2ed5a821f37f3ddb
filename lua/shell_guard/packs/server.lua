-- A server's packages, accounts, firewall and services. Source: the manual of each program.

return {
  about = "packages, accounts, firewall and services of a machine: apt, brew, userdel, iptables, ufw, systemctl stop, tmux",
  values = { apt = "-o -t", ["apt-get"] = "-o -t -c", iptables = "-t", ip6tables = "-t", systemctl = "-H -M -t -p -n" },
  rules = {
    { "packages", runs = { "apt|apt-get|dnf|yum|zypper|aptitude purge|remove|erase", "apt|apt-get|dnf|yum autoremove|autopurge *", "apk del", "snap|flatpak remove|uninstall", "dpkg -r", "dpkg -P", "dpkg --purge|--remove", "rpm -e", "rpm --erase" }, unless = "-s --simulate --just-print --no-act", strict = true, because = "removes programs of the machine", instead = "--simulate shows what would go" },
    { "pacman", runs = "pacman -R*|--remove", unless = "-p --print", strict = true, because = "removes programs of the machine", instead = "-p shows what would go" },
    { "brew", runs = "brew uninstall|remove|rm --force|-f", strict = true, because = "removes programs of the machine" },
    { "brew-cleanup", runs = { "brew uninstall|remove|rm --zap|--ignore-dependencies", "brew untap --force", "port uninstall", "nix-collect-garbage -d", "nix-env --delete-generations|-e" }, because = "removes programs of the machine, or earlier versions" },
    { "accounts", runs = "userdel|deluser|groupdel|delgroup", strict = true, because = "removes an account" },
    { "accounts-change", runs = { "usermod|passwd --lock|-L|-l", "passwd --delete|-d", "chage -E=0" }, because = "takes access away from an account" },
    { "firewall", runs = { "iptables|ip6tables|nft --flush|-F", "nft flush", "iptables|ip6tables flush" }, strict = true, because = "opens the machine's firewall", instead = "iptables -S lists the rules" },
    { "firewall-off", runs = { "ufw disable|reset", "ufw --force disable|reset" }, strict = true, because = "opens the machine's firewall", instead = "ufw status lists the rules" },
    { "services", runs = { "systemctl stop|disable|mask|kill", "service * stop", "launchctl unload|bootout|disable|remove", "rc-service * stop", "sc stop|delete", "supervisorctl stop|shutdown|remove", "pm2 delete|kill" }, because = "stops services of the machine", instead = "Let the user do it" },
    { "tmux", runs = { "tmux kill-server", "screen -X=quit|-wipe" }, strict = true, because = "ends all sessions" },
    { "logs", runs = { "journalctl --vacuum-time|--vacuum-size|--vacuum-files", "logrotate --force|-f", "dmesg --clear|-C|-c" }, because = "removes logs of the machine" },
    { "network", runs = { "ip link set ** down", "ip addr|route|address flush|del|delete", "ifdown", "ifconfig ** down", "nmcli connection|con|networking delete|down|off", "route del|delete|flush" }, because = "may cut the machine off" },
  },
}
