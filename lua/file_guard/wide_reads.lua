-- Commands that read everything below the working directory, the secrets in it included: a recursive
-- search for a pattern that any line matches, and programs that list all files for another to show.
-- Whether there is a secret is not known here, so commands that look for something are left alone.
local names = require "file_guard.names"
local path = require "file_guard.path"
local reading = require "file_guard.reading"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has

-- Programs that show or send all of a file.
local WHOLE = set [[
  cat tac nl head tail less more most bat batcat view xxd od hexdump hd strings base64 base32 basenc rev fold fmt pr
  column expand curl wget http https nc ncat socat gpg openssl pbcopy xclip xsel ]]
-- Programs that send what they read to another machine, or show it.
local SENDS = set [[
  curl wget http https xh nc ncat netcat socat telnet base64 base32 basenc xxd od hexdump hd strings cat tac openssl ]]
-- Programs that pack the files in a list.
local PACKS = { "cpio", "tar", "bsdtar", "gtar", "zip", "pax" }
local HANDS = set "xargs parallel find fd fdfind"
local COUNTS = set "grep egrep fgrep rg ag"
local SUBSTITUTES = set "$() <()"
local FIND, FD = set "find gfind", set "fd fdfind"
-- Tests with which find looks for certain files.
local NARROWS = set [[
  -name -iname -path -ipath -wholename -iwholename -regex -iregex -mtime -mmin -newer -cmin -ctime -amin -atime -perm
  -samefile -inum -empty -links -user -group -lname ]]
local FD_RUNS = set "-x -X --exec --exec-batch"
local FD_HIDDEN = set "-H --hidden -u --unrestricted"
local RG_HIDDEN = set "--hidden -. --unrestricted"
local EXCLUDES = set "--exclude --exclude-from -X -x -E --ignore --exclude-ignore --exclude-vcs-ignores --ignore-file"
local STDOUT = set "- /dev/stdout"

-- Whether a glob that leaves files out leaves out .env in every folder.
local function covers(glob)
  local lead, last = glob:match("^(.*)/([^/]*)$")
  if lead and lead:find("[^.*/]") then return false end
  return names.fits(last or glob, ".env")
end

-- Whether any line matches a regular expression, or each that assigns something: what remains
-- without classes, quantifiers and anchors is nothing or "=".
local function is_wide(pattern, fixed)
  if fixed then return pattern == "" or pattern == "=" end
  for branch in (pattern:gsub("\\|", "|") .. "|"):gmatch("([^|]*)|") do
    local rest = branch:gsub("\\[wWsSbBdD<>]", ""):gsub("%[%^?%]?[^%]]*%]", "."):gsub("\\?{[%d,]*\\?}", "")
      :gsub("%w\\?[*?]", "")
    local is_blank = branch:gsub("\\s[*+]?", ""):gsub("%[%[:space:%]%][*+]?", "") == "^$"
    if not is_blank and not rest:find("[^.*+?^$()\\=:%s\"'-]") then return true end
  end
  return false
end

-- Whether a folder is the working directory of the call, or contains it; or, in a line that leaves
-- that directory, is the one that it goes to.
local function is_top(text, command, cwd)
  local place = path.resolve(text, command.cwd)
  if not cwd or place:sub(1, 1) ~= "/" then return place == "." or place == ".." end
  if path.inside(place, cwd) then return true end
  return place == command.cwd and not path.inside(cwd, place)
end

-- Whether one of the operands is such a folder; without operands, whether the current folder is one.
local function from_top(operands, first, command, cwd)
  if not operands[first] then return is_top(".", command, cwd) end
  for i = first, #operands do
    if is_top(operands[i].text, command, cwd) then return true end
  end
  return false
end

-- Whether the options leave out .env, or select files by name or type.
local function is_selected(options)
  for _, option in ipairs(options) do
    local name, text = option.name, option.text or ""
    if name == "--exclude" and covers(text) then return true end
    if name == "--include" and not covers(text) then return true end
    if name == "-g" or name == "--glob" or name == "--iglob" then
      if text:sub(1, 1) ~= "!" and not covers(text) or text:sub(1, 1) == "!" and covers(text:sub(2)) then return true end
    end
    if name == "-t" or name == "--type" or name == "--exclude-from" then return true end
  end
  return false
end

