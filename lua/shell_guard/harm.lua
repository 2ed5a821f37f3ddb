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

-- Whether a command replaces all that is in a file that it writes.
local function overwrites(command, word)
  for _, redirect in ipairs(command.redirects) do
    if redirect.target == word then return OVERWRITES[redirect.op] end
  end
  return command.program == "tee" and command.argv[2] ~= "-a" and command.argv[2] ~= "--append"
end

-- The target of what a command writes, with its home as that of root.
local function written(command, effect)
  local target, home = effect.kind == "write" and effect.target, command.place.home
  -- Of a home that is the root of the machine, as containers have one, the paths stay.
  if target and home and target:sub(1, #home + 1) == home .. "/" then return "/root" .. target:sub(#home + 1) end
  return target
end

local function lets_in(command, effect)
  local path = written(command, effect)
  return path and (words.matches(path, LETS_IN) or words.matches(path, AT_LOGIN) and overwrites(command, effect.word))
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
  for _, effect in ipairs(command.effects) do
    local path = written(command, effect)
    for _, text in ipairs(path and words.matches(path, RUN_AT_LOGIN) and texts_of(command) or {}) do
      local reason = text:find("%s") and judge_line(text, command)
      -- What it does to files and repositories is the user's own affair.
      if reason and reason:find("^shell%-guard %(code%.") then return reason end
    end
  end
end

-- When a job runs: five fields, or a name such as `@daily`.
local FIELDS, NAME = ("[%d%a*/,-]+%s+"):rep(5) .. "(.+)$", "@%a+%s+(.+)$"

--- Judges the commands of jobs that a line writes for crontab: `(crontab -l; echo '@daily …') | crontab -`.
--- Returns a reason to deny it, or nil.
--- @param judge_line function(line, command) that judges a command line
function harm.jobs(command, judge_line)
  for at = 1, #command.from > 0 and command.at - 1 or 0 do
    for n, word in ipairs(command.all[at].argv) do
      local text = n > 1 and word:gsub("\\n", "\n") or ""
      -- A script of sed has an instruction in front of the job: `$a @daily …`.
      for line in text:gmatch("[^\n]+") do
        local job = line:match(NAME) or line:match(FIELDS)
        local reason = job and judge_line(job, command)
        if reason then return reason end
      end
    end
  end
end

local OF_THE_PROJECT = words.set "below here temporary unclear"

-- Whether a command lets a program run with the rights of its owner: `chmod u+s`, `chmod 4755`, `setcap`.
local function gives_rights(command)
  if command.program == "setcap" then return true end
  return command.program:find("chmod$") and words.any(command.argv, function(word)
    return word:find("^[ugo]*%+[rwxXt]*s") or word:find("^[2467]%d%d%d$")
  end, 2)
end

--- Judges a command of a file. Returns a reason to deny it, or nil.
function harm.judge(command)
  return reasons.each(command.effects, function(effect)
    local path = effect.kind == "attributes" and effect.target
    local kind = path and gives_rights(command) and paths.look(command.place, command.cwd, path)
    if kind and not OF_THE_PROJECT[kind] and paths.is_system(path) then
      local because = "lets whoever runs " .. path .. " act as its owner"
      return reasons.of("system.setuid", command, because, "Let the user do it")
    end
    if not lets_in(command, effect) then return nil end
    local because = "is read whenever somebody logs in, or lets somebody in"
    return reasons.refusal("files.write-login", effect.word, because, "Let the user change it")
  end)
end

return harm
