-- Judges recursive removals: by rm -r and similar programs, and by find.

local artefacts = require "shell_guard.artefacts"
local derived = require "shell_guard.derived_args"
local find = require "shell_guard.find"
local inner = require "shell_guard.inner"
local paths = require "shell_guard.paths"
local pipes = require "shell_guard.pipes"
local read_words = require "shell_guard.read_words"
local reasons = require "shell_guard.reasons"
local rules = require "shell_guard.rules"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local removal = {}

local BELOW = "Name a folder below the working directory"
-- Result of paths.look → why removing it is denied, the safe alternative, and the rule.
local NEVER = {
  root = { "would remove all files of the machine", BELOW, "files.rm-root" },
  top = { "would remove a top-level folder", BELOW, "files.rm-top-level" },
  home = { "would remove somebody's own files", BELOW, "files.rm-home" },
  here = { "would remove the working directory with all that is in it", "Name what is to go in it", "files.rm-working-directory" },
  above = { "would remove a folder that the working directory is in", BELOW, "files.rm-parent" },
  git = { "would remove the history of a repository", "Leave .git alone", "files.rm-git" },
  temp = { "would remove all temporary files", "Name what is to go in it", "files.rm-temp" },
  outside = { "is outside of what may be removed", BELOW .. " or a temporary one, or let the user do it", "files.rm-outside-roots" },
}

local KEPT = words.set "root top home here above git"

local HISTORY = words.set [[
  .bash_history .zsh_history .zhistory .sh_history .history .ash_history .ksh_history fish_history .python_history
  .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .histfile
]]

--- Whether a path is a history file of a shell or another interactive program.
function removal.is_history(path)
  return HISTORY[path:match("[^/]*$")] == true or path:find("^[\"']?%${?HISTFILE}?[\"']?$") ~= nil
end

local ENDS = words.set "exit return die fail abort continue break"

-- Whether a command after `cd` also runs if cd fails, in the wrong folder: `cd x; rm -rf *`, or
-- `cd x || true`.
local function cd_may_fail(line)
  local instead = line:match("%f[%w_]cd%s+[^;&|\n]+||%s*([%w:]+)")
  if instead then return not ENDS[instead] end
  return line:find("%f[%w_]cd%s+[^;&|\n]+[;\n]") ~= nil and not line:find("set%s+%-%a*e")
end

-- Arguments of cd that lead to the project or the folder of a script, such as
-- `cd "$(git rev-parse --show-toplevel)"`.
local OF_THE_PROJECT = {
  '^"?%$%(git rev%-parse %-%-show%-toplevel%)/?[%w_-]*"?%f[%s;&|)]', '^"?%$%(dirname "?%$0"?%)[%w_./-]*"?%f[%s;&|)]',
  '^"?%$%(dirname [%-%s"]*%${?BASH_SOURCE[%[0%]}]*"?%)[%w_./-]*"?%f[%s;&|)]', '^"?%${0%%/%*}"?%f[%s;&|)]',
}

-- Whether the unknown working directory is in the project: the line has one cd, to such a folder.
local function is_in_project(line)
  local target = line:match("%f[%w_]cd%s+(.*)")
  if not target or target:find("%f[%w_]cd%s") or target:find("../..", 1, true) or line:find("%f[%w_]pushd%s") then return false end
  for _, pattern in ipairs(OF_THE_PROJECT) do
    if target:find(pattern) then return true end
  end
  return false
end

-- Programs that run commands in a container, where paths are not those of this machine.
local CONTAINERS = words.set "docker podman nerdctl kubectl oc docker-compose lxc incus"

--- Whether a command runs in a container.
function removal.in_container(command)
  for _, name in ipairs(command.via) do
    if CONTAINERS[name] then return true end
  end
  return false
end

-- Whether a word is, or is inside, a variable that the line sets only to the output of mktemp.
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

