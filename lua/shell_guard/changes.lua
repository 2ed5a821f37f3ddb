-- Rules for programs that change existing files: owners and modes of whole trees, moves, and writes
-- to devices and shell histories.

local devices = require "shell_guard.devices"
local derived = require "shell_guard.derived_args"
local find = require "shell_guard.find"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local removal = require "shell_guard.removal"
local words = require "shell_guard.words"

local changes = {}

local function refuse(id, command, because, instead)
  return reasons.refusal(id, reasons.shown(command.argv), because, instead)
end

local NAME_THEM = "Name a folder below the working directory"
local WIDE = words.set "root top home above temp"

-- Whether a word is a mode such as `-x` or `-rwx`, not an option.
local function is_mode(word) return word:find("^%-[rwxXst,+=ugoa-]+$") ~= nil end

local function open_to_all(mode)
  return mode:find("^[0-7]?[0-7][0-7][2367]$") ~= nil or mode:find("^[ugoa]*[ao][ugoa]*[+=]r?wx?") ~= nil
end

-- Judges the change of all files of a tree. kind, path: as paths.look returns them
local function judge_change(command, word, kind, path, mode)
  if WIDE[kind] or paths.is_system(path) then
    local reason = refuse("files.permissions-tree", command, "changes all files of a tree that is not the project's (" .. word .. ")", NAME_THEM)
    if reason then return reason end
  end
  if mode and open_to_all(mode) and kind ~= "temporary" then
    local id = kind == "below" and "files.permissions-project" or "files.permissions-open"
    return refuse(id, command, "lets everybody change all files of a tree", "Give rights to whom they are for: chmod -R u+rwX")
  end
end

