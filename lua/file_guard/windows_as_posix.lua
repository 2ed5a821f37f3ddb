-- Writes a line for PowerShell or cmd as a line for a POSIX shell that reads and writes the same files, so that it can be
-- judged as one. The language is not evaluated: what a line computes is an unknown word.
local commands = require "shell_guard.windows_commands"
local line_reader = require "shell_guard.windows_line"
local names = require "shell_guard.windows_names"
local set = require("file_guard.words").set

-- Cmdlet → what does the same in a POSIX shell. `{-x -y 2}` stands for the value of -x or -y, else for the second operand;
-- `{-x *}` for all of them. A part with an empty value is left out, and so is a command without values, unless it ends with
-- an empty `{}`.
local SAME = {
  ["get-content"] = "cat {-path -literalpath *}", ["select-string"] = "grep {-pattern 1} {-path -literalpath 2}",
  ["import-csv"] = "cat {-path -literalpath 1}", ["import-clixml"] = "cat {-path -literalpath 1}",
  ["import-powershelldatafile"] = "cat {-path -literalpath 1}", ["format-hex"] = "od {-path -literalpath 1}",
  ["get-childitem"] = "ls {-path -literalpath *}{}", ["get-item"] = "ls {-path -literalpath *}",
  ["set-content"] = "tee {-path -literalpath 1}", ["add-content"] = "tee -a {-path -literalpath 1}",
  ["clear-content"] = "truncate {-path -literalpath *}", ["out-file"] = "tee {-filepath -literalpath 1}",
  ["tee-object"] = "tee {-filepath -literalpath 1}", ["export-csv"] = "tee {-path -literalpath 1}",
  ["export-clixml"] = "tee {-path -literalpath 1}", ["export-alias"] = "tee {-path -literalpath 1}",
  ["start-transcript"] = "tee {-path -literalpath -outputdirectory 1}", ["save-module"] = "tee {-path -literalpath}/x",
  ["set-itemproperty"] = "touch {-path -literalpath 1}", ["set-item"] = "touch {-path -literalpath 1}",
  ["set-acl"] = "touch {-path -literalpath 1}", ["clear-item"] = "truncate {-path -literalpath 1}",
  ["copy-item"] = "cp -r {-path -literalpath 1} {-destination 2}", ["move-item"] = "mv {-path -literalpath 1} {-destination 2}",
  ["remove-item"] = "rm -r {-path -literalpath *}", mkdir = "mkdir {-path *}", md = "mkdir {-path *}",
  ["invoke-webrequest"] = "curl -o {-outfile} -T {-infile} {-uri 1}",
  ["invoke-restmethod"] = "curl -o {-outfile} -T {-infile} {-uri 1}",
  ["start-bitstransfer"] = "curl -o {-destination 2} {-source 1}",
  ["expand-archive"] = "unzip {-path -literalpath 1} -d {-destinationpath 2}",
  ["compress-archive"] = "zip -r {-destinationpath 2} {-path -literalpath 1}",
  ["set-location"] = "cd {-path -literalpath 1}", ["push-location"] = "pushd {-path -literalpath 1}", ["pop-location"] = "popd{}",
  ["start-process"] = "tee {-redirectstandardoutput} {-redirectstandarderror}",
  robocopy = "rsync -r {1}/ {2}", xcopy = "cp -r {1} {2}", attrib = "touch {*}",
}
-- Cmdlets whose output is a listing of files, so that `$_` behind them is one of these.
local LISTS = set "get-childitem get-item"
-- Further aliases, some of which are programs in other shells.
local ALIASES = {
  tee = "tee-object", sc = "set-content", ac = "add-content", ren = "rename-item", pushd = "push-location", popd = "pop-location",
  sls = "select-string", sp = "set-itemproperty", ipcsv = "import-csv", epcsv = "export-csv", sort = "sort-object", fhx = "format-hex",
}
local PATHS = set [[
  -path -literalpath -filepath -destination -destinationpath -outfile -infile -outputdirectory -redirectstandardoutput
  -redirectstandarderror -uri -pattern -source -name -newname -target -value -itemtype -filter -include -type ]]
