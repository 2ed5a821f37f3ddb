-- Judges a command line: finds the rule for each command by its program.

local changes = require "shell_guard.changes"
local code = require "shell_guard.code"
local derived = require "shell_guard.derived_args"
local files_run = require "shell_guard.files_run"
local inner = require "shell_guard.inner"
local harm = require "shell_guard.harm"
local jobs = require "shell_guard.jobs"
local origins = require "shell_guard.origins"
local opaque = require "shell_guard.opaque"
local pipes = require "shell_guard.pipes"
local patterns = require "shell_guard.patterns"
local read_words = require "shell_guard.read_words"
local reasons = require "shell_guard.reasons"
local removal = require "shell_guard.removal"
local row_rules = require "shell_guard.row_rules"
local rules = require "shell_guard.rules"
local run_git = require "shell_guard.run_git"
local shells = require "shell_guard.shells"
local uncalled = require "shell_guard.uncalled"
local unknown = require "shell_guard.unknown"
local windows = require "shell_guard.windows"
local words = require "shell_guard.words"

local judge = {}

-- Program → functions(command, judge_line), each of which returns a reason to deny it, or nil and what is unclear.
local RULES = {}

-- GNU tools have the prefix `g` on systems with other versions, such as macOS: `grm`.
local GNU = words.set "rm find chmod chown chgrp mv cp ln dd shred tee truncate unlink sed tar"

local function on(names, judged)
  for _, name in ipairs(words.list(names)) do
    for _, each in ipairs(GNU[name] and { name, "g" .. name } or { name }) do
      RULES[each] = RULES[each] or {}
      table.insert(RULES[each], judged)
    end
  end
end

on("git patch", pipes.reverses)
on("git hub", run_git.judge)
on("rm srm unlink zf_rm", removal.rm)
on("rimraf del-cli wipe", removal.all)
on("shx", removal.shx)
on("cmake", removal.cmake)
on("find bfs", removal.find)
on("fd fdfind", removal.fd)
on("setfacl chattr", changes.attributes)
on("chmod chown chgrp", changes.tree)
on("tar bsdtar", pipes.extracts)
for name in pairs(changes.archivers) do on(name, changes.archive) end
on("mv", changes.mv)
on("cp ln install", changes.copy)
on("truncate", changes.cut)
on("dd dcfldd dc3dd", changes.dd)
on("rsync", changes.mirror)
on("shred", changes.shred)
on("kill", pipes.kill)
on("crontab", jobs.judge)
-- Programs that send their input over a connection.
on("nc ncat netcat nc.traditional nc.openbsd socat telnet openssl", origins.feeds_shell)
on("eval", shells.eval)
on("source .", shells.source)
on(table.concat(shells.names, " "), shells.shell)

local ELEVATES = words.set "sudo doas su pkexec run0"

local function refuse(id, command, because, instead)
  return reasons.refusal(id, reasons.shown(command.argv), because, instead)
end

local EMPTIES = { [":"] = true, ["true"] = true, [""] = true }

-- Judges what a command writes.
local function judge_writes(command)
  local reason = changes.writes(command)
  if reason then return reason end
  for _, redirect in ipairs(command.redirects) do
    if rules.on("files.empty") and EMPTIES[command.program] and redirect.op:find("^>|?$") and redirect.target ~= "/dev/null" then
      return reasons.refusal("files.empty", redirect.op .. " " .. redirect.target, "empties a file", "Leave it, or let the user do it")
    end
  end
end

