-- Device files: disks, memory, and /proc/sysrq-trigger.

local paths = require "shell_guard.paths"
local words = require "file_guard.words"

local devices = {}

-- Files and folders in /dev that are safe to write to.
local HARMLESS = words.set "null zero full random urandom stdin stdout stderr console ptmx log"
local HARMLESS_FOLDERS = words.set "pts fd shm tcp udp snd net"

--- Whether writing to a path may write to a disk or to memory, or restart the machine. Files in
--- /dev that are not known to be harmless count.
--- @param cwd the `cwd` of the command, as orcs.shell returns it
function devices.is(cwd, word)
  local path = paths.from(cwd, word)
  if not path then return false end
  if path == "/proc/sysrq-trigger" then return true end
  local name = path:match("^/dev/(.+)$")
  if not name then return false end
  return not (HARMLESS[name] or name:find("^tty") or HARMLESS_FOLDERS[name:match("^(.-)/")])
end

return devices
