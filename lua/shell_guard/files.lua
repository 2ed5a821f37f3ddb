-- Judges what commands remove, overwrite and change in attributes, by the targets of their effects.

local artefacts = require "shell_guard.artefacts"
local paths = require "shell_guard.paths"
local read_words = require "shell_guard.read_words"
local reasons = require "shell_guard.reasons"
local rules = require "shell_guard.rules"
local words = require "file_guard.words"

local files = {}

local BELOW, LEAVE, LET = "Name a folder below the working directory", "Leave it as it is", "Let the user do it"
-- Result of paths.look → why removing it is denied, the safe alternative, and the rule.
local NEVER = {
  root = { "would remove all files of the machine", BELOW, "files.rm-root" },
  top = { "would remove a top-level folder", BELOW, "files.rm-top-level" },
  home = { "would remove somebody's own files", BELOW, "files.rm-home" },
  here = {
    "would remove the working directory with all that is in it", "Name what is to go in it",
    "files.rm-working-directory",
  },
  above = { "would remove a folder that the working directory is in", BELOW, "files.rm-parent" },
  git = { "would remove the history of a repository", "Leave .git alone", "files.rm-git" },
  temp = { "would remove all temporary files", "Name what is to go in it", "files.rm-temp" },
  outside = {
    "is outside of what may be removed", BELOW .. " or a temporary one, or let the user do it",
    "files.rm-outside-roots",
  },
}

local refuse = reasons.of

local function shown(command) return reasons.shown(command.argv) end

-- Whether a word has parts that only the shell, or another program, knows.
local function is_unknown(effect) return not effect.target and effect.word:find("[$`…{]") ~= nil end

-- Programs that run commands in a container, where paths are not those of this machine.
local CONTAINERS = words.set "docker podman nerdctl kubectl oc docker-compose lxc incus vagrant"

--- Whether a command runs in a container.
function files.in_container(command)
  return words.any(command.via, function(name) return CONTAINERS[name] end)
end

local HISTORY = words.set [[
  .bash_history .zsh_history .zhistory .sh_history .history .ash_history .ksh_history fish_history .python_history
  .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .histfile
]]

-- Whether a path is a history file of a shell or another interactive program.
local function is_history(path)
  return HISTORY[path:match("[^/]*$")] == true or path:find("^%${?HISTFILE}?$") ~= nil
end

-- Files that another command lists.

local LIST_FIRST = "List it with -print first, and remove by name what you mean"
local FAR = words.set "root top home above git outside"
-- Programs that choose files by what is in them, or leave some out that are hidden; and those that may print anything.
local BY_CONTENT, FD, PRINTS = words.set "grep egrep rg ag", words.set "fd fdfind", words.set "echo printf ls"
local FINDS = words.set "find gfind bfs"

-- Judges the removal of files that another command lists. Returns a reason to deny it, or nil and whether it is open,
-- as the other functions for effects do.
local function judge_found(command, effect)
  -- The program may be named by its path: `/bin/fd`.
  local listing = effect.found:gsub("^\\?%S*/", ""):gsub("^\\", "")
  local by = listing:match("^%S*")
  local prints = PRINTS[by] and true or false
  -- In a line, path-guard judges what is printed by its place; in a file, nobody else does.
  if prints and not (command.in_file and effect.recursive) then return nil, by ~= "ls" or effect.recursive end
  local function refused(id, because, instead)
    return reasons.refusal(id, reasons.shown({ effect.found }), because, instead)
  end
  local any = FINDS[by] and refused("files.find-any", "removes files that cannot be got back", LET)
  if any then return any end
  local start, pattern = effect.word:match("^(.-)/%*%*/(.*)$")
  start = start or effect.word
  -- The pattern of fd is a regular expression.
  local name = pattern and FD[by] and pattern:gsub("^%*", ""):gsub("%*$", ""):gsub("%?", ".") or pattern
  local is_open = not effect.empty and not (name and artefacts.path(name))
  local word = start
  if start:find("[$`{]") then
    local guessed, known = paths.guess(command.place, start)
    if guessed == "temporary" or (guessed == "to" and artefacts.folder(known)) then return nil end
    if guessed ~= "path" and guessed ~= "in" then return nil, is_open end
    word = known
  end
  local kind, path, _, inner = paths.look(command.place, effect.cwd, word)
  if kind == "unclear" then return nil, is_open and not artefacts.path(path) end
  if FAR[kind] then
    local because = "removes files outside of what may be removed (" .. start .. ")"
    return refused("files.find-outside-roots", because, LIST_FIRST)
  end
  if prints then return nil, true end
  if not is_open or kind == "temporary" or (kind == "temp" and pattern) then return nil end
  if kind == "below" and artefacts.path(inner) then return nil end
  if FD[by] then return nil, true end
  if BY_CONTENT[by] and not effect.sure then return nil, effect.recursive end
  if listing:find("^git status") or listing:find("^git .*%s%-%-?o") then
    local because = "removes files that git does not have, and cannot bring back"
    return refused("git.clean", because, "git clean -n shows what would go")
  end
  return refused("files.find-delete", "removes files that cannot be got back", LIST_FIRST)