local ABBREVIATED = {
  "-path", "-literalpath", "-filepath", "-destination", "-destinationpath", "-outfile", "-infile", "-redirectstandardoutput",
  "-redirectstandarderror", "-pattern", "-newname", "-target", "-itemtype", "-include", "-filter",
}
local VALUED = set [[
  -encoding -exclude -inputobject -width -delimiter -stream -credential -erroraction -ea -errorvariable -ev -outvariable -ov
  -warningaction -wa -informationaction -compressionlevel -timeoutsec -contenttype -useragent -argumentlist -depth -first -last
  -totalcount -head -tail -readcount -method -headers -body -form -workingdirectory -verb -context -property -attributes ]]
local DEVICES = set "$null nul con nul: con:"

local TELLING = set(table.concat(commands.telling, " "))

local as_posix = {}

--- Whether a program is one that only PowerShell and cmd have.
function as_posix.tells(program) return TELLING[program] == true end

-- Why the reader of POSIX lines does not read a line that is written for another shell.
local NOT_POSIX = "it is not in POSIX shell syntax"

--- Whether a line, as orcs.shell has read it, is one for PowerShell or cmd.
function as_posix.is_meant(read) return read.why == NOT_POSIX end

as_posix.is_cmdlet = commands.is_cmdlet

-- The path as a POSIX shell writes it; nil for a name in another store, such as the registry.
local function path_of(text)
  text = text:gsub("^[Mm]icrosoft%.[^:]*::", ""):gsub("^[Ff]ile[Ss]ystem::", ""):gsub("\\", "/")
  local drive, rest = text:match("^(%a):(.*)$")
  if drive then
    local temporary = rest:lower():match("^/users/[^/]+/appdata/local/temp/()")
    if temporary then return "/tmp/" .. rest:sub(temporary) end
    return "/" .. text
  end
  if text:find("^%a%w+:") and not text:find("://") then return nil end
  return text
end

-- Quotes a path; patterns in it stay patterns.
local function quoted(text)
  -- The home directory is a part of the value for PowerShell, and only of the line for others.
  local home, rest = text:match("^(~/)(.*)$")
  if text == "~" then return text end
  return (home or "") .. "'" .. (rest or text):gsub("'", "'\\''"):gsub("[*?]+", "'%0'") .. "'"
end

-- A word whose value is not known, as the words of POSIX shells are written.
local function unknown_word(text)
  local plain = text:gsub("\\", "/"):gsub("%$[Ee][Nn][Vv]:", "$"):gsub("%${?([%a_][%w_]*)[%w_.:]*}?", "$%1"):gsub("[^%w_./$~-]", "")
  return plain:find("%$[%a_]") and '"' .. plain .. '"' or '"$unknown"'
end

-- A reader of one line.
local Reader = {}
Reader.__index = Reader

