-- Tables of words are written as texts.

local words = {}

--- The words of a text, in order.
function words.list(text)
  local list = {}
  for word in text:gmatch("%S+") do list[#list + 1] = word end
  return list
end

--- The words of a text, each as a key.
function words.set(text)
  local set = {}
  for word in text:gmatch("%S+") do set[word] = true end
  return set
end

return words
