-- Disks and the memory of the machine, as files.

local paths = require "shell_guard.paths"

local devices = {}

-- What in /dev may be written to.
local HARMLESS = {}
for name in ("null zero full random urandom stdin stdout stderr tty console ptmx log"):gmatch("%S+") do HARMLESS[name] = true end

--- Whether writing to a path writes to a disk, to memory, or makes the machine restart.
--- @param cwd as orcs.shell tells it
function devices.is(cwd, word)
  local path = paths.from(cwd, word)
  if not path then return false end
  if path == "/proc/sysrq-trigger" then return true end
  local name = path:match("^/dev/(.+)$") or path:match("^//%.//?([Pp].*)$")
  if not name then return false end
  if HARMLESS[name] or name:find("^tty") or name:find("^pts/") or name:find("^fd/") or name:find("^shm/") then return false end
  return not (name:find("^tcp/") or name:find("^udp/") or name:find("^std") or name:find("^snd/") or name:find("^net/"))
end

return devices
