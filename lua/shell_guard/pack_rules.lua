-- Judges commands by the rules of packs that are switched on (see shell_guard.packs).

local http_request = require "shell_guard.http_request"
local packs = require "shell_guard.packs"
local reasons = require "shell_guard.reasons"
local sql = require "shell_guard.sql"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local pack_rules = {}

-- Program → rules that are on, compiled.
local by_program = {}

-- Converts text with `*` for any text to a Lua pattern for the whole text.
local function glob(text) return "^" .. text:gsub("[%^%$%(%)%%%.%[%]%+%-%?]", "%%%0"):gsub("%*", ".*") .. "$" end

-- Returns a function that tests a word for one of the alternatives of a pattern: `a|b*`; for none of them: `!a|b*`.
local function alternatives(text)
  if text:sub(1, 1) == "!" then
    local is_one = alternatives(text:sub(2))
    return function(word) return not is_one(word) end
  end
  local whole, globs = {}, {}
  for one in text:gmatch("[^|]+") do
    if one:find("*", 1, true) then globs[#globs + 1] = glob(one) else whole[one] = true end
  end
  return function(word)
    if whole[word] then return true end
    for _, pattern in ipairs(globs) do
      if word:find(pattern) then return true end
    end
    return false
  end
end

-- Returns a function that tests whether a command has one of the options: `-f|--force`. Short ones count in groups: `-vf`.
-- `--x=y` requires the value, which may also be the next word.
local function option_test(text)
  local is_wanted = alternatives(text)
  local letters = {}
  for one in text:gmatch("[^|]+") do letters[#letters + 1] = one:match("^%-(%a)$") end
  return function(argv)
    for at = 2, #argv do
      local word = argv[at]
      if word == "--" then return false end
      if word:sub(1, 1) == "-" then
        local name = word:match("^[^=]*")
        if is_wanted(word) or (is_wanted(name) and not word:find("=false$")) then return true end
        if argv[at + 1] and is_wanted(word .. "=" .. argv[at + 1]) then return true end
        if #word <= 4 and word:find("^%-%a+$") then
          for _, letter in ipairs(letters) do
            if word:find(letter, 2, true) then return true end
          end
        end
      end
    end
    return false
  end
end

-- Compiles the words of a command to { programs, operands, options }.
local function compiled(text)
  local list = words.list(text)
  local form = { programs = {}, operands = {}, options = {} }
  for program in list[1]:gmatch("[^|]+") do form.programs[#form.programs + 1] = program end
  for at = 2, #list do
    local word = list[at]
    if word:sub(1, 1) == "-" then
      form.options[#form.options + 1] = option_test(word)
    else
      form.operands[#form.operands + 1] = word == "**" and word or alternatives(word)
    end
  end
  return form
end

-- Whether operands match from a position on.
local function fits(form, operands, at, from)
  local wanted = form.operands[at]
  if wanted == nil then return true end
  if wanted == "**" then
    for start = from, #operands do
      if fits(form, operands, at + 1, start) then return true end
    end
    return false
  end
  return operands[from] ~= nil and wanted(operands[from]) and fits(form, operands, at + 1, from + 1)
end

-- The operands of a command in lower case, without the values of options.
local function operands_of(argv, values)
  local found, at = {}, 2
  while at <= #argv do
    local word = argv[at]
    if word:sub(1, 1) ~= "-" then
      found[#found + 1] = word:lower()
    elseif values[word] then
      at = at + 1
    end
    at = at + 1
  end
  return found
end

-- Whether a command only shows help or what it would do.
local function is_harmless(argv, operands)
  if operands[1] == "help" or operands[#operands] == "help" then return true end
  for at = 2, #argv do
    local word = argv[at]
    if word == "--help" or word == "-help" or ((word == "-h" or word == "--version") and at == #argv) then return true end
    if word:find("^%-%-dry%-?run") and not word:find("=none$") and not word:find("=false$") then return true end
  end
  return false
end

local function url_test(http)
  local globs = {}
  for at = 2, #http do globs[at - 1] = glob(http[at]) end
  return function(method, urls)
    if method ~= http[1] and not (http[1] == "ANY" and method ~= "GET" and method ~= "HEAD") then return false end
    for _, url in ipairs(urls) do
      for _, pattern in ipairs(globs) do
        if url:find(pattern) then return true end
      end
    end
    return false
  end
end

-- All texts that a client may run: its input and, unless only that is asked for, its arguments.
local function given(command, only_input)
  local list = texts.input(command)
  for at = 2, only_input and 0 or #command.argv do
    -- `-cDROP …`, `--command=DROP …`
    list[#list + 1] = command.argv[at]:gsub("^%-%-[%w-]+=", ""):gsub("^%-%l(%u)", "%1")
  end
  return list
end

local function says(command, wanted, only_input)
  for _, text in ipairs(given(command, only_input)) do
    text = text:lower():gsub("%s+", " ") .. " "
    for _, part in ipairs(wanted) do
      if text:find(part, 1, true) then return true end
    end
  end
  return false
end

local function has_statement(command, kind)
  for _, text in ipairs(given(command)) do
    if sql.kinds(text)[kind] then return true end
  end
  return false
end

local NONE = {}

local function add(pack, id, rule)
  local forms = {}
  for _, text in ipairs(type(rule.runs) == "table" and rule.runs or { rule.runs }) do forms[#forms + 1] = compiled(text) end
  if rule.http then forms[#forms + 1] = { programs = http_request.programs, operands = NONE, options = NONE, url = url_test(rule.http) } end
  local unless = {}
  for option in (rule.unless or ""):gmatch("%S+") do unless[#unless + 1] = option_test(option) end
  for _, form in ipairs(forms) do
    for _, program in ipairs(form.programs) do
      local values = pack.values and (pack.values[program] or pack.values["*"])
      local name = program:lower()
      local list = by_program[name] or {}
      by_program[name] = list
      list[#list + 1] = {
        id = id, rule = rule, form = form, unless = unless, without = rule.without and alternatives(rule.without), values = values and words.set(values) or NONE,
      }
    end
  end
end

--- Takes over the rules of a pack that are on.
--- @param is_on function(id)
function pack_rules.use(name, is_on)
  local pack = packs.load[name]()
  packs.each(name, function(id, rule)
    if is_on(id) then add(pack, id, rule) end
  end)
end

--- Whether a rule that is on is about a program.
function pack_rules.know(program) return by_program[program] ~= nil end

local function every(tests, argv)
  for _, test in ipairs(tests) do
    if not test(argv) then return false end
  end
  return true
end

local function some(list, test)
  for _, one in ipairs(list) do
    if test(one) then return true end
  end
  return false
end

local function any(tests, argv)
  for _, test in ipairs(tests) do
    if test(argv) then return true end
  end
  return false
end

--- Returns a reason to deny a command, or nil.
function pack_rules.judge(command, program)
  local argv = command.argv
  local method, urls
  for _, one in ipairs(by_program[program] or NONE) do
    local rule, form = one.rule, one.form
    if form.url and not method then method, urls = http_request.of(argv) end
    local operands = operands_of(argv, one.values)
    local holds = fits(form, operands, 1, 1) and every(form.options, argv) and not any(one.unless, argv)
      and (not form.url or form.url(method, urls)) and not (one.without and some(operands, one.without))
      and (not rule.last or fits({ operands = { form.operands[#form.operands] } }, operands, 1, #operands))
      and (not rule.sql or has_statement(command, rule.sql))
      and (not rule.says or says(command, rule.says, false)) and (not rule.reads or says(command, rule.reads, true))
    if holds and not is_harmless(argv, operands) then
      return reasons.text(one.id, reasons.shown(argv), rule.because, rule.instead or "Let the user do it")
    end
  end
end

return pack_rules
