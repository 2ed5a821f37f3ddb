-- Judges lines for PowerShell and cmd, by the commands in them. The language itself is not evaluated: what a line
-- computes is unclear.

local artefacts = require "shell_guard.artefacts"
local commands = require "shell_guard.windows_commands"
local line_reader = require "shell_guard.windows_line"
local names = require "shell_guard.windows_names"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local words = require "shell_guard.words"

local windows = {}

local name_of = names.of

-- Longest line that is read.
local MOST = 65536

--- Whether a program or a tool is PowerShell or cmd.
windows.is_shell = names.is_shell

-- Why a path must not be removed, and the rules.
local NEVER = {
  root = "would remove a whole drive", top = "would remove a top-level folder", home = "would remove somebody's own files",
  here = "would remove the working directory with all that is in it", above = "would remove a folder that the working directory is in",
  git = "would remove the history of a repository", temp = "would remove all temporary files",
  outside = "is outside of what may be removed",
}

--- Whether a word names a program of Windows that may destroy something, with its ending: `sc.exe`.
function windows.is_program(word)
  return names.has_ending(word) and commands.rules_of(name_of(word)) ~= nil
end

local IDS = {
  root = "files.rm-root", top = "files.rm-top-level", home = "files.rm-home", here = "files.rm-working-directory",
  above = "files.rm-parent", git = "files.rm-git", temp = "files.rm-temp", outside = "files.rm-outside-roots",
}

-- Returns the kind of a path that must not be removed, or nil and whether it is unclear.
local function judge_path(around, word)
  local path = word:gsub("\\", "/"):gsub("^[Mm]icrosoft%.[^:]*::", "")
  local drive, below = path:match("^(%a:)/?(.*)$")
  if not drive then
    local kind, _, wide = paths.look(around.place, around.cwd, path)
    if kind == "unclear" then return nil, true end
    if kind == "temp" and not wide then return nil, true end
    return NEVER[kind] and kind
  end
  below = below:lower():gsub("/+$", "")
  if below == "" or below:find("^[*.]*$") then return "root" end
  if below:find("^users/[^/]+/appdata/local/temp/.") then return nil end
  if below:find("^users/[^/]+$") or below:find("^users/[^/]+/%*") then return "home" end
  if below:find("^[^/]+$") or below:find("^[^/]+/%*") then return "top" end
  return "outside"
end

-- Parameters of Remove-Item and Get-ChildItem whose value is not a path.
local TAKES_VALUE = words.set "-filter -include -exclude -stream -credential -depth -erroraction -ea -attributes"
local NARROWS = words.set "-filter -include"
-- Programs of cmd, whose switches may be written without spaces: `/s/q`.
local WITH_SWITCHES = words.set "rd rmdir del erase"