-- The parameters and the operands of a command: lists of { text, known }.
local function parsed(command)
  local got = { named = {}, operands = {}, dry = false }
  local at, into = 2, got.operands
  while at <= #command.words do
    local word, known = command.words[at], command.known[at]
    local name, joined = word:match("^(%-%a+):(.+)$")
    name = (name or word):lower()
    for _, long in ipairs(#name > 2 and not PATHS[name] and not VALUED[name] and ABBREVIATED or {}) do
      if long:sub(1, #name) == name then
        name = long
        break
      end
    end
    if command.listed[at] then
      into[#into + 1] = { text = word, known = known }
    elseif name:find("^%-%a+$") then
      into = {}
      if name == "-whatif" then got.dry = true end
      if PATHS[name] or VALUED[name] then
        got.named[name] = into
        if not joined then
          at = at + 1
          joined, known = command.words[at], command.known[at]
        end
        if joined then into[1] = { text = joined, known = known } end
      end
    elseif not (name:find("^/%a$") or name:find("^/%a[:%a]$")) then
      into = got.operands
      into[#into + 1] = { text = word, known = known }
    end
    at = at + 1
  end
  return got
end

-- The words of a POSIX line for a value: several, if it is one of the files of a listing.
function Reader:words_of(value, command)
  if value.known then
    local path = DEVICES[value.text:lower()] and "/dev/null" or path_of(value.text)
    return path and { quoted(path) } or {}
  end
  if DEVICES[value.text:lower()] then return { "/dev/null" } end
  local name, rest = value.text:match("^%${?([%w_]+)}?(.*)$")
  if not name then return { unknown_word(value.text) } end
  local held = name == "_" and self:listed(command) or self.values[name:lower()]
  if type(held) == "table" and (rest == "" or rest:find("^%.%a+$")) then return held end
  if type(held) == "string" and (rest == "" or rest:find("^[\\/.]")) then
    local path = path_of(held .. rest)
    return path and { quoted(path) } or {}
  end
  return { unknown_word(value.text) }
end

-- The files that a command lists, as words; nil if it lists none.
function Reader:files_of(command)
  if not LISTS[names.of(command.words[1])] then return nil end
  local got = parsed(command)
  local found = {}
  local folders = got.named["-path"] or got.named["-literalpath"] or got.operands
  local narrow = got.named["-filter"] or got.named["-include"]
  for _, value in ipairs(#folders > 0 and folders or { { text = ".", known = true } }) do
    for _, one in ipairs(narrow or { false }) do
      local below = one and (one.known and "/" .. quoted(one.text) or "/*") or #folders == 0 and "/*" or ""
      for _, word in ipairs(self:words_of(value, command)) do found[#found + 1] = word .. below end
    end
  end
  return found
end

-- What `$_` stands for in a command, or what it gets without operands; nil if it is not known, and an empty list if only some
-- of the files are meant.
function Reader:listed(command)
  local source, selected = command.from, false
  while source and source.from do
    selected = selected or names.of(source.words[1] or "") == "where-object"
    source = source.from
  end
  if not source or not source.words[1] then return nil end
  local found = self:files_of(names.trimmed(source, self.aliases))
  return found and selected and {} or found
end

function Reader:emit(line) self.lines[#self.lines + 1] = line end

-- The operand at a position of an entry of SAME: without the first, if a parameter gives that value.
local function operand_at(position, whole, got)
  local named = whole:match("{([^{}]*) 1}") or ""
  for word in named:gmatch("%S+") do
    if position > 1 and got.named[word] then return got.operands[position - 1] end
  end
  return got.operands[position]
end

-- The words for one part of an entry of SAME: `-path -literalpath 1`.
function Reader:part(spec, got, command, whole)
  local values
  for word in spec:gmatch("%S+") do
    if word == "*" then
      values = values or (#got.operands > 0 and got.operands or nil)
    elseif word:find("^%d$") then
      values = values or { operand_at(tonumber(word), whole, got) }
      if #values == 0 then values = nil end
    else
      values = values or got.named[word]
    end
  end
  local list = {}
  for _, value in ipairs(values or {}) do
    for _, word in ipairs(self:words_of(value, command)) do list[#list + 1] = word end
  end
  return list, values ~= nil
end

function Reader:same(spec, command)
  local got = parsed(command)
  if got.dry then return end
  local first, any, is_fed = true, spec:find("{}") ~= nil, command.from ~= nil and #got.operands == 0
  local line = spec:gsub("{}", ""):gsub("( %-?%a? ?){([^}]*)}", function(option, part)
    local list, given = self:part(part, got, command, spec)
    if not given and first and is_fed then list = self:listed(command) or list end
    first = false
    any = any or #list > 0
    if #list == 0 then return "" end
    return option .. table.concat(list, " ")
  end)
  if any then self:emit(line) end
end

-- New-Item: a file, a folder or a link.
function Reader:new_item(command)
  local got = parsed(command)
  if got.dry then return end
  local folders, items = got.named["-path"] or { got.operands[1] }, got.named["-name"]
  local kind = (got.named["-itemtype"] or got.named["-type"] or {})[1]
  local target = (got.named["-target"] or got.named["-value"] or {})[1]
  for _, folder in ipairs(#folders > 0 and folders or { { text = ".", known = true } }) do
    for _, word in ipairs(self:words_of(folder, command)) do
      for _, name in ipairs(items and items or { false }) do
        local full = name and word .. "/" .. (self:words_of(name, command)[1] or "x") or word
        if kind and kind.text:lower():find("link$") or kind and kind.text:lower() == "junction" then
          self:emit("ln -s " .. (target and self:words_of(target, command)[1] or '"$unknown"') .. " " .. full)
        else
          self:emit((kind and kind.text:lower() == "directory" and "mkdir " or "touch ") .. full)
        end
      end
    end
  end
end

-- Rename-Item: the new name is in the same folder.
function Reader:rename(command)
  local got = parsed(command)
  if got.dry then return end
  local item = (got.named["-path"] or got.named["-literalpath"] or got.operands)[1]
  local name = (got.named["-newname"] or { got.operands[item == got.operands[1] and 2 or 1] })[1]
  local from = item and self:words_of(item, command) or self:listed(command) or {}
  for _, word in ipairs(from) do
    local folder = word:match("^(.*/)[^/]*$") or ""
    if folder:find("^'") then folder = folder .. "'" end
    self:emit(name and name.known and "mv " .. word .. " " .. folder .. quoted(name.text) or "touch " .. word)
  end
end

-- Text that another shell runs.
function Reader:shell(command, program)
  local words = command.words
  for at = 2, #words do
    local small = words[at]:lower()
    local is_text = program == "cmd" and small:find("^/[ckr]$") or program ~= "cmd" and small:find("^[-/]c%a*$")
    if is_text or (program ~= "cmd" and at == 2 and not small:find("^[-/]") and not small:find("%.ps1$")) then
      return self:text(command, is_text and at + 1 or at)
    end
    if small:find("^[-/]e[nc]") then self.is_unread = true end
    if small:find("^[-/]f") then return end
  end
  self.is_unread = self.is_unread or command.from ~= nil
end

-- Reads the words of a command from a position on as a line of its own.
function Reader:text(command, from)
  for at = from, #command.words do
    if not command.known[at] then self.is_unread = true end
  end
  local text = table.concat(command.words, " ", from)
  if text == "" or self.depth > 3 then
    self.is_unread = true
    return
  end
  self.depth = self.depth + 1
  self:line(text)
  self.depth = self.depth - 1
end

-- A program of its own, which has other parameters.
function Reader:program(command)
  local list = {}
  for at, word in ipairs(command.words) do
    if not command.known[at] then
      for _, one in ipairs(self:words_of({ text = word, known = false }, command)) do list[#list + 1] = one end
    else
      local is_path = at == 1 or not word:find("[%s'\"()$^+{}|]")
      if at == 1 then word = word:gsub("%.[EeCcBb][XxMmAa][EeDdTt]$", "") end
      list[#list + 1] = is_path and quoted(path_of(word) or word) or "'" .. word:gsub("'", "'\\''") .. "'"
    end
  end
  self:emit(table.concat(list, " "))
end

local NARROWS = set "where-object select-string"

-- Whether a later command selects some of what a command returns.
function Reader:is_narrowed(of)
  for _, other in ipairs(self.list) do
    if other.from and other.from.words[1] == of[1] and NARROWS[ALIASES[names.of(other.words[1] or "")] or names.of(other.words[1] or "")] then return true end
  end
  return false
end

function Reader:look(command)
  for _, target in ipairs(command.targets) do
    for _, word in ipairs(self:words_of(target, command)) do self:emit(": > " .. word) end
  end
  local word = command.words[1]
  if not word or (not command.known[1]) then return end
  if word:find("^%[") or word:find("^%d") then return end
  local program = names.of(word)
  program = ALIASES[program] or program
  -- A program of Windows has the same name: `sc stop x`.
  if word:lower() == "sc" and not (command.words[2] or ""):find("[\\/.-]") then return end
  local spec = SAME[program]
  if program == "get-childitem" and (command.words[2] or ""):lower():find("^env:[\\/]?%*?$") then
    return self:emit(self:is_narrowed(command.words) and "env | grep NAME" or "env")
  end
  if program == "new-item" then return self:new_item(command) end
  if program == "rename-item" then return self:rename(command) end
  if names.is_shell(program) then return self:shell(command, program) end
  if program == "invoke-expression" then
    if command.words[2] then return self:text(command, (command.words[2]:lower():find("^%-c")) and 3 or 2) end
    local source = command.from
    if source and #source.words == 1 then return self:text(source, 1) end
    self.is_unread = true
    return
  end
  if spec then
    self:same(spec, command)
    -- An alias is a program where PowerShell does not have it: `curl -o x`, `tee -a x`.
    if program ~= "invoke-webrequest" or #parsed(command).operands < 2 then return end
  elseif commands.rules_of(program) or commands.is_harmless(program) then
    return
  elseif commands.is_cmdlet(program) and word:find("^%u") then
    self.is_unread = true
    return
  end
  self:program(command)
end

-- Calls of .NET on files, by the name of the method.
local CALLS = {
  { "^write", "tee" }, { "^append", "tee -a" }, { "^openwrite", "tee" }, { "^create", "tee" }, { "^delete", "rm -r" },
  { "^read", "cat" }, { "^openread", "cat" }, { "^opentext", "cat" }, { "^move", "mv" }, { "^copy", "cp" }, { "^replace", "mv" },
}

function Reader:calls(text)
  for kind, method, args in text:gmatch("%[[%w.]-(%a+)%]::(%a+)%s*(%b())") do
    kind, method = kind:lower(), method:lower()
    for _, call in ipairs((kind == "file" or kind == "directory") and CALLS or {}) do
      if method:find(call[1]) then
        local list = {}
        local wanted = (call[2] == "mv" or call[2] == "cp") and 2 or 1
        for argument in args:sub(2, -2):gmatch("[^,]+") do
          local literal = argument:match("^%s*[\"']([^\"'$]+)[\"']%s*$")
          if #list < wanted then list[#list + 1] = literal and quoted(path_of(literal) or literal) or '"$unknown"' end
        end
        self:emit(call[2] .. " " .. table.concat(list, " "))
        break
      end
    end
  end
end

-- Notes what a variable holds: `$x = 'a'`, `foreach ($f in Get-ChildItem *.ts)`.
function Reader:note(command)
  local name = (command.words[1] or ""):match("^%$([%w_]+)")
  if not name then return end
  local first, second = command.words[1], command.words[2]
  local held = first:match("^%$[%w_]+=([^%$]+)$")
  if second == "=" and #command.words == 3 and command.known[3] then held = command.words[3] end
  if second == "in" and command.words[3] then
    local listing = { words = {}, known = {}, listed = {}, targets = {} }
    for at = 3, #command.words do
      listing.words[at - 2], listing.known[at - 2], listing.listed[at - 2] = command.words[at], command.known[at], command.listed[at]
    end
    held = self:files_of(listing)
    self:look(listing)
  end
  self.values[name:lower()] = held
end

function Reader:line(text)
  local list = #text <= 65536 and line_reader.commands(text)
  if not list then
    self.is_unread = true
    return
  end
  self:calls(text)
  local outer = self.list
  self.list = list
  for _, one in ipairs(list) do
    self:note(one)
    self:look(names.trimmed(one, self.aliases))
  end
  self.list = outer
end

local function new()
  return setmetatable({ lines = {}, list = {}, values = {}, aliases = {}, depth = 0, is_unread = false }, Reader)
end

--- Returns the line, and whether a part of it could not be read.
function as_posix.line(text)
  local reader = new()
  reader:line(text)
  return table.concat(reader.lines, "\n"), reader.is_unread
end

--- The same for the words of a command that starts PowerShell or cmd.
function as_posix.words(argv, unknown)
  local reader, known = new(), {}
  for at = 1, #argv do known[at] = not unknown[at] end
  reader:look({ words = argv, known = known, listed = {}, targets = {} })
  return table.concat(reader.lines, "\n"), reader.is_unread
end

return as_posix
