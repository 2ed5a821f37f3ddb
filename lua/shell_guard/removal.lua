-- What may be removed as a whole: by rm -r and what does the same, and by find.

local artefacts = require "shell_guard.artefacts"
local find = require "shell_guard.find"
local flags = require "shell_guard.flags"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local words = require "shell_guard.words"

local removal = {}

local BELOW = "Name a folder below the working directory"
-- By what paths.look tells: why it is refused, and the safe way.
local NEVER = {
  root = { "would remove all files of the machine", BELOW },
  top = { "would remove a top-level folder", BELOW },
  home = { "would remove somebody's own files", BELOW },
  here = { "would remove the working directory with all that is in it", "Name what is to go in it" },
  above = { "would remove a folder that the working directory is in", BELOW },
  git = { "would remove the history of a repository", "Leave .git alone" },
  temp = { "would remove all temporary files", "Name what is to go in it" },
  outside = { "is outside of what may be removed", BELOW .. " or a temporary one, or let the user do it" },
}

local HISTORY = words.set [[
  .bash_history .zsh_history .zhistory .sh_history .history .ash_history .ksh_history fish_history .python_history
  .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .histfile
]]

--- Whether a path is one that shells keep their history in.
function removal.is_history(path)
  return HISTORY[path:match("[^/]*$")] == true or path:find("^[\"']?%${?HISTFILE}?[\"']?$") ~= nil
end

-- `cd x; rm -rf *` without `&&`: should cd fail, it is another folder.
local function cd_may_fail(line)
  return line:find("%f[%w_]cd%s+[^;&|\n]+[;\n]") ~= nil and not line:find("set%s+%-%a*e")
end

-- Programs that run others in a container, whose folders are not the machine's.
local CONTAINERS = { docker = true, podman = true, nerdctl = true, kubectl = true, oc = true, ["docker-compose"] = true }
local function in_container(command)
  for _, name in ipairs(command.via) do
    if CONTAINERS[name] then return true end
  end
  return false
end

-- Whether a word is a variable that the line sets to the output of mktemp, and to nothing else.
local function is_made(line, word)
  local name = word:match("^[\"']?%${?([%w_]+)}?[\"']?$") or word:match("^[\"']?%${?([%w_]+)}?[\"']?/[%w_/-]*$")
  if not name or line:find("%f[%w_]read%s[^;&|\n]*%f[%w_]" .. name .. "%f[^%w_]") then return false end
  if line:find("%f[%w_]for%s+" .. name .. "%f[^%w_]") then return false end
  local made = false
  for at in line:gmatch("%f[%w_]" .. name .. "=()") do
    local value = line:sub(at)
    made = value:find("^\"?%$%(%s*mktemp%f[%s)]") ~= nil or value:find("^\"?`%s*mktemp%f[%s`]") ~= nil
    if not made then return false end
  end
  return made
end

-- A word as a path to be removed with all that is in it: a reason, or nil and whether it cannot be known.
local function judge_path(command, word, recursive)
  local kind, path, wide = paths.look(command.place, command.cwd, word)
  if kind == "unclear" then return nil, not artefacts.path(path) end
  if not recursive and not wide then return nil end
  local never = NEVER[kind]
  if kind == "outside" and command.level == 1 and in_container(command) then return nil end
  if not recursive and kind ~= "root" and kind ~= "home" and kind ~= "top" then return nil end
  if never then return reasons.refusal(reasons.shown(command.argv), never[1] .. " (" .. word .. ")", never[2]) end
  local in_cwd = command.cwd and path == paths.normal(command.cwd)
  if in_cwd and wide and command.cwd ~= command.place.start and cd_may_fail(command.line) then
    return reasons.refusal(
      reasons.shown(command.argv), "removes everything wherever it is, should the cd before it fail",
      "Join them with && or name the folder: rm -r folder/*"
    )
  end
  if command.level >= 3 and kind == "below" then
    return reasons.refusal(reasons.shown(command.argv), "removes folders for good", "Move them away, or let the user do it")
  end
end

--- Judges one word that names what is to be removed with all that is in it.
function removal.operand(command, at, recursive)
  local word = command.argv[at]
  if not command.unknown[at] then return judge_path(command, word, recursive) end
  local kind, known = paths.guess(command.place, command.cwd, word)
  if kind == "path" then return judge_path(command, known, recursive) end
  if not recursive or kind == "temporary" or is_made(command.line, word) then return nil end
  if kind == "to" then return nil, not artefacts.folder(known) end
  if kind == "in" then
    local where = paths.look(command.place, command.cwd, known)
    if where == "below" or where == "temporary" then return nil end
    if where == "outside" then return judge_path(command, known, recursive) end
  end
  return nil, true
end

local FEEDERS = { xargs = true, gxargs = true, parallel = true }

-- Programs whose output a command gets, be it as words that xargs gives it.
local function fed_from(command)
  for n = #command.via, 1, -1 do
    if FEEDERS[command.via[n]] then
      for at = command.at - 1, 1, -1 do
        if FEEDERS[command.all[at].program] then return command.all[at].from end
      end
    end
  end
  return command.from
