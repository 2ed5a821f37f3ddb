-- Judges commands by rules that are rows: { id, because, instead, level, and conditions }. Those of the guard itself are
-- in git_rules.lua, machine_rules.lua and windows_rules.lua, those of other programs in packs/. Several rows may have the
-- same id.
-- Conditions:
--   runs     a list of command words in their order: `a|b` is either, `!a|b` neither, `*` in a word is any text and `?`
--            any character, `*` alone is one word, `**` any words, and `-x|--long` an option at any position
--   unless   options, separated by spaces, with which the rule does not apply
--   without  operands with which the rule does not apply, as alternatives
--   last     whether the last word of `runs` must be the last operand
--   operand  a Lua pattern that one of the operands matches
--   args     the same of all arguments joined, in lower case and with slashes: of programs of Windows
--   when     function(call, command) that returns true. `call` has options (name → value), operands, their positions,
--            and `before`: how many operands are in front of `--`
--   http     { method, URL patterns }: a request of curl, wget, http or xh; `*` is any text, "ANY" any method that writes
--   sql      kind of a statement of shell_guard.sql, for the programs in `runs`
--   says     texts in the arguments or the input, in lower case, with single spaces, for the programs in `runs`
--   reads    the same in the input only
--   what     what the reason shows in place of the command
-- Help, versions and `--dry-run` never match.

local http_request = require "shell_guard.http_request"
local packs = require "shell_guard.packs"
local read_words = require "shell_guard.read_words"
local reasons = require "shell_guard.reasons"
local rules = require "shell_guard.rules"
local sql = require "shell_guard.sql"
local words = require "file_guard.words"

local row_rules = {}

-- Program → rows that are on, compiled: those of the guard itself, for POSIX shells and for PowerShell and cmd, and those
-- of packs.
local own, of_windows, of_packs = {}, {}, {}
-- The same for rows whose program is a pattern: `mkfs.*`.
local families = {}

-- Converts text with `*` for any text and `?` for a character to a Lua pattern for the whole text.
local function glob(text) return "^" .. text:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0"):gsub("%?", "."):gsub("%*", ".*") .. "$" end

