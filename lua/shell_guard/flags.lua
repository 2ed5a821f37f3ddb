-- Options of a command line, as getopt and git read them: short ones together or apart, values joined or apart,
-- long ones cut short as far as they stay unambiguous, `--no-` to take one back, `--` to end them.

local byte, find, sub = string.byte, string.find, string.sub

local flags = {}

local DASH = byte("-")

--- What options a program has, from a line such as "f,force rR,recursive ,hard e,exclude= ,color?": letters, a comma
--- and the long name; `=` takes a value, `?` one that is joined to it. An option without a long name is its letter.
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

-- The one long option that a name is or begins; nil when there is none, or more than one.
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

--- Reads the words from `first` on.
--- Gives `on`: by name true, its value, or false when it was taken back last; `operands`: positions in `argv`;
--- `before`: how many of them stand before a `--`, nil without one; `unclear`: an option that is not known is there.
--- @param unknown set of the positions whose words are not known
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
      if unknown[at] and find(name, "[$`]") then unclear = true end
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

-- Variables that are named for the options they hold.
local OPTIONS = { "FLAG", "OPT", "ARG", "FORCE", "PARAM" }
-- What a word would have to come from to be an option, of those that make constants.
local CONSTANTS = { echo = true, printf = true, base64 = true, rev = true, tr = true, sed = true, cut = true, xxd = true }

--- Whether a word that is not known may well be an option.
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