-- Whether grep and the like show nearly all lines of what they read.
local function shows_lines(command)
  local program = command.program:lower()
  local spec = reading.PATTERN_FIRST[program]
  if not spec or not spec.quiet then return false, {}, {} end
  local operands, options = split(command.argv, spec.valued)
  if has(options, spec.quiet) or (program ~= "rg" and has(options, set "-L")) then return false, operands, options end
  local fixed = program == "fgrep" or has(options, set "-F --fixed-strings")
  local wide, given = has(options, set "-v --invert-match"), false
  for _, option in ipairs(options) do
    if spec.from[option.name] then given = true end
    if spec.pattern[option.name] then
      given = true
      wide = wide or is_wide(option.text or "x", fixed)
    end
  end
  if not given then
    local first = table.remove(operands, 1)
    wide = wide or (first ~= nil and is_wide(first.text, fixed))
  end
  return wide, operands, options
end

-- Whether a search reads everything below the working directory and shows nearly all of it.
local function searches_all(command, cwd)
  local program = command.program:lower()
  local wide, operands, options = shows_lines(command)
  if not wide or is_selected(options) then return false end
  if program:find("grep$") then
    if not has(options, set "-r -R --recursive --dereference-recursive") then return false end
  elseif program ~= "ack" then
    -- rg and ag leave out hidden files, unless told not to.
    local unrestricted = 0
    for _, option in ipairs(options) do
      if option.name == "-u" then unrestricted = unrestricted + 1 end
    end
    local hidden = has(options, RG_HIDDEN) or unrestricted > (program == "ag" and 0 or 1)
    if not hidden then return false end
  end
  return from_top(operands, 1, command, cwd)
end

