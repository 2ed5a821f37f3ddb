-- Lists and sets of words, written as strings.

local words = {}

--- Returns the words of a text, in order.
function words.list(text)
  local list = {}
  for word in text:gmatch("%S+") do list[#list + 1] = word end
  return list
end

--- Returns a set of the words of a text. It is for lookups, not for iteration: the text is split on
--- the first lookup, because most sessions use few of the sets.
function words.set(text)
  return setmetatable({}, {
    __index = function(set, key)
      setmetatable(set, nil)
      for word in text:gmatch("%S+") do set[word] = true end
      return set[key]
    end,
  })
end

return words
