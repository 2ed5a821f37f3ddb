-- Splits the words of a command into options, their values and operands.

local sets, unread = {}, {}

-- A set is parsed on first use: a policy has many sets, and a call needs few.
local UNREAD = {
  __index = function(self, wanted)
    setmetatable(self, nil)
    for word in unread[self]:gmatch("%S+") do
      if self[word] == nil then self[word] = true end
    end
    unread[self] = nil
    return self[wanted]
  end,
}

-- Returns the set of the words in a text, or an empty one for nil; the same text returns the same table.
local function set(text)
  if not text then return {} end
  local found = sets[text]
  if found then return found end
  found = setmetatable({}, UNREAD)
  unread[found], sets[text] = text, found
  return found
end

-- The options and the operands of a command.
-- valued: set of the options that take a value, as a separate word (`-o x`, `--out x`) or joined
-- (`-ox`, `--out=x`); an option whose entry is "joined" takes no separate word.
-- long: whether long names have a single dash (`-name`), so that letters are not combined.
-- Returns operands and options, lists of { text, at }; an option also has a `name`, and `text` is
-- its value. `at` is the position of the word that contains the text.
local function split(argv, valued, long)
  local operands, options = {}, {}
  local at, ended = 2, false
  while at <= #argv do
    local word = argv[at]
    if ended or word == "-" or word:sub(1, 1) ~= "-" then
      operands[#operands + 1] = { text = word, at = at }
    elseif word == "--" then
      ended = true
    elseif long or word:sub(1, 2) == "--" then
      local name, value = word:match("^(%-[^=]*)=(.*)$")
      name = name or word
      if value == nil and valued[name] then
        at = at + 1
        value = argv[at]
      end
      options[#options + 1] = { name = name, text = value, at = at }
    else
      local i = 2
      while i <= #word do
        local name = "-" .. word:sub(i, i)
        local value
        if valued[name] then
          if i < #word then
            value = word:sub(i + 1)
          elseif valued[name] ~= "joined" then
            at = at + 1
            value = argv[at]
          end
          i = #word
        end
        options[#options + 1] = { name = name, text = value, at = at }
        i = i + 1
      end
    end
    at = at + 1
  end
  return operands, options
end

-- Whether one of the options is in a set.
local function has(options, wanted)
  for _, option in ipairs(options) do
    if wanted[option.name] then return true end
  end
  return false
end

-- The value of the last of these options that has one, and its position; nil for none.
local function value(options, wanted)
  local found, at
  for _, option in ipairs(options) do
    if wanted[option.name] and option.text then found, at = option.text, option.at end
  end
  return found, at
end

-- Calls add(text, at) for the values of these options.
local function each_value(options, wanted, add)
  for _, option in ipairs(options) do
    if wanted[option.name] and option.text then add(option.text, option.at) end
  end
end

-- The positions of the unknown words, as a set.
local function unknown(command)
  local positions = {}
  for _, at in ipairs(command.unknown) do positions[at] = true end
  return positions
end

-- The possible paths in a word: the whole word, and its parts around the separators between a name and a value.
local function parts(word, add)
  -- Loaded on demand: it asks for the home directory.
  local path = require "file_guard.path"
  local address = word:find("^%a[%w+.-]*:/") and word:lower():find("^file:")
  if not address and word:find("^%a[%w+.-]*://") then return end
  add(word)
  if address then add(path.given(word)) end
  local joined = word:match("^%-%a(.+)$")
  if joined then add(joined) end
  local _, _, after = word:find("[=@](.+)$")
  if after then
    if after:find("^%a[%w+.-]*://") and not after:lower():find("^file:") then return end
    add(after)
  end
  for part in word:gmatch("[^=@:,;<]+") do
    if part ~= word then add(part) end
  end
end

return { set = set, split = split, has = has, value = value, each_value = each_value, unknown = unknown, parts = parts }
