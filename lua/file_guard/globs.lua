-- Matches paths against the globs of an option, with the syntax of match.path. A path is matched as
-- written and relative to a directory. Matching ignores case.
local path = require "file_guard.path"

-- Returns function(text, cwd), which returns the first glob that matches, or nil. The path is
-- absolute, or relative when its directory is unknown. Without globs, returns nil instead of a
-- function.
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
