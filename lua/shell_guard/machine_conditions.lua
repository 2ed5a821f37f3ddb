-- Conditions for the rules in machine_rules.lua: function(call, command), see shell_guard.row_rules.

local words = require "file_guard.words"

local conditions = {}

--- Whether it is about this machine: not one in a container, or another one.
function conditions.is_here(_, command)
  local first = command.effects[1]
  return first == nil or not first.elsewhere
end

--- Whether it starts what does not stand in the line, where it would be judged itself.
function conditions.is_unseen(call, command) return not command.stdin and conditions.is_here(call, command) end

function conditions.names_nothing(call) return #call.operands == 0 end

function conditions.has_one_operand(call) return #call.operands == 1 end

--- Whether an operand is, or may be, a device. Disk images in ordinary files are allowed.
function conditions.of_a_device(call, command)
  return words.any(call.operands, function(word, n)
    return command.unknown[call.positions[n]] or word:find("^/dev/")
  end)
end

-- Programs in front of another one.
local CARRIES = words.set "env exec nice nohup setsid stdbuf sudo doas busybox timeout command"
-- Interpreters that run what they read.
local INTERPRETERS = words.set "python perl ruby node php lua"

-- Whether a command line starts a shell, or an interpreter without a script, also behind others: `env -u X sh`.
local function is_shell(line)
  local name, carried
  for word in (type(line) == "string" and line or ""):gmatch("%S+") do
    -- Behind any other program, the words are its own.
    if name and not carried then return false end
    if word:find("^[%w/_.-]*sh$") or (not name and word:find("^[%w/_.-]*sh%f[%A]")) then return true end
    name = word:match("[^/]*$")
    carried = carried or CARRIES[name]
  end
  return name ~= nil and INTERPRETERS[name:match("^%a*")] == true
end

--- Whether nc starts a shell.
function conditions.starts_shell(call) return is_shell(call.options["--exec"]) or is_shell(call.options["--sh-exec"]) end

-- Options with which kill ends nothing, and those with a signal.
local ENDS_NOTHING, SIGNAL = words.set "-0 -l -L", words.set "-s -n --signal"

--- Whether kill ends all processes (-1) or init (1). A first argument such as `-9` is the signal.
function conditions.kills_all(_, command)
  local argv, at = command.argv, 2
  local word = argv[at]
  if not word or ENDS_NOTHING[word] then return false end
  if SIGNAL[word] then
    at = at + 2
  elseif word ~= "--" and word:find("^%-") then
    at = at + 1
  end
  return words.any(argv, function(target) return target == "-1" or target == "1" end, at)
end

--- Whether the pattern of pkill matches any name.
function conditions.fits_all(call)
  local pattern = call.operands[1]
  return pattern ~= nil and pattern:find("^%^?%.?[*+]?%$?$") ~= nil
end

function conditions.reads_nothing(_, command)
  local first = command.redirects[1]
  return first ~= nil and first.op == "<" and first.target == "/dev/null"
end

local function reads_file(command)
  return words.any(command.redirects, function(redirect) return redirect.op == "<" end)
end

--- Whether crontab reads the jobs from a file or its input, on a line that does not list those there are:
--- `(crontab -l; …) | crontab -`.
function conditions.replaces_jobs(call, command)
  if not call.operands[1] and #command.from == 0 and not reads_file(command) then return false end
  return not words.any(command.all, function(other)
    return other.program == "crontab" and other.args.options["-l"]
  end)
end

return conditions
