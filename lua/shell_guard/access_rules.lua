-- Rules for programs that let somebody in, or start something that goes on after the call: see shell_guard.packs.
-- Conditions: shell_guard.machine_conditions.

return [[
ACCOUNTS = @when is_here | changes the accounts of the machine
KERNEL = @when is_here | changes the kernel that runs
LATER = @when is_unseen | runs something later, which nobody sees
TUNNEL = @when is_here | lets others in through another machine
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
]]
