-- Disks and the memory of the machine, as files.

local paths = require "shell_guard.paths"
local words = require "shell_guard.words"

local devices = {}

-- What in /dev may be written to.
local HARMLESS = words.set "null zero full random urandom stdin stdout stderr console ptmx log"
local HARMLESS_FOLDERS = words.set "pts fd shm tcp udp snd net"

--- Whether writing to a path writes to a disk, to memory, or makes the machine restart.
--- @param cwd as orcs.shell tells it
function devices.is(cwd, word)
  local path = paths.from(cwd, word)
  if not path then return false end
  if path == "/proc/sysrq-trigger" then return true end
  local name = path:match("^/dev/(.+)$")
  if not name then return false end
  return not (HARMLESS[name] or name:find("^tty") or HARMLESS_FOLDERS[name:match("^(.-)/") or ""])
end

return devices
