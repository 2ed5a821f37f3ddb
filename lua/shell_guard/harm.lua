-- Harm that only counts in files that a line runs: keys and credentials that are sent away, and files with which somebody else
-- gets in or takes over. In the line itself, secret-guard and path-guard judge these.

local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local secrets = require "file_guard.secrets"
local words = require "shell_guard.words"

local harm = {}

local OF_THE_PROJECT = words.set "below here temporary"

-- Whether a file that is sent is a secret of the home or of the machine, or a home with all that is in it.
local function is_private(path, command)
  if path:find("^env:") then return path == "env:*" end
  if path == command.place.home or path == "/root" or path == "/home" or path:find("^/home/[^/]+$") then return true end
  return not OF_THE_PROJECT[paths.look(command.place, command.cwd, path)] and secrets.match(path) ~= nil
end

-- Files that let somebody in, and those that are read whenever somebody logs in or the machine starts.
local LETS_IN = { "/%.ssh/authorized_keys2?$", "^/etc/ld%.so%.preload$", "^/etc/hosts%.equiv$" }
local AT_LOGIN = {
  "^/root/%.%a*rc$", "^/root/%.%a*profile$", "^/home/[^/]+/%.%a*rc$", "^/home/[^/]+/%.%a*profile$", "^/etc/profile$", "^/etc/hosts$",
  "^/etc/crontab$", "^/etc/fstab$",
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

--- Judges a command of a file. Returns a reason to deny it, or nil.
function harm.judge(command)
  for _, effect in ipairs(command.effects) do
    if effect.kind == "write" and lets_in(command, effect) then
      return reasons.refusal(
        "files.write-login", effect.word, "is read whenever somebody logs in, or lets somebody in", "Let the user change it"
      )
    elseif effect.kind == "connect" and effect.from and is_private(effect.from, command) then
      local what = effect.from:find("^env:") and "the environment" or effect.from
      return reasons.refusal(
        "code.send-secrets", reasons.shown(command.argv), "sends " .. what .. " to another machine", "Let the user do it"
      )
    end
  end
end

return harm
