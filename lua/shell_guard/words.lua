-- Tables of words are written as texts.

local words = {}

--- The words of a text, in order.
function words.list(text)
  local list = {}
  for word in text:gmatch("%S+") do list[#list + 1] = word end
  return list
end

--- The words of a text, each as a key; to be looked up in, not walked through. The text is taken apart when it is
--- first needed: most sessions look into few of all sets.
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