-- chmod and the like without -R, on files from find: they change a whole tree too.
local function judge_found(command, other, mode)
  local starts = find.starts(other)
  local argv = other.argv
  for n = 1, math.max(#starts, 1) do
    local word = argv[starts[n]] or "."
    local known = not other.unknown[starts[n] or 0]
    local kind, path = paths.look(command.place, other.cwd, word)
    local reason = known and judge_change(command, word, kind, path, mode)
    if reason then return reason end
  end
end

--- chmod, chown and chgrp: denies recursive changes outside the project, and recursive modes that
--- let everybody write.
function changes.tree(command)
  local argv = command.argv
  local operands, options, mode = command.args.operands, command.args.options, nil
  if not options["-R"] then
    local other = #command.via > 0 and derived.finder(command)
    return other and judge_found(command, other, command.program:find("chmod") and argv[operands[1]]) or nil
  end
  local first = 1
  if not options["--reference"] then
    for at = 2, #argv do
      if is_mode(argv[at]) then mode = argv[at] end
    end
    if not mode then
      mode, first = argv[operands[1]], 2
    end
  end
  local unclear
  for n = first, #operands do
    local at = operands[n]
    local word = argv[at]
    if command.unknown[at] then
      local kind, known = paths.guess(command.place, word)
      word = (kind == "path" or kind == "in") and known or nil
      if not word then unclear = unclear or reasons.shown(argv) end
    end
    if word then
      local kind, path = paths.look(command.place, command.cwd, word)
      local reason = judge_change(command, word, kind, path, mode)
      if reason then return reason end
    end
  end
  return nil, unclear
end

--- setfacl and chattr: denies recursive changes outside the project.
function changes.attributes(command)
  local argv = command.argv
  local whole = false
  for at = 2, #argv do
    local word = argv[at]
    if word == "--recursive" or word:find("^%-%a*R") then whole = true end
    local kind = whole and not command.unknown[at] and word:find("^[/~.]") and paths.look(command.place, command.cwd, word)
    local reason = kind and WIDE[kind] and judge_change(command, word, kind)
    if reason then return reason end
  end
end

-- Programs that add to a file, or set only its times.
local ADDS = words.set "touch script"

-- Whether what a command writes to a file is added to it.
local function appends(command, redirect)
  if redirect then return redirect.op:find(">>", 1, true) ~= nil or redirect.op == "<>" end
  local options = command.args and command.args.options or {}
  return ADDS[command.program] or command.program:find("tee$") and options["-a"] ~= nil
end

-- Programs with which a file takes the place of another one: that of a history is most often an older one of it.
local COPIES = words.set "cp gcp ln gln install mv gmv rsync scp"

-- Returns a reason to deny writing to a file if it is a device, or one that only the system or git writes, or a history.
-- redirect: the redirection that writes it, or nil
local function judge_write(command, effect, redirect)
  local what = redirect and redirect.op .. " " .. redirect.target or reasons.shown(command.argv)
  local named = redirect and "" or " (" .. effect.word .. ")"
  local path = paths.from(effect.cwd, effect.word)
  local reason = path and paths.is_account_file(path) and not removal.in_container(command)
    and reasons.refusal("files.write-accounts", what, "changes the accounts of the machine" .. named, "Let the user do it")
  reason = reason or devices.is(effect.cwd, effect.word) and reasons.refusal("disk.write-device", what, "writes to a device" .. named, "Write to a file")
  reason = reason or paths.is_internal(path or effect.word)
    and reasons.refusal("files.write-git", what, "writes over the history of a repository" .. named, "Leave .git to git")
  if reason or not removal.is_history(effect.word) or appends(command, redirect) then return reason end
  if COPIES[command.program] and not derived.has(command.argv, "/dev/null") then return nil end
  local by = redirect and "wipes" or command.program:find("sed$") and "changes" or "wipes"
  return reasons.refusal("history.wipe", what, by .. " the history of a shell", "Leave it as it is") or nil
end

--- Whether a command surely writes files.
function changes.has_writes(command)
  for _, effect in ipairs(command.effects) do
    if effect.kind == "write" and effect.sure then return true end
  end
  return false
end

--- Judges the files that a command surely writes. Returns a reason to deny it, or nil.
function changes.writes(command)
  for _, effect in ipairs(command.effects) do
    if effect.kind == "write" and effect.sure and effect.word then
      local redirect
      for _, one in ipairs(command.redirects) do redirect = redirect or one.target == effect.word and one end
      local reason = judge_write(command, effect, redirect or nil)
      if reason then return reason end
    end
  end
end

-- Returns the operands of cp or mv, how many of them are sources, and the target.
local function ends(command)
  local operands, target = command.args.operands, command.args.options["-t"]
  if target then return operands, #operands, target end
  return operands, #operands - 1, command.argv[operands[#operands]]
end

function changes.mv(command)
  local argv = command.argv
  local operands, count, target = ends(command)
  for n = 1, count do
    local at = operands[n]
    if not command.unknown[at] then
      local kind, path, wide = paths.look(command.place, command.cwd, argv[at])
      if paths.is_account_file(path) and not removal.in_container(command) then
        local reason = refuse("files.rm-system-file", command, "moves away a file that the machine needs (" .. argv[at] .. ")", "Let the user do it")
        if reason then return reason end
      end
      local is_git = kind == "git" and paths.is_repository(path)
      if is_git or kind == "root" or kind == "home" or kind == "top" or (not wide and (kind == "here" or kind == "above")) then
        local reason = refuse(
          "files.move-away", command, (is_git and "moves away the history of a repository (" or "moves away a folder that more than this work is in (") .. argv[at] .. ")",
          is_git and "Leave .git alone" or "Move what is meant by name"
        )
        if reason then return reason end
      end
    end
  end
  if target == "/dev/null" then return refuse("files.move-to-null", command, "loses what is moved", "Move it to a folder") end
end

function changes.copy(command)
  local argv = command.argv
  local operands, _, target = ends(command)
  if not target then return nil end
  if argv[operands[1]] == "/dev/null" and removal.is_fed(command, operands[#operands]) then return removal.fed(command, false) end
  return argv[operands[1]] == "/dev/null" and refuse("files.empty", command, "empties a file") or nil
end

--- truncate: denies to cut files.
function changes.cut(command)
  for at = 2, #command.argv do
    if removal.is_fed(command, at) then return removal.fed(command, false) end
    if command.unknown[at] and derived.is_found(command.argv[at]) then return removal.found(command) end
  end
  return refuse("files.empty", command, "cuts a file short")
end

local WIDE = words.set "root top home here above"

--- rsync --delete: removes what is in the target only.
function changes.mirror(command)
  local argv, deletes = command.argv, false
  for at = 2, #argv do deletes = deletes or argv[at]:find("^%-%-del") ~= nil end
  if not deletes then return nil end
  local operands = command.args.operands
  local last = operands[#operands]
  if #operands < 2 or command.args.options["-n"] or command.unknown[last] or argv[last]:find("^[%w@._-]+:") then return nil end
  local kind = paths.look(command.place, command.cwd, argv[last])
  if WIDE[kind] or kind == "git" then
    return refuse("files.rsync-delete", command, "removes what is not in the source from a folder that more than this work is in (" .. argv[last] .. ")", "Name a folder below")
  end
end

-- Programs with the option that removes files which are in the archive now.
local MOVES = {
  tar = "^%-%-remove%-files$", gtar = "^%-%-remove%-files$", zip = "^%-%a*m", ["7z"] = "^%-sdel$", ["7za"] = "^%-sdel$",
  rsync = "^%-%-remove%-source%-files$",
}
local MOVED = words.set "root top home git"

--- Programs that remove what they have put into an archive or sent away: `tar --remove-files`, `zip -m`.
function changes.archive(command)
  local argv, moves = command.argv, false
  local moving = MOVES[command.program]
  for at = 2, moving and #argv or 1 do moves = moves or argv[at]:find(moving) ~= nil end
  for at = 2, moves and #argv or 1 do
    local kind = not command.unknown[at] and argv[at]:sub(1, 1) ~= "-" and paths.look(command.place, command.cwd, argv[at])
    local reason = kind and MOVED[kind]
      and refuse("files.move-away", command, "moves away a folder that more than this work is in (" .. argv[at] .. ")", "Move what is meant by name")
    if reason then return reason end
    reason = argv[at] == "/dev/null" and refuse("files.move-to-null", command, "loses what is moved", "Move it to a folder")
    if reason then return reason end
  end
end

--- dd and programs with its operands: what is unknown may be the file that they write.
function changes.dd(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    local target = word:match("^of=(.*)$")
    if command.unknown[at] and (target or word:find("^[$`]")) then return nil, reasons.shown(command.argv) end
  end
end

--- shred: what it overwrites cannot be recovered.
function changes.shred(command)
  for _, at in ipairs(command.args.operands) do
    local word = command.argv[at]
    local written = judge_write(command, { word = word, cwd = command.cwd })
    if written then return written end
    if removal.is_fed(command, at) then return removal.fed(command, true) end
    if command.unknown[at] then return nil, reasons.shown(command.argv) end
    local kind = paths.look(command.place, command.cwd, word)
    if kind ~= "temporary" then
      local id = kind == "below" and "files.shred-project" or "files.shred"
      local reason = refuse(id, command, "makes a file unrecoverable", "Use rm for what is yours to remove")
      if reason then return reason end
    end
  end
end

--- Programs that changes.archive judges.
changes.archivers = MOVES

return changes