-- Whether find visits all files from the working directory on, .env included.
local function finds_all(command, cwd)
  local argv, starts, at = command.argv, {}, 2
  while argv[at] and argv[at]:find("^%-[HLPO]") do at = at + 1 end
  while argv[at] and not argv[at]:find("^[-(!]") do
    starts[#starts + 1] = { text = argv[at] }
    at = at + 1
  end
  if not from_top(starts, 1, command, cwd) then return false end
  for i = at, #argv do
    local word, value = argv[i], argv[i + 1] or ""
    if word:find("^%-exec") or word:find("^%-ok") then return true end
    local left_out = argv[i - 1] == "!" or argv[i - 1] == "-not"
    local prunes = argv[i + 2] == "-prune"
    if (word == "-type" and value ~= "f") or word == "-delete" then return false end
    if NARROWS[word] then
      local by_name = word:find("name$") or word:find("path$")
      if (left_out or prunes) == (by_name and covers(value) or false) then return false end
      if not by_name and not left_out then return false end
    end
  end
  return true
end

-- Whether a command lists all files of the working directory, hidden ones included.
local function lists_all(command, cwd)
  local program, argv = command.program:lower(), command.argv
  if FIND[program] then return finds_all(command, cwd) end
  if program == "ls" then
    local operands, options = split(argv, set "-I -w -T --ignore --hide")
    for _, option in ipairs(options) do
      if (option.name == "-I" or option.name == "--ignore") and covers(option.text or "") then return false end
    end
    return has(options, set "-a -A --all --almost-all") and not has(options, set "-l -d --directory")
      and from_top(operands, 1, command, cwd)
  elseif program == "rg" then
    local operands, options = split(argv, reading.PATTERN_FIRST.rg.valued)
    return has(options, set "--files") and has(options, RG_HIDDEN) and not is_selected(options)
      and from_top(operands, 1, command, cwd)
  elseif FD[program] then
    local own = {}
    for at, word in ipairs(argv) do
      -- The rest is the command that fd runs.
      if FD_RUNS[word] then break end
      own[at] = word
    end
    local operands, options = split(own, reading.FD_VALUED)
    -- A part of the name, as a regular expression: `fd -H env`, `fd -H '^\.env$'`.
    local part = operands[1] and operands[1].text:gsub("^%^", ""):gsub("%$$", ""):gsub("\\", "")
    local any = not part or is_wide(operands[1].text) or (".env"):find(part, 1, true) ~= nil
    if not any or not has(options, FD_HIDDEN) or has(options, set "-e --extension") then return false end
    for _, option in ipairs(options) do
      if (option.name == "-E" or option.name == "--exclude") and covers(option.text or "") then return false end
    end
    return true
  elseif program == "git" then
    return orcs.contains(argv, "ls-files") and (orcs.contains(argv, "-o") or orcs.contains(argv, "--others"))
      and not orcs.contains(argv, "--exclude-standard")
  end
  return false
end

-- Programs of awk and sed that show all lines.
local AWK_SHOWS = { "^%s*[1-9]%s*$", "^%s*{%s*print[^}]*}%s*$" }

-- Whether awk or sed shows all lines of its files.
local function edits_shown(command)
  local spec = reading.PATTERN_FIRST[command.program]
  if spec ~= reading.AWK and spec ~= reading.SED then return false end
  local operands, options = split(command.argv, spec.valued)
  local program = words.value(options, set "-e --expression --source") or (operands[1] and operands[1].text) or ""
  if spec == reading.AWK then return program:find(AWK_SHOWS[1]) ~= nil or program:find(AWK_SHOWS[2]) ~= nil end
  if has(options, set "-i --in-place -f --file") then return false end
  if has(options, set "-n --quiet --silent") then return program:find("^[%d,$]*p$") ~= nil end
  return not program:find("d")
end

-- Whether a command shows what is in the files that another one lists.
local function shows_listed(command)
  if #command.unknown == 0 and not orcs.contains(command.argv, "{}") then return false end
  return WHOLE[command.program:lower()] or edits_shown(command) or (shows_lines(command))
end

-- Whether the files that command `i` lists are shown by a later one.
local function is_shown(commands, i)
  local lister = commands[i]
  local substituted = false
  for _, via in ipairs(lister.via) do substituted = substituted or SUBSTITUTES[via] end
  for k = i + 1, #commands do
    local command = commands[k]
    local reached = substituted or orcs.contains(command.from, lister.program)
    for _, via in ipairs(command.via) do
      reached = reached or via == lister.program or (HANDS[via] and orcs.contains(commands[k - 1].from, lister.program))
        or (HANDS[via] and commands[k - 2] ~= nil and orcs.contains(commands[k - 2].from, lister.program))
    end
    if reached and shows_listed(command) then return true end
    for _, packer in ipairs(reached and SENDS[command.program:lower()] and PACKS or {}) do
      if orcs.contains(command.from, packer) then return true end
    end
  end
  return false
end

-- The file in which tar or zip packs everything below the working directory, "-" for its output; nil
-- if it does not.
local function packed(command, cwd)
  local program, argv = command.program:lower(), command.argv
  if program == "zip" then
    local operands, options = split(argv, set "-x --exclude -i -b -P -n -t")
    if not has(options, set "-r --recurse-paths") or has(options, set "-x --exclude -i") then return nil end
    if not operands[2] or not from_top(operands, 2, command, cwd) then return nil end
    return operands[1].text
  end
  if program ~= "tar" and program ~= "bsdtar" and program ~= "gtar" then return nil end
  if argv[2] and not argv[2]:find("^%-") then
    argv = table.move(argv, 1, #argv, 1, {})
    argv[2] = "-" .. argv[2]
  end
  local operands, options = split(argv, reading.TAR_VALUED)
  if not has(options, set "-c --create") then return nil end
  local target = words.value(options, set "-f --file") or "-"
  local folder = words.value(options, set "-C --directory")
  for _, option in ipairs(options) do
    if EXCLUDES[option.name] and (option.name ~= "--exclude" or covers(option.text or "")) then return nil end
  end
  for _, operand in ipairs(operands) do
    local place = folder and path.resolve(operand.text, folder) or operand.text
    if is_top(place, command, cwd) then return target end
  end
  return nil
end

-- Whether what command `i` packs is sent or shown by a later one, or by its own redirect.
local function is_sent(commands, i, target)
  local packer = commands[i]
  local name = packer.program
  if STDOUT[target] then
    for _, redirect in ipairs(packer.redirects) do
      if redirect.target:find("^/dev/tcp/") or redirect.target:find("^/dev/udp/") then return true end
      if redirect.op:find(">") then target = redirect.target end
    end
  end
  for k = i + 1, #commands do
    local command = commands[k]
    local sends = SENDS[command.program:lower()] and not orcs.contains(command.via, "ssh")
    if sends and STDOUT[target] and orcs.contains(command.from, name) then return true end
    for at = 2, sends and not STDOUT[target] and #command.argv or 0 do
      local word = command.argv[at]
      if #target > 0 and word:sub(-#target) == target and not word:sub(1, -#target - 1):find("[%w_]$") then return true end
    end
  end
  return false
end

-- Whether only a count of what command `i` prints is shown.
local function is_counted(commands, i)
  for k = i + 1, #commands do
    local command = commands[k]
    local _, options = split(command.argv, set "-e")
    local counts = command.program == "wc" or (COUNTS[command.program] and has(options, set "-c -q --count --quiet"))
    if counts and orcs.contains(command.from, commands[i].program) then return true end
  end
  return false
end

-- Whether command `i` shows or sends all files below the working directory, alone or with those after
-- it.
-- cwd: the directory that the line starts in
local function reads(commands, i, cwd)
  local command = commands[i]
  if searches_all(command, cwd) then return not is_counted(commands, i) end
  if lists_all(command, cwd) then return is_shown(commands, i) end
  local target = packed(command, cwd)
  return target ~= nil and is_sent(commands, i, target)
end

return { reads = reads, is_wide = is_wide }