-- What is behind a link that the line makes, if a path leads through it: `ln -s ~ h && rm -rf h/*`.
local function behind_link(command, word)
  for at = 1, command.at - 1 do
    local other = command.all[at]
    if other.program == "ln" and other.argv[2] then
      local target, link = other.argv[#other.argv - 1], other.argv[#other.argv]
      -- `ln -s x/y` makes y.
      if target:sub(1, 1) == "-" then target, link = link, link:match("[^/]*$") end
      local beginning = texts.placed(other, link) .. "/"
      local path = texts.placed(command, word)
      if path:sub(1, #beginning) == beginning then return target:gsub("/+$", "") .. path:sub(#beginning) end
    end
  end
end

-- Judges the removal of a path. Returns a reason to deny it, or nil and whether it is unclear.
local function judge_path(command, word, recursive)
  local kind, path, wide = paths.look(command.place, command.cwd, word)
  if kind == "unclear" then
    local inside = not wide and path ~= "" and not path:find("..", 1, true) and not path:find("^%.git") and is_in_project(command.line)
    return nil, not inside and not artefacts.path(path)
  end
  if paths.is_needed(path) and not removal.in_container(command) then
    local needed = reasons.refusal(
      "files.rm-system-file", reasons.shown(command.argv), "would remove a file that the machine needs (" .. word .. ")", "Let the user do it"
    )
    if needed then return needed end
  end
  if not recursive and not wide and not (kind == "git" and paths.is_history(path)) then return nil end
  local never = NEVER[kind]
  if command.level == 1 and (kind == "outside" or kind == "temp") and removal.in_container(command) then return nil end
  if command.level == 1 and kind == "outside" then
    local is_made_again = artefacts.anywhere(path) and not paths.is_system(path) and not path:find("^/usr/")
    if is_made_again or paths.is_cache(command.place, path) then return nil end
  end
  if not recursive and kind ~= "root" and kind ~= "home" and kind ~= "top" and kind ~= "git" then return nil end
  if never then return reasons.refusal(never[3], reasons.shown(command.argv), never[1] .. " (" .. word .. ")", never[2]) end
  local in_cwd = command.cwd and path == paths.normal(command.cwd)
  if in_cwd and wide and command.cwd ~= command.place.start and cd_may_fail(command.line) then
    local reason = reasons.refusal(
      "files.rm-after-cd", reasons.shown(command.argv), "removes everything wherever it is, should the cd before it fail",
      "Join them with && or name the folder: rm -r folder/*"
    )
    if reason then return reason end
  end
  if kind == "below" and rules.on("files.rm-recursive") then
    return reasons.refusal("files.rm-recursive", reasons.shown(command.argv), "removes folders for good", "Move them away, or let the user do it")
  end
end

-- Whether a name follows the last expansion of a word: `/tmp/$USER-x`, `./$name/lib`.
local function goes_on(word)
  local text = word:gsub("[\"']", "")
  local tail = text:match("%$[%w_]+([^%w_$`{}()][^$`]*)$") or text:match("[})`]([^$`{}()]+)$")
  return tail ~= nil and tail:find("%w") ~= nil
end

-- Whether a variable in a word is assigned in front of the same command, which is too late for it: in `TMPDIR=/srv rm -r $TMPDIR/x`,
-- the shell replaces it by the value it had before, which may be none.
local function is_set_too_late(command, word)
  local name = word:match("%$%{?([%a_][%w_]*)")
  return name ~= nil
    and command.line:find("%f[%w_]" .. name .. "=[^%s;&|]*%s+[%w_=/.%s-]-%f[%w_]" .. (command.program:gsub("%p", "%%%0")) .. "%s[^;&|\n]*%$%{?" .. name) ~= nil
end

--- Judges one operand of a program that removes files. Returns a reason to deny it, or nil and
--- whether it is unclear.
function removal.operand(command, at, recursive)
  local word = command.argv[at]
  if not command.unknown[at] then return judge_path(command, behind_link(command, word) or word, recursive) end
  local kind, known = paths.guess(command.place, word)
  if kind == "path" then return judge_path(command, known, recursive) end
  if kind == "temporary" and recursive and is_set_too_late(command, word) then return nil, true end
  if not recursive or kind == "temporary" or is_made(command.line, word) then return nil end
  if kind == "to" then return nil, not artefacts.folder(known) end
  if kind == "in" then
    local where = paths.look(command.place, command.cwd, known)
    if where == "below" or where == "temporary" then return nil end
    if (where == "temp" or where == "here") and goes_on(word) then return nil end
    if where == "outside" then return judge_path(command, known, recursive) end
  end
  return nil, true
end

--- Judges all finds in substitutions before a command: orcs.shell doesn't report which word each of
--- them belongs to.
function removal.found(command)
  local unclear
  for at = 1, command.at - 1 do
    local other = command.all[at]
    if other.program == "find" and (derived.has(other.via, "$()") or derived.has(other.via, "<()")) then
      local reason, open = find.judge(other, command, "-print")
      if reason then return reason end
      unclear = unclear or open
    end
  end
  return nil, unclear
end

local CONSTANT = words.set "echo printf"

local FD = words.set "-x -X --exec --exec-batch"
local FDS = words.set "fd fdfind"

-- Whether fd lists only generated files: `fd -H '^\.DS_Store$'`, `fd -e pyc`.
local function lists_artefacts(argv)
  local has_pattern = false
  local at = 2
  while argv[at] and not FD[argv[at]] do
    local word = argv[at]
    if word == "-e" or word == "--extension" then
      at = at + 1
      if not artefacts.name("*." .. argv[at]) then return false end
      has_pattern = true
    elseif word:sub(1, 1) ~= "-" and argv[at - 1] ~= "-t" and argv[at - 1] ~= "--type" then
      -- What stands behind the pattern are folders.
      return has_pattern or artefacts.name((word:gsub("^%^", ""):gsub("%$$", ""):gsub("\\%.", ".")))
    end
    at = at + 1
  end
  return has_pattern
end

-- Whether a command removes the generated files that an fd in front of it lists.
local function removes_artefacts_of_fd(command)
  if not FDS[command.via[#command.via]] then return false end
  for at = command.at - 1, 1, -1 do
    if FDS[command.all[at].program] then return lists_artefacts(command.all[at].argv) end
  end
  return false
end

--- Judges a command that removes files it gets from find -exec or from a pipe.
--- @param recursive whether it removes folders with their contents
function removal.fed(command, recursive)
  local other = derived.finder(command)
  if other then
    if derived.is_narrowed(command) then return nil end
    return find.judge(other, command, derived.by_exec(command) and "-exec" or "-print")
  end
  local listed = pipes.removes_listed(command)
  if listed then return listed end
  if removes_artefacts_of_fd(command) then return nil end
  if recursive or CONSTANT[derived.from(command)[1]] then return nil, reasons.shown(command.argv) end
end

--- Whether a word is filled in by xargs or find: it is unknown without being an expansion, or it
--- begins with a variable in a command that find feeds.
function removal.is_fed(command, at)
  local word = command.argv[at]
  if not command.unknown[at] then return false end
  if not word:find("[$`]") then return #command.via > 0 end
  return word:find("^[\"']?%$") ~= nil and derived.finder(command) ~= nil
end

local function judge_operands(command, operands, recursive)
  local unclear = read_words.has_open_option(command) and reasons.shown(command.argv) or nil
  local is_fed = false
  for _, at in ipairs(operands) do
    local word = command.argv[at]
    if removal.is_fed(command, at) then
      is_fed = true
    elseif command.unknown[at] and (derived.is_found(word) or derived.is_filled_by_find(command.line, word)) then
      local reason, open = removal.found(command)
      if reason then return reason end
      unclear = unclear or open
    else
      local reason, open = word:find("[$`]") and pipes.removes_listed(command) or nil, nil
      if reason then return reason end
      reason, open = removal.operand(command, at, recursive)
      if reason then return reason end
      if open or (command.unknown[at] and read_words.may_be_option(word)) then unclear = unclear or reasons.shown(command.argv) end
      if removal.is_history(word) then
        reason = reasons.refusal("history.wipe", reasons.shown(command.argv), "wipes the history of a shell", "Leave it as it is")
        if reason then return reason end
      end
    end
  end
  if is_fed then
    local reason, open = removal.fed(command, recursive)
    if reason then return reason end
    unclear = unclear or open
  end
  return nil, unclear
end

-- Whether words that are read may be options of an rm: of one that names a folder which must never be removed
-- (`parallel rm {} /`), or of one that gets all its words from input that nothing in the line writes (`xargs rm`).
local function may_become_recursive(command, operands)
  if read_words.are_appended_unwritten(command) then return true end
  local is_read, is_protected = false, false
  for _, at in ipairs(operands) do
    is_read = is_read or read_words.is_read(command, at)
    is_protected = is_protected or (not command.unknown[at] and KEPT[paths.look(command.place, command.cwd, command.argv[at])]) or false
  end
  return is_read and is_protected and not read_words.are_listed(command)
end

-- The operands but for empty words, of which rm says that there is no such file.
local function operands_of(command)
  local kept = {}
  for _, at in ipairs(command.args.operands) do
    if command.argv[at] ~= "" then kept[#kept + 1] = at end
  end
  return kept
end

--- Judges rm and programs with its options.
function removal.rm(command)
  local operands, options = operands_of(command), command.args.options
  if options["--no-preserve-root"] then
    local asked = reasons.refusal("files.rm-root", reasons.shown(command.argv), "asks rm to remove all files of the machine", BELOW)
    if asked then return asked end
  end
  local recursive = options["-r"] == true
  local reason, unclear = judge_operands(command, operands, recursive)
  if reason then return reason end
  if rules.on("files.rm-file-outside-roots") then
    local strict = removal.strict(command, operands)
    if strict then return strict end
  end
  if not unclear and not recursive and may_become_recursive(command, operands) then unclear = reasons.shown(command.argv) end
  return nil, unclear
end

-- Denies rm without -r for paths outside the roots or in .git,
-- and for `*` in a protected folder.
function removal.strict(command, operands)
  for _, at in ipairs(operands) do
    if not command.unknown[at] then
      local kind, _, wide = paths.look(command.place, command.cwd, command.argv[at])
      if kind == "outside" or kind == "git" or (wide and NEVER[kind]) then
        local never = NEVER[kind]
        return reasons.refusal("files.rm-file-outside-roots", reasons.shown(command.argv), never[1], never[2])
      end
    end
  end
end

--- Judges programs that always remove recursively.
function removal.all(command) return judge_operands(command, command.args.operands, true) end

--- Judges `shx rm …`.
function removal.shx(command)
  if command.argv[2] == "rm" then return removal.rm(inner.from(command, 2)) end
end

--- Judges `cmake -E rm …`. `cmake -E remove_directory` is always recursive.
function removal.cmake(command)
  local argv = command.argv
  if argv[2] ~= "-E" then return nil end
  if argv[3] == "rm" or argv[3] == "remove" then return removal.rm(inner.from(command, 4, { "rm" })) end
  if argv[3] == "remove_directory" then return removal.rm(inner.from(command, 4, { "rm", "-r" })) end
end

function removal.find(command)
  local reason, unclear = find.judge(command, command, "-delete")
  if reason or unclear then return reason, unclear end
  -- Words at the end may go on with the expression: `-delete`.
  if read_words.are_appended(command) and not read_words.are_listed(command) then return nil, reasons.shown(command.argv) end
end

local REMOVERS = words.set "rm unlink shred rimraf"
function removal.fd(command)
  for at = 2, #command.argv - 1 do
    if FD[command.argv[at]] and lists_artefacts(command.argv) then return nil end
    if FD[command.argv[at]] and REMOVERS[command.argv[at + 1]:match("[^/]*$")] then
      return nil, reasons.shown(command.argv)
    end
  end
end

return removal