end

--- Judges code that removes the files which another command lists: `find . | xargs python -c …`.
function files.judge_given(command)
  for _, effect in ipairs(command.effects) do
    if effect.found then return judge_found(command, effect) end
  end
end

-- What is removed.

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
  if not target or target:find("%f[%w_]cd%s") or target:find("../..", 1, true) then return false end
  return not line:find("%f[%w_]pushd%s") and words.matches(target, OF_THE_PROJECT)
end

-- Judges the removal of a path.
local function judge_path(command, effect, word)
  local kind, path, wide = paths.look(command.place, effect.cwd, word)
  local recursive = effect.recursive
  if kind == "unclear" then
    local is_plain = not wide and path ~= "" and not path:find("..", 1, true) and not path:find("^%.git")
    return nil, not (is_plain and is_in_project(command.line)) and not artefacts.path(path)
  end
  local in_container = files.in_container(command)
  local reason = paths.is_needed(path) and not in_container
    and refuse("files.rm-system-file", command, "would remove a file that the machine needs (" .. word .. ")", LET)
  if reason then return reason end
  if not recursive and not wide and not (kind == "git" and paths.is_history(path)) then return nil end
  if command.level == 1 and (kind == "outside" or kind == "temp") and in_container then return nil end
  if command.level == 1 and kind == "outside" then
    local is_made_again = artefacts.anywhere(path) and not paths.is_system(path) and not path:find("^/usr/")
    if is_made_again or paths.is_cache(command.place, path) then return nil end
  end
  if not recursive and kind ~= "root" and kind ~= "home" and kind ~= "top" and kind ~= "git" then return nil end
  local never = NEVER[kind]
  if never then return refuse(never[3], command, never[1] .. " (" .. word .. ")", never[2]) end
  local in_cwd = effect.cwd and path == paths.normal(effect.cwd)
  if in_cwd and wide and effect.cwd ~= command.place.start and cd_may_fail(command.line) then
    reason = refuse(
      "files.rm-after-cd", command, "removes everything wherever it is, should the cd before it fail",
      "Join them with && or name the folder: rm -r folder/*"
    )
  end
  if reason or kind ~= "below" then return reason end
  return refuse("files.rm-recursive", command, "removes folders for good", "Move them away, or let the user do it")
end

-- Whether a name follows the last expansion of a word: `/tmp/$USER-x`, `./$name/lib`.
local function goes_on(word)
  local tail = word:match("%$[%w_]+([^%w_$`{}()][^$`]*)$") or word:match("[})`]([^$`{}()]+)$")
  return tail ~= nil and tail:find("%w") ~= nil
end

-- Whether a variable in a word is assigned in front of the same command, which is too late for it: in
-- `TMPDIR=/srv rm -r $TMPDIR/x`, the shell replaces it by the value it had before, which may be none.
local function is_set_too_late(command, word)
  local name = word:match("%$%{?([%a_][%w_]*)")
  if not name then return false end
  local program = command.program:gsub("%p", "%%%0")
  local set = "%f[%w_]" .. name .. "=[^%s;&|]*%s+[%w_=/.%s-]-%f[%w_]" .. program .. "%s[^;&|\n]*%$%{?" .. name
  return command.line:find(set) ~= nil
