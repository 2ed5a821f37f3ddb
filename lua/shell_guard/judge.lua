-- Judges a command line: finds the rule for each command by its program.

local code = require "shell_guard.code"
local files = require "shell_guard.files"
local files_run = require "shell_guard.files_run"
local harm = require "shell_guard.harm"
local origins = require "shell_guard.origins"
local opaque = require "shell_guard.opaque"
local patterns = require "shell_guard.patterns"
local read_words = require "shell_guard.read_words"
local reasons = require "shell_guard.reasons"
local row_rules = require "shell_guard.row_rules"
local rules = require "shell_guard.rules"
local sent = require "shell_guard.sent"
local run_git = require "shell_guard.run_git"
local shells = require "shell_guard.shells"
local unknown = require "shell_guard.unknown"
local windows = require "shell_guard.windows"
local words = require "file_guard.words"

local judge = {}

-- Program → functions(command, judge_line), each of which returns a reason to deny it, or nil and what is unclear.
local RULES = {}

local function on(names, judged)
  for _, name in ipairs(words.list(names)) do
    RULES[name] = RULES[name] or {}
    table.insert(RULES[name], judged)
  end
end

on("git hub", run_git.judge)
on("find gfind bfs", files.find)
on("crontab", harm.jobs)
on("eval", shells.eval)
on("source .", shells.source)
on(table.concat(shells.names, " "), shells.shell)

local ELEVATED, DECODED = "sudo doas su pkexec run0", "base64 base32 xxd uudecode openssl"
local refuse = reasons.of
local ELEVATES, DECODERS = words.set(ELEVATED), words.set(DECODED)

