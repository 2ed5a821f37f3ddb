-- Globs of an option, as in match.path, over a path and the directory that it is seen from. Case does not count.
local path = require "file_guard.path"

-- Whether one of the globs fits a path, an absolute one or one that is seen from where nobody knows; nil without globs.
return function(globs)
  if #globs == 0 then return nil end
  local list = {}
  for i = 1, #globs do
    local glob = globs[i]
    if path.home and glob:sub(1, 2) == "~/" then glob = path.home .. glob:sub(2) end
    list[i] = glob:lower()
  end
  return function(text, cwd)
    text = text:lower()
    local inside = cwd and path.inside(cwd:lower(), text)
    for i = 1, #list do
      if orcs.glob_match(list[i], text) or (inside and orcs.glob_match(list[i], inside)) then return globs[i] end
    end
    return nil
  end
end
