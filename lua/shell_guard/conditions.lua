-- Conditions for the rules in git_rules.lua and machine_rules.lua that the words of a command cannot express:
-- function(call, command), see shell_guard.row_rules.

local artefacts = require "shell_guard.artefacts"
local words = require "file_guard.words"

local conditions = {}

-- File name extensions: `git checkout a.ts` names a file, not a branch.
local FILE_ENDINGS = words.set [[
  astro bash bat c cc cfg clj cmake conf cpp cs css csv cts cxx dart ex exs fish go gradle graphql h hpp hs htm html ini
  ipynb java jl js json jsonc jsx kt kts less lock lua m md mdx mjs ml mm mts php pl pm prisma proto ps1 py pyi r rb rs rst
  sass scala scss sh sol sql svelte svg swift tf toml ts tsx txt vue xml yaml yml zig zsh
]]
local FILES = words.set "Makefile Dockerfile LICENSE README Gemfile Rakefile"

local function is_path(word)
  if word == "." or word == ".." or word:find("^%.%.?/") or word:find("^[/:]") or word:find("/$") then return true end
  if word:find("[*?]") then return true end
  local name = word:match("[^/]*$")
  local ending = name:match("%.(%w+)$")
  return FILES[name] == true or (ending ~= nil and FILE_ENDINGS[ending:lower()] == true)
end

-- Whether a pathspec may match all files. Pathspecs that begin with `:` always count.
local function is_wide(word)
  return word == "." or word == ".." or word:find("^:") ~= nil or word:find("^%.?/?%*") ~= nil
end

-- `--ours FILE` and `--theirs FILE` resolve conflicts: this is allowed for single files.
local function takes_a_side(call)
  return (call.options["--ours"] or call.options["--theirs"]) and not words.any(call.operands, is_wide)
end

--- Whether `git checkout` checks out files, not a branch.
function conditions.checks_out_files(call)
  local on, count = call.options, #call.operands
  if on["--patch"] or takes_a_side(call) then return false end
  if on["--pathspec-from-file"] then return true end
  if call.before then return count > call.before end
  if on["-b"] or on["-B"] or on["--orphan"] or on["--track"] or on["--detach"] then return false end
  return count > 1 or count == 1 and is_path(call.operands[1])
end

--- Whether `git restore` overwrites files.
function conditions.restores_files(call)
  local on = call.options
  if on["--patch"] or takes_a_side(call) or (on["--staged"] and not on["--worktree"]) then return false end
  return #call.operands > 0 or on["--pathspec-from-file"] ~= nil
end

--- Whether some operand is not a generated file, or there is none.
function conditions.not_only_artefacts(call)
  return #call.operands == 0 or words.any(call.operands, function(word) return not artefacts.path(word) end)
end

--- Whether the value of `--prune` is an age of less than a week.
function conditions.prunes_soon(call)
  local value = call.options["--prune"]
  return type(value) == "string" and not (value:find("week") or value:find("month") or value:find("year") or value == "never")
end

-- The git command in front of one that reads its output.
local function git_before(command, name)
  local other = command.at > 1 and command.all[command.at - 1]
  return other and orcs.contains(command.from, "git") and other.args and other.args.name == name and other or nil
end

--- Whether a patch that is applied backwards is the difference of the files to what git has.
function conditions.undoes_difference(_, command)
  local other = git_before(command, "git/diff")
  if not other or other.args.options["--cached"] or other.args.options["--staged"] then return false end
  return not words.any(other.args.operands, function(at, n)
    local word, is_path = other.argv[at], other.args.before and n > other.args.before
    return not is_path and (word:find("..", 1, true) or not (word:find("[/.]") or word == "HEAD" or word == "@"))
  end)
end

--- Whether an archive of git is extracted over the files of the project.
function conditions.extracts_here(call, command)
  local other = git_before(command, "git/archive")
  return other ~= nil and not other.args.options["--prefix"] and not call.options["--directory"]
end

local FALSE = { ["false"] = true, no = true, off = true, ["0"] = true, [""] = true }

-- Whether a test holds for a setting of `-c name=value` in front of the subcommand.
local function some_setting(command, test)
  return words.any(command.argv, function(text, at)
    if command.argv[at - 1] ~= "-c" or at >= (command.args and command.args.at or 0) then return false end
    local name, value = text:match("^([^=]*)=(.*)$")
    return test((name or text):lower(), value or "true")
  end, 2)
end

local function setting(names, is_set)
  local wanted = words.set(names)
  return function(_, command)
    return some_setting(command, function(name, value) return wanted[name] and (FALSE[value:lower()] == nil) == is_set end)
  end
end

--- Returns a condition: the command sets one of these settings of git to a value other than false.
function conditions.set(names) return setting(names, true) end

--- Returns a condition: the command sets one of these settings of git to false.
function conditions.unset(names) return setting(names, false) end

--- Whether the command sets git settings that force a push.
function conditions.forced_by_config(_, command)
  return some_setting(command, function(name, value)
    return name:find("^remote%..*%.push$") and value:sub(1, 1) == "+" or name:find("^remote%..*%.mirror$") and not FALSE[value:lower()]
  end)
end

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