end

-- Judges the removal of what only the shell knows.
local function judge_unknown(command, effect)
  local word, recursive = effect.word, effect.recursive
  if not word:find("[$`]") then return nil, recursive end
  local kind, known = paths.guess(command.place, word)
  if kind == "path" then return judge_path(command, effect, known) end
  if read_words.may_be_option(word) then return nil, true end
  if kind == "temporary" and recursive and is_set_too_late(command, word) then return nil, true end
  if not recursive or kind == "temporary" then return nil end
  if kind == "to" then return nil, not artefacts.folder(known) end
  if kind == "in" then
    local where = paths.look(command.place, effect.cwd, known)
    if where == "below" or where == "temporary" then return nil end
    if (where == "temp" or where == "here") and goes_on(word) then return nil end
    if where == "outside" then return judge_path(command, effect, known) end
  end
  return nil, true
end

-- Programs that move files, remove them after they have sent them or packed them, or keep what they remove.
local MOVES = words.set "mv gmv tar gtar bsdtar zip 7z 7za rsync move-item rename-item"
local KEEPS = words.set [[
  git trash trash-put gio gzip gunzip ggzip bzip2 bunzip2 xz unxz zstd unzstd lzma unlzma pigz pbzip2 brotli
]]

local function judge_moved(command, effect)
  if is_unknown(effect) or effect.found then return nil end
  local word = effect.word
  local kind, path, wide = paths.look(command.place, effect.cwd, word)
  if command.program == "rsync" and not effect.sure then
    local because = "removes what is not in the source from a folder that more than this work is in (" .. word .. ")"
    local is_far = (FAR[kind] and kind ~= "outside") or kind == "here"
    return is_far and refuse("files.rsync-delete", command, because, "Name a folder below") or nil
  end
  local function refused(id, because, instead)
    return refuse(id, command, because .. " (" .. word .. ")", instead)
  end
  local reason = paths.is_account_file(path) and not files.in_container(command)
    and refused("files.rm-system-file", "moves away a file that the machine needs", LET)
  if reason then return reason end
  if kind == "git" and paths.is_repository(path) then
    return refused("files.move-away", "moves away the history of a repository", "Leave .git alone")
  end
  if kind == "root" or kind == "home" or kind == "top" or (not wide and (kind == "here" or kind == "above")) then
    local because = "moves away a folder that more than this work is in"
    return refused("files.move-away", because, "Move what is meant by name")
  end
end

-- Judges what shred overwrites, which cannot be recovered.
local function judge_shredded(command, effect)
  if is_unknown(effect) then return nil, true end
  local kind = paths.look(command.place, effect.cwd, effect.word)
  local id = kind == "below" and "files.shred-project" or "files.shred"
  if kind == "temporary" then return nil end
  return refuse(id, command, "makes a file unrecoverable", "Use rm for what is yours to remove")
end

local SINGLE = words.set "rm srm unlink zf_rm shx"

-- Denies to remove single files outside of the roots or in .git, and `*` in a protected folder.
local function judge_single(command, effect)
  if not SINGLE[command.program] or not rules.on("files.rm-file-outside-roots") then return nil end
  local kind, _, wide = paths.look(command.place, effect.cwd, effect.word)
  if kind ~= "outside" and kind ~= "git" and not (wide and NEVER[kind]) then return nil end
  return refuse("files.rm-file-outside-roots", command, NEVER[kind][1], NEVER[kind][2])
end

-- Folders that Remove-Item and the like remove with all that is in them even without -Recurse: PowerShell asks, and
-- "yes" is its default.
local WHOLE = words.set "root home here above"

