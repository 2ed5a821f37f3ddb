-- A server's packages, firewall and services. Source: the manual of each program.

return [[
packages, firewall and services of a machine: apt, brew, iptables, ufw, systemctl stop, tmux
values apt = -o -t
values apt-get = -o -t -c
values ip6tables = -t
values iptables = -t
values systemctl = -H -M -t -p -n
packages! | apt|apt-get|dnf|yum|zypper|aptitude purge|remove|erase ; apt|apt-get|dnf|yum autoremove|autopurge * ; apk
  del ; snap|flatpak remove|uninstall ; dpkg -r ; dpkg -P ; dpkg --purge|--remove ; rpm -e ; rpm --erase ; @unless -s
  --simulate --just-print --no-act | removes programs of the machine | --simulate shows what would go
pacman! | pacman -R*|--remove ; @unless -p --print | removes programs of the machine | -p shows what would go
brew! | brew uninstall|remove|rm --force|-f | removes programs of the machine
brew-cleanup | brew uninstall|remove|rm --zap|--ignore-dependencies ; brew untap --force ; port uninstall ;
  nix-collect-garbage -d ; nix-env --delete-generations|-e | removes programs of the machine, or earlier versions
firewall! | iptables|ip6tables|nft --flush|-F ; nft flush ; iptables|ip6tables flush | opens the machine's firewall
  | iptables -S lists the rules
firewall-off! | ufw disable|reset ; ufw --force disable|reset | opens the machine's firewall | ufw status lists the
  rules
services | systemctl stop|disable|mask|kill ; service * stop ; launchctl unload|bootout|disable|remove ; rc-service *
  stop ; sc stop|delete ; supervisorctl stop|shutdown|remove ; pm2 delete|kill | stops services of the machine | Let
  the user do it
tmux! | tmux kill-server ; screen -X=quit|-wipe | ends all sessions
logs | journalctl --vacuum-time|--vacuum-size|--vacuum-files ; logrotate --force|-f ; dmesg --clear|-C|-c | removes
  logs of the machine
network | ip link set ** down ; ip addr|route|address flush|del|delete ; ifdown ; ifconfig ** down ; nmcli
  connection|con|networking delete|down|off ; route del|delete|flush | may cut the machine off
]]
