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

-- A path with the home of the user as that of root.
local function of_root(command, path)
  local home = command.place.home
  -- Of a home that is the root of the machine, as containers have one, the paths stay.
  return path and home and path:sub(1, #home + 1) == home .. "/" and "/root" .. path:sub(#home + 1) or path
end

-- The target of what a command writes, as `of_root`.
local function written(command, effect) return of_root(command, effect.kind == "write" and effect.target) end

local OF_THE_PROJECT = words.set "below here temporary unclear"

local function lets_in(command, effect)
  local path = written(command, effect)
  -- The home folder of an image, or of a test.
  local is_real = path and words.matches(path, { "^/root/%.", "^/home/[^/]+/%.", "^/etc/" })
  local is_other = path and not is_real and OF_THE_PROJECT[paths.look(command.place, command.cwd, effect.target)]
  if not path or is_other then return false end
  return words.matches(path, LETS_IN) or words.matches(path, AT_LOGIN) and overwrites(command, effect.word)
end

-- Files whose text runs by itself: when somebody logs in or opens a terminal, at a time, when the machine starts.
local RUN_AT_LOGIN = {
  "^/root/%.[%a_]*profile$", "^/root/%.%a+rc$", "^/root/%.zshenv$", "^/root/%.z?[%a_]*login$", "^/root/%.config/fish/.",
  "^/root/%.config/autostart/.", "^/root/%.config/systemd/.", "/LaunchAgents/.", "/LaunchDaemons/.",
  "^/etc/cron[%a.]*/.", "^/etc/crontab$", "^/var/spool/cron/.", "^/etc/systemd/.", "^/lib/systemd/.",
  "^/usr/lib/systemd/.",
  "^/etc/rc%.local$", "^/etc/profile%.d/.", "^/etc/profile$",
}

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

-- When a job runs: five fields, or a name such as `@daily`.
local FIELDS, NAME = ("[%d%a*/,-]+%s+"):rep(5) .. "(.+)$", "@%a+%s+(.+)$"

-- The command in a line of such a file: behind the time of a job, and the user; of a service, `ExecStart=…`.
local function command_in(line)
  local job = line:match(NAME) or line:match(FIELDS)
  return job and (job:match("^root%s+(.+)$") or job) or line:match("^Exec%a*=[-@+!:]*(.+)$") or line
end

--- Judges what a command writes to a file that runs by itself: code that is fetched and run, say. Returns a reason to
--- deny it, or nil.
--- @param judge_line function(line, command) that judges a command line
function harm.plants(command, judge_line)
  for _, effect in ipairs(command.effects) do
    local path = written(command, effect)
    for _, text in ipairs(path and words.matches(path, RUN_AT_LOGIN) and texts_of(command) or {}) do
      local lines = { text:find("%s") and text or nil }
      for line in (#text < 20000 and text or ""):gmatch("[^\n]+") do
        local inner = command_in(line)
        if inner ~= line and #lines < 50 then lines[#lines + 1] = inner end
      end
      for _, line in ipairs(lines) do
        local reason = judge_line(line, command)
        -- What it does to files and repositories is the user's own affair.
        if reason and reason:find("^shell%-guard %(code%.") then return reason end
      end
    end
  end
end

--- Judges the commands of jobs that a line writes for crontab: `(crontab -l; echo '@daily …') | crontab -`.
--- Returns a reason to deny it, or nil.
--- @param judge_line function(line, command) that judges a command line
function harm.jobs(command, judge_line)
  local texts = { command.stdin }
  for at = 1, #command.from > 0 and command.at - 1 or 0 do
    local before = command.all[at]
    texts[#texts + 1] = before.stdin
    for n = 2, #before.argv do texts[#texts + 1] = before.argv[n]:gsub("\\n", "\n") end
  end
  return reasons.each(texts, function(text)
    -- A script of sed has an instruction in front of the job: `$a @daily …`.
    for line in text:gmatch("[^\n]+") do
      local job = line:match(NAME) or line:match(FIELDS)
      local reason = job and judge_line(job, command)
      if reason then return reason end
    end
  end)
end

local DISKS = { "^/dev/[shv]d%a", "^/dev/nvme", "^/dev/mmcblk", "^/dev/r?disk%d" }
-- Keys of a person, without which nothing else can be read.
local KEYS = { "^/root/%.ssh/id_%w+$", "^/home/[^/]+/%.ssh/id_%w+$", "^/root/%.gnupg/.", "^/home/[^/]+/%.gnupg/." }

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
    local target = effect.target or ""
    if effect.kind == "write" and command.interprets and words.matches(target, DISKS) then
      return reasons.of("disk.write-device", command, "writes to a device (" .. target .. ")", "Write to a file")
    end
    local is_lost = effect.kind == "remove" or effect.kind == "write" and overwrites(command, effect.word)
    if is_lost and words.matches(of_root(command, target), KEYS) then
      local because = "would remove a key (" .. target .. ")"
      return reasons.of("files.rm-outside-roots", command, because, "Let the user do it")
    end
    if not lets_in(command, effect) then return nil end
    local because = "is read whenever somebody logs in, or lets somebody in"
    return reasons.refusal("files.write-login", effect.word, because, "Let the user change it")
  end)
end

return harm
