-- Parses the options of a command line as getopt and git do: grouped short options, joined or
-- separate values, unambiguous abbreviations of long options, `--no-` to negate, `--` to end them.

local words = require "shell_guard.words"

local byte, find, sub = string.byte, string.find, string.sub

local flags = {}

local DASH = byte("-")

--- Compiles the list of a program's options: "f,force rR,recursive ,hard e,exclude= ,color?".
--- Each has letters, a comma and the long name. `=`: the option takes a value; `?`: a joined one
--- (`--color=x`). An option without a long name has its letter as name.
function flags.spec(text)
  local spec = { short = {}, long = {}, value = {} }
  for letters, long, mark in text:gmatch("([^%s,=?]*),?([^%s,=?]*)([=?]?)") do
    if letters ~= "" or long ~= "" then
      for letter in letters:gmatch(".") do
        spec.short[letter] = long ~= "" and long or letter
      end
      local name = long ~= "" and long or letters
      if long ~= "" then spec.long[#spec.long + 1] = long end
      if mark == "=" then spec.value[name] = true end
    end
  end
  return spec
end

-- Returns the long option that a name is or abbreviates; nil if there is none or it is ambiguous.
local function whole(spec, name)
  local found
  for _, long in ipairs(spec.long) do
    if long == name then return long end
    if sub(long, 1, #name) == name then
      if found then found = false else found = found == nil and long or found end
    end
  end
  return found or nil
end

local function named(spec, name)
  local long = whole(spec, name)
  if long then return long, true end
  if sub(name, 1, 3) == "no-" then
    long = whole(spec, sub(name, 4))
    if long then return long, false end
  end
end

--- Parses the words from position `first` on. Returns a table:
---   on        option name → true, its value, or false if the last occurrence negates it
---   operands  positions in `argv`
---   before    how many operands precede a `--`; nil if there is no `--`
---   unclear   whether an option may contain letters or names that are only known to the shell
--- @param unknown set of the positions of words that are only known to the shell
function flags.read(spec, argv, first, unknown)
  local on, operands, n, before, unclear = {}, {}, 0, nil, false
  local short, value, last = spec.short, spec.value, #argv
  local at = first
  while at <= last do
    local word = argv[at]
    local one, two = byte(word, 1, 2)
    if one ~= DASH or two == nil then
      n = n + 1
      operands[n] = at
    elseif two ~= DASH then
      if unknown[at] then unclear = true end
      local place = 2
      while place <= #word do
        local name = short[sub(word, place, place)]
        if name and value[name] then
          local rest = sub(word, place + 1)
          if rest == "" then
            at = at + 1
            rest = argv[at] or ""
          end
          on[name] = rest
          break
        end
        if name then on[name] = true end
        place = place + 1
      end
    elseif #word == 2 then
      before = n
      for rest = at + 1, last do
        n = n + 1
        operands[n] = rest
      end
      break
    else
      local equals = find(word, "=", 3, true)
      local name = sub(word, 3, equals and equals - 1)
      if unknown[at] and find(name, "[$`{]") then unclear = true end
      local long, yes = named(spec, name)
      if long and not yes then
        on[long] = false
      elseif long and equals then
        on[long] = sub(word, equals + 1)
      elseif long and value[long] then
        at = at + 1
        on[long] = argv[at] or ""
      elseif long then
        on[long] = true
      end
    end
    at = at + 1
  end
  return { on = on, operands = operands, before = before, unclear = unclear }
end

-- Parts of names of variables that usually hold options.
local OPTIONS = { "FLAG", "OPT", "ARG", "FORCE", "PARAM" }
-- Programs whose output is typically a constant, so that it can be an option.
local CONSTANTS = words.set "echo printf base64 rev tr sed cut xxd"

--- Whether a word that is only known to the shell is likely to be an option.
function flags.may_be_option(word)
  local inner = word:match("^%$%(%s*([%w_./-]+)") or word:match("^`%s*([%w_./-]+)")
  if inner then return CONSTANTS[inner] == true end
  local name = word:match("^%${?([%w_@*!]+)")
  if not name then return false end
  if name:find("^[%d@*]") then return true end
  for _, part in ipairs(OPTIONS) do
    if name:upper():find(part, 1, true) then return true end
  end
  return false
end

return flags
