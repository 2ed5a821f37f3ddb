-- Judges what a command runs that comes from another machine: effects of the kind `run` with `from`.

local distributors = require "shell_guard.distributors"
local reasons = require "shell_guard.reasons"
local words = require "file_guard.words"

local origins = {}

--- Returns the reason for denying a shell that is given to the other end of a connection.
function origins.refuse_shell(what)
  return reasons.refusal(
    "code.reverse-shell", what, "gives whoever is at the other end a shell on this machine", "Let the user do it"
  )
end

local function is_foreign(effect) return effect.from and effect.kind == "run" end

--- Whether a command runs something that comes from another machine.
function origins.is_foreign(command) return words.any(command.effects, is_foreign) end

-- Whether an address is known, and not that of a well-known distributor, from which projects' own scripts fetch.
-- @param at_once whether what it gives is run as it comes
local function is_elsewhere(address, at_once)
  -- Scripts build what they clone.
  if address:find("^git%+") then return false end
  local host = address:gsub("^%a[%w+.-]*://", ""):gsub("^[^/@]*@", "")
  return host ~= "" and not host:find("^[$`{]") and not distributors.know(host, at_once)
end

--- Returns a reason to deny a command, or nil.
function origins.judge(command)
  for _, effect in ipairs(command.effects) do
    local from = effect.kind == "run" and effect.from
    if from and from:find("^/dev/[tu][cd]p/") then
      return origins.refuse_shell(reasons.shown(command.argv) .. (#from > 9 and " < " .. from or ""))
    elseif from and (not command.in_file or is_elsewhere(from, effect.target == nil)) then
      local because, instead = "runs what was downloaded, unseen", "Download it to a file and look at it first"
      return reasons.refusal("code.run-download", reasons.piped(command), because, instead)
    end
  end
end

--- Whether an interpreter reads its program from the standard input: it has no script and no -c or -e.
function origins.reads_input(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word == "-" or word == "/dev/stdin" then return true end
    if word:sub(1, 1) ~= "-" or word:find("^%-%a*[cemEpnrl]") then return false end
  end
  return true
end

local SHELLS = words.set "sh bash zsh dash ksh ash fish csh tcsh mksh"

--- Judges a program that sends what a shell prints, on a line in which a named pipe gives the shell its commands.
function origins.feeds_shell(command)
  local is_fed = false
  for at = 1, command.at - 1 do
    local other = command.all[at]
    is_fed = is_fed or other.program == "mkfifo" or other.program == "mknod"
    if is_fed and SHELLS[other.program] and orcs.contains(command.from, other.program) and origins.reads_input(other) then
      return origins.refuse_shell(reasons.piped(command))
    end
  end
end

return origins