-- Judges what commands of PowerShell and cmd remove.
local function judge_item(command, effect)
  local word = effect.word
  local folder, pattern = word:match("^(.*)/%*%*/([^/]*)$")
  if not effect.target then return nil, effect.recursive or pattern ~= nil end
  local kind, _, wide = paths.look(command.place, command.cwd, folder or word)
  local is_open = kind == "unclear" or (kind == "temp" and not wide)
  local never = not is_open and NEVER[kind]
  if pattern then
    -- It selects among the files of a folder.
    if artefacts.name(pattern) and not is_open and (kind == "here" or not never) then return nil end
    if #command.from > 0 then return nil, true end
  elseif not effect.recursive then
    -- In the root there may be single files, which have an extension.
    if not (WHOLE[kind] or (kind == "top" and not word:find("%.%w+$"))) or word:find("[*?]") then return nil end
  end
  if not never then return nil, is_open end
  return refuse(never[3], command, never[1] .. " (" .. word:gsub("^/(%a:)", "%1") .. ")", never[2])
end

local judge_write

local function judge_remove(command, effect)
  if KEEPS[command.program] or (effect.empty and not effect.found) then return nil end
  if MOVES[command.program] then return judge_moved(command, effect) end
  if effect.found then return judge_found(command, effect) end
  if command.dialect then return judge_item(command, effect) end
  if command.program:find("shred$") then
    local reason = judge_write(command, effect)
    if reason then return reason end
    return judge_shredded(command, effect)
  end
  local is_open = is_unknown(effect)
  local reason, unclear = (is_open and judge_unknown or judge_path)(command, effect, effect.word)
  reason = reason or is_history(effect.word) and refuse("history.wipe", command, "wipes the history of a shell", LEAVE)
  if reason or is_open then return reason or nil, unclear end
  return judge_single(command, effect), unclear or effect.recursive and not effect.sure
end

-- What is written.

-- Programs that add to a file, or set only its times; those with which a file takes the place of another one: that of a
-- history is most often an older one of it; and those that only empty files.
local ADDS = words.set "touch script"
local COPIES = words.set "cp gcp ln gln install mv gmv rsync scp"
local EMPTIES = words.set "truncate gtruncate"
local NOTHING = { [":"] = true, ["true"] = true, [""] = true }

-- Whether what a command writes to a file is added to it.
local function appends(command, redirect)
  if redirect then return redirect.op:find(">>", 1, true) ~= nil or redirect.op == "<>" end
  local options = command.args and command.args.options or {}
  return ADDS[command.program] or command.program:find("tee$") and options["-a"] ~= nil
end

local function redirect_of(command, effect)
  for _, redirect in ipairs(command.redirects) do
    if redirect.target == effect.word or (redirect.dynamic and effect.found) then return redirect end
  end
end

-- Denies writing to a device, to a file that only the system or git writes, or over a history.
function judge_write(command, effect)
  local redirect = redirect_of(command, effect)
  local what = redirect and redirect.op .. " " .. redirect.target or shown(command)
  local named = redirect and "" or " (" .. effect.word .. ")"
  local path = paths.from(effect.cwd, effect.word)
  local function refused(id, because, instead) return reasons.refusal(id, what, because .. named, instead) end
  local reason = path and paths.is_account_file(path) and not files.in_container(command)
    and refused("files.write-accounts", "changes the accounts of the machine", LET)
    or paths.is_device(effect.cwd, effect.word) and refused("disk.write-device", "writes to a device", "Write to a file")
    or paths.is_internal(path or effect.word)
    and refused("files.write-git", "writes over the history of a repository", "Leave .git to git")
  if reason then return reason end
  local is_from_null = effect.from == "/dev/null"
  if is_history(effect.word) and not appends(command, redirect) and (is_from_null or not COPIES[command.program]) then
    local by = not redirect and command.program:find("sed$") and "changes" or "wipes"
    reason = reasons.refusal("history.wipe", what, by .. " the history of a shell", LEAVE)
  end
  local is_emptied = redirect and NOTHING[command.program] and redirect.op:find("^>|?$")
  if not reason and (is_emptied or is_from_null) then
    reason = reasons.refusal("files.empty", what, "empties a file", "Leave it, or let the user do it")
  end
  return reason or EMPTIES[command.program] and refuse("files.empty", command, "cuts a file short") or nil
end

local function judge_written(command, effect)
  local empties = EMPTIES[command.program] or effect.from == "/dev/null"
  if effect.found and empties then return judge_found(command, effect) end
  local reason = (effect.sure or effect.found) and effect.word and judge_write(command, effect) or nil
  return reason, not reason and command.program:find("dd$") and (is_unknown(effect) or effect.found) and true
