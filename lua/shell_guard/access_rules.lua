-- Rules for programs that let somebody in, or start something that goes on after the call: rows, see
-- shell_guard.row_rules.

local ACCOUNTS, KERNEL = "changes the accounts of the machine", "changes the kernel that runs"
local LATER, TUNNEL = "runs something later, which nobody sees", "lets others in through another machine"

-- What happens in a container, or on another machine, is not about this one.
local function is_here(_, command)
  local first = command.effects[1]
  return first == nil or not first.elsewhere
end

-- A text that stands in the line is judged itself.
local function is_unseen(call, command) return not command.stdin and is_here(call, command) end

local rows = {
  { "system.accounts", runs = "useradd|adduser|userdel|deluser|usermod|newusers|chpasswd" },
  { "system.accounts", runs = "groupadd|addgroup|groupdel|delgroup|groupmod|gpasswd" },
  { "system.accounts", runs = "passwd *", what = "passwd USER", unless = "-S --status" },
  { "system.accounts", runs = "chage -E=0" },
  { "system.privileges", runs = "setcap", unless = "-v", because = "lets a program do what only the superuser may" },
  { "system.kernel", runs = "insmod|rmmod", because = KERNEL },
  {
    "system.kernel", runs = "modprobe", unless = "-n --show --dry-run -D --show-depends -c --showconfig -R",
    because = KERNEL,
  },
  { "system.later", runs = "at", unless = "-l -r -d -c -V", because = LATER },
  { "system.later", runs = "batch|systemd-run", because = LATER },
  { "system.later", runs = "systemctl enable --user", what = "systemctl --user enable", because = LATER },
  { "system.later", runs = "loginctl enable-linger", because = LATER },
  { "system.tunnel", runs = "ssh|autossh -R", what = "ssh -R", because = TUNNEL },
  { "system.tunnel", runs = "ngrok http|tcp|tls|start", what = "ngrok", because = TUNNEL },
  { "system.tunnel", runs = "cloudflared tunnel|access", what = "cloudflared tunnel", because = TUNNEL },
  { "system.tunnel", runs = "bore local", because = TUNNEL },
  { "system.tunnel", runs = "lt|localtunnel --port|-p", what = "localtunnel", because = TUNNEL },
}
for _, row in ipairs(rows) do
  row.because, row.when = row.because or ACCOUNTS, row[1] == "system.later" and is_unseen or is_here
end
return rows