-- A function that calls itself is a fork bomb if it does so more than once or in the background. In a file, a function
-- may end: what feeds itself does not.
local function judge_recursion(command)
  if command.via[#command.via] ~= "recursion" then return nil end
  local is_bomb = command.in_file and command.from[1] == command.program
  if not command.in_file then
    local count = 0
    for _, other in ipairs(command.all) do
      if other.program == command.program and other.via[#other.via] == "recursion" then count = count + 1 end
    end
    is_bomb = count > 1 or command.line:gsub("&&", ""):gsub("[<>]&", ""):gsub("&>", ""):find("&")
  end
  local because = "is a fork bomb: it starts itself without end"
  return is_bomb and refuse("processes.fork-bomb", command, because, "Write a loop that ends")
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
    if first and words.matches(again, loop[2]) then return first end
  end
end

-- Fork bombs such as `while true; do x & done`.
local function judge_loop(line, all)
  local first = endless(line)
  local is_run = first and words.any(all, function(command) return command.argv[1] == first end)
  local because, instead = "is a fork bomb: it is started without end", "Bound how many are started, and wait for them"
  return is_run and reasons.refusal("processes.fork-bomb", first .. " &", because, instead)
end

local judge_line

-- Programs that run commands on another machine or in a container. Not chroot: its root may be that of the machine.
local FAR = words.set [[
  ssh mosh docker podman nerdctl kubectl oc docker-compose vagrant multipass lxc incus adb pdsh pssh ansible
  gcloud fly flyctl wsl
]]

-- Judges the command lines that the code of a command runs. Returns a reason to deny it, or nil and what is unclear.
local function judge_runs(command)
  if not command.runs then return nil end
  -- What other code runs is often computed.
  local is_code = command.interprets and not command.program:find("awk$")
  return reasons.each(command.runs, function(line)
    -- In a file, what another machine runs is no harm to this one, if nothing runs beside it.
    local is_one = command.in_file and not line:find("[;&|<>`$\n]")
    if is_one and FAR[line:match("^%s*'?([%w-]+)'?%s")] then return nil end
    local reason, open = judge_line(line, command)
    return reason, open and not (is_code and not line:find("$decoded", 1, true)) and reasons.piped(command)
  end)
end

local function judge_files_of(command) return files.judge(command, command.interprets) end

local function judge_interpreter(command)
  local reason = code.judge(command)
  if reason then return reason end
  local given, is_open = nil, nil
  if code.removes_files(command) then given, is_open = files.judge_given(command) end
  if given or is_open then return given, reasons.shown(command.argv) end
  local is_decoded = (#command.argv == 1 or command.argv[2] == "-") and not command.stdin
    and words.any(command.from, function(name) return DECODERS[name] end)
  if is_decoded then return nil, reasons.piped(command) end
  return nil, read_words.become_code(command, command.program:lower()) and reasons.shown(command.argv)
end

local function judge_rows(command) return row_rules.own(command, command.program:lower()) end

local function judge_packs(command) return row_rules.of_packs(command, command.program:lower()) end

local function judge_elevation(command)
  return refuse("system.sudo", command, "runs with all rights", "Let the user do what needs them")
end

-- Judges a command by its program.
local function judge_program(command)
  local program, list = command.program:lower(), { judge_runs }
  local of_program, interprets = RULES[program], command.interprets
  if files.concern(command) then list[2] = judge_files_of end
  for _, judged in ipairs(of_program or {}) do list[#list + 1] = judged end
  if program ~= "git" then list[#list + 1] = judge_rows end
  if not (of_program or interprets or row_rules.know_own(command, program) or command.opaque or command.in_file
    or command.runs and command.described) then
    list[#list + 1] = unknown.judge
  end
  if interprets then list[#list + 1] = judge_interpreter end
  list[#list + 1] = judge_packs
  if ELEVATES[program] then list[#list + 1] = judge_elevation end
  return reasons.each(list, function(judged) return judged(command, judge_line) end)
end

-- Fast path: most commands have nothing to judge.
local function is_plain(found)
  local program = found.program
  if origins.is_foreign(found) or sent.is_any(found) then return false end
  if found.stdin and not unknown.is_known(found) then return false end
  return not found.opaque and RULES[program] == nil and not row_rules.know(found, program) and not ELEVATES[program]
    and not found.dialect and not found.runs and #found.redirects == 0 and not files.concern(found)
    and found.via[#found.via] ~= "recursion" and not unknown.starts(found.argv) and not unknown.line_at(found.argv)
    and not found.interprets and not program:find("^mk") and not program:find("^newfs") and not program:find("%u")
end

-- The words of a command behind the first one as a line, with a program in front of them or nil. Those that are not
-- known stay as they are written.
local function line_of(command, name)
  local parts = { name }
  for at = 2, #command.argv do
    local word = command.argv[at]
    parts[#parts + 1] = command.unknown[at] and word or "'" .. word:gsub("'", "'\\''") .. "'"
  end
  return table.concat(parts, " ")
end

-- Judges a command of which only the shell knows the program. Words behind an unknown name may be a command:
-- `$SUDO rm -rf /`.
local function judge_opaque(command)
  if not command.opaque then return nil end
  local unclear, has_no_name = opaque.judge(command), command.program == ""
  local name = has_no_name and opaque.program(command) or nil
  if not name and not (has_no_name and command.argv[2]) then return nil, unclear end
  local reason, open = judge_line(line_of(command, name), command)
  return reason, unclear or open
end

-- For these shells, files.judge says what is unclear.
local function judge_windows_writes(command) return (files.judge_writes(command)) end

-- What is judged of commands of PowerShell and cmd, and of those of POSIX shells.
local OF_WINDOWS = { judge_windows_writes, windows.judge }
local OF_POSIX = { judge_opaque, judge_program, files.judge_writes }

local function judge_command(command)
  for _, allowed in ipairs(command.allow) do
    if patterns.allows(allowed, command) then return nil end
  end
  local reason = origins.judge(command) or sent.judge(command) or judge_recursion(command)
    or harm.plants(command, judge_line)
  if reason then return reason end
  return reasons.each(command.dialect and OF_WINDOWS or OF_POSIX, function(judged) return judged(command, judge_line) end)
end

--- What has to be looked at in a call that only reads, for orcs.only_reads; nil if everything has to be.
function judge.looked_at()
  if rules.on("code.remove-files") or rules.on("code.inline") then return nil end
  local programs = words.list(ELEVATED .. " " .. DECODED)
  for name in pairs(RULES) do programs[#programs + 1] = name end
  row_rules.list_programs(programs)
  -- Loops, and lines that may be for PowerShell.
  return { programs = programs, says = { "done", ":\\", "$env:" } }
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
  local unknown = {}
  for _, position in ipairs(found.unknown) do unknown[position] = true end
  found.unknown = unknown
  return found
end

-- Judges a command of a file.
local function judge_file_command(command)
  local reason, unclear = judge_command(command)
  if command.written or not reason then return reason, unclear end
  local certain, is_open = files_run.certain(reason, command)
  if certain then return judge_file_command(certain) end
  return not is_open and reason
end

-- Judges the commands of a file that a line runs. What is unclear in it is allowed, but for a file that the line writes
-- itself. Returns a reason to deny it, or nil and what is unclear.
local function judge_file(all, around)
  return reasons.each(all, function(found, at)
    found.all, found.at = all, at
    if found.unread then
      return nil, found.unread == "written" and reasons.shown({ table.concat(found.via, " "), found.argv[1] })
    end
    local is_inert = is_plain(found)
    placed(found, all, at, "", around)
    local in_container = words.any(found.via, function(name) return FAR[name] end)
    local reason, open
    if not is_inert then reason, open = judge_file_command(found) end
    local function counted(because)
      if found.written or not because then return because end
      return files_run.reason(because, found, around.place.start, in_container)
    end
    -- A reason that does not count in files hides no other.
    return counted(reason) or counted(not in_container and harm.judge(found)), found.written and open
  end)
end

--- Judges a line, or the words of one command.
--- Returns a reason to deny it, or nil and what is unclear.
--- @param around { place, level, allow, cwd = where the line starts, depth = nesting depth or nil, dialect = its
---   language or nil }
function judge.line(line, around)
  local text = type(line) == "string" and line or ""
  local dialect = text ~= "" and around.dialect or nil
  -- What the files do that a line runs has been judged with its first reading.
  local is_first = not around.depth and not around.is_again
  local read = orcs.shell(line, around.cwd, (dialect or is_first) and { dialect = dialect, files = is_first } or nil)
  local all, of_files = read, {}
  if is_first then
    all, of_files = files_run.split(read)
    all.complete, all.why = read.complete, read.why
  end
  local closed = not all.complete and text ~= "" and #text < 4096 and all.why:find("unterminated")
    -- For these shells, a backslash is a part of a path.
    and not (dialect and text:find("\\", 1, true)) and with_quote_closed(text)
  if closed then return judge.line(closed, around) end
  -- Whether the line may be for another shell, and whether a part of it could not be read.
  local may_be_windows, unread = text:find("%a:\\") ~= nil or text:find("$env:", 1, true) ~= nil, not all.complete
  -- Functions of a text in a line, such as a script that it sources, may be called from outside of the text.
  local skips = not unread and not around.depth
  local loops = text:find("&%s*done") and judge_loop(text, all)
  if loops then return loops end
  local reason, unclear = reasons.each(all, function(found, at)
    found.all, found.at = all, at
    -- What could not be read is judged below.
    if unread and #found.argv == 0 then return nil end
    if is_plain(found) or skips and found.idle then return nil end
    return judge_command(placed(found, all, at, text, around))
  end)
  if reason then return reason end
  if text ~= "" and not dialect and (unread or may_be_windows) then
    local open
    reason, open = judge.line(text, setmetatable({ dialect = "powershell", is_again = true }, { __index = around }))
    if reason then return reason end
    -- The rest of a line with a syntax error may be anything.
    open = unread or open
    if unread or open ~= true then unclear = unclear or open end
  elseif unread then
    unclear = unclear or true
  end
  local open
  reason, open = reasons.each(of_files, function(of_file) return judge_file(of_file, around) end)
  return reason, unclear or open
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
