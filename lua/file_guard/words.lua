-- The words of a command: which are options, which are their values, and which are operands.

local sets, unread = {}, {}

-- A set is read when it is asked for the first time: a policy has many, and a call needs few.
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

-- A set of the words in a text: the same table for the same text.
local function set(text)
  local found = sets[text]
  if found then return found end
  found = setmetatable({}, UNREAD)
  unread[found], sets[text] = text, found
  return found
end

-- The options and the operands of a command.
-- valued: set of the options that take a value, apart (`-o x`, `--out x`) or joined (`-ox`, `--out=x`); one whose
-- value is "joined" takes none that stands apart.
-- long: whether one dash stands before names as well (`-name`), so that letters are not joined.
-- Returns operands and options, lists of { text, at }; an option has its `name`, and `text` is its value.
-- `at` is the position of the word that the text stands in.
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

-- The set of the positions of words that are not known.
local function unknown(command)
  local positions = {}
  for _, at in ipairs(command.unknown) do positions[at] = true end
  return positions
end

return { set = set, split = split, has = has, unknown = unknown }