end

local function has(list, name)
  for _, one in ipairs(list) do
    if one == name then return true end
  end
  return false
end

-- The find whose output a command gets, by -exec or from a pipe; nil without one.
local function finder(command)
  if not has(command.via, "find") and not has(fed_from(command), "find") then return nil end
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if other.program == "find" or other.program == "gfind" then return other end
  end
end

-- Whether a word is what a find prints, and that alone: `$(find . -name dist)`.
local function is_found(word)
  return (word:find("^%$%(%s*find%s[^;|&\n]*%)$") or word:find("^`%s*find%s[^;|&\n]*`$")) ~= nil
end

-- All finds in substitutions before a command: which of them a word is from is not told.
local function judge_found(command)
  local unclear
  for at = 1, command.at - 1 do
    local other = command.all[at]
    if other.program == "find" and has(other.via, "$()") then
      local reason, open = find.judge(other, command, "-print")
      if reason then return reason end
      unclear = unclear or open
    end
  end
  return nil, unclear
end

local CONSTANT = { echo = true, printf = true }

-- What a command removes that gets its words from others: by find's -exec, or from a pipe.
local function judge_fed(command, recursive)
  local other = finder(command)
  if other then return find.judge(other, command, has(command.via, "find") and "-exec" or "-print") end
  if recursive or CONSTANT[fed_from(command)[1]] then return nil, reasons.shown(command.argv) end
end

-- Words of xargs are unknown and not written anywhere: they do not begin as an expansion does.
local function is_fed(command, at)
  return command.unknown[at] and #command.via > 0 and not command.argv[at]:find("[$`]")
end

local function judge_operands(command, parsed, recursive)
  local unclear = parsed.unclear and reasons.shown(command.argv) or nil
  local fed = false
  for _, at in ipairs(parsed.operands) do
    local word = command.argv[at]
    local inner = command.unknown[at] and finder(command) ~= nil and word:find("^[\"']?%$")
    if is_fed(command, at) or inner then
      fed = true
    elseif command.unknown[at] and is_found(word) then
      local reason, open = judge_found(command)
      if reason then return reason end
      unclear = unclear or open
    else
      local reason, open = removal.operand(command, at, recursive)
      if reason then return reason end
      if open or (command.unknown[at] and flags.may_be_option(word)) then unclear = unclear or reasons.shown(command.argv) end
      if removal.is_history(word) then
        return reasons.refusal(reasons.shown(command.argv), "wipes the history of a shell", "Leave it as it is")
      end
    end
  end
  if fed then
    local reason, open = judge_fed(command, recursive)
    if reason then return reason end
    unclear = unclear or open
  end
  return nil, unclear
end

local RM = flags.spec(
  "rR,recursive f,force i I,interactive? v,verbose d,dir P W x ,one-file-system ,preserve-root? ,no-preserve-root"
)

function removal.rm(command, first)
  local parsed = flags.read(RM, command.argv, first or 2, command.unknown)
  if parsed.on["no-preserve-root"] then
    return reasons.refusal(reasons.shown(command.argv), "asks rm to remove all files of the machine", BELOW)
  end
  local reason, unclear = judge_operands(command, parsed, parsed.on.recursive and true or false)
  if reason then return reason end
  if command.level >= 2 then
    local strict = removal.strict(command, parsed)
    if strict then return strict end
  end
  return nil, unclear
end

-- At strict, single files count as well when they are outside, and `*` does.
function removal.strict(command, parsed)
  for _, at in ipairs(parsed.operands) do
    if not command.unknown[at] then
      local kind, _, wide = paths.look(command.place, command.cwd, command.argv[at])
      if kind == "outside" or kind == "git" or (wide and NEVER[kind]) then
        local never = NEVER[kind]
        return reasons.refusal(reasons.shown(command.argv), never[1], never[2])
      end
    end
  end
end

-- Programs that remove what is named, with all that is in it, whatever the flags.
local ALWAYS = flags.spec("f,force v,verbose q,quiet g,glob z u n p P,progress ,preserve-root? ,no-preserve-root ,dry-run")
function removal.all(command)
  local parsed = flags.read(ALWAYS, command.argv, 2, command.unknown)
  return judge_operands(command, parsed, true)
end

--- `shx rm -rf x`
function removal.shx(command)
  if command.argv[2] == "rm" then return removal.rm(command, 3) end
end

function removal.find(command)
  return find.judge(command, command, "-delete")
end

local FD = { ["-x"] = true, ["-X"] = true, ["--exec"] = true, ["--exec-batch"] = true }
local REMOVERS = { rm = true, unlink = true, shred = true, rimraf = true }
function removal.fd(command)
  for at = 2, #command.argv - 1 do
    if FD[command.argv[at]] and REMOVERS[command.argv[at + 1]:match("[^/]*$")] then
      return nil, reasons.shown(command.argv)
    end
  end
end

return removal
