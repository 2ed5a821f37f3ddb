-- Splits a line for PowerShell or cmd into its commands. It knows quotes, pipes, blocks and parentheses, and does not
-- evaluate expressions.

local find, lower, match, sub = string.find, string.lower, string.match, string.sub

local windows_line = {}

-- Deepest nesting of blocks that is read.
local MOST_NESTED = 50

-- Variables with a known value, in lower case.
local VALUES = {
  ["$home"] = "~", ["${home}"] = "~", ["$env:userprofile"] = "~", ["${env:userprofile}"] = "~", ["$env:home"] = "~",
  ["%userprofile%"] = "~", ["%homepath%"] = "~", ["$env:homepath"] = "~",
  ["$profile"] = "~/.config/powershell/profile.ps1", ["$pwd"] = ".", ["${pwd}"] = ".", ["%cd%"] = ".", ["$psscriptroot"] = ".",
  ["$env:systemdrive"] = "C:", ["%systemdrive%"] = "C:", ["$env:systemroot"] = "C:/Windows", ["%systemroot%"] = "C:/Windows",
  ["$env:windir"] = "C:/Windows", ["%windir%"] = "C:/Windows", ["$env:programfiles"] = "C:/Program Files",
  ["%programfiles%"] = "C:/Program Files", ["$env:temp"] = "/tmp", ["%temp%"] = "/tmp", ["$env:tmp"] = "/tmp", ["%tmp%"] = "/tmp",
}

-- Replaces known variables. Returns the text, and whether all of it is known.
local function expanded(text)
  local known = true
  local function value(name)
    local found = VALUES[lower(name)]
    if not found then known = false end
    return found
  end
  if find(text, "$", 1, true) then
    text = text:gsub("%${[%w_:]+}", value):gsub("%$[%a_][%w_]*:?[%w_]*", value)
    if find(text, "$", 1, true) then known = false end
  end
  if find(text, "%", 1, true) then
    text = text:gsub("(%%[%w_]+%%)(%w?)", function(name, behind)
      -- A backslash behind a folder is gone if a POSIX shell has read the line: `%temp%\x`.
      local found = value(name)
      return found and found .. (behind == "" and "" or "/") .. behind
    end)
  end
  return text, known
end