end

-- Owners, modes and other attributes of whole trees.

local WIDE = words.set "root top home above temp"

local function lets_all_write(argv)
  return words.any(argv, function(mode)
    return mode:find("^[0-7]?[0-7][0-7][2367]$") or mode:find("^[ugoa]*[ao][ugoa]*[+=]r?wx?")
  end, 2)
end

local function judge_attributes(command, effect)
  local by = effect.found and effect.found:match("^%S*")
  if not effect.recursive and (not by or PRINTS[by]) then return nil end
  local word = effect.found and effect.word:match("^(.-)/%*%*/") or effect.word
  if is_unknown(effect) then
    local kind, known = paths.guess(command.place, word)
    if kind ~= "path" and kind ~= "in" then return nil, effect.recursive end
    word = known
  end
  local kind, path = paths.look(command.place, effect.cwd, word)
  if WIDE[kind] or paths.is_system(path) then
    local because = "changes all files of a tree that is not the project's (" .. word .. ")"
    local reason = refuse("files.permissions-tree", command, because, BELOW)
    if reason then return reason end
  end
  if not command.program:find("chmod$") or kind == "temporary" or not lets_all_write(command.argv) then return nil end
  local id = kind == "below" and "files.permissions-project" or "files.permissions-open"
  local because = "lets everybody change all files of a tree"
  return refuse(id, command, because, "Give rights to whom they are for: chmod -R u+rwX")
end

local function judge_signal(command, effect)
  if effect.target ~= "*" then return nil end
  local what = effect.found and reasons.shown({ effect.found .. " … " .. shown(command) }) or shown(command)
  return reasons.refusal("processes.kill-all", what, "ends everything that runs", "Name the process by its id")
end

local JUDGES = { remove = judge_remove, attributes = judge_attributes, signal = judge_signal }

-- Whether words that are read may be options of a removal: of one that names a folder which must never be removed
-- (`parallel rm {} /`), or of one that gets all its words from input that nothing in the line writes (`xargs rm`).
local function may_become_recursive(command)
  if read_words.are_appended_unwritten(command) then return true end
  local is_read, is_protected = false, false
  for _, at in ipairs(command.args and command.args.operands or {}) do
    is_read = is_read or read_words.is_read(command, at)
    local word = not command.unknown[at] and command.argv[at] or ""
    local kind = word ~= "" and paths.look(command.place, command.cwd, word)
    is_protected = is_protected or kind and NEVER[kind] and kind ~= "outside" and kind ~= "temp"
  end
  return is_read and is_protected and not read_words.are_listed(command)
end

local function is_judged(effect) return JUDGES[effect.kind] or effect.kind == "write" end

--- Whether a command may remove, overwrite or change files, or end processes.
function files.concern(command) return words.any(command.effects, is_judged) end

--- Judges the words at the end of a find that another command gives it: they may go on with the expression (`-delete`).
function files.find(command)
  return nil, read_words.are_appended(command) and not read_words.are_listed(command) and shown(command) or nil
end

--- Judges what a command writes. Returns a reason to deny it, or nil and what is unclear.
function files.judge_writes(command)
  local reason, unclear = reasons.each(command.effects, function(effect)
    if effect.kind == "write" then return judge_written(command, effect) end
  end)
  return reason, unclear and shown(command) or nil
end

--- Judges the files that a command removes and changes, and the processes that it ends. Returns a reason to deny it, or
--- nil and what is unclear.
--- @param is_code whether it does so by code, of which there are rules of their own
function files.judge(command, is_code)
  local removes = false
  local reason, unclear = reasons.each(command.effects, function(effect)
    local judged = not (is_code and effect.kind == "remove") and JUDGES[effect.kind]
    if not judged then return nil end
    removes = removes or effect.kind == "remove" and not MOVES[command.program] and not effect.found
    return judged(command, effect)
  end)
  if reason then return reason end
  if removes and not command.dialect then
    unclear = unclear or read_words.has_open_option(command)
      or not (command.args and command.args.options["-r"]) and may_become_recursive(command)
  end
  return nil, unclear and shown(command) or nil
end

return files
