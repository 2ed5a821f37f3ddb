-- Files with which somebody else gets in or takes over. In the line itself, path-guard judges these, but for code that
-- is fetched and run.

local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local words = require "file_guard.words"

local harm = {}

-- Files that let somebody in, and those that are read whenever somebody logs in or the machine starts.
local LETS_IN = { "/%.ssh/authorized_keys2?$", "^/etc/ld%.so%.preload$", "^/etc/hosts%.equiv$" }
local AT_LOGIN = {
  "^/root/%.%a*rc$", "^/root/%.%a*profile$", "^/home/[^/]+/%.%a*rc$", "^/home/[^/]+/%.%a*profile$", "^/etc/profile$",
  "^/etc/hosts$", "^/etc/crontab$", "^/etc/fstab$",
}
local OVERWRITES = words.set "> >| &>"

local function is_one(path, patterns)
  for _, pattern in ipairs(patterns) do
    if path:find(pattern) then return true end
  end
  return false
end

-- Whether a command replaces all that is in a file that it writes.
local function overwrites(command, word)
  for _, redirect in ipairs(command.redirects) do
    if redirect.target == word then return OVERWRITES[redirect.op] end
  end
  return command.program == "tee" and command.argv[2] ~= "-a" and command.argv[2] ~= "--append"
end

local function lets_in(command, effect)
  local path, home = effect.target, command.place.home
  if not path then return false end
  if home and path:sub(1, #home + 1) == home .. "/" then path = "/root" .. path:sub(#home + 1) end
  return is_one(path, LETS_IN) or is_one(path, AT_LOGIN) and overwrites(command, effect.word)
end

-- Files whose text a shell runs whenever somebody logs in or opens a terminal, below a home.
local RUN_AT_LOGIN = { "^/root/%.[%a_]*profile$", "^/root/%.%a+rc$", "^/root/%.zshenv$", "^/root/%.z?[%a_]*login$" }

-- The texts that a command may write: its words, its input, and the words of what it reads from.
local function texts_of(command)
  local texts = { command.stdin }
  for at = #command.from > 0 and command.at - 1 or command.at, command.at do
    local other = command.all[at]
    texts[#texts + 1] = other and other.stdin
    for n = 2, other and #other.argv or 0 do texts[#texts + 1] = other.argv[n] end
  end
  return texts
end

--- Judges what a command writes to a file that logins run: code that is fetched and run, say. Returns a reason to deny
--- it, or nil.
--- @param judge_line function(line, command) that judges a command line
function harm.plants(command, judge_line)
  local home = command.place.home
  for _, effect in ipairs(command.effects) do
    local path = effect.kind == "write" and effect.target
    if path and home and path:sub(1, #home + 1) == home .. "/" then path = "/root" .. path:sub(#home + 1) end
    for _, text in ipairs(path and is_one(path, RUN_AT_LOGIN) and texts_of(command) or {}) do
      local reason = text:find("%s") and judge_line(text, command)
      -- What it does to files and repositories is the user's own affair.
      if reason and reason:find("^shell%-guard %(code%.") then return reason end
    end
  end
end

local OF_THE_PROJECT = words.set "below here temporary unclear"

-- Whether a command lets a program run with the rights of its owner: `chmod u+s`, `chmod 4755`, `setcap`.
local function gives_rights(command)
  if command.program == "setcap" then return true end
  for at = 2, command.program:find("chmod$") and #command.argv or 0 do
    if command.argv[at]:find("^[ugo]*%+[rwxXt]*s") or command.argv[at]:find("^[2467]%d%d%d$") then return true end
  end
  return false
end

--- Judges a command of a file. Returns a reason to deny it, or nil.
function harm.judge(command)
  for _, effect in ipairs(command.effects) do
    local path = effect.kind == "attributes" and effect.target
    local kind = path and gives_rights(command) and paths.look(command.place, command.cwd, path)
    if kind and not OF_THE_PROJECT[kind] and paths.is_system(path) then
      local because = "lets whoever runs " .. path .. " act as its owner"
      return reasons.of("system.setuid", command, because, "Let the user do it")
    end
    if effect.kind == "write" and lets_in(command, effect) then
      local because = "is read whenever somebody logs in, or lets somebody in"
      return reasons.refusal("files.write-login", effect.word, because, "Let the user change it")
    end
  end
end

return harm