-- Reads the quoted text that begins at a position. Returns its value, whether it is known, and the position after it.
local function quoted(line, at)
  local quote = sub(line, at, at)
  local parts, known, from = {}, true, at + 1
  while true do
    local stop = find(line, quote == "'" and "'" or '[`"]', from)
    if not stop then return nil end
    parts[#parts + 1] = sub(line, from, stop - 1)
    local mark, next_mark = sub(line, stop, stop), sub(line, stop + 1, stop + 1)
    if mark == "`" then
      parts[#parts + 1] = next_mark
      from = stop + 2
    elseif next_mark == quote then
      parts[#parts + 1] = quote
      from = stop + 2
    else
      from = stop + 1
      break
    end
  end
  local text = table.concat(parts)
  if quote == '"' then text, known = expanded(text) end
  return text, known, from
end

-- A reader of one line.
local Reader = {}
Reader.__index = Reader

function Reader:begin(from)
  self.command = { words = {}, known = {}, from = from, targets = {}, listed = {} }
end

-- Ends the current command. @param piped whether the next one reads its output
function Reader:finish(piped)
  local command = self.command
  if #command.words > 0 or #command.targets > 0 then self.list[#self.list + 1] = command end
  if #command.words > 0 then self.last = command end
  -- In a block, $_ stands for what the pipeline before the block hands over.
  self:begin(piped and self.last or self.outer)
end

function Reader:word(text, known)
  local command = self.command
  if self.is_target then
    self.is_target = false
    command.targets[#command.targets + 1] = { text = text, known = known }
    return
  end
  local n = #command.words + 1
  command.words[n], command.known[n] = text, known
  command.listed[n], self.is_listed = self.is_listed, nil
end

-- The command continues behind the block, with the block as a word that is not known.
function Reader:open()
  if #self.stack >= MOST_NESTED then return false end
  if self.is_target then self:word("(…)", false) end
  self.stack[#self.stack + 1] = { command = self.command, outer = self.outer }
  self.outer = self.command.from
  self:begin(self.outer)
  return true
end

function Reader:close()
  self:finish(false)
  local top = table.remove(self.stack)
  if not top then return false end
  self.command, self.outer = top.command, top.outer
  if #self.command.words > 0 then self:word("(…)", false) end
  return true
end

-- Reads a word without quotes around it. Returns the position after it.
function Reader:bare(line, at)
  local parts, known, from = {}, true, at
  while from <= #line do
    local mark = sub(line, from, from)
    if mark == "`" then
      parts[#parts + 1] = sub(line, from + 1, from + 1)
      from = from + 2
    elseif mark == '"' or mark == "'" then
      local text, is_known, behind = quoted(line, from)
      if not text then return nil end
      parts[#parts + 1], known, from = text, known and is_known, behind
    else
      local run = match(line, "^%${[%w_:]+}", from) or match(line, "^[^%s;|&(){}'\"`,<>]+", from)
      if not run then break end
      local text, is_known = expanded(run)
      parts[#parts + 1], known, from = text, known and is_known, from + #run
    end
  end
  if from == at then return nil end
  self:word(table.concat(parts), known)
  return from
end

-- Reads what begins at a position. Returns the position after it; nil if it cannot be read.
function Reader:step(line, at)
  local mark = sub(line, at, at)
  if mark == "\n" or mark == "\r" or mark == ";" then
    self:finish(false)
    return at + 1
  end
  local continued = match(line, "^`\r?\n()", at)
  if continued then return continued end
  local here = match(line, '^@(["\'])%s*\n', at)
  if here then
    local stop = find(line, "\n" .. here .. "@", at, true)
    if not stop then return nil end
    self:word(sub(line, find(line, "\n", at, true) + 1, stop - 1), here == "'")
    return stop + 3
  end
  if mark == "#" then return find(line, "\n", at, true) or #line + 1 end
  if find(line, "^<#", at) then
    local _, stop = find(line, "#>", at, true)
    return stop and stop + 1
  end
  local joined = match(line, "^&&()", at) or match(line, "^||()", at)
  if joined then
    self:finish(false)
    return joined
  end
  if mark == "|" then
    self:finish(true)
    return at + 1
  end
  -- The call operator of PowerShell, or what separates the commands of cmd.
  if mark == "&" then
    if #self.command.words > 0 then self:finish(false) end
    self.command.called = true
    return at + 1
  end
  if mark == "(" or mark == "{" or find(line, "^[$@][({]", at) and not find(line, "^%${[%w_:]+}", at) then
    local width = (mark == "(" or mark == "{") and 1 or 2
    return self:open() and at + width or nil
  end
  if mark == ")" or mark == "}" then return self:close() and at + 1 or nil end
  local redirected, target = match(line, "^[%d*]?>>?()(&?%d?)", at)
  if redirected then
    self.is_target = target == ""
    return redirected + #target
  end
  if mark == "," then self.is_listed = true end
  if mark == "," or mark == "<" then return at + 1 end
  return self:bare(line, at)
end

--- Returns the commands of a line in order, or nil if it cannot be split. A command has:
---   words   its words; known variables and the home directory are replaced
---   known   for each word, whether its value is known
---   from    the command whose output it reads, or nil
---   called  whether `&` precedes it, so that a variable is a program
---   targets the files of its redirects: { text, known }
---   listed  for each word, whether a comma precedes it, so that it belongs to the same value as the word before
function windows_line.commands(line)
  local reader = setmetatable({ list = {}, stack = {}, is_target = false }, Reader)
  reader:begin(nil)
  local at = 1
  while at <= #line do
    local next_at = match(line, "^[ \t]+()", at) or reader:step(line, at)
    if not next_at then return nil end
    at = next_at
  end
  reader:finish(false)
  if #reader.stack > 0 then return nil end
  return reader.list
end

return windows_line
