-- Evaluates the commands that an awk program runs: literals, variables that are set to literals, their concatenation,
-- sprintf, ENVIRON, ARGV and $0, in `system(…)`, `… | getline` and `print | …`. What is printed into a command is judged as
-- its input, and the files that it prints into are judged as those of a redirection.

local reasons = require "shell_guard.reasons"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local awk = {}

-- Longest program that is read, and longest text that is put together.
local MOST = 16384

local ESCAPES = { n = "\n", t = "\t", r = "\r", ["/"] = "/", ['"'] = '"', ["\\"] = "\\" }

-- Returns the text of a literal without its quotes.
local function literal(text)
  return (text:gsub("\\(x?)(%w?)(%w?)(%w?)", function(x, a, b, c)
    if x == "x" and (a .. b):find("^%x%x$") then return string.char(tonumber(a .. b, 16)) .. c end
    local octal = x == "" and (a .. b .. c):match("^[0-3]?[0-7][0-7]")
    if octal then return string.char(tonumber(octal, 8)) .. (a .. b .. c):sub(#octal + 1) end
    return x .. (ESCAPES[a] or a) .. b .. c
  end):gsub("\\(.)", "%1"))
end

-- Kinds of tokens behind which a slash divides; behind all others it begins a regular expression.
local DIVIDED = words.set "text number field regex ) ]"
local BEFORE_REGEX = words.set "print printf return in case"

local function begins_regex(previous)
  if not previous then return true end
  if previous[1] == "name" then return BEFORE_REGEX[previous[2]] == true end
  return not DIVIDED[previous[1]]
end

-- Returns the position of the slash that ends a regular expression.
local function regex_end(program, at)
  local in_class = false
  for n = at + 1, #program do
    local char = program:sub(n, n)
    if char == "\\" then
      -- The next character is none of these.
    elseif program:sub(n - 1, n - 1) == "\\" and program:sub(n - 2, n - 2) ~= "\\" then
      -- Escaped.
    elseif char == "[" then
      in_class = true
    elseif char == "]" then
      in_class = false
    elseif char == "\n" or char == "/" and not in_class then
      return n
    end
  end
  return #program
end

-- Splits a program into tokens: { kind, text }. Kinds: "text", "regex", "name", "number", "field", or the operator itself.
-- Also returns the program without its comments.
local function tokens(program)
  local found, at = {}, 1
  local kept, from = {}, 1
  while at <= #program do
    local comment = program:match("^#[^\n]*", at)
    local text = comment or program:match("^%s+", at)
    if comment then
      kept[#kept + 1] = program:sub(from, at - 1)
      from = at + #comment
    end
    if text then
      if text:find("\n") then found[#found + 1] = { ";", ";" } end
      at = at + #text
    elseif program:sub(at, at) == '"' then
      local ends = at + 1
      while ends <= #program and program:sub(ends, ends) ~= '"' do
        ends = ends + (program:sub(ends, ends) == "\\" and 2 or 1)
      end
      -- awk runs nothing of a program with a text that does not end.
      if ends > #program then return {}, program end
      found[#found + 1] = { "text", literal(program:sub(at + 1, ends - 1)) }
      at = ends + 1
    elseif program:sub(at, at) == "/" and begins_regex(found[#found]) then
      local ends = regex_end(program, at)
      found[#found + 1] = { "regex", program:sub(at, ends) }
      at = ends + 1
    else
      local name, field, number = program:match("^[%a_][%w_]*", at), program:match("^%$%w+", at), program:match("^%d+", at)
      text = name or field or number or program:match("^[|=!<>]=", at) or program:match("^|&", at) or program:sub(at, at)
      found[#found + 1] = { name and "name" or field and "field" or number and "number" or text, text }
      at = at + #text
    end
  end
  kept[#kept + 1] = program:sub(from)
  return found, table.concat(kept)
end

--- Returns a program without its comments.
function awk.without_comments(program)
  if #program > MOST or not program:find("#") then return program end
  return (select(2, tokens(program)))
end

local Reader = {}
Reader.__index = Reader

function Reader:kind(at) return (self.tokens[at] or { "" })[1] end
function Reader:text(at) return (self.tokens[at] or { "", "" })[2] end

-- Reads a list in parentheses. Returns the values (false: unknown), the position behind it, and the known text that the
-- first value begins with.
function Reader:list(at)
  local values, beginning = {}, nil
  at = at + 1
  while self:kind(at) ~= ")" and self:kind(at) ~= "" do
    local value, behind, begins = self:text_at(at)
    if #values == 0 then beginning = begins end
    values[#values + 1] = value or false
    at = behind > at and behind or at + 1
    if self:kind(at) == "," then at = at + 1 end
  end
  return values, at + 1, beginning
end

local function formatted(values)
  local n = 1
  if not values[1] then return nil end
  local known = true
  local text = values[1]:gsub("%%(.)", function(kind)
    if kind == "%" then return "%" end
    n = n + 1
    known = known and kind == "s" and values[n] and true or false
    return values[n] or ""
  end)
  return known and text or nil
end

-- Returns a field of the line that it reads, if there is one line and nothing sets another separator.
function Reader:field(number)
  if number == "0" or not self.fields then return self.fields end
  if self.splits_otherwise or self.fields:find("\n.*%S") then return nil end
  return words.list(self.fields)[tonumber(number) or 0]
end

-- Reads one operand of a concatenation. Returns its value, or nil; the position behind it (`at` if there is none); and the
-- known text that it begins with.
function Reader:operand(at)
  local kind, text = self:kind(at), self:text(at)
  if kind == "text" or kind == "number" then return text, at + 1 end
  if kind == "field" then return self:field(text:sub(2)), at + 1 end
  if kind == "(" then
    local values, behind, begins = self:list(at)
    return #values == 1 and values[1] or nil, behind, begins
  end
  if kind ~= "name" or text == "getline" or text == "print" or text == "printf" or text == "system" then return nil, at end
  if self:kind(at + 1) == "[" then
    local key = self:text(at + 2)
    local values = text == "ENVIRON" and self.variables or text == "ARGV" and self.arguments or {}
    return self:kind(at + 3) == "]" and values[key] or nil, at + 4
  end
  if text == "sprintf" and self:kind(at + 1) == "(" then
    local values, behind = self:list(at + 1)
    return formatted(values), behind, (values[1] or ""):match("^[^%%]+")
  end
  if self:kind(at + 1) == "(" then
    local _, behind = self:list(at + 1)
    return nil, behind
  end
  return self.values[text], at + 1, self.beginnings[text]
end

-- Reads a concatenation. Returns its value, nil if a part is unknown; the position behind it; and the known text that it
-- begins with, or nil. If there is one, only arguments of a command are unknown.
function Reader:text_at(at)
  local value, from, begins = "", at, nil
  self.depth = self.depth + 1
  while self.depth < 50 do
    local part, behind, beginning = self:operand(at)
    if behind == at then break end
    if at == from then begins = part ~= "" and part or beginning end
    value = value and part and #value + #part <= MOST and value .. part or nil
    at = behind
  end
  self.depth = self.depth - 1
  return value, at, begins
end

-- Reads what `print` or `printf` prints, behind its name. Returns the text, nil if a part is unknown, and the position
-- behind it.
function Reader:printed(at, name)
  local from = at + 1
  local values = {}
  if self:kind(from) == "(" then
    local inside, behind = self:list(from)
    -- `print (a) b` prints a concatenation.
    if self:kind(behind):find("^[|;}>]?$") or self:kind(behind) == "|&" then values, from = inside, behind end
  end
  if from == at + 1 then
    repeat
      local value, behind = self:text_at(from)
      -- `print` alone prints the line.
      if behind == from then value = #values == 0 and self.fields or nil end
      values[#values + 1] = value or false
      from = behind + 1
    until self:kind(behind) ~= ","
    from = from - 1
  end
  if name == "printf" then return formatted(values), from end
  for _, value in ipairs(values) do
    if not value then return nil, from end
  end
  return table.concat(values, " "), from
end

-- Calls a function with each command that the program runs: its text, or nil if that is unknown; the known text that it
-- begins with; and what is printed into it: false if that is unknown, nil if nothing is.
-- @param writes function(operator, file) that judges what it prints into a known file
function Reader:commands(judge, writes)
  local at, count = 1, #self.tokens
  local printed
  while at <= count do
    local kind, text = self:kind(at), self:text(at)
    local reason, behind, value, begins
    if kind == "name" and self:kind(at + 1) == "=" then
      value, behind, begins = self:text_at(at + 2)
      self.values[text], self.beginnings[text] = value, begins
    elseif kind == "name" and text == "system" and self:kind(at + 1) == "(" then
      value, behind, begins = self:text_at(at + 2)
      reason = judge(value, begins)
    elseif kind == "name" and (text == "print" or text == "printf") then
      value, behind = self:printed(at, text)
      printed = value or false
    elseif kind == ">" and printed ~= nil then
      local first = self:kind(at + 1) == ">" and at + 2 or at + 1
      value, behind = self:text_at(first)
      reason = value and value ~= "" and writes(first == at + 1 and ">" or ">>", value)
    elseif (kind == "|" or kind == "|&") and self:text(at + 1) ~= "getline" and self:kind(at + 1) ~= "|" and self:kind(at - 1) ~= "|" then
      value, behind, begins = self:text_at(at + 1)
      if behind > at + 1 then reason = judge(value, begins, printed) end
    else
      value, behind, begins = self:text_at(at)
      if behind > at and self:kind(behind):find("^|&?$") and self:text(behind + 1) == "getline" then
        reason = judge(value, begins)
      elseif kind == "(" or kind == "name" and self:kind(at + 1) == "(" then
        -- What is in the parentheses is read as well.
        behind = at + 1
      end
      if kind == ";" or kind == "}" then printed = nil end
    end
    if reason then return reason end
    at = math.max(behind or at, at + 1)
  end
end

local WITH_VALUE = words.set "-F -f -e -i -l --file --field-separator"

-- Returns the program, and the values of the variables and arguments in the words.
local function parted(command)
  local argv, values, arguments = command.argv, {}, {}
  local at, program = 2, nil
  local function set(text)
    local name, value = (text or ""):match("^([%a_][%w_]*)=(.*)$")
    if name then values[name] = literal(value) end
  end
  while argv[at] and argv[at]:find("^%-.") and argv[at] ~= "--" do
    local word = argv[at]
    if word == "-v" or word == "--assign" then
      at = at + 1
      set(argv[at])
    elseif word:find("^%-v") then
      set(word:sub(3))
    elseif word:find("^%-%-assign=") then
      set(word:sub(10))
    elseif word == "-e" or word == "--source" then
      at = at + 1
      program = argv[at]
    elseif WITH_VALUE[word] then
      at = at + 1
    end
    at = at + 1
  end
  if argv[at] == "--" then at = at + 1 end
  if not program then
    program = argv[at]
    at = at + 1
  end
  for n = at, #argv do
    arguments[tostring(n - at + 1)] = argv[n]
    set(argv[n])
  end
  return program, values, arguments
end

-- The variables that the line sets: `c='…' awk …`.
local function variables_of(line)
  local found = {}
  for name, value in line:gmatch("%f[%w_]([%a_][%w_]*)='([^']*)'") do found[name] = value end
  for name, value in line:gmatch("%f[%w_]([%a_][%w_]*)=\"([^\"$`\\]*)\"") do found[name] = value end
  return found
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- Returns a reason to deny an awk command, or nil and what is unclear.
--- @param judge_line function(line, command) that judges a command line
function awk.judge(command, judge_line)
  local program, values, arguments = parted(command)
  if not program or #program > MOST then return nil end
  if not program:find("system") and not program:find("[|>]") then return nil end
  local unclear
  local function judge(text, begins, printed)
    if not text and not begins then
      unclear = unclear or reasons.piped(command)
      return nil
    end
    -- With unknown arguments, it is judged by its beginning, and by what it gets.
    text = text or begins .. "$field"
    if text == "" then return nil end
    if printed then
      text = "printf '%s\\n' " .. quoted(printed) .. " | " .. text
    elseif printed == false then
      text = "cat | " .. text
    end
    local reason, open = judge_line(text, command)
    if open then unclear = unclear or reasons.piped(command) end
    return reason
  end
  local function writes(operator, file) return (judge_line("cat " .. operator .. " " .. quoted(file), command)) end
  local inputs = texts.input(command)
  local splits = program:find("FS") ~= nil or table.concat(command.argv, " "):find(" %-%-?[Ff]") ~= nil
  for n = 1, math.max(#inputs, 1) do
    local reader = setmetatable({
      tokens = (tokens(program)), values = {}, beginnings = {}, arguments = arguments, depth = 0, fields = inputs[n], splits_otherwise = splits,
      variables = program:find("ENVIRON") and variables_of(command.line) or {},
    }, Reader)
    for name, value in pairs(values) do reader.values[name] = value end
    local reason = reader:commands(judge, writes)
    if reason then return reason end
  end
  return nil, unclear
end

return awk