-- The alternatives of a text: a set of those that are whole, and Lua patterns for the others.
local function parted(text)
  local whole, globs = {}, {}
  for one in text:gmatch("[^|]+") do
    if one:find("[*?]") then globs[#globs + 1] = glob(one) else whole[one] = true end
  end
  return whole, globs
end

-- Returns a function that tests a word for one of the alternatives of a pattern: `a|b*`; for none of them: `!a|b*`.
-- Words of commands may be in upper case.
local function alternatives(text)
  if text:sub(1, 1) == "!" then
    local is_one = alternatives(text:sub(2))
    return function(word) return not is_one(word) end
  end
  local whole, globs = parted(text)
  return function(word)
    local lower = word:lower()
    return whole[word] or whole[lower] or words.matches(word, globs) or words.matches(lower, globs)
  end
end

-- Returns a function that tests whether one of the options is given: `-f|--force`. `--x=y` requires the value.
local function option_test(text)
  local whole, globs = parted(text)
  return function(options)
    for name, value in pairs(options) do
      local with_value = type(value) == "string" and name .. "=" .. value
      if value and value ~= "false" and (whole[name] or with_value and whole[with_value]) then return true end
      if value and words.matches(name, globs) then return true end
    end
    return false
  end
end

-- The words of a command as { programs, operands, options, rest }: what is behind the program is compiled on first use,
-- as most programs never run.
local function compiled(text)
  local program = text:match("^%S+")
  return setmetatable({ programs = words.list((program:gsub("|", " "))) }, {
    __index = function(form, key)
      setmetatable(form, nil)
      form.operands, form.options, form.rest = {}, {}, text:sub(#program + 1)
      for word in form.rest:gmatch("%S+") do
        if word:sub(1, 1) == "-" then
          form.options[#form.options + 1] = option_test(word)
        else
          form.operands[#form.operands + 1] = word == "**" and word or alternatives(word)
        end
      end
      return form[key]
    end,
  })
end

-- Whether operands match from a position on.
local function fits(wanted, operands, at, from)
  local one = wanted[at]
  if one == nil then return true end
  if one == "**" then
    for start = from, #operands do
      if fits(wanted, operands, at + 1, start) then return true end
    end
    return false
  end
  return operands[from] ~= nil and one(operands[from]) and fits(wanted, operands, at + 1, from + 1)
end

-- Reads the words of a command that the dictionary does not describe; see `when` above.
-- @param values set of the options whose value is the next word
local function read(argv, values)
  local call = { options = {}, operands = {}, positions = {} }
  local at, ended = 2, false
  while at <= #argv do
    local word = argv[at]
    if word:sub(1, 1) ~= "-" then
      call.operands[#call.operands + 1], call.positions[#call.positions + 1] = word, at
    else
      ended = ended or word == "--"
      local name, value = word:match("^([^=]*)=?(.*)$")
      if not ended then
        local next = argv[at + 1]
        if word == name then value = next or true end
        call.options[name] = value == "false" and call.options[name] or value
        if type(value) == "string" then call.options[name .. "=" .. value] = true end
        for letter in (#word <= 4 and word:match("^%-(%a+)$") or ""):gmatch(".") do
          call.options["-" .. letter] = call.options["-" .. letter] or true
        end
      end
      if values[word] then at = at + 1 end
    end
    at = at + 1
  end
  return call
end

local NONE = {}

-- The call of a command as the dictionary reads it, with its subcommands in front of the operands.
local function described(command)
  local args = command.args
  local call = {
    options = args.options, operands = {}, positions = args.operands, before = args.before, subcommands = {},
  }
  for name in args.name:gmatch("/([^/]+)") do call.subcommands[#call.subcommands + 1] = name end
  for n, at in ipairs(args.operands) do call.operands[n] = command.argv[at] end
  return call
end

local SHOWS = { "--help", "--version", "--dry-run", "--dryrun" }
-- Version control systems, for which `-h` shows help as well.
local VERSION_CONTROL = words.set "git hg svn"

-- Whether a command only shows help or what it would do.
local function is_harmless(call, program, argv)
  if call.subcommands then
    local options = call.options
    return words.any(SHOWS, function(name) return options[name] end)
      or VERSION_CONTROL[program] and options["-h"] == true
  end
  local operands = call.operands
  if (operands[1] or ""):lower() == "help" or (operands[#operands] or ""):lower() == "help" then return true end
  return words.any(argv, function(word, at)
    return word == "--help" or word == "-help" or ((word == "-h" or word == "--version") and at == #argv)
      or word:find("^%-%-dry%-?run") and not word:find("=none$") and not word:find("=false$")
  end, 2)
end

local function url_test(http)
  local is_url = alternatives(table.concat(http, "|", 2))
  return function(method, urls)
    local is_meant = method == http[1] or http[1] == "ANY" and method ~= "GET" and method ~= "HEAD"
    return is_meant and words.any(urls, is_url)
  end
end

-- All texts that a client may run: its input and, unless only that is asked for, its arguments.
local function given(command, only_input)
  local list = { command.stdin }
  for at = 2, only_input and 0 or #command.argv do
    -- `-cDROP …`, `--command=DROP …`
    list[#list + 1] = command.argv[at]:gsub("^%-%-[%w-]+=", ""):gsub("^%-%l(%u)", "%1")
  end
  return list
end

local function says(command, wanted, only_input)
  return words.any(given(command, only_input), function(text)
    text = (only_input and " " or "") .. text:lower():gsub("%s+", " ") .. " "
    return words.any(wanted, function(part) return text:find(part, 1, true) end)
  end)
end

local function has_statement(command, kind)
  return words.any(given(command), function(text) return sql.kinds(text)[kind] end)
end

local function add(into, row, values)
  local forms = {}
  for _, text in ipairs(row.runs or NONE) do forms[#forms + 1] = compiled(text) end
  if row.http then
    local url = url_test(row.http)
    forms[#forms + 1] = { programs = http_request.programs, operands = NONE, options = NONE, rest = "", url = url }
  end
  local unless = {}
  for option in row.unless and row.unless:gmatch("%S+") or next, NONE do unless[#unless + 1] = option_test(option) end
  for _, form in ipairs(forms) do
    for _, program in ipairs(form.programs) do
      local name = program:lower()
      local found = values and (values[program] or values["*"])
      local ready = {
        id = row[1], row = row, form = form, unless = unless, without = row.without and alternatives(row.without),
        values = found and words.set(found) or NONE,
      }
      if name:find("*", 1, true) then
        families[#families + 1] = { glob(name), ready, name }
      else
        into[name] = into[name] or {}
        table.insert(into[name], ready)
      end
    end
  end
end

local function take(into, rows, values)
  for _, row in ipairs(rows) do
    if rules.on(row[1]) then add(into, row, values) end
  end
end

--- Takes over the rows of a pack that are on.
function row_rules.use(name)
  local pack = packs.load(name)
  take(of_packs, pack.rules, pack.values)
end

--- Takes over the rows of the guard itself that are on.
function row_rules.use_own()
  local git, machine, windows = table.unpack(packs.own())
  take(own, git)
  take(own, machine)
  take(of_windows, windows)
end

--- Adds the programs that any row that is on is about to a list.
function row_rules.list_programs(list)
  for _, rows in ipairs({ own, of_packs }) do
    for name in pairs(rows) do list[#list + 1] = name end
  end
  for _, family in ipairs(families) do list[#list + 1] = family[3] end
end

-- The rows of the guard itself about a program: a list, which may be empty.
local function own_rows(command, program)
  local found = own[command.args and command.args.name:match("^[^/]*") or program]
  if found then return found end
  for _, family in ipairs(families) do
    if program:find(family[1]) then return { family[2] } end
  end
  return NONE
end

--- Whether a row of the guard itself that is on is about a program.
function row_rules.know_own(command, program) return own_rows(command, program)[1] ~= nil end

--- Whether any row that is on is about a program.
function row_rules.know(command, program) return of_packs[program] ~= nil or row_rules.know_own(command, program) end

-- The words that the operands of a row are compared with: subcommands, and operands.
local function compared(call)
  if not call.subcommands or not call.subcommands[1] then return call.operands end
  return table.move(call.operands, 1, #call.operands, #call.subcommands + 1, { table.unpack(call.subcommands) })
end

-- Whether a row is about a command.
-- @param request { method, urls }, for rows about requests
local function holds(one, call, command, request)
  local row, form, options = one.row, one.form, call.options
  local operands = compared(call)
  return fits(form.operands, operands, 1, 1) and not words.any(form.options, function(test) return not test(options) end)
    and not words.any(one.unless, function(test) return test(options) end)
    and (not form.url or form.url(request[1], request[2])) and not (one.without and words.any(operands, one.without))
    and (not row.last or fits({ form.operands[#form.operands] }, operands, 1, #operands))
    and (not row.operand or words.any(call.operands, function(word) return word:find(row.operand) end))
    and (not row.when or row.when(call, command))
    and (not row.sql or has_statement(command, row.sql))
    and (not row.says or says(command, row.says, false)) and (not row.reads or says(command, row.reads, true))
end

local function reason_of(one, shown)
  return reasons.text(one.id, one.row.what or shown, one.row.because, one.row.instead or "Let the user do it")
end

--- Returns a reason to deny a command of PowerShell or cmd, or nil.
--- @param args its arguments joined, in lower case and with slashes
function row_rules.of_windows(command, args)
  for _, one in ipairs(of_windows[command.program] or NONE) do
    local wanted = one.row.args
    if not wanted or words.matches(args, wanted) then return reason_of(one, reasons.shown(command.argv)) end
  end
end

--- Returns a reason to deny a command by the rows of packs, or nil.
function row_rules.of_packs(command, program)
  local request
  for _, one in ipairs(of_packs[program] or NONE) do
    local call = read(command.argv, one.values)
    if one.form.url then request = request or { http_request.of(command) } end
    if holds(one, call, command, request) and not is_harmless(call, program, command.argv) then
      return reason_of(one, reasons.shown(command.argv))
    end
  end
end

--- Judges a command by the rows of the guard itself. Returns a reason to deny it, or nil; and whether it only shows
--- help or what it would do, or, if it may be one that a row denies, what is unclear.
function row_rules.own(command, program)
  local rows = own_rows(command, program)
  if not rows[1] then return nil, nil, false end
  local name = command.args and command.args.name:match("^[^/]*") or program
  local call = command.args and described(command) or read(command.argv, NONE)
  if is_harmless(call, name, command.argv) then return nil, nil, false end
  local is_meant = false
  local operands = compared(call)
  for _, one in ipairs(rows) do
    if not rules.is_waived(one.id) and holds(one, call, command) then return reason_of(one, name .. one.form.rest) end
    local first = one.form.operands[1]
    is_meant = is_meant or not (call.subcommands and call.subcommands[1]) or type(first) ~= "function"
      or operands[1] ~= nil and first(operands[1])
  end
  return nil, is_meant and read_words.has_open_option(command) and reasons.shown(command.argv) or nil, is_meant
end

return row_rules