-- A function that calls itself is a fork bomb if it does so more than once or in the background.
local function judge_recursion(command)
  -- In a file, a function may end: what feeds itself does not.
  if command.in_file then
    return command.from[1] == command.program
      and refuse("processes.fork-bomb", command, "is a fork bomb: it starts itself without end", "Write a loop that ends") or nil
  end
  local count = 0
  for _, other in ipairs(command.all) do
    if other.program == command.program and other.via[#other.via] == "recursion" then count = count + 1 end
  end
  if count > 1 or command.line:gsub("&&", ""):gsub("[<>]&", ""):gsub("&>", ""):find("&") then
    return refuse("processes.fork-bomb", command, "is a fork bomb: it starts itself without end", "Write a loop that ends")
  end
end

-- Conditions that always hold, behind `while`, `until` and `for`.
local ENDLESS = {
  { "while%s+([^;\n]+)[;\n]%s*do%s+([^%s;&|\n]+)[^;&|\n]*&%s*done", { "^[%w/]*true%s*$", "^:%s*$", "^[%[(]*%s*1%s*[%])]*$", "^%[+%s*true%s*%]+$" } },
  { "until%s+([^;\n]+)[;\n]%s*do%s+([^%s;&|\n]+)[^;&|\n]*&%s*done", { "^[%w/]*false%s*$", "^[%[(]*%s*0%s*[)]+$" } },
  { "for%s+(%(%([^;]*;%s*;[^;]*%)%))%s*;?%s*do%s+([^%s;&|\n]+)[^;&|\n]*&%s*done", { "." } },
}

local function endless(line)
  for _, loop in ipairs(ENDLESS) do
    local again, first = line:match(loop[1])
    for _, holds in ipairs(first and loop[2] or {}) do
      if again:find(holds) then return first end
    end
  end
end

-- Fork bombs such as `while true; do x & done`.
local function judge_loop(line, all)
  local first = endless(line)
  if not first then return nil end
  for _, command in ipairs(all) do
    if command.argv[1] == first then
      return reasons.refusal(
        "processes.fork-bomb", first .. " &", "is a fork bomb: it is started without end", "Bound how many are started, and wait for them"
      )
    end
  end
end

local judge_line

-- Judges the command lines that the code of a command runs. Returns a reason to deny it, or nil and what is unclear.
local function judge_runs(command)
  local unclear
  for _, line in ipairs(command.runs or {}) do
    local reason, open = judge_line(line, command)
    if reason then return reason end
    -- What other code runs is often computed.
    local is_code = code.interprets(command.program) and not command.program:find("awk$") and not line:find("$decoded", 1, true)
    if open and not is_code then unclear = unclear or reasons.piped(command) end
  end
  return nil, unclear
end

local DECODERS = words.set "base64 base32 xxd uudecode openssl"

local function judge_interpreter(command, program)
  local reason = code.judge(command)
  if reason then return reason end
  if derived.finder(command) and code.removes_files(command) then return removal.fed(command, false) end
  local is_decoded = #command.argv == 1 or command.argv[2] == "-"
  for _, name in ipairs(is_decoded and not command.stdin and command.from or {}) do
    if DECODERS[name] then return nil, reasons.piped(command) end
  end
  return nil, read_words.become_code(command, program) and reasons.shown(command.argv) or nil
end

local function judge_program(command, program)
  local reason, unclear = judge_runs(command)
  local function further(judged)
    if reason then return end
    local found, not_known = judged(command, judge_line)
    reason, unclear = found, unclear or not_known
  end
  for _, judged in ipairs(RULES[program] or {}) do further(judged) end
  if program ~= "git" then further(function()
    local found, open = row_rules.own(command, program)
    return found, open
  end) end
  if not RULES[program] and not row_rules.know_own(command, program) and not command.opaque and not code.interprets(program)
    and not command.runs and not command.in_file then
    further(function() return nil, unknown.judge(command, judge_line) end)
  end
  if reason then return reason end
  if code.interprets(program) then
    local not_known
    reason, not_known = judge_interpreter(command, program)
    if reason then return reason end
    unclear = unclear or not_known
  end
  reason = row_rules.of_packs(command, program)
    or ELEVATES[program] and refuse("system.sudo", command, "runs with all rights", "Let the user do what needs them")
  return reason or nil, not reason and unclear or nil
end

-- Fast path: most commands have nothing to judge.
-- @param after_windows whether commands of Windows stand in front of it, which may have written what it runs
local function is_plain(found, after_windows)
  local program = found.program
  if origins.is_foreign(found) then return false end
  if found.stdin and not unknown.is_known(found) then return false end
  if after_windows and windows.runs_download(found) then return false end
  return not found.opaque and RULES[program] == nil and not row_rules.know(found, program) and not ELEVATES[program]
    and not found.dialect and not found.runs and #found.redirects == 0 and not changes.has_writes(found)
    and found.via[#found.via] ~= "recursion" and not unknown.starts(found.argv) and not unknown.line_at(found.argv)
    and not code.interprets(program) and not program:find("^mk") and not program:find("^newfs") and not program:find("%u")
end

local function judge_command(command)
  for _, allowed in ipairs(command.allow) do
    if patterns.allows(allowed, command) then return nil end
  end
  local reason, unclear = origins.judge(command), nil
  if reason then return reason end
  if command.via[#command.via] == "recursion" then
    reason = judge_recursion(command)
    if reason then return reason end
  end
  local program = command.program:lower()
  reason = command.at > 1 and windows.runs_download(command) or command.dialect and judge_writes(command)
  if reason then return reason end
  if command.dialect then return windows.judge(command) end
  if command.opaque then
    unclear = opaque.judge(command)
    if program == "" and opaque.program(command) then
      program = opaque.program(command)
      command.args = inner.args({ program, table.unpack(command.argv, 2) })
    end
    if program == "" and command.argv[2] then
      -- Words behind an unknown name may be a command: `$SUDO rm -rf /`.
      local behind = inner.from(command, 2)
      reason = judge_program(behind, behind.program)
      if reason then return reason end
    end
  end
  local further
  reason, further = judge_program(command, program)
  return reason or judge_writes(command), unclear or further
end

local function set_of(positions)
  local set = {}
  for _, at in ipairs(positions) do set[at] = true end
  return set
end

-- Returns a line with the quote closed that is open at its end; nil if it has none, or if there is more behind it than
-- words. Shells run nothing of such a line; this is what was meant.
local function with_quote_closed(line)
  if line:find("$'", 1, true) or line:find("<<") then return nil end
  local open, opened
  local at = 1
  while at <= #line do
    local char = line:sub(at, at)
    if char == "\\" and open ~= "'" then
      at = at + 1
    elseif open and char == open then
      open = nil
    elseif not open and (char == "'" or char == '"') then
      open, opened = char, at
    end
    at = at + 1
  end
  if not open or line:find("[;|&\n()`<>#\\]", opened) or line:find("%$[^%w_]", opened) then return nil end
  return line .. open
end

-- What a command needs to know of the line or the file that it is in.
local function placed(found, all, at, line, around)
  -- Its line in a file is a number, and gives way to the text that it is in.
  found.all, found.at, found.in_file, found.line = all, at, not found.written and found.line or nil, line
  found.place, found.level, found.allow, found.depth = around.place, around.level, around.allow, around.depth
  found.unknown = set_of(found.unknown)
  return found
end

-- Judges a command of a file.
local function judge_file_command(command)
  local reason, unclear = judge_command(command)
  if command.written then return reason, unclear end
  local certain, is_open = nil, nil
  if reason then certain, is_open = files_run.certain(reason, command) end
  if certain then return judge_file_command(certain) end
  return not is_open and reason or nil
end

-- Judges the commands of files that a line runs. What is unclear in a file is allowed, but for a file that the line writes
-- itself. Returns a reason to deny it, or nil and what is unclear.
local function judge_files(files, around)
  local unclear
  for _, all in ipairs(files) do
    for at, found in ipairs(all) do
      found.all, found.at = all, at
      if found.unread then
        if found.unread == "written" then unclear = reasons.shown({ table.concat(found.via, " "), found.argv[1] }) end
      else
        local is_inert = is_plain(found, false)
        placed(found, all, at, "", around)
        local in_container = removal.in_container(found) or derived.has(found.via, "ssh")
        local reason, open
        if not is_inert then reason, open = judge_file_command(found) end
        reason = reason or not in_container and harm.judge(found)
        if not found.written then open, reason = nil, reason and files_run.reason(reason, found, around.place.start, in_container) end
        if reason then return reason end
        unclear = unclear or open
      end
    end
  end
  return nil, unclear
end

--- Judges a line, or the words of one command.
--- Returns a reason to deny it, or nil and what is unclear.
--- @param around { place, level, allow, cwd = where the line starts, depth = nesting depth or nil, dialect = its language or
--- nil }
function judge.line(line, around)
  local text = type(line) == "string" and line or ""
  local dialect = text ~= "" and around.dialect or nil
  -- What the files do that a line runs has been judged with its first reading.
  local is_first = not around.depth and not around.is_again
  local read = orcs.shell(line, around.cwd, (dialect or is_first) and { dialect = dialect, files = is_first } or nil)
  local all, files = read, nil
  if is_first then
    all, files = files_run.split(read)
    all.complete, all.why = read.complete, read.why
  end
  local closed = not all.complete and text ~= "" and #text < 4096 and all.why:find("unterminated")
    -- For these shells, a backslash is a part of a path.
    and not (dialect and text:find("\\", 1, true)) and with_quote_closed(text)
  if closed then return judge.line(closed, around) end
  local unclear
  -- Whether the line may be for another shell, and whether a part of it could not be read.
  local may_be_windows, unread = text:find("%a:\\") ~= nil or text:find("$env:", 1, true) ~= nil, not all.complete
  -- Functions of a text in a line, such as a script that it sources, may be called from outside of the text.
  local skips = not unread and not around.depth and uncalled.stay_so(line, all)
  local after_windows = false
  if text:find("&%s*done") then
    local reason = judge_loop(text, all)
    if reason then return reason end
  end
  for at, found in ipairs(all) do
    after_windows = after_windows or found.dialect ~= nil
    found.all, found.at = all, at
    if unread and #found.argv == 0 then
      -- Judged below.
    elseif not is_plain(found, after_windows) and not (skips and uncalled.is_in(found)) then
      local reason, open = judge_command(placed(found, all, at, text, around))
      if reason then return reason end
      unclear = unclear or open
    end
  end
  if text ~= "" and not dialect and (unread or may_be_windows) then
    local reason, open = judge.line(text, setmetatable({ dialect = "powershell", is_again = true }, { __index = around }))
    if reason then return reason end
    -- The rest of a line with a syntax error may be anything.
    open = unread or open
    if unread or open ~= true then unclear = unclear or open end
  elseif unread then
    unclear = unclear or true
  end
  if files and files[1] then
    local reason, open = judge_files(files, around)
    if reason then return reason end
    unclear = unclear or open
  end
  return nil, unclear
end

-- Judges a command line inside a command, such as one in code.
function judge_line(line, command)
  if (command.depth or 0) >= 3 then return nil end
  return judge.line(line, {
    cwd = command.cwd, place = command.place, level = command.level, allow = command.allow,
    depth = (command.depth or 0) + 1,
  })
end

return judge
