-- Sets and lists of words, written as strings; tests of lists; and how messages show a text.

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

-- Returns the set of the words in a text, or an empty one for nil; the same text returns the same table. It is for
-- lookups, not for iteration.
local function set(text)
  if not text then return {} end
  local found = sets[text]
  if found then return found end
  found = setmetatable({}, UNREAD)
  unread[found], sets[text] = text, found
  return found
end

-- Returns the words of a text, in order.
local function list(text)
  local found = {}
  for word in text:gmatch("%S+") do found[#found + 1] = word end
  return found
end

-- Whether something holds for one of a list, from a position on.
local function any(list, holds, from)
  for at = from or 1, #list do
    if holds(list[at], at) then return true end
  end
  return false
end

-- Whether a text matches one of a list of Lua patterns.
local function matches(text, patterns)
  for at = 1, #patterns do
    if text:find(patterns[at]) then return true end
  end
  return false
end

-- Whether a glob of a command line matches a name. One that is not valid stands for itself, as for the shell.
local function fits(glob, name)
  local valid, is_fitting = pcall(orcs.glob_match, glob, name)
  return valid and is_fitting or not valid and glob == name
end

-- A text in quotes, without control characters and cut.
local function shown(text)
  text = text:gsub("%c", " ")
  return '"' .. (#text > 160 and text:sub(1, 157) .. "..." or text) .. '"'
end

return { set = set, list = list, any = any, matches = matches, fits = fits, shown = shown }