-- Returns the value of a parameter that is written behind a colon: `-Path:C:\\`; nil if there is none.
local function joined_path(small, word)
  local name, value = small:match("^(%-%a+):(.+)$")
  if not name or (not ("-path"):find(name, 1, true) and not ("-literalpath"):find(name, 1, true)) then return nil end
  return word:sub(-#value)
end

-- Returns the position of the last word of a value, which may be a list: `*.log,*.tmp`.
local function value_end(command, at)
  while command.listed and command.listed[at + 1] do at = at + 1 end
  return at
end

-- The operands of a command that takes paths, and how it is called: `narrow`, whether a pattern selects among the files, and
-- `generated`, whether only generated files match it.
local function called(command)
  local got = { operands = {}, recursive = false, dry = false, narrow = false, generated = false, open = false }
  local has_switches = WITH_SWITCHES[command.words[1]:lower()]
  local at = 2
  while at <= #command.words do
    local word = command.words[at]
    local small = word:lower()
    local path = joined_path(small, word)
    if path then
      command.words[at] = path
      got.operands[#got.operands + 1] = at
    elseif TAKES_VALUE[small] then
      local last = value_end(command, at + 1)
      if NARROWS[small] then
        got.narrow, got.generated = true, true
        for n = at + 1, last do got.generated = got.generated and artefacts.name(command.words[n] or "") end
      end
      at = last
    elseif small:find("^%-r") and ("-recurse"):sub(1, #small) == small or small == "/s" or small:find("^%-[fdv]*r[fdv]*$") then
      got.recursive = true
    elseif small:find("^%-wh?a?t?i?f?$") and small ~= "-w" or small == "-wi" or small:find("^%-whatif:%$t") then
      got.dry = true
    elseif has_switches and small:find("^/%a/") then
      got.recursive = got.recursive or small:find("/s") ~= nil
    elseif not small:find("^%-") and not (small:find("^/%a") and #small <= 3) then
      got.operands[#got.operands + 1] = at
    end
    -- Splatting: `@parameters`.
    if small:find("^@") then got.open = true end
    at = at + 1
  end
  return got
end

local function shown(command) return reasons.shown(command.words) end

local BELOW = "Name a folder below the working directory"

-- Where the files come from that are piped to a command: the first command of the pipeline, and whether a later one
-- selects among them.
local function source_of(command)
  local source, selected = command.from, false
  while source and source.from do
    selected = selected or name_of(source.words[1]) == "where-object"
    source = source.from
  end
  return source, selected
end

local function judge_operands(command, got, around)
  local open
  for _, at in ipairs(got.operands) do
    if command.known[at] then
      local kind, unclear = judge_path(around, command.words[at])
      local reason = kind and reasons.refusal(IDS[kind], shown(command), NEVER[kind] .. " (" .. command.words[at] .. ")", BELOW)
      if reason then return reason end
      open = open or unclear
    else
      open = true
    end
  end
  return nil, open or got.open
end

-- Folders that are removed with all that is in them even without -Recurse: PowerShell asks, and "yes" is its default.
local WHOLE = words.set "root home here above"

local function judge_single(command, got, around)
  for _, at in ipairs(got.operands) do
    local word = command.words[at]
    local kind = command.known[at] and not word:find("[*?]") and judge_path(around, word)
    -- In the root there may be single files, which have an ending.
    local is_whole = kind and (WHOLE[kind] or (kind == "top" and not word:find("%.%w+$")))
    local reason = is_whole and reasons.refusal(IDS[kind], shown(command), NEVER[kind] .. " (" .. word .. ")", BELOW)
    if reason then return reason end
  end
end

-- Keys of the registry.
local REGISTRY = { "^hk%a+:", "^registry::", "^microsoft%.powershell%.core\\registry::" }

local function judge_registry(command, got)
  for _, at in ipairs(got.operands) do
    for _, pattern in ipairs(REGISTRY) do
      local reason = command.words[at]:lower():find(pattern)
        and reasons.refusal("windows.registry", shown(command), "deletes settings of the machine", "Let the user do it")
      if reason then return reason end
    end
  end
end

-- Whether an operand may be a folder in which even generated files are not the project's.
local function reaches_far(command, got, around)
  for _, at in ipairs(got.operands) do
    local kind, unclear = judge_path(around, command.words[at])
    if not command.known[at] or unclear or (kind and kind ~= "here") then return true end
  end
  return got.open
end

local function judge_removal(command, around)
  local got = called(command)
  if got.dry then return nil end
  local of_registry = judge_registry(command, got)
  if of_registry then return of_registry end
  local source, selected = source_of(command)
  local is_fed = source ~= nil and (#got.operands == 0 or not command.known[got.operands[1]])
  if is_fed and commands.is_cmdlet(name_of(source.words[1])) then
    local listed = called(source)
    if not got.recursive and not listed.recursive then return nil end
    if listed.generated and not reaches_far(source, listed, around) then return nil end
    if selected or listed.narrow then return nil, shown(command) end
    if #listed.operands == 0 then
      listed.operands = { #source.words + 1 }
      source.words[#source.words + 1], source.known[#source.known + 1] = "*", true
    end
    local reason, open = judge_operands(source, listed, around)
    return reason, open and shown(command) or nil
  end
  if not got.recursive then return judge_single(command, got, around) end
  if got.generated and not reaches_far(command, got, around) then return nil end
  local reason, open = judge_operands(command, got, around)
  return reason, open and shown(command) or nil
end

-- Stop-Process, for all processes that another command lists.
local function judge_stop(command)
  local source, selected = source_of(command)
  if not source or selected or name_of(source.words[1]) ~= "get-process" or #source.words > 1 or #called(command).operands > 0 then return nil end
  return reasons.refusal("processes.kill-all", shown(source) .. " | " .. shown(command), "ends everything that runs", "Name the process by its id")
end

local function judge_move(command, around)
  local at = called(command).operands[1]
  if not at or not command.known[at] then return nil end
  local kind = judge_path(around, command.words[at])
  if kind and kind ~= "outside" and kind ~= "temp" then
    return reasons.refusal("files.move-away", shown(command), NEVER[kind], "Name what is to be moved")
  end
end

local CODE = { "%.downloadstring", "%.downloaddata", "%f[%w]iwr%f[%W]", "%f[%w]irm%f[%W]", "invoke%-webrequest", "invoke%-restmethod" }

local judge_command, judge_text

local function refuse_download(what)
  return reasons.refusal("code.run-download", what, "runs what was downloaded, unseen", "Download it to a file and look at it first")
end

-- Judges Invoke-Expression: what it runs is known only if it is written in the line.
local function judge_expression(command, around)
  local source = source_of(command)
  if source and commands.downloads[name_of(source.words[1])] then
    local reason = refuse_download(shown(source) .. " | " .. shown(command))
    if reason then return reason end
  end
  for _, pattern in ipairs(CODE) do
    local reason = around.text:lower():find(pattern) and refuse_download(shown(command))
    if reason then return reason end
  end
  local option = command.words[2]
  local first = option and ("-command"):sub(1, #option) == option:lower() and 3 or 2
  local text, known = command.words[first], command.known[first]
  if source and not text and #source.words == 1 then text, known = source.words[1], source.known[1] end
  if not text or not known then return nil, shown(command) end
  return judge_text(text, around)
end

local CMD_RUNS = words.set "/c /k /r"

-- Judges what PowerShell or cmd are started with.
local function judge_shell(command, around)
  local is_cmd = name_of(command.words[1]) == "cmd"
  for at = 2, #command.words do
    local small = command.words[at]:lower()
    local is_text = is_cmd and CMD_RUNS[small]
      or not is_cmd and #small > 1 and ("-command"):sub(1, #small) == small:gsub("^/", "-")
    if is_text or (not is_cmd and not small:find("^[-/]") and at == 2) then
      local from = is_text and at + 1 or at
      if command.words[from] == "-" then return nil, shown(command) end
      if not is_cmd and small:find("%.ps1$") then return nil end
      for n = from, #command.words do
        if not command.known[n] then return nil, shown(command) end
      end
      return judge_text(table.concat(command.words, " ", from), around)
    end
    if not is_cmd and (small:find("^[-/]e[nc]") or small:find("^[-/]e$")) then return nil, shown(command) end
    if not is_cmd and small:find("^[-/]f") then return nil end
  end
  -- Interactive, or with a program from its input.
  if command.from or (not is_cmd and command.words[2] == "-") then return nil, shown(command) end
end

-- Options whose value is the file of a download, with their abbreviations.
local TO_FILE = words.set [[
  -o -out -outf -outfi -outfil -outfile -des -dest -desti -destin -destina -destinat -destinati -destinatio -destination
]]

-- Notes the file that a command downloads.
local function note_fetched(command, around)
  local program = name_of(command.words[1])
  if commands.fetches[program] and (program ~= "certutil" or table.concat(command.words, " "):lower():find("urlcache")) then
    around.fetched = around.fetched or {}
    around.fetched[command.words[#command.words]:gsub("\\", "/"):match("[^/]*$"):lower()] = true
  end
  if not commands.downloads[program] then return end
  for at = 2, #command.words - 1 do
    local small = command.words[at]:lower()
    if TO_FILE[small] then
      around.fetched = around.fetched or {}
      around.fetched[command.words[at + 1]:gsub("\\", "/"):match("[^/]*$"):lower()] = true
    end
  end
end

-- Whether a command runs a file that the line has downloaded.
local function is_fetched(command, around)
  local program = name_of(command.words[1])
  local first = around.fetched[command.words[1]:gsub("\\", "/"):match("[^/]*$"):lower()] and command.words[1]
  if first then return true end
  if not windows.is_shell(program) and program ~= "start-process" and program ~= "invoke-item" then return false end
  for at = 2, #command.words do
    if around.fetched[command.words[at]:gsub("\\", "/"):match("[^/]*$"):lower()] then return true end
  end
  return false
end

-- The program that Start-Process starts, with its arguments. Several of them may be in one text.
local function started(command)
  local list = {}
  for at = 2, #command.words do
    local word = command.words[at]
    if not word:find("^%-[%a]+$") or #list > 0 and not word:lower():find("^%-[fanwv]%a+$") then
      if #list == 0 then
        list[1] = word
      else
        for part in word:gmatch("%S+") do list[#list + 1] = part end
      end
    end
  end
  return list
end

local function judge_words(list, command, around)
  if #list == 0 then return nil end
  local name = name_of(list[1])
  list[1] = name
  if windows.is_shell(name) then
    local known = {}
    for at, word in ipairs(list) do known[at] = not word:find("[$%%]") end
    return judge_shell({ words = list, known = known, from = command.from }, around)
  end
  return around.judge_words(list)
end

-- The words of a command with a value in the place of a variable or a field: `%i`, `@path`.
local function filled(command, from, pattern, value)
  local inner = { words = {}, known = {}, targets = {}, listed = {} }
  for at = from, #command.words do
    local n = #inner.words + 1
    inner.words[n], inner.known[n] = command.words[at]:gsub(pattern, function() return value end), command.known[at]
  end
  return inner
end

-- Judges what `for` of cmd runs for each word in the parentheses: `for /d %i in (C:\*) do rd /s %i`.
local function judge_for(command, around)
  local from, folder
  for at, word in ipairs(command.words) do
    if word:lower() == "do" then from = at + 1 end
    if word:lower() == "/r" and not (command.words[at + 1] or "%"):find("^%%") then folder = command.words[at + 1] end
  end
  local values = folder and { folder .. "\\*" } or around.previous and around.previous.words or {}
  local open
  for _, value in ipairs(from and values or {}) do
    local inner = names.trimmed(filled(command, from, "%%+~?[%a]*%a", value), {})
    if folder and name_of(inner.words[1] or "") == "remove-item" then
      inner.words[#inner.words + 1], inner.known[#inner.known + 1] = "/s", true
    end
    local reason, unclear = judge_command(inner, around)
    if reason then return reason end
    open = open or unclear
  end
  return nil, open
end

-- Judges what forfiles runs for each file: `forfiles /p C:\ /s /c "cmd /c del @path"`.
local function judge_forfiles(command, around)
  local folder, text = ".", nil
  for at, word in ipairs(command.words) do
    if word:lower() == "/p" then folder = command.words[at + 1] or folder end
    if word:lower() == "/c" then text = command.words[at + 1] end
  end
  if not text then return nil end
  local value = folder:gsub("[\\/]+$", "") .. "\\*"
  return judge_text((text:gsub("@%a+", function() return value end)), around)
end

function judge_command(command, around)
  local word = command.words[1]
  if not word then return nil end
  if not command.known[1] then
    if command.called then return nil, shown(command) end
    -- A file of a listing removes itself.
    if word:lower() == "$_.delete" then
      return judge_removal({ words = { "Remove-Item", "$_" }, known = { true, false }, from = command.from }, around)
    end
    return nil
  end
  if around.fetched and is_fetched(command, around) then
    local reason = refuse_download(shown(command))
    if reason then return reason end
  end
  if word:find("^%[") or word:find("^%d") then
    local text = shown(command):lower()
    if text:find("::delete") or text:find("::start") or text:find("::create") then return nil, shown(command) end
    return nil
  end
  local program = name_of(word)
  if program == "for" then return judge_for(command, around) end
  if program == "forfiles" then return judge_forfiles(command, around) end
  if program == "remove-item" then return judge_removal(command, around) end
  if program == "stop-process" then
    local reason = judge_stop(command)
    if reason then return reason end
  end
  if program == "move-item" or program == "rename-item" then return judge_move(command, around) end
  if program == "invoke-expression" then return judge_expression(command, around) end
  if windows.is_shell(program) then return judge_shell(command, around) end
  if program == "start-process" then return judge_words(started(command), command, around) end
  local args = table.concat(command.words, " ", 2):lower():gsub("\\", "/")
  local listed = commands.rules_of(program)
  local is_dry = args:find("%-whatif%f[^%w]") and not args:find("%-whatif:%$f")
  for _, one in ipairs(is_dry and {} or listed or {}) do
    local reason = args:find(one[1]) and reasons.refusal(one[3], shown(command), one[2], commands.instead)
    if reason then return reason end
  end
  if listed or commands.is_harmless(program) then return nil end
  if commands.is_cmdlet(program) and word:find("^%u") then return nil, shown(command) end
  -- A program of its own: its rules are those of other lines.
  local list = { program }
  for at = 2, #command.words do list[at] = command.words[at] end
  return around.judge_words(list)
end

-- Judges a text. Returns as windows.line.
function judge_text(text, around)
  if (around.depth or 0) > 3 then return nil, reasons.shown({ text }) end
  local list = #text <= MOST and line_reader.commands(text)
  if not list then return nil, true end
  local here = setmetatable({ text = text, depth = (around.depth or 0) + 1 }, { __index = around })
  local aliases, open = {}, nil
  for _, one in ipairs(list) do
    local command = names.trimmed(one, aliases)
    if command.words[1] then
      local reason, unclear = judge_command(command, here)
      note_fetched(command, here)
      here.previous = command
      if reason then return reason end
      open = open or unclear
    end
  end
  if text:lower():find("%)%s*%.delete%s*%(") then open = open or reasons.shown({ text }) end
  return nil, open
end

--- Judges a line for PowerShell or cmd. Returns a reason to deny it, or nil and what is unclear (true: the line could not
--- be read).
--- @param around { place, cwd, level, depth, judge_words = function(list of words) that judges another program }
function windows.line(text, around) return judge_text(text, around) end

--- Judges a command of a POSIX line that is one of Windows, or starts PowerShell or cmd.
function windows.command(command, around)
  local list, known = {}, {}
  for at, word in ipairs(command.argv) do list[at], known[at] = word, not command.unknown[at] end
  local from = #command.from > 0 and { words = { command.from[1] }, known = { true } } or nil
  around = setmetatable({ text = command.line }, { __index = around })
  return judge_command({ words = list, known = known, from = from }, around)
end

return windows
