-- Evaluates the commands that an awk program runs: literals, variables that are set to literals, their concatenation,
-- sprintf, ENVIRON, ARGV and $0, in `system(…)`, `… | getline` and `print | …`.

local reasons = require "shell_guard.reasons"
local texts = require "shell_guard.texts"

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

-- Splits a program into tokens: { kind, text }. Kinds: "text", "name", "number", "field", or the operator itself.
local function tokens(program)
  local found, at = {}, 1
  while at <= #program do
    local text = program:match("^%s+", at) or program:match("^#[^\n]*", at)
    if text then
      if text:find("\n", 1, true) then found[#found + 1] = { ";", ";" } end
      at = at + #text
    elseif program:sub(at, at) == '"' then
      local ends = at + 1
      while ends <= #program and program:sub(ends, ends) ~= '"' do
        ends = ends + (program:sub(ends, ends) == "\\" and 2 or 1)
      end
      found[#found + 1] = { "text", literal(program:sub(at + 1, ends - 1)) }
      at = ends + 1
    else
      local name, field, number = program:match("^[%a_][%w_]*", at), program:match("^%$%w+", at), program:match("^%d+", at)
      text = name or field or number or program:match("^[|=!<>]=", at) or program:match("^|&", at) or program:sub(at, at)
      found[#found + 1] = { name and "name" or field and "field" or number and "number" or text, text }
      at = at + #text
    end
  end
  return found
end

local Reader = {}
Reader.__index = Reader

function Reader:kind(at) return (self.tokens[at] or { "" })[1] end
function Reader:text(at) return (self.tokens[at] or { "", "" })[2] end

-- Reads a list in parentheses. Returns the values (false: unknown), and the position behind it.
function Reader:list(at)
  local values = {}
  at = at + 1
  while self:kind(at) ~= ")" and self:kind(at) ~= "" do
    local value, behind = self:text_at(at)
    values[#values + 1] = value or false
    at = behind > at and behind or at + 1
    if self:kind(at) == "," then at = at + 1 end
  end
  return values, at + 1
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

-- Reads one operand of a concatenation. Returns its value, or nil, and the position behind it (`at` if there is none).
function Reader:operand(at)
  local kind, text = self:kind(at), self:text(at)
  if kind == "text" or kind == "number" then return text, at + 1 end
  if kind == "field" then return self.fields and text == "$0" and self.fields or nil, at + 1 end
  if kind == "(" then
    local values, behind = self:list(at)
    return #values == 1 and values[1] or nil, behind
  end
  if kind ~= "name" or text == "getline" or text == "print" or text == "printf" or text == "system" then return nil, at end
  if self:kind(at + 1) == "[" then
    local key = self:text(at + 2)
    local values = text == "ENVIRON" and self.variables or text == "ARGV" and self.arguments or {}
    return self:kind(at + 3) == "]" and values[key] or nil, at + 4
  end
  if text == "sprintf" and self:kind(at + 1) == "(" then
    local values, behind = self:list(at + 1)
    return formatted(values), behind
  end
  if self:kind(at + 1) == "(" then
    local _, behind = self:list(at + 1)
    return nil, behind
  end
  return self.values[text], at + 1
end

-- Reads a concatenation. Returns its value, nil if a part is unknown, and the position behind it.
function Reader:text_at(at)
  local value = ""
  self.depth = self.depth + 1
  while self.depth < 50 do
    local part, behind = self:operand(at)
    if behind == at then break end
    value = value and part and #value + #part <= MOST and value .. part or nil
    at = behind
  end
  self.depth = self.depth - 1
  return value, at
end

-- Calls a function with each command that the program runs.
function Reader:commands(judge)
  local at, count = 1, #self.tokens
  while at <= count do
    local kind, text = self:kind(at), self:text(at)
    local reason, behind
    if kind == "name" and self:kind(at + 1) == "=" then
      self.values[text], behind = self:text_at(at + 2)
    elseif kind == "name" and text == "system" and self:kind(at + 1) == "(" then
      local values
      values, behind = self:list(at + 1)
      reason = values[1] and judge(values[1])
    elseif (kind == "|" or kind == "|&") and self:text(at + 1) ~= "getline" then
      local value
      value, behind = self:text_at(at + 1)
      reason = value and judge(value)
    else
      local value
      value, behind = self:text_at(at)
      if behind > at and self:kind(behind):find("^|&?$") and self:text(behind + 1) == "getline" then
        reason = value and judge(value)
      end
    end
    if reason then return reason end
    at = math.max(behind or at, at + 1)
  end
end

local WITH_VALUE = { ["-F"] = true, ["-f"] = true, ["-e"] = true, ["-i"] = true, ["-l"] = true, ["--file"] = true, ["--field-separator"] = true }

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

local RUNS_INPUT = { "system%s*%(%s*%$0%s*%)", "%$0%s*|%s*getline", "|%s*%$0" }

-- Whether it runs lines whose text is not known.
local function runs_unknown(command, program, inputs)
  if #inputs > 0 then return false end
  for _, pattern in ipairs(RUNS_INPUT) do
    if program:find(pattern) then return true end
  end
  return false
end

--- Returns a reason to deny an awk command, or nil and what is unclear.
--- @param judge_line function(line, command) that judges a command line
function awk.judge(command, judge_line)
  local program, values, arguments = parted(command)
  if not program or #program > MOST then return nil end
  if not program:find("system", 1, true) and not program:find("|", 1, true) then return nil end
  local function judge(text) return text ~= "" and judge_line(text, command) or nil end
  local inputs = program:find("$0", 1, true) and texts.input(command) or {}
  for n = 1, math.max(#inputs, 1) do
    local reader = setmetatable({
      tokens = tokens(program), values = {}, arguments = arguments, depth = 0, fields = inputs[n],
      variables = program:find("ENVIRON", 1, true) and variables_of(command.line) or {},
    }, Reader)
    for name, value in pairs(values) do reader.values[name] = value end
    local reason = reader:commands(judge)
    if reason then return reason end
  end
  if runs_unknown(command, program, inputs) then return nil, reasons.piped(command) end
end

return awk
